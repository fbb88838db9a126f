package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// parseCommands reads the shell section: one command a line, further lines of
// the same command are indented.
func parseCommands(text string) ([]shelltest.Step, error) {
	var steps []shelltest.Step
	for _, l := range joined(text) {
		step, err := parseCommand(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l, err)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// joined puts indented lines behind the one they continue, and drops comments.
func joined(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		trimmed := strings.TrimSpace(l)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case len(out) > 0 && (l[0] == ' ' || l[0] == '\t'):
			out[len(out)-1] += " " + trimmed
		default:
			out = append(out, trimmed)
		}
	}
	return out
}

// commandReader holds what words said that the next output, or the exit, is
// still to get.
type commandReader struct {
	step  shelltest.Step
	next  shelltest.Piece // but for its text
	left  bool            // the leader has ended: what follows is of its survivors
	words []string
}

func parseCommand(l string) (shelltest.Step, error) {
	words, err := fields(l)
	if err != nil {
		return shelltest.Step{}, err
	}
	r := commandReader{words: words}
	for len(r.words) > 0 {
		if err := r.word(r.pop()); err != nil {
			return shelltest.Step{}, err
		}
	}
	r.exit()
	return r.step, nil
}

// exit gives the exit what was said for it.
func (r *commandReader) exit() {
	if !r.left {
		r.step.After, r.step.WaitInput, r.step.Waiting = r.next.After, r.next.WaitInput, r.next.Waiting
		r.next = shelltest.Piece{}
	}
}

func (r *commandReader) pop() string {
	if len(r.words) == 0 {
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

func (r *commandReader) word(w string) (err error) {
	switch w {
	case "run":
		r.step.Match = r.pop()
	case "out":
		r.next.Text = r.pop()
		*r.pieces() = append(*r.pieces(), r.next)
		r.next = shelltest.Piece{}
	case "writes", "removes", "moves", "links", "chmods":
		return r.does(w)
	case "times":
		return r.times()
	case "after":
		return r.later()
	case "typed":
		r.next.WaitInput = true
	case "asks":
		r.next.WaitInput, r.next.Waiting = true, true
	case "exit":
		r.step.Exit.Code, err = strconv.Atoi(r.pop())
	case "signal":
		r.step.Exit.Signal = r.pop()
	case "leaves":
		r.exit()
		r.left = true
		r.step.Survivors = append(r.step.Survivors, r.pop())
	case "lives":
		r.step.LiveFor, err = time.ParseDuration(r.pop())
	case "deaf":
		r.step.Deaf = true
	case "repeat":
		r.step.Repeat = true
	case "fails":
		r.step.Err = errors.New(r.pop())
	default:
		err = fmt.Errorf("unknown word %q", w)
	}
	return err
}

// does is what a command does to files, at the time of an output. Names count from
// the directory that it runs in.
func (r *commandReader) does(w string) error {
	name, arg := r.pop(), ""
	if w != "removes" {
		arg = r.pop()
	}
	if name == "" || filepath.IsAbs(name) || filepath.IsAbs(arg) && w == "moves" {
		return fmt.Errorf("%s: want a relative name", w)
	}
	r.next.Do = func(dir string) {
		path := filepath.Join(dir, name)
		switch w {
		case "writes":
			_ = os.MkdirAll(filepath.Dir(path), 0o755) // else writing says so
			r.failed(os.WriteFile(path, []byte(arg), 0o644))
		case "removes":
			r.failed(os.RemoveAll(path))
		case "moves":
			r.failed(os.Rename(path, filepath.Join(dir, arg)))
		case "links":
			_ = os.Remove(path) // there may be none
			r.failed(os.Symlink(arg, path))
		case "chmods":
			mode, err := strconv.ParseUint(arg, 8, 9)
			r.failed(errors.Join(err, os.Chmod(path, os.FileMode(mode))))
		}
	}
	*r.pieces() = append(*r.pieces(), r.next)
	r.next = shelltest.Piece{}
	return nil
}

// failed ends the test: a scenario's command cannot do what the scenario says.
func (r *commandReader) failed(err error) {
	if err != nil {
		panic("scenario: a command: " + err.Error())
	}
}

// later keeps a time for what comes next. Two times in a row are a mistake: the
// first one was meant for an output that is not there.
func (r *commandReader) later() error {
	d, err := time.ParseDuration(r.pop())
	if err == nil && r.next.After != 0 {
		err = fmt.Errorf("after %v, and after %v of what?", r.next.After, d)
	}
	r.next.After = d
	return err
}

// pieces are the outputs that the next one belongs to.
func (r *commandReader) pieces() *[]shelltest.Piece {
	if r.left {
		return &r.step.Later
	}
	return &r.step.Out
}

// times repeats the text of the output before it.
func (r *commandReader) times() error {
	n, err := strconv.Atoi(r.pop())
	out := *r.pieces()
	if err != nil || len(out) == 0 {
		return fmt.Errorf("times: want a count behind an output")
	}
	last := &out[len(out)-1]
	last.Text = strings.Repeat(last.Text, n)
	return nil
}

// fields cuts a line into words and Go strings, which it unquotes.
func fields(l string) ([]string, error) {
	var out []string
	for l = strings.TrimSpace(l); l != ""; l = strings.TrimSpace(l) {
		if l[0] != '"' && l[0] != '`' {
			word, rest, _ := strings.Cut(l, " ")
			out, l = append(out, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(l)
		if err != nil {
			return nil, fmt.Errorf("a Go string does not end: %s", l)
		}
		text, _ := strconv.Unquote(quoted)
		out, l = append(out, text), l[len(quoted):]
	}
	return out, nil
}

// describe lists what a shell was asked to run and what was done to it, in the
// words of the want-shell section.
func describe(f *shelltest.Fake, dir string) string {
	var b strings.Builder
	for _, c := range f.Commands() {
		fmt.Fprintf(&b, "run %q", c.Spec().Script)
		if at := strings.TrimPrefix(strings.TrimPrefix(c.Spec().Dir, dir), "/"); at != "" {
			fmt.Fprintf(&b, " in %s", at)
		}
		if !c.Spec().TTY {
			b.WriteString(" piped")
		}
		if held := c.Spec().Confinement; held != nil {
			b.WriteString(" held " + held.Preset())
		}
		for _, text := range c.Typed() {
			fmt.Fprintf(&b, " typed %q", text)
		}
		for _, s := range c.Sizes() {
			fmt.Fprintf(&b, " size %dx%d", s.Cols, s.Rows)
		}
		b.WriteString(ended(c) + "\n")
	}
	return b.String()
}

func ended(p shell.Process) string {
	select {
	case <-p.Done():
	default:
		return " running"
	}
	how := " exit " + strconv.Itoa(p.Exit().Code)
	if e := p.Exit(); e.Signal != "" {
		how = " signal " + e.Signal
	}
	select {
	case <-p.Gone():
		return how
	default:
		return how + " left running"
	}
}
