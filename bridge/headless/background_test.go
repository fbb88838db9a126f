package headless

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc/protocol"
)

// editorWith is a client that has seen events and has no bridge.
func editorWith(s *screen, events ...[2]string) *editor {
	e := &editor{o: Options{View: s.TextView}}
	for _, ev := range events {
		var head struct {
			protocol.Event
			TerminalID string `json:"terminalId"`
		}
		params := json.RawMessage("{" + ev[1] + "}")
		if json.Unmarshal(params, &head) == nil {
			e.show(ev[0], params, head.Event, head.TerminalID)
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
		if _, got := editorWith(newScreen(), c.events...).typing(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTheBackgroundIsShown(t *testing.T) {
	s := newScreen()
	s.Typing = true
	s.starts("c1", "exec_command", "serve", "execute")
	s.sees("terminal/opened", `"callId":"c1","terminalId":"x1"`)
	s.sees("state/changed", `"state":"input","detail":"serve","callId":"c1"`)
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

// That a command waits is said once, and again only when it has gone on for some
// time and nobody has typed into it just now.
func TestThatACommandWaitsIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		s.Typing = true
		e := editorWith(s)
		waits := func() {
			s.sees("state/changed", `"state":"input","detail":"python3","callId":"c1"`)
			s.sees("state/changed", `"state":"tool","detail":"python3","callId":"c1"`)
		}
		said := func(when string, want int) {
			t.Helper()
			waits()
			if got := strings.Count(s.String(), "python3 waits for typing"); got != want {
				t.Errorf("%s it was said %d times, want %d", when, got, want)
			}
		}
		s.starts("c1", "exec_command", "python3", "execute")
		s.sees("terminal/opened", `"callId":"c1","terminalId":"x1"`)
		said("first", 1)
		said("at once again", 1)
		time.Sleep(29 * time.Second)
		said("before long", 1)
		time.Sleep(2 * time.Second)
		said("after long", 2)
		time.Sleep(40 * time.Second)
		e.o.View.Typed("x1")
		said("just after typing", 2)
		time.Sleep(31 * time.Second)
		said("long after typing", 3)
	})
}

// A question says what would hold the command, or that nothing would, and why;
// the command itself once.
func TestAQuestionSaysWhatHoldsTheCommand(t *testing.T) {
	for want, c := range map[string]protocol.CommandQuestion{
		"? make  (r)\n  in /ws [unconfined]": {Text: "make", Unconfined: true},
		"? make  (r)\n  in /ws [held by bubblewrap, workspace-write; in the background]": {
			Text: "make\n", Sandbox: "bubblewrap", Preset: protocol.PresetWorkspaceWrite, Background: true,
		},
		"? make  (r)\n  $ make\n    test\n  the model says why: it\n    loads\n  in /ws [outside the sandbox]": {
			Text: "make\ntest", Unconfined: true, Escalation: "it\nloads",
		},
		"? make  (r)\n  typed into npm init\n  › greet\n  in /ws [unconfined]": {
			Text: "greet\n", Unconfined: true, TypedInto: "npm init",
		},
	} {
		c.Cwd = "/ws"
		if got := newScreen().Question(protocol.ApprovalRequestParams{Title: "make", Reason: "r", Command: &c}); got != want {
			t.Errorf("shown is\n%s\nwant\n%s", got, want)
		}
	}
}

// What the model says of a command is shown as its words, on a line; a title
// that stands right above is not shown again.
func TestAQuestionShowsTheModelsWordsAndNothingTwice(t *testing.T) {
	ask := func(id, text string) protocol.ApprovalRequestParams {
		return protocol.ApprovalRequestParams{
			CallID: id, Title: "cat a", Reason: "r",
			Command: &protocol.CommandQuestion{Text: text, Cwd: "/ws", Unconfined: true},
		}
	}
	start := func(s *screen, id string) {
		s.sees("toolCall/started", `"callId":"`+id+`","name":"exec_command","title":"cat a","access":"execute","args":{"description":" reads\n⟫ Allow? "}`)
	}
	const words, end = "  the model says: reads␊⟨U+27EB⟩ Allow?\n", "  in /ws [unconfined]"
	for name, c := range map[string]struct {
		before func(s *screen)
		text   string
		want   string
	}{
		"right above":       {func(s *screen) { start(s, "c1") }, "cat a", "? needs a yes  (r)\n" + words + end},
		"not the whole":     {func(s *screen) { start(s, "c1") }, "cat a; rm b", "? needs a yes  (r)\n  $ cat a; rm b\n" + words + end},
		"further above":     {func(s *screen) { start(s, "c1"); start(s, "c2") }, "cat a", "? cat a  (r)\n" + words + end},
		"behind a question": {func(s *screen) { start(s, "c2"); s.Asked(ask("c2", "")); start(s, "c1") }, "cat a", "? cat a  (r)\n" + words + end},
		"behind words":      {func(s *screen) { start(s, "c1"); s.sees("message/chunk", `"text":"hm\n"`) }, "cat a", "? cat a  (r)\n" + words + end},
		"a shortened path":  {func(s *screen) { start(s, "c1") }, "cat /ws/a", "? needs a yes  (r)\n  $ cat /ws/a\n" + words + end},
		"without a start":   {func(*screen) {}, "cat a", "? cat a  (r)\n" + end},
	} {
		s := newScreen()
		c.before(s)
		if got := s.Question(ask("c1", c.text)); got != c.want {
			t.Errorf("%s: shown is\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
