package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/approval"
	script "drawbridge/approval/command"
	"drawbridge/approval/rule"
	"drawbridge/rpc/protocol"
	"drawbridge/session"

	"github.com/google/go-cmp/cmp"
)

var changeAsked = protocol.ApprovalRequestParams{
	Change: &protocol.ChangeQuestion{Hunks: protocol.List[protocol.Hunk]{{HunkID: "h1"}, {HunkID: "h2"}}}, Options: options([]approval.Offer{{Scope: approval.Session, Rule: "write:a.txt", Editable: true}}, fileLabels),
}

var commandAsked = protocol.ApprovalRequestParams{
	Command: &protocol.CommandQuestion{Text: "make"}, Options: options(nil, fileLabels),
}

// Whatever is not clearly an answer is none; nothing but a clear yes allows.
func TestAnswers(t *testing.T) {
	const none, no, yes = "none", "no", "yes"
	for _, c := range []struct {
		q           protocol.ApprovalRequestParams
		answer      string
		want, parts string
	}{
		{changeAsked, `null`, none, ""},
		{changeAsked, `{}`, none, ""},
		{changeAsked, `[]`, none, ""},
		{changeAsked, `"allow"`, none, ""},
		{changeAsked, `{"outcome":"dismissed"}`, none, ""},
		{changeAsked, `{"outcome":"dismissed","optionId":"allow"}`, none, ""},
		{changeAsked, `{"optionId":"allow"}`, none, ""},
		{changeAsked, `{"outcome":"selected"}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"Allow"}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"deny"}`, no, ""},
		{changeAsked, `{"outcome":"selected","optionId":"deny","hunks":["h1"]}`, no, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow"}`, yes, "all once"},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session"}`, yes, "all session"},
		{changeAsked, `{"outcome":"selected","optionId":"allow","hunks":["h2"]}`, yes, "h2 once"},
		{changeAsked, `{"outcome":"selected","optionId":"allow","hunks":[]}`, no, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","hunks":null}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","hunks":["h3"]}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","text":""}`, yes, `text "" once`},
		{changeAsked, `{"outcome":"selected","optionId":"allow","text":"x","hunks":["h1"]}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","command":"rm"}`, none, ""},
		{changeAsked, `{"OUTCOME":"selected","optionId":"allow"}`, none, ""}, // names are exact
		{changeAsked, `{"outcome":"selected","optionId":"allow","Hunks":[]}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","rule":"write:b.txt"}`, yes, "all session rule write:b.txt"},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","rule":"write:a.txt"}`, yes, "all session"},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","rule":""}`, none, ""}, // it was emptied
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","rule":" \n"}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","rule":null}`, none, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","rule":""}`, yes, "all once"},
		{changeAsked, `{"outcome":"selected","optionId":"deny","rule":""}`, no, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow","rule":"write:a.txt"}`, none, ""}, // it takes none
		{changeAsked, `{"outcome":"selected","optionId":"deny","rule":"write:a.txt"}`, no, ""},
		{changeAsked, `{"outcome":"selected","optionId":"allow-session","Rule":"write:b.txt"}`, none, ""},
		{commandAsked, `{"outcome":"selected","optionId":"allow","command":""}`, none, ""},
		{commandAsked, `{"outcome":"selected","optionId":"allow","command":" \n"}`, none, ""},
		{commandAsked, `{"outcome":"selected","optionId":"allow"}`, yes, "all once"},
		{commandAsked, `{"outcome":"selected","optionId":"allow-session"}`, none, ""}, // it was not offered
		{commandAsked, `{"outcome":"selected","optionId":"allow","command":"make -n"}`, yes, `all command "make -n" once`},
		{commandAsked, `{"outcome":"selected","optionId":"allow","command":"make"}`, yes, "all once"},
		{commandAsked, `{"outcome":"selected","optionId":"allow","hunks":["h1"]}`, none, ""},
		{commandAsked, `{"outcome":"selected","optionId":"allow","text":"x"}`, none, ""},
	} {
		a, _ := readAnswer(json.RawMessage(c.answer), c.q)
		got, parts := none, ""
		switch {
		case a.Answered && a.Outcome == approval.Allowed:
			got, parts = yes, partsOf(a)
		case a.Answered:
			got = no
		case a.Outcome == approval.Allowed:
			t.Errorf("%s: allowed without an answer", c.answer)
		}
		if got != c.want || parts != c.parts {
			t.Errorf("%s: %s %s, want %s %s", c.answer, got, parts, c.want, c.parts)
		}
	}
}

