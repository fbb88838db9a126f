package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/rpc/protocol"
)

// rewriteAll replaces a file that is longer than a message may be.
func rewriteAll(now string) string {
	return `call c1 write_file {"file_path":"a.txt","content":` + quoted(now) + `}
----
text "Done."
`
}

// A change that no message can hold is told without its hunks, and why; its diff
// is cut and its texts are left out.
func TestAChangeTooLargeForAMessageIsToldWithoutItsHunks(t *testing.T) {
	old, now := strings.Repeat("old\n", 3000), strings.Repeat("new\n", 3000)
	onWire(t, everything, rewriteAll(now), nil, func(t *testing.T, e *editor) {
		e.server.o.MaxFrame = 20000
		e.write("a.txt", old)
		e.newSession()
		e.must("session/configure", `{"sessionId":"s1","mode":"auto-edit"}`, nil)
		e.prompt()
		const why = "the change is too large to be shown (0.0 MB)"
		got := of[protocol.ChangeUpdated](e, "change/updated")
		if len(got) != 1 || len(got[0].Hunks) != 0 || got[0].Why != why || got[0].State != protocol.ChangeApplied {
			t.Fatalf("%.300v", got)
		}
		if shown := e.shown(); len(shown.Hunks) != 0 || shown.Change.Why != why || shown.OldText != nil || shown.NewText != nil {
			t.Errorf("%.300v", shown)
		}
		e.must("change/resolve", resolve(got[0].Base, `"reject":"all"`), nil)
		if e.file("a.txt") != old {
			t.Error("it cannot be taken back")
		}
	})
}

// Nobody is asked about what cannot be shown: it is denied, and both sides are
// told why.
func TestAQuestionTooLargeForAMessageIsDeniedForThatReason(t *testing.T) {
	old, now := strings.Repeat("old\n", 3000), strings.Repeat("new\n", 3000)
	want := `want c1 "too large to be shown"` + "\n"
	text := strings.Replace(rewriteAll(now), "----\n", "----\n"+want, 1)
	onWire(t, everything, text, nil, func(t *testing.T, e *editor) {
		e.server.o.MaxFrame = 20000
		e.write("a.txt", old)
		e.newSession()
		e.answers("approval/request", choose("allow"))
		if r := e.prompt(); r.StopReason != protocol.StopEndTurn {
			t.Errorf("%+v", r)
		}
		resolved := of[protocol.ApprovalResolved](e, "approval/resolved")
		if len(resolved) != 1 || resolved[0].Outcome != protocol.ResolvedDenied || !strings.Contains(resolved[0].Cause, "too large to be shown") {
			t.Errorf("%+v", resolved)
		}
		if e.order("approval/request") != "" || e.file("a.txt") != old {
			t.Error("it was asked, or done")
		}
	})
}

func TestLengthOfATextInJSON(t *testing.T) {
	for _, text := range []string{"", "plain", "a\n\t\r\"\\", "\x00\x1f", "é€😀", "\u2028\u2029", "\u2028\n"} {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonLength(text) + len(`""`); got != len(raw) {
			t.Errorf("%q: %d, want %d", text, got, len(raw))
		}
	}
	if got := jsonLength("a\xff\xfe"); got < len(`a\ufffd\ufffd`) {
		t.Errorf("bytes that are no text: %d", got)
	}
}
