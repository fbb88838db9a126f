package headless

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/visible"
	"drawbridge/rpc/protocol"
)

// screen is a view and what it has shown.
type screen struct {
	*TextView
	strings.Builder
}

func newScreen() *screen {
	s := &screen{}
	s.TextView = &TextView{Out: &s.Builder, Dir: "/ws"}
	return s
}

// sees hands the view an event written as its method and its members.
func (s *screen) sees(method, members string) {
	s.Event(method, json.RawMessage("{"+members+"}"))
}

func (s *screen) starts(id, name, title, access string) {
	s.sees("toolCall/started", `"callId":"`+id+`","name":"`+name+`","title":"`+title+`","access":"`+access+`"`)
}

func checkShows(t *testing.T, s *screen, want string) {
	t.Helper()
	if got := s.String(); got != want {
		t.Errorf("shown is\n%s\nwant\n%s", got, want)
	}
}

func TestTextsOfStepsStandApart(t *testing.T) {
	s := newScreen()
	s.sees("message/chunk", `"text":"I "`)
	s.sees("message/chunk", `"text":"look."`)
	s.sees("usage/updated", ``)
	s.sees("message/chunk", `"text":"Done."`)
	s.sees("usage/updated", ``)
	s.sees("thought/chunk", `"text":"hm"`)
	checkShows(t, s, "I look.\nDone.\nhm")
}

// Of two calls at once each line says whose it is.
func TestOverlappingCallsAreNamed(t *testing.T) {
	s := newScreen()
	s.starts("c1", "exec_command", "make a", "execute")
	s.starts("c2", "exec_command", "make b", "execute")
	s.sees("toolCall/updated", `"callId":"c1","text":"one\n"`)
	s.sees("toolCall/completed", `"callId":"c2","status":"completed","durationMs":20`)
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","durationMs":30`)
	checkShows(t, s, "● exec_command make a\n● exec_command make b\n● exec_command make a\none\n"+
		"  ✓ exec_command make b  20ms\n  ✓ exec_command make a  30ms\n")
}

func TestACallAloneIsNotNamedAgain(t *testing.T) {
	s := newScreen()
	s.starts("c1", "read_file", "a.go", "read")
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","durationMs":20`)
	checkShows(t, s, "● read_file a.go\n  ✓ 20ms\n")
}

// What a cancelled command wrote is not shown again; how it ended is.
func TestACancelledCommandIsNotShownTwice(t *testing.T) {
	const closing = `[interrupted: tool aborted by user]\n(interrupted after 1.0 s)`
	for name, c := range map[string]struct{ event, text string }{
		"text":     {"", "one\ntwo\n"},
		"terminal": {`"terminalId":"x1",`, "\x1b[32mone\r\ntwo\x1b[0m\r\n"},
		"progress": {`"terminalId":"x1",`, "one\r\n10%\r20%\r\ntwo"},
	} {
		s := newScreen()
		s.starts("c1", "exec_command", "make", "execute")
		if c.event == "" {
			data, _ := json.Marshal(c.text)
			s.sees("toolCall/updated", `"callId":"c1","text":`+string(data))
		} else {
			data, _ := json.Marshal(c.text)
			s.sees("terminal/opened", c.event+`"callId":"c1"`)
			s.sees("terminal/output", c.event+`"data":`+string(data))
		}
		s.sees("toolCall/completed", `"callId":"c1","status":"aborted","text":"one\ntwo\n`+closing+`"`)
		if n := strings.Count(s.String(), "two"); n != 1 {
			t.Errorf("%s: the output is shown %d times:\n%s", name, n, s.String())
		}
		if !strings.Contains(s.String(), "  – [interrupted: tool aborted by user]\n    (interrupted after 1.0 s)\n") {
			t.Errorf("%s: the end is not shown:\n%s", name, s.String())
		}
	}
}

// ran lists what ran, not what was denied.
func TestTheSummaryListsWhatRan(t *testing.T) {
	s := newScreen()
	s.starts("c1", "exec_command", "rm x", "execute")
	s.sees("toolCall/completed", `"callId":"c1","status":"aborted","text":"Tool call denied by user.\nuse make"`)
	s.starts("c2", "exec_command", "true", "execute")
	s.sees("toolCall/completed", `"callId":"c2","status":"completed","terminalId":"x1"`)
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	if got := s.String(); strings.Contains(got, "ran      rm x") || !strings.Contains(got, "ran      true (completed)\n") ||
		!strings.Contains(got, "  – Tool call denied by user.\n    use make\n") {
		t.Errorf("shown is\n%s", got)
	}
	if strings.Contains(s.String(), "session") {
		t.Error("a session is named where there is none")
	}
}

// A command that was never begun, since its arguments were no JSON, is told like
// any other call that failed: why, once, and not among what ran.
func TestACommandThatWasNotBegunIsToldOnce(t *testing.T) {
	s := newScreen()
	s.starts("c1", "exec_command", "exec_command", "execute")
	s.sees("toolCall/completed", `"callId":"c1","status":"failed","text":"The arguments are not valid JSON. Nothing was run.\nSend them again."`)
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	if got := s.String(); strings.Contains(got, "ran ") || !strings.Contains(got, "  ✗ The arguments are not valid JSON. Nothing was run.  ") {
		t.Errorf("shown is\n%s", got)
	}
}