func partsOf(a approval.Answer) string {
	var parts []string
	if a.All {
		parts = append(parts, "all")
	}
	parts = append(parts, a.Hunks...)
	if a.Text != nil {
		parts = append(parts, `text "`+*a.Text+`"`)
	}
	if a.Command != nil {
		parts = append(parts, `command "`+*a.Command+`"`)
	}
	parts = append(parts, string(a.Scope))
	if a.Rule != "" {
		parts = append(parts, "rule "+a.Rule)
	}
	return strings.Join(parts, " ")
}

const editBoth = `call c1 edit_file {"file_path":"a.txt","old_string":"Helo","new_string":"Hello","replace_all":true}
----
text "done"`

var twoHelos = "Helo 1\n" + strings.Repeat("line\n", 20) + "Helo 2\n"

// The question shows the hunks in the editor's coordinates, and what was taken
// of them is what stands.
func TestAPersonTakesOneHunk(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.answers("approval/request", func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"outcome": "selected", "optionId": "allow", "hunks": []string{"h2"}}, nil
		})
		e.prompt()
		if got, want := e.file("a.txt"), strings.Replace(twoHelos, "Helo 2", "Hello 2", 1); got != want {
			t.Errorf("the file holds %q", got)
		}
		q := of[protocol.ApprovalRequestParams](e, "approval/request")
		if len(q) != 1 || len(q[0].Change.Hunks) != 2 {
			t.Fatalf("%d questions", len(q))
		}
		h := q[0].Change.Hunks[1]
		if h.OldRange.Start.Line != 21 || h.OldRange.End.Line != 22 || h.OldText != "Helo 2\n" || h.NewText != "Hello 2\n" ||
			h.Header != "@@ -22,1 +22,1 @@" {
			t.Errorf("second hunk %+v", h)
		}
		ups := of[protocol.ChangeUpdated](e, "change/updated")
		last := ups[len(ups)-1]
		if last.State != protocol.ChangePartly || len(last.Hunks) != 2 || last.Hunks[0].HunkID != "h2" ||
			last.Hunks[0].State != protocol.HunkKept || last.Hunks[1].State != protocol.HunkRejected {
			t.Errorf("%+v", last)
		}
	})
}

// An answer that is none is asked for once more, then the effect is denied.
func TestNoAnswerIsAskedTwice(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.answers("approval/request", func(context.Context, json.RawMessage) (any, error) { return nil, nil })
		e.prompt()
		if got := e.file("a.txt"); got != twoHelos {
			t.Errorf("the file holds %q", got)
		}
		if n := len(of[protocol.ApprovalRequestParams](e, "approval/request")); n != 2 {
			t.Errorf("asked %d times", n)
		}
		end := of[protocol.ApprovalResolved](e, "approval/resolved")
		if len(end) != 1 || end[0].By != protocol.ByNobody || end[0].Outcome != protocol.ResolvedDenied {
			t.Errorf("%+v", end)
		}
	})
}

// Cancelling takes the question back, and an answer that still comes counts
// for nothing.
func TestACancelledQuestionIsWithdrawn(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		withdrawn := false
		e.answers("approval/request", func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			withdrawn = true
			return map[string]string{"outcome": "selected", "optionId": "allow"}, nil
		})
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		var open protocol.ApprovalListResult
		e.must("approval/list", `{}`, &open)
		if len(open.Approvals) != 1 || open.Approvals[0].ApprovalID != "a1" {
			t.Errorf("open: %+v", open)
		}
		e.must("session/cancel", `{"sessionId":"s1"}`, nil)
		<-prompt
		synctest.Wait()
		end := of[protocol.ApprovalResolved](e, "approval/resolved")
		if !withdrawn || len(end) != 1 || end[0].Outcome != protocol.ResolvedWithdrawn || end[0].By != protocol.ByCancel {
			t.Errorf("withdrawn %v, %+v", withdrawn, end)
		}
		if got, want := e.order("$/cancelRequest", "approval/resolved", "turn/completed"),
			"$/cancelRequest approval/resolved turn/completed"; got != want {
			t.Errorf("order %q, want %q", got, want)
		}
		if got := e.file("a.txt"); got != twoHelos {
			t.Errorf("the file holds %q", got)
		}
	})
}

