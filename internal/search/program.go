package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// program is a search by another program. It is started with fixed arguments,
// without a shell and in an environment of its own, and is killed with the search
// or the bridge.
type program struct {
	called string
	path   string
	dir    string // it runs there
	flags  []string
	// written is the pattern as the query has it, regexp as the program is given it.
	written, regexp string
	able            string // a pattern that tells whether its word counts; "" if it does not
}

// programs are those to be tried, in order. ripgrep's own expressions are the
// fastest; what they lack, or read otherwise than Perl does, its PCRE2 knows, which wants to have bytes that are not
// UTF-8 decoded.
func programs(q Query) []*program {
	var all []*program
	if q.Programs.Ripgrep != "" {
		common := []string{
			"--no-config", "--no-ignore", "--hidden", "--glob=!.git/", "--glob=!node_modules/", "--text", "--line-number",
			"--with-filename", "--null", "--no-heading", "--color=never", "--no-mmap",
		}
		if plainly(q.Pattern) {
			all = append(all, newProgram("ripgrep", q.Programs.Ripgrep, q, "", append([]string{"--engine=default", "--encoding=none"}, common...)))
		}
		all = append(all, newProgram("ripgrep", q.Programs.Ripgrep, q, "a", append([]string{"--engine=pcre2", "--encoding=utf-8"}, common...)))
	}
	if q.Programs.Grep != "" {
		all = append(all, newProgram("grep", q.Programs.Grep, q, "a", []string{
			"--perl-regexp", "--recursive", "--exclude-dir=.git", "--exclude-dir=node_modules", "--text", "--line-number",
			"--with-filename", "--null", "--color=never", "--devices=skip",
		}))
	}
	return all
}

var (
	// plainClass is a class of characters that all expressions read alike: without
	// classes in it, set operations, escapes or a hyphen of its own.
	plainClass = regexp.MustCompile(`\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_ .,;/@#%<>!"'])+\]`)
	// plainRest is what may stand around them.
	plainRest = regexp.MustCompile(`^(?:[ -Z^-~]|\\[!-/:-@\[-^{-~])*$`)
)

// plainly says that ripgrep's own expressions read a pattern as Perl does.
func plainly(pattern string) bool {
	rest := plainClass.ReplaceAllString(pattern, "")
	return plainRest.MatchString(rest) && !strings.Contains(strings.ReplaceAll(rest, "(?:", ""), "(?")
}

func newProgram(called, path string, q Query, able string, flags []string) *program {
	return &program{called: called, path: path, dir: q.Root, able: able, flags: flags, written: q.Pattern, regexp: spelled(q.Pattern, true)}
}

func (p *program) name() string { return p.called }

// try has the program look through nothing, and returns what it says against a
// pattern. An error is one of starting it.
func (p *program) try(ctx context.Context, pattern string) (said string, err error) {
	other := *p
	other.regexp = pattern
	r, err := other.run(ctx, strings.NewReader(""), "-", func(io.Reader) error { return nil })
	if err != nil || r.code <= 1 {
		return "", err
	}
	return p.sayings(r.said), nil
}

// takes says that the program takes the pattern as it is given it: one without
// UTF-8 does not take all that is spelled.
func (p *program) takes(ctx context.Context) bool {
	if p.regexp == p.written {
		return true
	}
	said, err := p.try(ctx, p.regexp)
	return err == nil && said == ""
}

// knows says that the program takes such patterns at all.
func (p *program) knows(ctx context.Context) bool {
	said, err := p.try(ctx, p.able)
	return err == nil && said == ""
}

// sayings is what the program wrote to its standard error, without its name.
func (p *program) sayings(said string) string {
	said = strings.TrimSpace(strings.ToValidUTF8(said, "\uFFFD"))
	if said == "" {
		return "it failed and did not say why"
	}
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, p.path+": "), filepath.Base(p.path)+": ")
	}
	return strings.Join(lines, "\n")
}

func (p *program) text(ctx context.Context, text string, line func(int) error) error {
	_, err := p.run(ctx, strings.NewReader(text), "-", func(out io.Reader) error {
		return places(out, func(_ string, n int) error { return line(n) })
	})
	return err
}

