package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unheldSession makes a session whose commands run unasked and unconfined: these
// tests are of terminals and processes.
func (e *editor) unheldSession(script string) string {
	e.t.Helper()
	var r struct{ Session struct{ SessionID string } }
	e.call("session/new", object{
		"mode": "allow-all", "preset": "full-access", "model": "script:" + e.file(script),
	}, &r)
	return r.Session.SessionID
}

// shownTerminal is what terminal/list says of a command.
type shownTerminal struct {
	TerminalID, ProcessID string
	Background, Waiting   bool
	Survivors             []struct {
		PID  int
		Name string
	}
	Exit *struct{ Code int }
}

func (e *editor) terminals(session string) []shownTerminal {
	e.t.Helper()
	var r struct{ Terminals []shownTerminal }
	e.call("terminal/list", object{"sessionId": session}, &r)
	return r.Terminals
}

// completed is the end of a call.
type completed struct{ CallID, Status, Text, ProcessID string }

func (e *editor) completion(call string) (c completed) {
	e.t.Helper()
	if err := json.Unmarshal(e.event("toolCall/completed", `"callId":"`+call+`"`).Params, &c); err != nil {
		e.t.Fatal(err)
	}
	return c
}

// A command asks a question: the terminal shows it and that it waits, the user
// types the answer there, and the model reads what came of it. One that sleeps
// does not wait for typing.
func TestTheUserAnswersACommand(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.unheldSession(`call c1 exec_command {"cmd":"sleep 1; read -r -p 'name? ' x; echo \"hi $x\"; sleep 1"}
----
want c1 "name? Ann\nhi Ann\n"
text "Done."`)
	p := e.prompt(s, "go")
	e.event("terminal/output", "name? ")
	e.event("terminal/updated", `"waiting":true`)
	e.event("state/changed", `"state":"input"`)
	for _, m := range e.seen {
		if m.Method == "terminal/output" || m.Method == "terminal/updated" {
			t.Errorf("before the question came %s", m.Params)
		}
	}
	e.call("terminal/write", object{"sessionId": s, "terminalId": "x1", "text": "Ann\r"}, nil)
	e.event("state/changed", `"state":"tool"`)
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	e.shutDown()
}

// What a command leaves behind holds neither its call nor the turn, whether it
// keeps the terminal, writes to it without an end or has its output elsewhere.
// It is listed, and gone when its terminal is ended or its session closed.
func TestWhatIsLeftBehindHoldsNothing(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"silent":     "sleep MARK & echo hi",
		"redirected": "sleep MARK >/dev/null 2>&1 </dev/null & echo hi",
		"writing":    "(trap '' HUP; sleep MARK & while :; do echo x; done) & echo hi",
		"deserter":   "setsid sh -c 'trap \\\"\\\" HUP TERM INT; sleep MARK; sleep MARK' & sleep .2; echo hi",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mark()
			e := serve(t)
			e.handshake(os.Getpid())
			s := e.unheldSession(`call c1 exec_command {"cmd":"` + strings.ReplaceAll(script, "MARK", m) + `"}
----
want c1 "hi"
text "Done."`)
			began := time.Now()
			p := e.prompt(s, "go")
			c := e.completion("c1")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the call took %v", took)
			}
			if c.ProcessID == "" || !strings.Contains(c.Text, "hi\n") {
				t.Errorf("%+v", c)
			}
			if got := e.stopReason(p); got != "endTurn" {
				t.Error(got)
			}
			list := e.terminals(s)
			if len(list) != 1 || len(list[0].Survivors) == 0 || list[0].Exit == nil || !list[0].Background {
				t.Errorf("%+v", list)
			}
			if name == "silent" {
				e.call("terminal/kill", object{"sessionId": s, "terminalId": "x1"}, nil)
			} else {
				e.call("session/close", object{"sessionId": s}, nil)
			}
			checkGone(t, m, 3*time.Second)
			e.event("terminal/closed", `"terminalId":"x1"`)
			e.shutDown()
		})
	}
}

// However the bridge ends, commands in the background and what others left
// behind end with it.
func TestNothingOutlivesTheBridge(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(e *editor, parent *exec.Cmd){
		"shutdown":               func(e *editor, _ *exec.Cmd) { e.call("shutdown", nil, nil); e.notify("exit", nil) },
		"input ends":             func(e *editor, _ *exec.Cmd) { e.in.Close() },
		"SIGTERM":                func(e *editor, _ *exec.Cmd) { e.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGKILL":                func(e *editor, _ *exec.Cmd) { e.cmd.Process.Kill() },
		"the editor is killed":   func(_ *editor, parent *exec.Cmd) { parent.Process.Kill(); parent.Wait() },
		"the session was closed": func(e *editor, _ *exec.Cmd) { e.call("session/close", object{"sessionId": "SESSION"}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mark()
			parent := exec.Command("sleep", "900")
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { parent.Process.Kill(); parent.Wait() })
			e := serve(t)
			e.handshake(parent.Process.Pid)
			s := e.unheldSession(strings.ReplaceAll(`call c1 exec_command {"cmd":"trap '' TERM HUP; sleep MARK; sleep MARK","run_in_background":true}
call c2 exec_command {"cmd":"setsid sleep MARK & sleep .2"}
call c3 exec_command {"cmd":"sleep MARK","yield_time_ms":250}
----
text "Done."`, "MARK", m))
			if got := e.stopReason(e.prompt(s, "go")); got != "endTurn" {
				t.Fatal(got)
			}
			awaitMarked(t, m, 3)
			if name == "the session was closed" {
				e.call("session/close", object{"sessionId": s}, nil)
			} else {
				end(e, parent)
			}
			checkGone(t, m, 3*time.Second)
		})
	}
}