// A question about an edit in a large file shows what changes, not the file.
func TestQuestionsAboutLargeFilesAreSmall(t *testing.T) {
	onWire(t, everything, strings.Replace(editBoth, `,"replace_all":true`, "", 1), nil, func(t *testing.T, e *editor) {
		e.write("a.txt", strings.Repeat("some line of a long file\n", 100_000)+"Helo\n")
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		synctest.Wait()
		sent := 0
		for _, list := range e.got {
			for _, p := range list {
				sent += len(p)
			}
		}
		if sent > 8<<10 {
			t.Errorf("%d bytes were sent for one changed line", sent)
		}
	})
}

const plainCapabilities = `{"window":{"workDoneProgress":true}}`

// Clients without approvals are asked by a message with buttons.
func TestPlainQuestions(t *testing.T) {
	for answer, want := range map[string]struct {
		asked int
		done  bool
	}{
		`{"title":"Accept"}`: {1, true}, `{"title":"Reject"}`: {1, false},
		`null`: {2, false}, `{}`: {2, false}, `{"title":"Accept everything"}`: {2, false},
	} {
		t.Run(answer, func(t *testing.T) {
			onWire(t, plainCapabilities, editBoth, nil, func(t *testing.T, e *editor) {
				e.write("a.txt", twoHelos)
				e.newSession()
				e.answers("window/showMessageRequest", func(context.Context, json.RawMessage) (any, error) {
					return json.RawMessage(answer), nil
				})
				e.prompt()
				type message struct {
					Message string
					Actions []struct{ Title string }
				}
				asked := of[message](e, "window/showMessageRequest")
				if len(asked) != want.asked || !strings.Contains(asked[0].Message, "+Hello 1") || len(asked[0].Actions) > 4 {
					t.Errorf("asked %+v", asked)
				}
				if done := e.file("a.txt") != twoHelos; done != want.done {
					t.Errorf("edited %v, want %v", done, want.done)
				}
				if got := e.order("toolCall/started", "turn/completed", "change/updated", "approval/resolved"); got != "" {
					t.Errorf("a plain client was sent %s", got)
				}
			})
		})
	}
}

// B34: a question says who asks, since when and how it came to that, and shows
// each command of a script with what the rules say of it.
func TestAQuestionTellsWhereItIsFrom(t *testing.T) {
	onWire(t, everything, `text "hello"`, nil, func(t *testing.T, e *editor) {
		asked := session.Approval{ID: "a1", Session: "s1", Asked: time.UnixMilli(5), Origin: &session.Origin{Session: "s0", Subagent: "reviewer"}}
		asked.Question = approval.Question{
			Request: approval.Request{Origin: "reviewer", Command: &approval.Command{Text: "ls; rm x"}},
			Parts: []rule.Part{
				{Command: script.Part{Argv: []script.Word{{Text: "ls"}}, Span: script.Span{Start: 0, End: 2}}, Verdict: rule.Allow, Why: "rule ls"},
				{Command: script.Part{Argv: []script.Word{{Text: "rm"}, {Text: "x"}}, Span: script.Span{Start: 4, End: 8}}, Why: "no rule"},
			},
			Derivation: []string{"one", "two"},
		}
		q := e.server.toQuestion(asked)
		if q.Origin == nil || q.Origin.SubagentID != "reviewer" || q.Origin.SessionID != "s0" || q.Since != 5 || strings.Join(q.Derivation, " ") != "one two" {
			t.Errorf("%+v", q)
		}
		want := []protocol.CommandPart{
			{Argv: protocol.List[string]{"ls"}, Span: protocol.Span{Start: 0, End: 2}, Verdict: protocol.VerdictAllow, Why: "rule ls"},
			{Argv: protocol.List[string]{"rm", "x"}, Span: protocol.Span{Start: 4, End: 8}, Verdict: protocol.VerdictAsk, Why: "no rule"},
		}
		if diff := cmp.Diff(want, q.Command.Parts); diff != "" {
			t.Error(diff)
		}
	})
}