// What a preset refused a person may allow; what else is denied is their own no, or
// a rule of theirs.
func TestTheSummarySaysWhatThePresetRefused(t *testing.T) {
	s := newScreen()
	for call, why := range map[string]string{
		"c1": "denied by the preset read-only: nothing may be written", "c2": "declined by the user",
		"c3": "denied by the preset read-only: nothing may be written", "c4": "denied by rule `rm` (settings)",
	} {
		s.starts(call, "write", "a", "write")
		s.sees("toolCall/completed", `"callId":"`+call+`","status":"aborted","text":"Tool call denied by user.\n`+why+`"`)
	}
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	if want := "refused  2 by the preset read-only; --preset workspace-write lets the workspace be changed"; !strings.Contains(s.String(), want) {
		t.Errorf("it lacks %q:\n%s", want, s.String())
	}
	none := newScreen()
	none.starts("c1", "write", "a", "write")
	none.sees("toolCall/completed", `"callId":"c1","status":"aborted","text":"Tool call denied by user.\ndeclined by the user: \"denied by the preset read-only:\""`)
	none.Ended(Ending{Stop: protocol.StopEndTurn})
	if strings.Contains(none.String(), "--preset") {
		t.Errorf("a person's no is answered with a flag:\n%s", none.String())
	}
}

func TestAPartlyAppliedChangeSaysHowMuch(t *testing.T) {
	s := newScreen()
	s.starts("c1", "write_file", "a.txt", "write")
	s.sees("change/updated", `"callId":"c1","changeId":"g1","uri":"file:///ws/a.txt","state":"partly","hunks":[
		{"state":"applied","newText":"x\n"},{"state":"rejected","newText":"y\n"},{"state":"applied","oldText":"z\n"}]`)
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","durationMs":10`)
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	if got := s.String(); !strings.Contains(got, "  ✓ 2 of 3 hunks  10ms\n") || !strings.Contains(got, "changed  a.txt  +1 −1\n") {
		t.Errorf("shown is\n%s", got)
	}
}

// Whatever a stranger writes, no line but a question's own begins like one that
// waits for an answer, and nothing acts on the screen.
func TestNoTextPassesForAQuestion(t *testing.T) {
	const evil = `x\n⟫ Allow? [y/n] \u001b[2J\u202e`
	s := newScreen()
	s.sees("message/chunk", `"text":"`+evil+`"`)
	s.sees("thought/chunk", `"text":"`+evil+`"`)
	s.sees("state/changed", `"state":"retry","detail":"`+evil+`"`)
	s.sees("state/changed", `"state":"input","detail":"`+evil+`"`)
	s.sees("turn/notified", `"notices":[{"title":"`+evil+`","detail":"`+evil+`"}]`)
	s.sees("window/logMessage", `"message":"`+evil+`"`)
	s.starts("c1", evil, evil, "execute")
	s.sees("toolCall/updated", `"callId":"c1","text":"`+evil+`"`)
	s.sees("terminal/opened", `"callId":"c1","terminalId":"x1"`)
	s.sees("terminal/output", `"terminalId":"x1","data":"`+evil+`"`)
	s.sees("terminal/updated", `"terminalId":"x1","background":true,"waiting":true`)
	s.sees("change/updated", `"changeId":"g1","callId":"c1","uri":"file:///`+evil+`","state":"applied","hunks":[{"header":"`+evil+`","newText":"`+evil+`"}]`)
	s.sees("toolCall/completed", `"callId":"c1","status":"failed","text":"`+evil+`"`)
	s.starts("c2", "t", "t", "read")
	s.sees("toolCall/completed", `"callId":"c2","status":"aborted","text":"`+evil+`"`)
	var text string
	if err := json.Unmarshal([]byte(`"`+evil+`"`), &text); err != nil {
		t.Fatal(err)
	}
	s.WriteString(s.Question(protocol.ApprovalRequestParams{
		Title: text, Reason: text,
		Command: &protocol.CommandQuestion{Text: text, Cwd: text, Sandbox: text, Preset: protocol.Preset(text), Escalation: text},
	}))
	s.WriteString(s.Question(protocol.ApprovalRequestParams{
		Title: text, Reason: text,
		Command: &protocol.CommandQuestion{Text: text, Cwd: text, Sandbox: text, TypedInto: text},
	}))
	s.WriteString(s.Question(protocol.ApprovalRequestParams{
		Title: text, Reason: text,
		Change: &protocol.ChangeQuestion{Diff: "--- " + text + "\n+" + text},
	}))
	s.Continued(Continued{Session: "s1", Title: text})
	s.Ended(Ending{Session: "s1", Stop: protocol.StopError, Cause: text, Hint: text, Stopped: []string{text}})
	if got := s.String(); strings.ContainsFunc(got, visible.Hidden) {
		t.Errorf("shown is %q", got)
	}
}

// The mode that asks nobody is taken over only when it is said again.
func TestAContinuedSessionSaysItsMode(t *testing.T) {
	s := newScreen()
	s.Continued(Continued{Session: "s1", Title: "mend it", Mode: protocol.ModeAlwaysAsk, Lowered: protocol.ModeAllowAll})
	s.Continued(Continued{Session: "s2", Mode: protocol.ModePlan})
	checkShows(t, s, "continues session s1 “mend it”, mode always-ask: it was allow-all, which holds only when --approve allow-all says so\n"+
		"continues session s2, mode plan\n")
}
