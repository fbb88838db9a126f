package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/workspace"
)

const docPath, docURI = "/w/a.txt", "file:///w/a.txt"

func quote(s string) string { b, _ := json.Marshal(s); return string(b) }

func open(text string) string {
	return `{"textDocument":{"uri":"` + docURI + `","languageId":"text","version":1,"text":` + quote(text) + `}}`
}

// changeTo is a didChange that replaces the whole text.
func changeTo(version, text string) string {
	return `{"textDocument":{"uri":"` + docURI + `","version":` + version + `},"contentChanges":[{"text":` + quote(text) + `}]}`
}

const applied, refused = `{"applied":true}`, `{"applied":false,"failureReason":"read-only"}`

func TestApply(t *testing.T) {
	// The edit makes "one 2 three" of the document.
	for _, c := range []struct {
		name   string
		change string // what the buffer shows, "" for nothing
		answer string // "" for none
		text   string
		fails  string // what the error says, "" for none
		within time.Duration
	}{
		{"all of it", "one 2 three", applied, "one 2 three", "", 0},
		{"shown without an answer", "one 2 three", "", "one 2 three", "", 0},
		{"shown though refused", "one 2 three", refused, "one 2 three", "", 0},
		{"something else, said to be all", "one two 3", applied, "one two 3", "", time.Second},
		{"refused", "", refused, "one two three", "read-only", time.Second},
		{"said to be applied, never shown", "", applied, "one two three", "did not change", 6 * time.Second},
		{"no answer and nothing shown", "", "", "one two three", "did not answer", 26 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, Options{}, func(t *testing.T, e *editor) {
				e.initialize(allCapabilities)
				e.notify("textDocument/didOpen", open("one two three"))
				synctest.Wait()
				e.onApply = func(p json.RawMessage) (any, error) {
					if c.change != "" {
						e.notify("textDocument/didChange", changeTo("2", c.change))
					}
					if c.answer == "" {
						time.Sleep(time.Minute)
					}
					return json.RawMessage(c.answer), nil
				}
				begin := time.Now()
				d, err := e.face.Apply(context.Background(), docPath, 1, []workspace.Edit{{Start: 4, End: 7, New: "2"}}, "Edit")
				if d.Text != c.text {
					t.Errorf("text %q, want %q", d.Text, c.text)
				}
				if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want %q", err, c.fails)
				}
				if took := time.Since(begin); took > c.within {
					t.Errorf("took %v, want at most %v", took, c.within)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// The request names the version and the edit in the client's units.
// An editor knows its document by the URI that it gave it, in its own spelling.
func TestApplyNamesTheDocumentAsTheEditorDoes(t *testing.T) {
	for spelled, path := range map[string]string{
		"file:///w/%5b1%5d%c3%bc.txt": "/w/[1]ü.txt",
		"file:///w/a$b(1);c.txt":      "/w/a$b(1);c.txt",
	} {
		inBubble(t, Options{}, func(t *testing.T, e *editor) {
			e.initialize(allCapabilities)
			e.notify("textDocument/didOpen", strings.Replace(open("one"), docURI, spelled, 1))
			synctest.Wait()
			var asked string
			e.onApply = func(p json.RawMessage) (any, error) {
				asked = string(p)
				e.notify("textDocument/didChange", strings.Replace(changeTo("2", "two"), docURI, spelled, 1))
				return json.RawMessage(applied), nil
			}
			d, err := e.face.Apply(context.Background(), path, 1, []workspace.Edit{{Start: 0, End: 3, New: "two"}}, "")
			if err != nil || d.Text != "two" || !strings.Contains(asked, quote(spelled)) {
				t.Errorf("%s: %q, %v; asked for %s", spelled, d.Text, err, asked)
			}
		})
	}
}

func TestApplyAsksByVersion(t *testing.T) {
	for capabilities, want := range map[string]string{
		allCapabilities: `{"label":"Edit","edit":{"documentChanges":[{"textDocument":{"uri":"file:///w/a.txt","version":1},` +
			`"edits":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":3}},"newText":"y"}]}]}}`,
		`{}`: `{"label":"Edit","edit":{"changes":{"file:///w/a.txt":` +
			`[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":3}},"newText":"y"}]}}}`,
	} {
		inBubble(t, Options{}, func(t *testing.T, e *editor) {
			e.initialize(capabilities)
			e.notify("textDocument/didOpen", open("😀x"))
			synctest.Wait()
			var asked string
			e.onApply = func(p json.RawMessage) (any, error) {
				asked = string(p)
				e.notify("textDocument/didChange", changeTo("2", "😀y"))
				return json.RawMessage(applied), nil
			}
			if _, err := e.face.Apply(context.Background(), docPath, 1, []workspace.Edit{{Start: 4, End: 5, New: "y"}}, "Edit"); err != nil {
				t.Fatal(err)
			}
			if asked != want {
				t.Errorf("asked %s\nwant %s", asked, want)
			}
		})
	}
}

func TestApplyNeedsTheVersionItWasMadeFor(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		if _, err := e.face.Apply(context.Background(), docPath, 1, nil, ""); err == nil {
			t.Error("an edit of a document that is not open was taken")
		}
		e.notify("textDocument/didOpen", open("abc"))
		e.notify("textDocument/didChange", changeTo("2", "abcd"))
		synctest.Wait()
		d, err := e.face.Apply(context.Background(), docPath, 1, []workspace.Edit{{New: "x"}}, "")
		if err == nil || d.Text != "abcd" || d.Version != 2 {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// The person types while the edit is on its way: what the buffer holds in the
// end is reported as it is.
func TestApplyWhileThePersonTypes(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", open("one\ntwo\n"))
		synctest.Wait()
		e.onApply = func(json.RawMessage) (any, error) {
			e.notify("textDocument/didChange", changeTo("2", "one typed\ntwo\n"))
			e.notify("textDocument/didChange", changeTo("3", "one typed\n2\n"))
			return json.RawMessage(applied), nil
		}
		d, err := e.face.Apply(context.Background(), docPath, 1, []workspace.Edit{{Start: 4, End: 7, New: "2"}}, "")
		if err != nil || d.Text != "one typed\n2\n" || d.Version != 3 || !d.Dirty {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestApplyEndsWithItsContext(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", open("abc"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		begin := time.Now()
		_, err := e.face.Apply(ctx, docPath, 1, []workspace.Edit{{New: "x"}}, "")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > time.Second+cancelLimit {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// An editor that was at it when the edit was cancelled finishes it: what the
// buffer shows then counts.
func TestCancelledEditThatIsAppliedAllTheSame(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", open("abc"))
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		e.onApply = func(json.RawMessage) (any, error) {
			cancel()
			time.Sleep(cancelLimit / 2)
			e.notify("textDocument/didChange", changeTo("2", "xabc"))
			return json.RawMessage(applied), nil
		}
		d, err := e.face.Apply(ctx, docPath, 1, []workspace.Edit{{New: "x"}}, "")
		if err != nil || d.Text != "xabc" {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestApplyToADocumentThatIsClosed(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", open("abc"))
		synctest.Wait()
		e.onApply = func(json.RawMessage) (any, error) {
			e.notify("textDocument/didClose", `{"textDocument":{"uri":"`+docURI+`"}}`)
			return json.RawMessage(applied), nil
		}
		if _, err := e.face.Apply(context.Background(), docPath, 1, []workspace.Edit{{New: "x"}}, ""); err == nil ||
			!strings.Contains(err.Error(), "closed") {
			t.Errorf("error %v", err)
		}
	})
}

// An edit that cannot be is not guessed at: the document is let go of, the
// person is told, and a whole text brings it back.
func TestImpossibleChange(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", open("😀"))
		e.notify("textDocument/didChange", `{"textDocument":{"uri":"`+docURI+`","version":2},"contentChanges":[
			{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"x"}]}`)
		if len(e.got("window/showMessage", docURI)) != 1 {
			t.Error("the person was not told")
		}
		if _, known := e.face.Document(docPath); known {
			t.Error("the document is still trusted")
		}
		e.notify("textDocument/didSave", `{"textDocument":{"uri":"`+docURI+`"},"text":"x😀"}`)
		synctest.Wait()
		if d, known := e.face.Document(docPath); !known || d.Text != "x😀" {
			t.Errorf("%+v, known %v", d, known)
		}
	})
}

// Half of a surrogate pair, as editors send it in the midst of typing, is not
// the end of the document.
func TestUnpairedSurrogates(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		e.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+docURI+`","languageId":"text","version":1,"text":"a\ud83db"}}`)
		synctest.Wait()
		if d, known := e.face.Document(docPath); !known || d.Text != "a\ufffdb" {
			t.Errorf("%+v, known %v", d, known)
		}
	})
}

func TestDocumentsThatAreNoFiles(t *testing.T) {
	for u, want := range map[string]string{
		"file:///a%20b/c.txt": "/a b/c.txt", "file:///a/../b": "/b", "untitled:1": "", "git:/a/b?x": "", "": "", "/a/b": "", "https://x/y": "",
	} {
		if got := Path(u); got != want {
			t.Errorf("%q: %q, want %q", u, got, want)
		}
	}
}