// files starts the program and, meanwhile, walks through the folders too: for what
// is left out whether it matches or not, and for what cannot be read.
func (p *program) files(ctx context.Context, s *lineSearch) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	walked := make(chan error, 1)
	start := "./" + s.q.File
	go func() {
		if s.q.File == "" {
			walked <- s.walk().run(ctx)
			return
		}
		walked <- nil
	}()
	tell := newTellers(ctx, s)
	r, err := p.run(ctx, nil, start, func(out io.Reader) error { return places(out, tell.place) })
	if failed := tell.end(); err == nil {
		err = failed
	}
	if err != nil {
		cancel()
		<-walked
		return err
	}
	if r.code > 1 {
		p.unread(r.said, s)
	}
	return <-walked
}

// unread reports the files that the program could not read, and that it ended
// early: at a line for which a pattern takes too long, GNU grep ends altogether and
// ripgrep leaves the file. Folders are left
// to the walk, and what is not there any more is no loss.
func (p *program) unread(said string, s *lineSearch) {
	if said = p.sayings(said); p.called == "grep" && strings.Contains(said, "exceeded PCRE") {
		s.mu.Lock()
		s.gaveUp = "grep: " + strings.TrimPrefix(said[strings.LastIndexByte(said, '\n')+1:], "./")
		s.mu.Unlock()
		return
	}
	for line := range strings.SplitSeq(said, "\n") {
		name, why, _ := strings.Cut(strings.TrimPrefix(line, "./"), ": ")
		if why == "" || strings.Contains(why, "No such file") || !s.wanted(name) {
			continue
		}
		if strings.HasPrefix(why, "PCRE2: error matching") { // a line for which the pattern takes too long
			s.mu.Lock()
			s.gaveUp = "ripgrep: " + name + ": " + strings.TrimPrefix(why, "PCRE2: error matching: ")
			s.mu.Unlock()
			continue
		}
		if info, err := s.root.Lstat(name); err == nil && info.Mode().IsRegular() {
			s.missed(name)
		}
	}
}

// ran is how a program ended.
type ran struct {
	code int
	said string // the beginning of what it wrote to its standard error
}

const (
	// maxSaid bounds what is kept of a program's standard error, in bytes.
	maxSaid = 64 << 10
	// goneAfter is how long a killed program's pipes may stay open.
	goneAfter = time.Second
)

// run starts the program and has read take its output. It returns when the
// program has ended; a read that fails ends it.
func (p *program) run(ctx context.Context, in io.Reader, what string, read func(io.Reader) error) (ran, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, append(append([]string{}, p.flags...), "--regexp="+p.regexp, "--", what)...)
	said := &beginning{most: maxSaid}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr, cmd.WaitDelay = p.dir, []string{"LC_ALL=C.UTF-8"}, in, said, goneAfter
	out, err := cmd.StdoutPipe()
	if err != nil {
		return ran{}, err
	}
	runtime.LockOSThread() // the program ends with the thread that started it
	defer runtime.UnlockOSThread()
	endWithUs(cmd)
	if err := cmd.Start(); err != nil {
		return ran{}, err
	}
	failed := read(out)
	if failed != nil {
		cancel()
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	switch exit, ended := errors.AsType[*exec.ExitError](err); {
	case failed != nil:
		return ran{}, failed
	case ctx.Err() != nil:
		return ran{}, ctx.Err()
	case ended && exit.Exited():
		return ran{exit.ExitCode(), said.String()}, nil
	case err != nil:
		return ran{}, fmt.Errorf("%s: %w", p.called, err)
	}
	return ran{}, nil
}

// places reads NAME NUL LINE ":" TEXT LF, again and again. A name may have line
// ends in it; the text, which may be long, is not kept.
func places(out io.Reader, place func(name string, n int) error) error {
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		name, err := r.ReadBytes(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n, err := number(r)
		if err != nil {
			return err
		}
		if err := place(string(name[:len(name)-1]), n); err != nil {
			return err
		}
		if err := skipLine(r); err != nil {
			return err
		}
	}
}

func number(r *bufio.Reader) (n int, err error) {
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == ':':
			return n, nil
		case c < '0' || c > '9':
			return 0, fmt.Errorf("line number with %q in it", c)
		}
		n = 10*n + int(c-'0')
	}
}

func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// beginning keeps the first bytes that are written to it.
type beginning struct {
	bytes.Buffer
	most int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, b.most-b.Len()))])
	return len(p), nil
}
