package command

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestNothingRunsThatIsNotListed compares what scripts are said to run with what
// bash runs of them. Those that are doubted say nothing, and are not run.
func TestNothingRunsThatIsNotListed(t *testing.T) {
	scripts := 600
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		scripts = 60_000
	}
	var ran, calls atomic.Int64
	var wg sync.WaitGroup
	workers := min(runtime.NumCPU(), 4)
	for worker := range workers {
		b := newBench(t)
		wg.Go(func() {
			for n := worker; n < scripts; n += workers {
				g := grammar{Rand: rand.New(rand.NewPCG(6, uint64(n)))}
				text := g.script()
				b.fill()
				if s := Parse(text, b.dir, b); len(s.Doubts) == 0 {
					done := b.run(text)
					done.check(t, n, text, s)
					ran.Add(1)
					calls.Add(int64(len(done.calls)))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d of %d scripts were run; they ran %d commands", ran.Load(), scripts, calls.Load())
	if ran.Load() < int64(scripts/4) || calls.Load() < ran.Load() {
		t.Error("that is too few")
	}
}

// standIn writes down where it runs, and with which words.
const standIn = `#!/bin/sh
printf '%%s\0' "$(pwd -P)" "$0" "$@" >>'%s'/$$
case $0 in */nay) exit 1;; */say) shift 0; printf '%%s ' "$@";; esac
exit 0
`

// bench is a folder to run scripts in, with the only programs that there are.
// It is a World, too.
type bench struct {
	disk
	t                   *testing.T
	dir, bin, log, bash string
	prefix              []string // holds the command, where the system can
}

func newBench(t *testing.T) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: base + "/ws", bin: base + "/bin", log: base + "/log", disk: disk{home: base + "/home"}}
	for _, dir := range []string{b.dir, b.bin, b.log, b.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields("bash sh env nohup timeout nice stdbuf setsid xargs find cat") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("the system has no %s to compare with", name)
		}
		if err := os.Symlink(path, b.bin+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	b.bash = b.bin + "/bash"
	for _, name := range strings.Fields("alpha beta gamma nay say") {
		b.program(b.bin + "/" + name)
	}
	b.prefix = b.holder()
	return b
}

func (b *bench) program(file string) {
	if err := os.WriteFile(file, fmt.Appendf(nil, standIn, b.log), 0o755); err != nil {
		b.t.Error(err)
	}
}

// holder is bubblewrap, where it works.
func (b *bench) holder() []string {
	base := filepath.Dir(b.dir)
	args := []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", base, base, "--ro-bind", b.bin, b.bin, "--unshare-all", "--die-with-parent"}
	if exec.Command(args[0], append(args[1:], "/bin/sh", "-c", ":")...).Run() != nil {
		return nil
	}
	return args
}

func (b *bench) Program(name string) (Target, bool) {
	file := b.bin + "/" + name
	if _, err := os.Stat(file); err != nil || strings.Contains(name, "/") {
		return Target{}, false
	}
	return b.Target("/", file), true
}

// fill makes the workspace anew.
func (b *bench) fill() {
	for _, dir := range []string{b.dir, b.log} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Mkdir(b.dir+"/sub", 0o755)
	for _, name := range []string{"a.go", "b.go", "c d.txt", ".hidden.go", "sub/e.go", "sub/f g"} {
		_ = os.WriteFile(filepath.Join(b.dir, name), nil, 0o644)
	}
	b.program(b.dir + "/local")
	b.program(b.dir + "/sub/local")
}

// outcome is what a script did.
type outcome struct {
	calls [][]string // folder, file of the program, arguments
	files []string   // that are there now, and were not
}

// run runs a script in the folder as fill made it, and waits for all that it started.
func (b *bench) run(text string) outcome {
	before := b.tree()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	args := append(slices.Clone(b.prefix), b.bash, "--norc", "--noprofile", "-c", text)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = b.dir, []string{"HOME=" + b.home, "LC_ALL=C", "PATH=" + b.bin}
	alive, end, err := os.Pipe()
	if err != nil {
		b.t.Error(err)
		return outcome{}
	}
	defer alive.Close()
	cmd.ExtraFiles = append(make([]*os.File, 40), end) // kept by all that it starts
	err = cmd.Start()
	end.Close()
	if err != nil {
		b.t.Error(err)
		return outcome{}
	}
	_ = alive.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, _ = alive.Read(make([]byte, 1))
	_ = cmd.Wait()
	if ctx.Err() != nil {
		b.t.Errorf("it does not end:\n%s", text)
	}
	done := outcome{calls: b.calls()}
	for name := range b.tree() {
		if !before[name] {
			done.files = append(done.files, name)
		}
	}
	return done
}

func (b *bench) tree() map[string]bool {
	all := map[string]bool{}
	_ = filepath.WalkDir(b.dir, func(name string, _ fs.DirEntry, _ error) error {
		all[name] = true
		return nil
	})
	return all
}

func (b *bench) calls() (all [][]string) {
	entries, _ := os.ReadDir(b.log)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.log, e.Name()))
		if err != nil {
			b.t.Error(err)
		}
		var call []string
		for word := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte{0}), []byte{0}) {
			call = append(call, string(word))
		}
		if len(call) > 1 {
			all = append(all, call)
		}
	}
	return all
}

