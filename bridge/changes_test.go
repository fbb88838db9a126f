package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/rpc/protocol"
)

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// shown is the change g1 as change/show has it.
func (e *editor) shown() protocol.ChangeShowResult {
	e.t.Helper()
	var r protocol.ChangeShowResult
	e.must("change/show", `{"sessionId":"s1","changeId":"g1","texts":true}`, &r)
	return r
}

func resolve(base, rest string) string {
	return `{"sessionId":"s1","changeId":"g1","base":"` + base + `",` + rest + `}`
}

func TestAnAppliedChangeIsTakenBackHunkByHunk(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		both := strings.ReplaceAll(twoHelos, "Helo", "Hello")
		first := e.shown()
		if *first.OldText != twoHelos || *first.NewText != both || first.Change.State != protocol.ChangeApplied ||
			!strings.Contains(first.Diff, "+Hello 2") || !strings.HasSuffix(first.Change.URI, "/a.txt") {
			t.Errorf("%+v", first)
		}
		if got := e.refused("change/resolve", resolve("other", `"reject":["h1"]`)); got != "stale" {
			t.Errorf("another base: %q", got)
		}
		var r protocol.ChangeResolveResult
		e.must("change/resolve", resolve(first.Change.Base, `"reject":["h1"]`), &r)
		if fmt.Sprint(r) != "{partly [h2] [h1] [] }" {
			t.Errorf("%+v", r)
		}
		if got := e.file("a.txt"); got != strings.Replace(both, "Hello 1", "Helo 1", 1) {
			t.Errorf("the file holds %q", got)
		}
		second := e.shown()
		if second.Change.Base == first.Change.Base {
			t.Error("the base did not change with the change")
		}
		r = protocol.ChangeResolveResult{}
		e.must("change/resolve", resolve(second.Change.Base, `"reject":"all"`), &r)
		if r.State != protocol.ChangeReverted || e.file("a.txt") != twoHelos {
			t.Errorf("%+v, the file holds %q", r, e.file("a.txt"))
		}
	})
}

// A change that waits is settled by change/resolve as well, which answers when
// the file shows it and withdraws the question.
func TestAProposedChangeIsResolved(t *testing.T) {
	for choice, want := range map[string]string{
		`"accept":["h1"]`: "partly [h1] [h2] []",
		`"accept":"all"`:  "applied [h1 h2] [] []",
		`"reject":"all"`:  "rejected [] [h1 h2] []",
		`"reject":["h1"]`: "rejected [] [h1 h2] []", // nothing is accepted by leaving it out
	} {
		t.Run(choice, func(t *testing.T) {
			onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
				e.write("a.txt", twoHelos)
				e.newSession()
				prompt := e.begin("prompt", "session/prompt", promptS1)
				synctest.Wait()
				q := of[protocol.ApprovalRequestParams](e, "approval/request")[0]
				if q.Change.Base != e.shown().Change.Base {
					t.Error("the question and change/show name different bases")
				}
				var r protocol.ChangeResolveResult
				e.must("change/resolve", resolve(q.Change.Base, choice), &r)
				if n := len(of[protocol.ChangeUpdated](e, "change/updated")); n != 1 {
					t.Errorf("%d updates", n)
				}
				if got := fmt.Sprint(r.State, " ", r.Applied, " ", r.Rejected, " ", r.Stale); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if changed := e.file("a.txt") != twoHelos; changed != (len(r.Applied) > 0) {
					t.Errorf("the file holds %q", e.file("a.txt"))
				}
				<-prompt
			})
		})
	}
}

func TestResolveRefusesWhatCannotBeMeant(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		base := e.shown().Change.Base
		for _, choice := range []string{
			`"accept":["h9"]`, `"accept":["h1"],"reject":["h1"]`, `"accept":"all","reject":["h1"]`,
			`"text":"x","accept":"all"`, `"comment":"x"`, `"accept":"some"`, `"accept":null`,
		} {
			if got := e.refused("change/resolve", resolve(base, choice)); got != "invalid" {
				t.Errorf("%s: %q", choice, got)
			}
		}
		if got := e.refused("change/show", `{"sessionId":"s1","changeId":"g9"}`); got != "unknownChange" {
			t.Errorf("an unknown change: %q", got)
		}
	})
}

