package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/model"
	"drawbridge/model/script"
)

func player(t *testing.T, src string) *script.Player {
	t.Helper()
	p, err := script.New(src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// heard is one answer with what was shown of it.
type heard struct {
	model.Response
	err    error
	events []model.Event
}

func ask(ctx context.Context, p model.Provider, messages ...model.Message) heard {
	var h heard
	h.Response, h.err = p.Stream(ctx, model.Request{Model: "demo", Messages: messages}, func(e model.Event) {
		h.events = append(h.events, e)
	})
	return h
}

func (h heard) text() string {
	var b strings.Builder
	for _, p := range h.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func result(id, text string) model.Message {
	return model.Message{Role: model.RoleUser, Parts: []model.Part{{
		Kind: model.PartResult, Result: &model.Result{CallID: id, Text: text},
	}}}
}

func user(text string) model.Message {
	return model.Message{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: text}}}
}

func TestStepsArePlayedInOrder(t *testing.T) {
	p := player(t, `
# A comment.
think "I look."
text "Looking at two\nfiles."
call c1 read_file {"path": "a b"}
usage 12 3
----
text "Done."
`)
	first := ask(t.Context(), p)
	if first.err != nil || first.Stop != model.StopCalls || first.Usage != (model.Usage{Input: 12, Output: 3}) {
		t.Errorf("first is %+v, %v", first.Response, first.err)
	}
	if len(first.Parts) != 3 || first.Parts[0].Kind != model.PartThinking || first.Parts[1].Text != "Looking at two\nfiles." {
		t.Errorf("parts are %+v", first.Parts)
	}
	if call := first.Parts[2].Call; *call != (model.Call{ID: "c1", Name: "read_file", Args: `{"path": "a b"}`}) {
		t.Errorf("call is %+v", call)
	}
	if second := ask(t.Context(), p); second.text() != "Done." || second.Stop != model.StopEnd {
		t.Errorf("second is %+v", second.Response)
	}
	if third := ask(t.Context(), p); third.text() != "(the script has ended)" || third.Stop != model.StopEnd {
		t.Errorf("third is %+v", third.Response)
	}
}

func TestTextComesInPieces(t *testing.T) {
	h := ask(t.Context(), player(t, `text "one  two\nthree"`))
	var pieces []string
	for _, e := range h.events {
		pieces = append(pieces, e.Text)
	}
	if got := strings.Join(pieces, "|"); got != "one  |two\n|three" {
		t.Errorf("pieces are %q", got)
	}
}

func TestArgumentsAreSentAsTheyAre(t *testing.T) {
	h := ask(t.Context(), player(t, "call c1 run {\"broken\": \ncall c2 write <<EOT\n{\n  \"text\": \"----\"\n----\nEOT\nstop max_tokens\n"))
	if h.err != nil || h.Stop != model.StopMaxTokens {
		t.Fatalf("stop %q, %v", h.Stop, h.err)
	}
	if h.Parts[0].Call.Args != `{"broken":` || h.Parts[1].Call.Args != "{\n  \"text\": \"----\"\n----" {
		t.Errorf("arguments are %q and %q", h.Parts[0].Call.Args, h.Parts[1].Call.Args)
	}
}

func TestWantsSpeakOfWhatCame(t *testing.T) {
	for _, c := range []struct{ src, complaint string }{
		{`want c1 "2 of 3"`, ""},
		{`wantnot c1 "error"`, ""},
		{`want-user "thanks"`, ""},
		{`want c1 "3 of 3"`, `the result of call c1 should hold "3 of 3"; it is "applied 2 of 3 hunks"`},
		{`wantnot c1 "applied"`, `the result of call c1 should not hold "applied"; it is "applied 2 of 3 hunks"`},
		{`want c9 "x"`, `a result of call c9 is wanted; the request has none`},
		{`want-user "please"`, `the user's last words should hold "please"; they are "many thanks"`},
	} {
		h := ask(t.Context(), player(t, c.src+"\ntext \"ok\""), user("hello"), user("many thanks"), result("c1", "applied 2 of 3 hunks"))
		switch {
		case c.complaint == "" && (h.err != nil || h.text() != "ok"):
			t.Errorf("%s: %v", c.src, h.err)
		case c.complaint != "" && (h.err == nil || h.err.Error() != "script: "+c.complaint):
			t.Errorf("%s: error is %v", c.src, h.err)
		}
	}
}

func TestErrorsHaveTheirKindAndWait(t *testing.T) {
	p := player(t, "text \"half\"\nerror overloaded \"try later\" retry-after 2s\n----\nerror auth \"no\"")
	h := ask(t.Context(), p)
	e, ok := errors.AsType[*model.Error](h.err)
	if !ok || e.Kind != model.ErrOverloaded || e.Message != "try later" || e.RetryAfter != 2*time.Second {
		t.Errorf("error is %+v", h.err)
	}
	if h.text() != "half" || h.Stop != model.StopMaxTokens {
		t.Errorf("kept %q, stop %q", h.text(), h.Stop)
	}
	if e, _ := errors.AsType[*model.Error](ask(t.Context(), p).err); e == nil || e.Kind != model.ErrAuth {
		t.Errorf("second error is %+v", e)
	}
}

func TestRepeatCountsRounds(t *testing.T) {
	p := player(t, "repeat 3\ncall c{n} read {\"n\": {n}}\n----\ntext \"end\"")
	for _, want := range []string{"c1", "c2", "c3"} {
		h := ask(t.Context(), p)
		if len(h.Parts) != 1 || h.Parts[0].Call.ID != want || h.Parts[0].Call.Args != `{"n": `+want[1:]+`}` {
			t.Errorf("round %s is %+v", want, h.Parts)
		}
	}
	if h := ask(t.Context(), p); h.text() != "end" {
		t.Errorf("after the rounds: %q", h.text())
	}
}

// What a script cannot know beforehand it takes from the result that names it.
func TestACallNamesWhatAResultNamed(t *testing.T) {
	for result, want := range map[string]string{
		"said process_id: old\n[idle; subagent_id: subagent-s2]\nMore.": `{"id": "subagent-s2"}`,
		"no id at all": "",
	} {
		p := player(t, "call c2 read {\"id\": \"{c1.subagent_id}\"}")
		got, err := p.Stream(t.Context(), model.Request{Messages: []model.Message{{Parts: []model.Part{
			{Kind: model.PartResult, Result: &model.Result{CallID: "c1", Text: result}},
		}}}}, func(model.Event) {})
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "should name a subagent_id") {
				t.Errorf("%q: %v", result, err)
			}
			continue
		}
		if err != nil || len(got.Parts) != 1 || got.Parts[0].Call.Args != want {
			t.Errorf("%q: %+v, %v", result, got.Parts, err)
		}
	}
}

