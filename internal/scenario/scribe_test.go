package scenario

import (
	"encoding/json"
	"strings"
	"testing"
)

// checkNotes compares what the scribe makes of messages, one a line as
// METHOD ID PARAMS with - for no id.
func checkNotes(t *testing.T, s *scribe, heard, want string) {
	t.Helper()
	var messages []message
	for l := range strings.Lines(heard) {
		f := strings.SplitN(strings.TrimSpace(l), " ", 3)
		m := message{Method: f[0], Params: json.RawMessage(f[2])}
		if f[1] != "-" {
			m.ID = json.RawMessage(f[1])
		}
		messages = append(messages, m)
	}
	lines, err := s.note(messages)
	if got := strings.Join(lines, "\n"); err != nil || got != want {
		t.Errorf("noted (%v)\n%s\nwanted\n%s", err, got, want)
	}
}

func newTestScribe() *scribe {
	v := defaults().show
	return newScribe(&v, [][2]string{{"/tmp/x/work", "$WORK"}, {"/tmp/x", "$OUTSIDE"}})
}

func TestMessagesAboutDifferentCallsAreListedCallByCall(t *testing.T) {
	s := newTestScribe()
	checkNotes(t, s, `turn/started - {}
approval/request 9 {"callId":"c10","approvalId":"a1"}
approval/request 8 {"callId":"c2","approvalId":"a2"}
terminal/opened - {"callId":"c10","terminalId":"x1"}
terminal/output - {"terminalId":"x1","data":"o"}
toolCall/completed - {"callId":"c2"}
turn/completed - {}
$/cancelRequest - {"id":8}
approval/resolved - {"approvalId":"a2"}`,
		`turn/started {}
approval/request @1 {"approvalId":"a1","callId":"c2"}
toolCall/completed {"callId":"c2"}
approval/request @2 {"approvalId":"a2","callId":"c10"}
terminal/opened {"callId":"c10","terminalId":"x1"}
terminal/output {"data":"o","terminalId":"x1"}
turn/completed {}
approval/resolved {"approvalId":"a1"}
$/cancelRequest {"id":"@1"}`)
	back := s.real(map[string]any{"approvalId": "a1", "text": "a1 in $WORK", "ids": []any{"a1"}}).(map[string]any)
	if back["approvalId"] != "a2" || back["text"] != "a1 in /tmp/x/work" || back["ids"].([]any)[0] != "a1" {
		t.Errorf("back on the wire: %v", back)
	}
}

func TestPiecesOfOneTextAreJoined(t *testing.T) {
	checkNotes(t, newTestScribe(), `message/chunk - {"text":"a "}
message/chunk - {"text":"b"}
thought/chunk - {"text":"c"}
terminal/output - {"terminalId":"x1","data":"1","offset":0,"end":1}
terminal/output - {"terminalId":"x1","data":"2","offset":1,"end":2}
terminal/output - {"terminalId":"x1","data":"9","offset":8,"end":9,"gap":6}
terminal/output - {"terminalId":"x2","data":"1","offset":0,"end":1}`,
		`message/chunk {"text":"a b"}
thought/chunk {"text":"c"}
terminal/output {"data":"12","end":2,"offset":0,"terminalId":"x1"}
terminal/output {"data":"9","end":9,"gap":6,"offset":8,"terminalId":"x1"}
terminal/output {"data":"1","end":1,"offset":0,"terminalId":"x2"}`)
}

func TestWhatIsOfNoInterestIsLeftOut(t *testing.T) {
	s := newTestScribe()
	s.view.kept = []string{"seq"}
	checkNotes(t, s, `state/changed - {}
toolCall/started - {"seq":3,"sessionId":"s1","args":{"cwd":"/tmp/x/work/a"}}
toolCall/completed - {"text":"see /tmp/x/other","durationMs":12}`,
		`toolCall/started {"args":{"cwd":"$WORK/a"},"seq":3}
toolCall/completed {"text":"see $OUTSIDE/other"}`)
}
