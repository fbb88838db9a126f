package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endLimit is how long a bridge may take to end in these tests. It promises
// two seconds; a busy machine needs some more.
const endLimit = 5 * time.Second

// mark is an argument of sleep by which a test finds the processes it caused.
func mark() string { return fmt.Sprintf("900.%d", 100_000_000+rand.IntN(900_000_000)) }

// marked lists the processes whose command line has the mark. A process that is
// dead and not yet waited for has none.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		out, err := exec.Command("ps", "-axo", "pid=,command=").Output()
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, mark) {
				found = append(found, strings.TrimSpace(line))
			}
		}
		return found
	}
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, name := range names {
		if line, _ := os.ReadFile(name); bytes.Contains(line, []byte(mark)) {
			found = append(found, name+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return found
}

// awaitMarked waits until so many processes have the mark: what is being started
// has no arguments for a moment.
func awaitMarked(t *testing.T, mark string, n int) {
	t.Helper()
	for limit := time.Now().Add(patience); len(marked(t, mark)) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("of %d processes there are %q", n, marked(t, mark))
		}
	}
}

// checkGone waits for the end of all that has the mark.
func checkGone(t *testing.T, mark string, within time.Duration) {
	t.Helper()
	for limit := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		left := marked(t, mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Errorf("left after %v:\n%s", within, strings.Join(left, "\n"))
			for _, line := range left { // leave nothing to the next test
				if pid, err := strconv.Atoi(strings.Split(line+"///", "/")[2]); err == nil {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			return
		}
	}
}

// family is a command that says "up" and then sleeps, with a child in the
// background, one in a session of its own, and one that is deaf to TERM and HUP.
func family(mark string) string {
	return `call c1 exec_command {"cmd":"sleep ` + mark + ` & setsid sleep ` + mark +
		` & (trap '' TERM HUP INT; sleep ` + mark + `) & printf '%s\\n' 'I am' up | tr '\\n' ' '; sleep ` + mark + `"}`
}

// states are what a bridge can be at when it has to end.
var states = []struct {
	name  string
	reach func(e *editor, mark string)
}{
	{"idle", func(e *editor, _ string) { e.open("allow-all", "") }},
	{"mid-turn", func(e *editor, _ string) {
		e.prompt(e.open("allow-all", "text \"well\"\nstall"), "go")
		e.event("message/chunk", "well")
	}},
	{"mid-question", func(e *editor, _ string) {
		e.prompt(e.open("always-ask", `call c1 exec_command {"cmd":"true"}`), "go")
		e.event("approval/request", "")
	}},
	{"mid-command", func(e *editor, mark string) {
		e.prompt(e.open("allow-all", family(mark)), "go")
		e.event("terminal/output", "I am up")
		awaitMarked(e.t, mark, 4)
	}},
}

// insist asks again and again. A missing reader is noticed by a write, and one
// write may still succeed: a child of another test that is just being started
// holds all pipes of this process for a moment.
func (e *editor) insist() {
	go func() { // ends with the bridge
		for {
			select {
			case <-e.exited:
				return
			case <-time.After(20 * time.Millisecond):
				e.raw(frame(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`))
			}
		}
	}()
}

func TestTheBridgeEndsWithItsEditor(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name string
		do   func(e *editor, parent *exec.Cmd)
	}{
		{"input ends", func(e *editor, _ *exec.Cmd) { e.in.Close() }},
		{"output has no reader", func(e *editor, _ *exec.Cmd) {
			e.out.Close()
			e.insist()
		}},
		{"editor's process is gone", func(e *editor, parent *exec.Cmd) {
			parent.Process.Kill()
			parent.Wait()
		}},
		{"SIGTERM", func(e *editor, _ *exec.Cmd) { e.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGHUP", func(e *editor, _ *exec.Cmd) { e.cmd.Process.Signal(syscall.SIGHUP) }},
	} {
		for _, state := range states {
			t.Run(end.name+"/"+state.name, func(t *testing.T) {
				t.Parallel()
				m := mark()
				parent := exec.Command("sleep", "900")
				if err := parent.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { parent.Process.Kill(); parent.Wait() })
				e := serve(t)
				e.handshake(parent.Process.Pid)
				state.reach(e, m)
				end.do(e, parent)
				e.exit(endLimit, 1)
				checkGone(t, m, time.Second)
			})
		}
	}
}

// The editor is killed in the middle of a command: no process of the command is
// left after three seconds, nor is the bridge.
func TestAKilledEditorLeavesNoProcess(t *testing.T) {
	t.Parallel()
	m := mark()
	e := start(t, heldEditor, []string{"serve", "--max-steps=" + strings.TrimPrefix(m, "900.")})
	e.handshake(e.cmd.Process.Pid)
	states[3].reach(e, m)
	e.cmd.Process.Kill()
	checkGone(t, strings.TrimPrefix(m, "900."), 3*time.Second)
}

// The bridge itself is killed in the middle of a command.
func TestAKilledBridgeLeavesNoProcess(t *testing.T) {
	t.Parallel()
	m := mark()
	e := serve(t)
	e.handshake(os.Getpid())
	states[3].reach(e, m)
	e.cmd.Process.Kill()
	checkGone(t, m, 3*time.Second)
}

// Closing a session and shutting down end its commands before the answer.
func TestShutdownEndsCommandsFirst(t *testing.T) {
	t.Parallel()
	m := mark()
	e := serve(t)
	e.handshake(os.Getpid())
	states[3].reach(e, m)
	e.call("shutdown", nil, nil)
	if left := marked(t, m); len(left) > 0 {
		t.Errorf("left at the answer:\n%s", strings.Join(left, "\n"))
	}
	e.notify("exit", nil)
	e.exit(patience, 0)
}
