package shell_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"drawbridge/shell"
)

// asking is a running command with a whole environment, as interpreters need.
func asking(t *testing.T, tty bool, script string) shell.Process {
	t.Helper()
	l := shell.NewRunner(shell.Options{})
	t.Cleanup(func() { l.Close(context.Background()) })
	return start(t, l, shell.Spec{
		Script: script, Dir: t.TempDir(), TTY: tty, Cols: 80, Rows: 24,
		Env: append(os.Environ(), "TERM=xterm-256color"),
	})
}

// becomes waits until a command waits for typing, or no longer does.
func becomes(t *testing.T, p shell.Process, waiting bool) {
	t.Helper()
	limit := time.After(time.Minute) // only bounds a failing test
	for {
		s, changed := p.Status()
		if s.Waiting == waiting {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("waiting is %v; output %q", s.Waiting, p.Output().Read(0, 1000).Data)
		}
	}
}

// screenful is a full-screen program that polls the terminal for a key, as
// editors do, at most for limit seconds at a time, as monitors do.
func screenful(limit string) string {
	return `python3 -c '
import select, sys, tty
tty.setraw(0)
sys.stdout.write("\x1b[?1049;25h\x1b[2J\x1b[?25l\x1b[Hline\r\n\x1b[?25h"); sys.stdout.flush()
while not select.select([0], [], [], ` + limit + `)[0]: pass'`
}

func TestACommandThatWaitsForTyping(t *testing.T) {
	for _, row := range []struct {
		why, needs, script string
		pipes              bool
	}{
		{why: "a shell's question", script: `read -p "name? " x`},
		{why: "a question without words", script: `read x`},
		{why: "a program of the shell", script: `cat; true`},
		{why: "a pipeline", script: `head -n 1 | cat; true`},
		{why: "python", needs: "python3", script: `python3 -c 'input("name? ")'`},
		{why: "a password that is not shown", needs: "python3", script: `python3 -c 'import getpass; getpass.getpass()'`},
		{why: "node", needs: "node", script: `node -e 'require("readline").createInterface({input: process.stdin, output: process.stdout}).question("name? ", () => {})'`},
		{why: "a program that selects", needs: "python3", script: `python3 -c '
import select, sys
print("name? ", end="", flush=True); select.select([sys.stdin], [], [])'`},
		{why: "a program that polls", needs: "python3", script: `python3 -c '
import select, sys
print("name? ", end="", flush=True); p = select.poll(); p.register(sys.stdin, select.POLLIN); p.poll()'`},
		{why: "a session of its own", needs: "setsid", script: `setsid -w sh -c 'read x'`},
		{why: "a thread beside others", needs: "python3", script: `python3 -c '
import threading, time
threading.Thread(target=lambda: input("name? ")).start()
time.sleep(60)'`},
		{why: "a full-screen program", needs: "python3", script: screenful("None")},
		{why: "vim", needs: "vim", script: "vim -u NONE -n"},
		{why: "a pipe", script: `read x`, pipes: true},
		{why: "a pipe of a program", script: `echo go; cat; true`, pipes: true},
	} {
		t.Run(row.why, func(t *testing.T) {
			if _, err := exec.LookPath(row.needs); row.needs != "" && err != nil {
				t.Skip(err)
			}
			t.Parallel()
			becomes(t, asking(t, !row.pipes, row.script), true)
		})
	}
}

func TestAQuestionInANamespaceOfProcesses(t *testing.T) {
	enter := []string{"unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"}
	if out, err := exec.Command(enter[0], append(enter[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v: %s", err, out)
	}
	becomes(t, asking(t, true, `unshare --user --map-root-user --pid --fork --mount-proc sh -c 'printf "name? "; read x'`), true)
}

func TestACommandThatDoesNotWaitForTyping(t *testing.T) {
	for _, row := range []struct {
		why, needs, script string
		pipes              bool
	}{
		{why: "sleep", script: `sleep 60`},
		{why: "sleep behind text", script: `printf "working… "; sleep 60`},
		{why: "a busy loop", script: `while :; do :; done`},
		{why: "a stopped reader in the background", script: `set -m; cat & sleep 60`},
		{why: "a server that listens for keys", needs: "node", script: `node -e '
console.log("press h for help"); process.stdin.on("data", () => {}); setInterval(() => {}, 1000)'`},
		{why: "a full-screen program that looks again in a while", needs: "python3", script: screenful("60")},
		{why: "a full-screen program that has left", needs: "python3", script: `printf '\033[?1049h\033[?1049l'; python3 -c '
import select, tty
tty.setraw(0); select.select([0], [], [])'`},
		{why: "top", needs: "top", script: "top"},
		{why: "another pipe", script: `sleep 60 | cat`},
		{why: "sleep over pipes", script: `sleep 60`, pipes: true},
		{why: "another pipe over pipes", script: `sleep 60 | cat`, pipes: true},
	} {
		t.Run(row.why, func(t *testing.T) {
			if _, err := exec.LookPath(row.needs); row.needs != "" && err != nil {
				t.Skip(err)
			}
			t.Parallel()
			p := asking(t, !row.pipes, row.script)
			for limit := time.After(2500 * time.Millisecond); ; {
				s, changed := p.Status()
				if s.Waiting || s.Done {
					t.Fatalf("status %+v, output %q", s, p.Output().Read(0, 1000).Data)
				}
				select {
				case <-changed:
					continue
				case <-limit:
				}
				return
			}
		})
	}
}

func TestWaitingEndsWithTypingAndBeginsAnew(t *testing.T) {
	for mode, tty := range map[string]bool{"terminal": true, "pipes": false} {
		t.Run(mode, func(t *testing.T) {
			p := asking(t, tty, `read -p "one? " x; read -p "two? " y; sleep 60`)
			for range 2 {
				becomes(t, p, true)
				if err := p.Write("yes\n"); err != nil {
					t.Fatal(err)
				}
				becomes(t, p, false)
			}
		})
	}
}

func TestAnEndedCommandWaitsForNothing(t *testing.T) {
	p := asking(t, true, `read x`)
	becomes(t, p, true)
	p.Kill(t.Context(), 0)
	<-p.Gone()
	if s, _ := p.Status(); s.Waiting || !s.Done {
		t.Errorf("status %+v", s)
	}
}
