package headless

import (
	"encoding/json"
	"testing"

	"drawbridge/rpc/protocol"
)

// editorWith is a client that has seen events and has no bridge.
func editorWith(s *screen, events ...[2]string) *editor {
	e := &editor{o: Options{View: s.TextView}}
	for _, ev := range events {
		var head struct {
			TerminalID string `json:"terminalId"`
		}
		params := json.RawMessage("{" + ev[1] + "}")
		if json.Unmarshal(params, &head) == nil {
			e.show(ev[0], params, head.TerminalID)
		}
	}
	return e
}

// Keys go to the command whose call runs, else to one in the background that
// waits for them, else to the model.
func TestWhereIsTyped(t *testing.T) {
	opened := func(x string) [2]string { return [2]string{"terminal/opened", `"terminalId":"` + x + `"`} }
	updated := func(x, what string) [2]string {
		return [2]string{"terminal/updated", `"terminalId":"` + x + `",` + what}
	}
	closed := func(x string) [2]string { return [2]string{"terminal/closed", `"terminalId":"` + x + `"`} }
	const behind, asks = `"background":true`, `"background":true,"waiting":true`
	for name, c := range map[string]struct {
		events [][2]string
		want   string
	}{
		"nothing runs":                       {nil, ""},
		"a command":                          {[][2]string{opened("x1")}, "x1"},
		"the newest of two":                  {[][2]string{opened("x1"), opened("x2")}, "x2"},
		"one in the background":              {[][2]string{opened("x1"), updated("x1", behind)}, ""},
		"one in the background that asks":    {[][2]string{opened("x1"), updated("x1", asks)}, "x1"},
		"it asks no more":                    {[][2]string{opened("x1"), updated("x1", asks), updated("x1", behind)}, ""},
		"a call comes before the background": {[][2]string{opened("x1"), opened("x2"), updated("x2", asks)}, "x1"},
		"closed":                             {[][2]string{opened("x1"), updated("x1", asks), closed("x1")}, ""},
	} {
		if _, got, _ := editorWith(newScreen(), c.events...).where(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTheBackgroundIsShown(t *testing.T) {
	s := newScreen()
	s.Typing = true
	s.starts("c1", "exec_command", "serve", "execute")
	s.sees("terminal/opened", `"callId":"c1","terminalId":"x1"`)
	s.sees("state/changed", `"state":"input","detail":"serve"`)
	s.sees("terminal/updated", `"terminalId":"x1","background":true`)
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","terminalId":"x1","processId":"proc-1","durationMs":1000`)
	s.sees("terminal/updated", `"terminalId":"x1","background":true,"waiting":true`)
	s.sees("terminal/updated", `"terminalId":"x1","background":true,"waiting":true,"survivors":[]`)
	s.starts("c2", "exec_command", "sleep 9 &", "execute")
	s.sees("terminal/opened", `"callId":"c2","terminalId":"x2"`)
	s.sees("terminal/updated", `"terminalId":"x2","background":true,"survivors":[{"pid":7,"name":"sleep 9"}],"exit":{"code":0}`)
	s.sees("toolCall/completed", `"callId":"c2","status":"completed","terminalId":"x2","processId":"proc-2","durationMs":10`)
	s.sees("turn/notified", `"notices":[{"title":"go test","detail":"exit code 1"}]`)
	s.Ended(Ending{Stop: protocol.StopEndTurn, Stopped: []string{"serve", "sleep 9 &"}})
	checkShows(t, s, `● exec_command serve
serve waits for typing; what you type goes to it
  ✓ runs on in the background  1s
serve waits for typing; what you type goes to it
● exec_command sleep 9 &
  ✓ left running: 1  10ms
ended in the background: go test  exit code 1

ran      serve (runs on in the background)
ran      sleep 9 & (left running: 1)
stopped  serve  (it still ran)
stopped  sleep 9 &  (it still ran)
`)
}

func TestWithoutAPersonNobodyTypes(t *testing.T) {
	s := newScreen()
	s.sees("state/changed", `"state":"input","detail":"ask"`)
	checkShows(t, s, "ask waits for typing; nobody is there to type\n")
}

// A question says what would hold the command, or that nothing would, and why.
func TestAQuestionSaysWhatHoldsTheCommand(t *testing.T) {
	for want, c := range map[string]protocol.CommandQuestion{
		"? t  (r)\n  $ make [unconfined]\n  in /ws": {Text: "make", Unconfined: true},
		"? t  (r)\n  $ make [held by bubblewrap, workspace-write; in the background]\n  in /ws": {
			Text: "make", Sandbox: "bubblewrap", Preset: protocol.PresetWorkspaceWrite, Background: true,
		},
		"? t  (r)\n  $ npm ci [outside the sandbox]\n  the model says why: it\n    loads\n  in /ws": {
			Text: "npm ci", Unconfined: true, Escalation: "it\nloads",
		},
		"? t  (r)\n  typed into npm init\n  › greet [unconfined]\n  in /ws": {
			Text: "greet\n", Unconfined: true, TypedInto: "npm init",
		},
	} {
		c.Cwd = "/ws"
		if got := newScreen().Question(protocol.ApprovalRequestParams{Title: "t", Reason: "r", Command: &c}); got != want {
			t.Errorf("shown is\n%s\nwant\n%s", got, want)
		}
	}
}