func TestWaitsAreVirtualAndCancellable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, "sleep 3s\npace 1s\ntext \"a b\"\n----\ntext \"x\"\nstall")
		start := time.Now()
		if h := ask(t.Context(), p); h.err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("took %s, %v", time.Since(start), h.err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		h := ask(ctx, p)
		if !errors.Is(h.err, context.DeadlineExceeded) || h.text() != "x" {
			t.Errorf("the stall ended with %v, kept %q", h.err, h.text())
		}
	})
}

func TestMistakesNameTheirLine(t *testing.T) {
	for src, want := range map[string]string{
		"\nsay \"x\"":            `line 2: unknown word "say"`,
		"text x":                 "line 1: text: want a Go-quoted text, not x",
		"stop soon":              `line 1: stop: unknown reason "soon"`,
		"call c1":                "line 1: call: want ID NAME ARGUMENTS",
		"call c1 x <<E\n{":       `line 1: call: no line "E" ends the arguments`,
		"repeat 0":               `line 1: repeat: "0" is no count`,
		"error odd \"x\"":        `line 1: error: unknown kind "odd"`,
		"error auth \"x\" later": `line 1: error: want retry-after DURATION after the message, not "later"`,
		"usage 1":                `line 1: usage: want two numbers, not "1"`,
		"stall now":              `line 1: stall: takes nothing, not "now"`,
	} {
		if _, err := script.New(src); err == nil || err.Error() != want {
			t.Errorf("%q: error is %v, want %s", src, err, want)
		}
	}
}

func TestLibraryFindsSourcesAndFiles(t *testing.T) {
	l := script.NewLibrary(map[string]string{"demo": `text "from the demo"`})
	if h := ask(t.Context(), l); h.text() != "from the demo" {
		t.Errorf("demo says %q, %v", h.text(), h.err)
	}
	if h := ask(t.Context(), l); h.text() != "(the script has ended)" {
		t.Errorf("the second request played %q", h.text())
	}

	file := filepath.Join(t.TempDir(), "s.txtar")
	if err := os.WriteFile(file, []byte("A rehearsal.\n-- model --\ntext \"from a file\"\n-- wire --\n-> x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	resp, err := l.Stream(t.Context(), model.Request{Model: file}, func(model.Event) {})
	if err != nil || resp.Parts[0].Text != "from a file" {
		t.Errorf("file says %+v, %v", resp.Parts, err)
	}

	_, err = l.Stream(t.Context(), model.Request{Model: file + ".missing"}, func(model.Event) {})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.ErrSetup || e.Hint == "" {
		t.Errorf("missing file: %v", err)
	}
}
