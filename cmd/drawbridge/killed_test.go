package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kill ends the bridge as nobody can prepare for, and starts the next one over
// what it left. Before that it waits for a file that the bridge writes in time.
func (e *editor) kill(file string) *editor {
	e.t.Helper()
	for limit := time.Now().Add(patience); e.find(file) == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			e.t.Fatalf("the bridge writes no %s", file)
		}
	}
	e.cmd.Process.Kill()
	<-e.exited
	next := startIn(e.t, e.home, e.work, "drawbridge", []string{"serve"})
	next.handshake(os.Getpid())
	return next
}

// find returns the path of a file that the bridge keeps.
func (e *editor) find(name string) (path string) {
	_ = filepath.WalkDir(e.home, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.Name() == name {
			path = p
		}
		return nil // what vanishes meanwhile is not it
	})
	return path
}

// load opens a session and returns the params of what was replayed.
func (e *editor) load(session string) (replayed map[string][]object) {
	e.t.Helper()
	var r struct {
		Session struct{ State, TurnID string }
	}
	e.call("session/load", object{"sessionId": session}, &r)
	if r.Session.State != "idle" || r.Session.TurnID == "" {
		e.t.Errorf("the session is %+v, want it to be idle with a turn to continue", r.Session)
	}
	replayed = map[string][]object{}
	for _, m := range e.seen {
		var params object
		if json.Unmarshal(m.Params, &params) == nil && params["replayed"] == true {
			replayed[m.Method] = append(replayed[m.Method], params)
		}
	}
	e.seen = nil
	return replayed
}

// check looks for the values of members in the last event of a method.
func (e *editor) check(replayed map[string][]object, method string, want object) {
	e.t.Helper()
	all := replayed[method]
	if len(all) == 0 {
		e.t.Errorf("no %s is replayed", method)
		return
	}
	for name, value := range want {
		got, _ := json.Marshal(all[len(all)-1][name])
		if wanted, _ := json.Marshal(value); string(got) != string(wanted) {
			e.t.Errorf("%s has %s %s, want %s", method, name, got, wanted)
		}
	}
}

func TestHalfAnAnswerOutlivesAKill(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.open("allow-all", "think \"Let me see. \"\ntext \"The answer is\"\nstall")
	e.prompt(s, "go")
	e.event("message/chunk", "is")
	next := e.kill("draft")
	replayed := next.load(s)
	next.check(replayed, "thought/chunk", object{"text": "Let me see. "})
	next.check(replayed, "message/chunk", object{"text": "The answer is"})
	next.check(replayed, "turn/completed", object{"stopReason": "interrupted"})
	if left := next.find("draft"); left != "" {
		t.Errorf("%s is left", left)
	}
	next.shutDown()
}

func TestOutputOfACommandOutlivesAKill(t *testing.T) {
	t.Parallel()
	m := mark()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.open("allow-all", `call c1 exec_command {"cmd":"echo compiling; sleep `+m+`"}`)
	e.prompt(s, "go")
	e.event("terminal/output", "compiling")
	next := e.kill("x1.tail")
	replayed := next.load(s)
	next.check(replayed, "terminal/opened", object{"terminalId": "x1", "callId": "c1"})
	next.check(replayed, "terminal/closed", object{
		"terminalId": "x1", "tail": "compiling\n",
		"exit": object{"signal": "SIGKILL"},
	})
	next.check(replayed, "toolCall/completed", object{"callId": "c1", "status": "aborted", "terminalId": "x1"})
	if text := replayed["toolCall/completed"][0]["text"].(string); !strings.HasPrefix(text, "compiling\n[interrupted") {
		t.Errorf("the call says %q", text)
	}
	checkGone(t, m, 3*time.Second)
	next.shutDown()
}

// A change is shown and taken back by the next bridge, byte for byte, and only
// as far as the person says.
func TestAChangeOutlivesAKill(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	const text = "\xefone\r\n2\r\n3\r\n4\r\nfive"
	path := filepath.Join(e.work, "a.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := e.open("auto-edit", `call c1 edit_file {"file_path":"a.txt","old_string":"five","new_string":"5\n6"}
----
text "One is"
stall`)
	e.prompt(s, "go")
	live := e.event("change/updated", "g1")
	e.event("message/chunk", "is")
	next := e.kill("draft")
	var change struct {
		Base  string
		Hunks []object
	}
	if err := json.Unmarshal(live.Params, &change); err != nil {
		t.Fatal(err)
	}
	next.check(next.load(s), "change/updated", object{"state": "applied", "base": change.Base, "hunks": change.Hunks, "gone": nil})
	var shown struct{ OldText, NewText string }
	next.call("change/show", object{"sessionId": s, "changeId": "g1", "texts": true}, &shown)
	if !strings.HasSuffix(shown.OldText, "4\r\nfive") || !strings.HasSuffix(shown.NewText, "4\r\n5\r\n6") {
		t.Errorf("shown as %q and %q", shown.OldText, shown.NewText)
	}
	next.call("change/resolve", object{"sessionId": s, "changeId": "g1", "base": change.Base, "reject": "all"}, nil)
	if got := next.content("a.txt"); got != text {
		t.Errorf("the file is %q, want %q", got, text)
	}
	next.shutDown()
}
