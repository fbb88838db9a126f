package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/rpc/protocol"
)

func TestSessionsBeginInTheEditorsFolder(t *testing.T) {
	onWire(t, everything, `text "a"`, nil, func(t *testing.T, e *editor) {
		var r protocol.SessionResult
		e.must("session/new", `{"title":"mine","mode":"auto-edit","preset":"read-only","thinking":"low"}`, &r)
		s := r.Session
		if s.Cwd != e.dir || len(s.Roots) != 1 || s.Mode != protocol.ModeAutoEdit || s.Preset != protocol.PresetReadOnly ||
			s.Title != "mine" || s.Thinking != protocol.ThinkingLow || s.Model != "script:demo" || s.State != protocol.StateIdle {
			t.Errorf("%+v", s)
		}
		for _, params := range []string{
			`{"mode":"yolo"}`, `{"preset":"all"}`, `{"thinking":"lots"}`, `{"cwd":"here"}`, `{"cwd":7}`,
			`{"cwd":"/no/such/folder"}`,
		} {
			if got := e.refused("session/new", params); got != "invalid" {
				t.Errorf("%s: %q", params, got)
			}
		}
	})
}

func TestConfigure(t *testing.T) {
	onWire(t, everything, `text "a"`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		var r protocol.SessionResult
		e.must("session/configure", `{"sessionId":"s1","mode":"plan","title":"new"}`, &r)
		ups := of[protocol.SessionUpdated](e, "session/updated")
		if len(ups) != 1 || ups[0].Session.Mode != protocol.ModePlan || r.Session.Title != "new" {
			t.Errorf("%+v, %+v", ups, r)
		}
		if got := e.refused("session/configure", `{"sessionId":"s9"}`); got != "unknownSession" {
			t.Errorf("an unknown session: %q", got)
		}
	})
}

// Loading replays what happened, marked, before the answer.
func TestLoadReplaysBeforeItAnswers(t *testing.T) {
	onWire(t, everything, `text "hello"`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		e.prompt()
		e.must("session/close", `{"sessionId":"s1"}`, nil)
		if got := e.refused("session/prompt", promptS1); got != "unknownSession" {
			t.Errorf("a closed session: %q", got)
		}
		synctest.Wait()
		e.mu.Lock()
		e.log, e.got = nil, map[string][]json.RawMessage{}
		e.mu.Unlock()
		<-e.begin("load", "session/load", `{"sessionId":"s1"}`)
		if got, want := e.order("turn/started", "message/chunk", "turn/completed", "#load"),
			"turn/started message/chunk turn/completed #load"; got != want {
			t.Errorf("order %q, want %q", got, want)
		}
		for _, ev := range of[protocol.Event](e, "message/chunk") {
			if !ev.Replayed || ev.SessionID != "s1" {
				t.Errorf("%+v", ev)
			}
		}
		var list protocol.SessionListResult
		e.must("session/list", `{"cwd":"`+e.dir+`","limit":1}`, &list)
		if len(list.Sessions) != 1 || list.Sessions[0].SessionID != "s1" {
			t.Errorf("%+v", list)
		}
		e.must("session/list", `{"cwd":"/elsewhere"}`, &list)
		if len(list.Sessions) != 0 || list.NextCursor != "" {
			t.Errorf("%+v", list)
		}
	})
}

func TestLoadOfWhatIsNotThere(t *testing.T) {
	onWire(t, everything, `text "a"`, nil, func(t *testing.T, e *editor) {
		for _, id := range []string{"s9", "../../etc", ""} {
			if got := e.refused("session/load", `{"sessionId":"`+id+`"}`); got != "unknownSession" {
				t.Errorf("%q: %q", id, got)
			}
		}
		e.newSession() // all else works on
	})
}

// What a selection marks is taken from the document if the client left it out.
func TestSelectionsAreLookedUp(t *testing.T) {
	onWire(t, everything, "want-user \"beta\"\ntext \"ok\"", nil, func(t *testing.T, e *editor) {
		e.newSession()
		e.document("alpha\nbeta\ngamma\n")
		var r protocol.PromptResult
		e.must("session/prompt", `{"sessionId":"s1","content":[{"type":"text","text":"this:"},{"type":"selection",
			"uri":"file://`+e.dir+`/a.txt","range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}}}]}`, &r)
		if r.StopReason != protocol.StopEndTurn {
			t.Errorf("%+v", r)
		}
		prompt := of[protocol.TurnStarted](e, "turn/started")[0].Prompt
		if len(prompt) != 2 || prompt[1].Text != "beta\n" || prompt[1].Range.Start.Line != 1 || prompt[1].Range.End.Line != 2 {
			t.Errorf("%+v", prompt)
		}
	})
}