func TestAHunkNamedTwiceIsRefusedForWhatItIs(t *testing.T) {
	for _, test := range []struct {
		accept, reject []string
		want           string
	}{
		{[]string{"h1", "h1"}, nil, `hunk "h1" is named twice`},
		{nil, []string{"h2", "h1", "h2"}, `hunk "h2" is named twice`},
		{[]string{"h1"}, []string{"h1"}, `hunk "h1" is both accepted and rejected`},
		{[]string{"h1"}, []string{"h9"}, `the change has no hunk "h9"`},
	} {
		err := checkChoice([]string{"h1", "h2"}, &protocol.ChangeResolveParams{
			Accept: protocol.HunkChoice{IDs: test.accept}, Reject: protocol.HunkChoice{IDs: test.reject},
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("accept %q, reject %q: %v, want %s", test.accept, test.reject, err, test.want)
		}
	}
}

// document opens a.txt in the editor, which applies every edit it is asked for.
func (e *editor) document(text string) {
	e.t.Helper()
	u := "file://" + e.dir + "/a.txt"
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"x","version":1,"text":%s}}`, u, quoted(text)))
	e.answers("workspace/applyEdit", func(_ context.Context, p json.RawMessage) (any, error) {
		var ask struct {
			Edit struct {
				DocumentChanges []struct {
					Edits []struct {
						Range   protocol.Range
						NewText string
					}
				}
			}
		}
		if err := json.Unmarshal(p, &ask); err != nil {
			return nil, err
		}
		edits := ask.Edit.DocumentChanges[0].Edits
		var changes []string
		for i := len(edits) - 1; i >= 0; i-- { // from the end, so that positions stay
			r, _ := json.Marshal(edits[i].Range)
			changes = append(changes, fmt.Sprintf(`{"range":%s,"text":%s}`, r, quoted(edits[i].NewText)))
		}
		e.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":3},"contentChanges":[%s]}`, u, strings.Join(changes, ",")))
		return map[string]bool{"applied": true}, nil
	})
}

// An edit of an open document goes into the buffer, unsaved, and leaves what
// the person typed as it is; the file is not touched behind it.
func TestOpenDocumentsAreEditedInTheBuffer(t *testing.T) {
	onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		typed := strings.Replace(twoHelos, "line\n", "typed 😀\n", 1)
		e.document(typed)
		e.answers("approval/request", choose("allow"))
		e.prompt()
		if got := e.file("a.txt"); got != twoHelos {
			t.Errorf("the file holds %q", got)
		}
		d, open := e.server.face.Document(e.dir + "/a.txt")
		if want := strings.ReplaceAll(typed, "Helo", "Hello"); !open || d.Text != want || d.Version != 3 {
			t.Errorf("the buffer holds %q", d.Text)
		}
		if q := of[protocol.ApprovalRequestParams](e, "approval/request"); *q[0].Change.Version != 1 {
			t.Errorf("asked about version %d", *q[0].Change.Version)
		}
	})
}

// A document that changes while the question waits: elsewhere, and the question
// stays; where it shows, and it is asked anew.
func TestTypingWhileAQuestionWaits(t *testing.T) {
	for line, asked := range map[string]int{"10": 1, "0": 2} {
		t.Run("line "+line, func(t *testing.T) {
			onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
				e.newSession()
				e.document(twoHelos)
				release := make(chan struct{})
				e.answers("approval/request", func(ctx context.Context, _ json.RawMessage) (any, error) {
					select {
					case <-release:
						return map[string]string{"outcome": "selected", "optionId": "allow"}, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
				prompt := e.begin("prompt", "session/prompt", promptS1)
				synctest.Wait()
				e.notify("textDocument/didChange", `{"textDocument":{"uri":"file://`+e.dir+`/a.txt","version":2},"contentChanges":[
					{"range":{"start":{"line":`+line+`,"character":0},"end":{"line":`+line+`,"character":0}},"text":"my "}]}`)
				synctest.Wait()
				close(release)
				<-prompt
				if n := len(of[protocol.ApprovalRequestParams](e, "approval/request")); n != asked {
					t.Errorf("asked %d times, want %d", n, asked)
				}
				d, _ := e.server.face.Document(e.dir + "/a.txt")
				if !strings.Contains(d.Text, "Hello 1") || !strings.Contains(d.Text, "Hello 2") || !strings.Contains(d.Text, "my ") {
					t.Errorf("the buffer holds %q", d.Text)
				}
			})
		})
	}
}
