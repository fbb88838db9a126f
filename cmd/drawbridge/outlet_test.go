package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// toNobody is the program with an output that cannot be written.
func toNobody(t *testing.T, args ...string) map[string]*exec.Cmd {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is full here: %v", err)
	}
	t.Cleanup(func() { full.Close() })
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	cmds := map[string]*exec.Cmd{}
	for name, out := range map[string]*os.File{"full": full, "closed": w} {
		cmd := exec.Command("drawbridge", args...)
		cmd.Dir, cmd.Stdout = tempDir(t), out
		cmd.Env = slices.Concat(hermetic(tempDir(t)), []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tempDir(t)})
		cmds[name] = cmd
	}
	return cmds
}

// Where nobody can read, nothing goes on: the turn is cancelled, and that is
// said in one line.
func TestARunThatCannotWriteIsCancelled(t *testing.T) {
	t.Parallel()
	m := mark()
	args := []string{"run", "wait", "--approve", "allow-all", "--model", played(t, `text "hello\n"
`+family(m))}
	for _, form := range [][]string{args, append(slices.Clone(args), "--json")} {
		for name, cmd := range toNobody(t, form...) {
			stderr := &buffer{}
			cmd.Stderr = stderr
			if got := exitCode(cmd.Run()); got != 1 {
				t.Errorf("%s: exit code is %d, want 1", name, got)
			}
			if text := stderr.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "output cannot be written") {
				t.Errorf("%s: stderr is %q", name, text)
			}
			checkGone(t, m, time.Second)
		}
	}
}

func TestADemoThatCannotWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, cmd := range toNobody(t, "demo", "--yes") {
		if got := exitCode(cmd.Run()); got != 1 {
			t.Errorf("%s: exit code is %d, want 1", name, got)
		}
		tmp, _ := strings.CutPrefix(cmd.Env[len(cmd.Env)-1], "TMPDIR=")
		if left, _ := filepath.Glob(filepath.Join(tmp, "drawbridge-demo-*")); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}

func TestAReportThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"doctor"}, {"report"}, {"tools"}, {"version"}, {"run", "--help"}} {
		for name, cmd := range toNobody(t, args...) {
			if cmd.Run() == nil {
				t.Errorf("%v: %s: exit code is 0", args, name)
			}
		}
	}
}

// A command dies of a pipe that nobody reads, as it does in a shell.
func TestCommandsDieOfABrokenPipe(t *testing.T) {
	t.Parallel()
	cmd, out := headlessly(t, "go", "--approve", "allow-all", "--model", played(t, `call c1 exec_command {"cmd":"(sh -c 'trap : PIPE; kill -PIPE $$; echo was asked'; sh -c 'kill -PIPE $$; echo lives'; echo $?)"}
----
text "Done."`))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "\n141\n") || strings.Contains(text, "\nlives\n") {
		t.Error("the command ignores SIGPIPE")
	}
}
