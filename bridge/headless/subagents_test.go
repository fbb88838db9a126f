package headless

import (
	"strings"
	"testing"

	"drawbridge/rpc/protocol"
)

const (
	ada = `"sessionId":"s2","origin":{"sessionId":"s1","callId":"c1","subagentId":"subagent-ada","title":"Look"},`
	bob = `"sessionId":"s3","origin":{"sessionId":"s1","callId":"c2","subagentId":"subagent-bob","title":"Try"},`
)

// What subagents do stands behind a bar, whole lines of each, and what they ran
// and changed is in the summary.
func TestSubagentsAreSetIn(t *testing.T) {
	s := newScreen()
	s.starts("c1", "run_subagent", "Look", "execute")
	s.sees("subagent/updated", `"subagent":{"subagentId":"subagent-ada","title":"Look","model":"m:x","state":"running"}`)
	s.sees("toolCall/started", ada+`"callId":"c1.ada","name":"read_file","title":"Read a.go","access":"read"`)
	s.sees("message/chunk", `"text":"I wait."`)
	s.sees("toolCall/completed", ada+`"callId":"c1.ada","status":"completed","durationMs":20`)
	s.sees("message/chunk", ada+`"text":"It is "`)
	s.sees("message/chunk", bob+`"text":"one\ntwo"`)
	s.sees("message/chunk", ada+`"text":"fine."`)
	s.sees("toolCall/started", bob+`"callId":"c1.bob","name":"exec_command","title":"true","access":"execute"`)
	s.sees("toolCall/completed", bob+`"callId":"c1.bob","status":"completed","terminalId":"x1.bob","durationMs":20`)
	s.sees("turn/completed", ada+`"turnId":"t1","stopReason":"endTurn"`)
	s.sees("subagent/updated", `"subagent":{"subagentId":"subagent-ada","state":"ended","detail":"killed"}`)
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	want := `● run_subagent Look
  │ subagent-ada Look  m:x
  │ ● read_file Read a.go
I wait.
  │   ✓ 20ms
  │ It is 
  │-bob one
  │-bob two
  │-ada fine.
  │-bob ● exec_command true
  │-bob   ✓ 20ms
  │ subagent-ada is gone  killed

ran      true (completed)  (by subagent-bob)
`
	if got := s.String(); got != want {
		t.Errorf("shown is\n%s", got)
	}
}

// A subagent's question says whose it is, and what its call is for.
func TestASubagentsQuestionHasItsName(t *testing.T) {
	s := newScreen()
	s.sees("toolCall/started", ada+`"callId":"c1.ada","name":"read_image","title":"Read https://example.com/a.png","access":"read","args":{"description":"Looks at the plan."}`)
	q := protocol.ApprovalRequestParams{
		CallID: "c1.ada", Title: "Read https://example.com/a.png", Reason: "it is read over the network", URL: "https://example.com/a.png\x1b[2J",
		Origin: &protocol.Origin{SubagentID: "subagent-ada", Title: "Look"},
	}
	got := s.Question(q)
	for _, part := range []string{"? subagent-ada (Look): Read https://example.com/a.png  (it is read over the network)", "  from https://example.com/a.png"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	if strings.Contains(got, "\x1b[2J") {
		t.Error("an address can clear the screen")
	}
}

func TestPicturesAndSettingsAreTold(t *testing.T) {
	s := newScreen()
	s.starts("c1", "read_image", "Read a.png", "read")
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","images":[{"mimeType":"image/png","data":"aGVsbG8="}],"durationMs":20`)
	s.sees("settings/changed", `"applied":true,"changed":["profile"],"problems":[]`)
	s.sees("settings/changed", `"applied":false,"changed":[],"problems":[{"file":"/c.yaml","line":3,"column":1,"message":"unknown setting"}]`)
	checkShows(t, s, "● read_image Read a.png\n  ✓ shown to the model: image/png  20ms\nsettings changed: profile\n"+
		"/c.yaml:3:1: unknown setting\nthe settings as they were go on to count\n")
}

// Keys go to a subagent's command under its own session, and its turns are not
// the person's.
func TestTypingReachesASubagentsCommand(t *testing.T) {
	e := editorWith(newScreen(),
		[2]string{"turn/started", `"sessionId":"s1","turnId":"t1"`},
		[2]string{"turn/started", ada + `"turnId":"t1.ada"`},
		[2]string{"terminal/opened", ada + `"callId":"c1.ada","terminalId":"x1.ada"`},
		[2]string{"turn/completed", ada + `"turnId":"t1.ada"`},
	)
	if session, terminal := e.typing(); session != "s2" || terminal != "x1.ada" {
		t.Errorf("typed into %s of %s", terminal, session)
	}
	if _, turning := e.where(); !turning {
		t.Error("the end of a subagent's turn counts as the session's")
	}
	e = editorWith(newScreen(), [2]string{"turn/started", ada + `"turnId":"t1.ada"`})
	if _, turning := e.where(); turning {
		t.Error("a subagent's turn counts as the session's")
	}
}

// What a subagent did stands between a call and its end, which is then named.
func TestACallIsNamedBelowItsSubagentsLines(t *testing.T) {
	s := newScreen()
	s.starts("c1", "run_subagent", "run_subagent", "execute")
	s.sees("toolCall/started", ada+`"callId":"c1.ada","name":"read_file","title":"Read a.go","access":"read"`)
	s.sees("toolCall/completed", `"callId":"c1","status":"completed","durationMs":20`)
	checkShows(t, s, "● run_subagent\n  │ ● read_file Read a.go\n  ✓ run_subagent  20ms\n")
}

// One that has answered goes with its session without a word.
func TestTheEndOfAnIdleSubagentIsNoNews(t *testing.T) {
	s := newScreen()
	for _, state := range []string{"running", "idle", "ended"} {
		s.sees("subagent/updated", `"subagent":{"subagentId":"subagent-ada","title":"Look","model":"m:x","state":"`+state+`"}`)
	}
	checkShows(t, s, "  │ subagent-ada Look  m:x\n")
}
