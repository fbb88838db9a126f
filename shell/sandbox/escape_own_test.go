//go:build linux

package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell"
)

// The file that commands are started through runs unconfined, so no command may
// put another in its place, be it in the workspace: as in the one of this very
// project.
func TestNobodyReplacesTheGuardOfCommands(t *testing.T) {
	guard, err := shell.GuardPath()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(guard)
	for script, name := range map[string]string{
		"exec 2>&1; echo theirs >%s":                                      "written",
		"exec 2>&1; cp %s sub/copy && mv sub/copy %s":                     "moved over",
		"exec 2>&1; rm -f %s":                                             "removed",
		"exec 2>&1; mv %s sub/aside && cp -p sub/aside %s":                "moved aside",
		"exec 2>&1; ln %s sub/link && chmod u+w sub/link && : >>sub/link": "linked",
	} {
		for _, c := range confinements(t) {
			t.Run(name+" "+c.name, func(t *testing.T) {
				w := newWorld(t)
				p := w.policy(WorkspaceWrite)
				p.Writable = []string{dir}
				before, err := os.Stat(guard)
				if err != nil {
					t.Fatal(err)
				}
				code, out := w.bash(t, c, p, strings.ReplaceAll(script, "%s", guard))
				after, err := os.Stat(guard)
				if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
					t.Fatalf("exit %d, %q: it is another now (%v)", code, out, err)
				}
				if code == 0 {
					t.Errorf("%q: it succeeds", out)
				}
			})
		}
	}
}

// Process 1 of a sandbox does not end by what is below it.
func TestProcess1CannotBeKilled(t *testing.T) {
	for _, c := range confinements(t) {
		if c.name != "bubblewrap" {
			continue
		}
		for _, script := range []string{"kill -KILL 1; sleep .1; echo alive", "kill -STOP 1; sleep .1; echo alive", "kill -TERM 1; sleep .1; echo alive"} {
			w := newWorld(t)
			p := w.start(t, c, script, false)
			<-p.Done()
			if got := string(p.Output().Read(0, 100).Data); got != "alive\n" || p.Exit() != (shell.Exit{}) {
				t.Errorf("%s: %q, exit %+v", script, got, p.Exit())
			}
		}
	}
}

// A command finds no descriptor beside its streams, least of all one that
// names a place before the mounts.
func TestCommandsInheritNoDescriptor(t *testing.T) {
	loose, err := syscall.Open("/", syscall.O_RDONLY, 0) // inheritable
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(loose)
	for _, c := range confinements(t) {
		for _, tty := range []bool{false, true} {
			w := newWorld(t)
			p := w.start(t, c, "exec ls -1 /proc/self/fd", tty)
			<-p.Done()
			// 3 is the listed folder itself.
			if got := strings.Fields(string(p.Output().Read(0, 100).Data)); strings.Join(got, " ") != "0 1 2 3" {
				t.Errorf("%s: descriptors %q", c.name, got)
			}
		}
	}
}

// A wish for a loopback of its own is not met by the machine's.
func TestLoopbackTakesANetworkNamespace(t *testing.T) {
	p := Policy{Network: Loopback}
	if _, err := openLandlock(p, Options{}); err != nil && namespaces() == nil {
		t.Error(err)
	}
	if err := openedAlone(p); err == nil || !strings.Contains(err.Error(), "sandbox.network: loopback") {
		t.Errorf("without namespaces: %v", err)
	}
	if err := openedAlone(Policy{Network: FullNetwork}); err != nil {
		t.Error(err)
	}
}

func openedAlone(p Policy) error {
	return (&landlocked{policy: p, alone: true}).possible()
}

// start runs a script as the agent's commands are.
func (w world) start(t *testing.T, c confinement, script string, tty bool) shell.Process {
	t.Helper()
	runner := shell.NewRunner(shell.Options{})
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := runner.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	p, err := runner.Start(shell.Spec{
		Script: script, Dir: w.Root, TTY: tty, Cols: 80, Rows: 24, Env: []string{"PATH=/usr/bin:/bin"},
		Confinement: w.sandbox(t, c, WorkspaceWrite),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bash runs a script under a policy and waits for it.
func (w world) bash(t *testing.T, c confinement, p Policy, script string) (code int, out string) {
	t.Helper()
	p, err := p.resolve()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.open(p, Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&Sandbox{policy: p, backend: b}).Bare(shell.Launch{Path: "/bin/bash", Args: []string{"bash", "-c", script}, Env: os.Environ(), Dir: w.Root})
	if err != nil {
		t.Fatal(err)
	}
	if l.Release != nil {
		defer l.Release()
	}
	cmd := w.command(l.Path, l.Args, l.Env)
	cmd.Dir, cmd.ExtraFiles = l.Dir, l.Files
	text, err := cmd.CombinedOutput()
	for _, file := range l.Files {
		file.Close()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), strings.TrimSpace(string(text))
}