// check wants each call among the parts, and each file among what they write.
func (done outcome) check(t *testing.T, n int, text string, s Script) {
	t.Helper()
	for _, call := range done.calls {
		if !slices.ContainsFunc(s.Parts, func(p Part) bool { return p.runs(call) }) {
			t.Errorf("script %d runs %q in %s, which is not listed:\n%s\n%s", n, call[1:], call[0], text, listing(s))
		}
	}
	for _, file := range done.files {
		if !slices.ContainsFunc(s.Parts, func(p Part) bool { return p.creates(file) }) {
			t.Errorf("script %d writes %s, which is not listed:\n%s\n%s", n, file, text, listing(s))
		}
	}
}

func listing(s Script) string {
	var b strings.Builder
	for _, p := range s.Parts {
		fmt.Fprintf(&b, "  in %q by %q fed %v:", p.Dir, p.By, p.Fed)
		for _, w := range p.Argv {
			fmt.Fprintf(&b, " %q", w.Text)
			if !w.Known {
				fmt.Fprintf(&b, "(unknown, prefix %q, many %v)", w.Prefix, w.Many)
			}
		}
		for _, r := range p.Redirects {
			fmt.Fprintf(&b, " %s%q", r.Op, r.File.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// runs says that the part may be this call.
func (p Part) runs(call []string) bool {
	if p.Dir != "" && p.Dir != call[0] || len(p.Dirs) > 0 && !slices.Contains(p.Dirs, call[0]) || len(p.Argv) == 0 || !p.Argv[0].Known {
		return false
	}
	name := p.Argv[0].Text
	if filepath.Base(name) != filepath.Base(call[1]) || strings.Contains(name, "/") != (filepath.Base(filepath.Dir(call[1])) != "bin") {
		return false
	}
	args := p.Argv[1:]
	if p.Fed {
		args = append(slices.Clone(args), Word{Many: true})
	}
	return fits(args, call[2:])
}

// creates says that the part may write this file.
func (p Part) creates(file string) bool {
	return slices.ContainsFunc(p.Redirects, func(r Redirect) bool {
		if !r.Writes || !r.File.Known {
			return r.Writes
		}
		name := r.File.Text
		if len(p.Dirs) > 0 && !filepath.IsAbs(name) {
			return slices.ContainsFunc(p.Dirs, func(dir string) bool { return filepath.Join(dir, name) == file })
		}
		if p.Dir == "" && !filepath.IsAbs(name) {
			return filepath.Base(name) == filepath.Base(file)
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		return filepath.Clean(name) == file
	})
}
