package shell_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// box is the least that a PID namespace needs: it confines nothing else. It
// counts what is not released yet.
type box struct {
	bwrap string
	held  *atomic.Int32
}

const boxedGuard = "/run/" + shell.GuardName

func (b box) Backend() string                        { return "bubblewrap" }
func (b box) Preset() string                         { return "workspace-write" }
func (b box) Denied(string, shell.Exit) shell.Denial { return shell.Denial{} }

func (b box) Wrap(l shell.Launch) (shell.Launch, error) {
	guard, err := shell.GuardPath()
	if err != nil {
		return l, err
	}
	null, err := os.Open(os.DevNull) // one of the box's own, behind process 1's
	if err != nil {
		return l, err
	}
	dir := l.Dir
	if l, err = shell.GuardInit(l, boxedGuard); err != nil {
		null.Close()
		return l, err
	}
	l.Files = append(slices.Clone(l.Files), null)
	l.Args = slices.Concat([]string{
		b.bwrap, "--unshare-pid", "--as-pid-1", "--die-with-parent", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
		"--tmpfs", "/run", "--ro-bind", guard, boxedGuard, "--chdir", dir, "--",
	}, l.Args)
	l.Path, l.Dir = b.bwrap, "/"
	b.held.Add(1)
	l.Release = func() { b.held.Add(-1) }
	return l, nil
}

// newBox skips a test where no box can be made, and with CI set fails it.
func newBox(t *testing.T) box {
	t.Helper()
	why := ""
	path, err := exec.LookPath("bwrap")
	if err != nil {
		why = err.Error()
	} else if out, err := exec.Command(path, "--unshare-pid", "--bind", "/", "/", "true").CombinedOutput(); err != nil {
		why = strings.TrimSpace(string(out))
	}
	if why == "" {
		b := box{bwrap: path, held: new(atomic.Int32)}
		t.Cleanup(func() {
			if n := b.held.Load(); n != 0 {
				t.Errorf("%d launches were not released", n)
			}
		})
		return b
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no PID namespace can be made here:", why)
	}
	t.Skip("no PID namespace can be made here:", why)
	return box{}
}

// The release is looked at when the runner is closed: cleanups run in reverse.
func TestACommandBelowProcess1KeepsTheContract(t *testing.T) {
	shelltest.RunConfined(t, func(*testing.T) shell.Runner {
		return shell.NewRunner(shell.Options{})
	}, func(t *testing.T, _ string) shell.Confinement { return newBox(t) })
}

func boxed(t *testing.T, l *shell.Local, tty bool, script string) shell.Process {
	t.Helper()
	s := spec(t, script)
	s.TTY, s.Confinement = tty, newBox(t)
	return start(t, l, s)
}

func TestProcess1IsNoSurvivor(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	p := boxed(t, l, false, "sleep 300 & echo $PPID")
	<-p.Done()
	s, changed := p.Status()
	for limit := time.After(time.Minute); len(s.Survivors) == 1 && s.Survivors[0].Name != "sleep 300"; s, changed = p.Status() {
		select { // it may be a fork that has not become its program yet
		case <-changed:
		case <-limit:
			t.Fatalf("survivors %+v", s.Survivors)
		}
	}
	if len(s.Survivors) != 1 {
		t.Errorf("survivors %+v", s.Survivors)
	}
	if got := string(p.Output().Read(0, 10).Data); got != "1\n" {
		t.Errorf("the parent of the command is %q", got)
	}
	if err := p.Kill(t.Context(), time.Second); err != nil {
		t.Error(err)
	}
	l.Close(context.Background())
}

// A TERM to the box would be the end of all inside without their grace.
func TestACommandInABoxHasItsGrace(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	p := boxed(t, l, true, "trap 'echo bye; exit 9' TERM; echo up; while :; do sleep .05; done")
	if err := p.Output().Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(t.Context(), 20*time.Second); err != nil {
		t.Error(err)
	}
	if p.Exit() != (shell.Exit{Code: 9}) {
		t.Errorf("exit %+v", p.Exit())
	}
	l.Close(context.Background())
}

func TestAProgramThatABoxLacksIsSaid(t *testing.T) {
	l := shell.NewRunner(shell.Options{Shell: "/none/sh"})
	p := boxed(t, l, false, "true")
	<-p.Done()
	if got := string(p.Output().Read(0, 100).Data); p.Exit().Code != 127 || !strings.Contains(got, "run /none/sh: no such file") {
		t.Errorf("exit %+v, output %q", p.Exit(), got)
	}
	l.Close(context.Background())
}