// A draft that is no file yet can only be read from the editor.
func TestDraftsAreSentAlong(t *testing.T) {
	onWire(t, everything, "want-user \"my draft\"\ntext \"ok\"", nil, func(t *testing.T, e *editor) {
		e.newSession()
		e.notify("textDocument/didOpen", `{"textDocument":{"uri":"untitled:1","languageId":"x","version":1,"text":"my draft"}}`)
		var r protocol.PromptResult
		e.must("session/prompt", `{"sessionId":"s1","content":[{"type":"resourceLink","uri":"untitled:1","name":"draft"}]}`, &r)
		if r.StopReason != protocol.StopEndTurn {
			t.Errorf("%+v", r)
		}
	})
}

func TestBadPrompts(t *testing.T) {
	onWire(t, everything, `text "a"`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		for _, params := range []string{
			`{"sessionId":"s1","content":[]}`, `{"sessionId":"s1"}`, `{"sessionId":"s1","content":[{"type":"film"}]}`,
			`{"sessionId":"s1","context":[{"type":"text","text":"x"}]}`, `[]`, `{"sessionId":"s1","content":"go"}`,
		} {
			if got := e.refused("session/prompt", params); got != "invalid" {
				t.Errorf("%s: %q", params, got)
			}
		}
		if got := e.refused("session/prompt", `{"sessionId":"","content":[{"type":"text","text":"x"}]}`); got != "unknownSession" {
			t.Errorf("no session: %q", got)
		}
	})
}

func TestToolsAndModels(t *testing.T) {
	onWire(t, everything, `text "a"`, nil, func(t *testing.T, e *editor) {
		var tools protocol.ToolListResult
		e.must("tool/list", `{}`, &tools)
		names := make([]string, len(tools.Tools))
		for i, tool := range tools.Tools {
			names[i] = tool.Name
		}
		const want = "exec_command input_command kill_command read_file edit_file write_file read_image describe_image run_subagent input_subagent kill_subagent"
		if got := strings.Join(names, " "); got != want || tools.Profile != protocol.ProfileDefault {
			t.Errorf("%s: %s, want %s", tools.Profile, got, want)
		}
		var models protocol.ModelListResult
		e.must("model/list", `{}`, &models)
		if got := e.refused("model/key", `{"provider":"x","key":"k"}`); got != "unknownProvider" {
			t.Errorf("a key for nobody: %q", got)
		}
	})
}

// Warnings reach a client that has no other place for them, and no other.
func TestWarningsAreShownToPlainClients(t *testing.T) {
	for capabilities, want := range map[string]int{plainCapabilities: 1, everything: 0} {
		onWire(t, capabilities, `text "a"`, nil, func(t *testing.T, e *editor) {
			e.server.log.Info("nothing to see")
			e.server.log.With("who", "x").Warn("look here", "what", 7)
			if got := len(of[struct{ Message string }](e, "window/logMessage")); got != want {
				t.Errorf("%d messages, want %d", got, want)
			}
		})
	}
}

// A client that knows nothing of us prompts by a command, watches a progress
// that it can cancel, and reads the answer in a message.
func TestPlainClients(t *testing.T) {
	onWire(t, plainCapabilities, "text \"The answer.\\nMore.\"\n----\nstall\n----\nerror auth \"no key\"", nil, func(t *testing.T, e *editor) {
		e.answers("window/workDoneProgress/create", func(context.Context, json.RawMessage) (any, error) { return nil, nil })
		command := func(name, args string) {
			e.must("workspace/executeCommand", `{"command":"drawbridge.`+name+`","arguments":[`+args+`]}`, nil)
		}
		type message struct {
			Type    int
			Message string
		}
		last := func(method string) message {
			all := of[message](e, method)
			if len(all) == 0 {
				return message{}
			}
			return all[len(all)-1]
		}
		command("prompt", `"what?"`)
		if got := last("window/logMessage").Message; got != "The answer.\nMore." {
			t.Errorf("answer %q", got)
		}
		if got := last("window/showMessage").Message; got != "Drawbridge: The answer." {
			t.Errorf("message %q", got)
		}
		command("prompt", `{"text":"again"}`)
		synctest.Wait()
		e.notify("window/workDoneProgress/cancel", `{"token":"drawbridge/2"}`)
		if got := last("window/showMessage").Message; !strings.Contains(got, "cancelled") {
			t.Errorf("message %q", got)
		}
		command("prompt", `"third"`)
		if got := last("window/showMessage"); got.Type != 1 || !strings.Contains(got.Message, "no key") {
			t.Errorf("message %+v", got)
		}
		command("stop", ``)
		if n := len(e.server.openIDs()); n != 1 {
			t.Errorf("%d sessions for one folder", n)
		}
		if got := e.refused("workspace/executeCommand", `{"command":"drawbridge.prompt","arguments":[""]}`); got != "invalid" {
			t.Errorf("an empty prompt: %q", got)
		}
	})
}