var gapForm = regexp.MustCompile(`"gap":[1-9]`)

// A flood reaches the client in pieces of a bounded size and in order, what it is
// too slow for is a gap that says so, and a cancel is not behind it.
func TestAFloodCanBeCancelled(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.unheldSession(`call c1 exec_command {"cmd":"yes 0123456789abcdef"}`)
	p := e.prompt(s, "go")
	e.event("terminal/output", "0123456789")
	gap := e.next("a gap", func(m message) bool { // a busy machine takes its time to flood anybody
		return m.Method == "terminal/output" && gapForm.Match(m.Params)
	})
	e.seen = append(e.seen, gap)
	began := time.Now()
	e.call("session/cancel", object{"sessionId": s}, nil)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the cancel took %v", took)
	}
	if got := e.stopReason(p); !strings.HasPrefix(got, "cancelled") {
		t.Error(got)
	}
	var end, gaps int64
	for _, m := range e.seen {
		if m.Method != "terminal/output" {
			continue
		}
		var piece struct {
			Offset, End, Gap int64
			Data             string
		}
		if err := json.Unmarshal(m.Params, &piece); err != nil {
			t.Fatal(err)
		}
		if end != 0 && piece.Offset != end+piece.Gap || len(piece.Data) > 64<<10 {
			t.Fatalf("a piece of %d bytes at %d with a gap of %d, behind %d", len(piece.Data), piece.Offset, piece.Gap, end)
		}
		end, gaps = piece.End, gaps+piece.Gap
	}
	if gaps == 0 {
		t.Error("nothing was skipped for a client that acknowledges nothing")
	}
	e.shutDown()
}

// The end of a command in the background begins a turn, whose prompt is the
// command's.
func TestABackgroundEndBeginsATurn(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.unheldSession(`call c1 exec_command {"cmd":"sleep 1; echo made; exit 3","run_in_background":true}
----
text "It runs."
----
want-user "[background_task_done]"
want-user "detail: exit code 3"
want-user "made"
text "It failed."`)
	if got := e.stopReason(e.prompt(s, "go")); got != "endTurn" {
		t.Fatal(got)
	}
	e.event("turn/started", `"background":true`)
	e.event("turn/notified", "exit code 3")
	e.event("message/chunk", "It ")
	e.event("turn/completed", `"stopReason":"endTurn"`)
	e.shutDown()
}

// With the setting that wants no ptys, commands are shown all the same.
func TestCommandsWithoutPtys(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	settings := filepath.Join(dir, "drawbridge", "config.yaml")
	if err := errors.Join(
		os.Mkdir(filepath.Dir(settings), 0o700),
		os.WriteFile(settings, []byte("commands:\n  terminal: never\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	e := serve(t, "XDG_CONFIG_HOME="+dir)
	e.handshake(os.Getpid())
	s := e.unheldSession(`call c1 exec_command {"cmd":"test -t 1 && echo tty || echo pipe; read -r x; echo \"got $x\""}
----
want c1 "pipe"
text "Done."`)
	p := e.prompt(s, "go")
	e.event("terminal/opened", `"pipes":true`)
	e.event("terminal/output", `pipe\n`)
	e.call("terminal/write", object{"sessionId": s, "terminalId": "x1", "text": "word\n"}, nil)
	e.event("terminal/output", "got word")
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	e.shutDown()
}

// Of commands that run all are listed, however many of others are kept.
func TestManyCommandsRunAtOnce(t *testing.T) {
	t.Parallel()
	const n = 40 // more than the closed terminals that are kept
	var script strings.Builder
	for i := range n {
		script.WriteString(`call c` + strconv.Itoa(i) + ` exec_command {"cmd":"sleep 900","run_in_background":true}` + "\n")
	}
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.unheldSession(script.String() + "----\ntext \"Done.\"")
	if got := e.stopReason(e.prompt(s, "go")); got != "endTurn" {
		t.Fatal(got)
	}
	running := 0
	for _, term := range e.terminals(s) {
		if term.Background && term.Exit == nil && term.ProcessID != "" {
			running++
		}
	}
	if running != n {
		t.Errorf("%d commands are listed as running, want %d", running, n)
	}
	e.call("session/close", object{"sessionId": s}, nil)
	e.shutDown()
}
