package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

// stepper is a provider that plays one function a step.
type stepper struct {
	mu    sync.Mutex
	steps []func(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error)
	reqs  []model.Request
}

func (p *stepper) Name() string { return "stepper" }

func (p *stepper) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	p.mu.Lock()
	p.reqs = append(p.reqs, req)
	if len(p.steps) == 0 {
		p.mu.Unlock()
		return say("done")(ctx, req, sink)
	}
	step := p.steps[0]
	p.steps = p.steps[1:]
	p.mu.Unlock()
	return step(ctx, req, sink)
}

func (p *stepper) then(f func(context.Context, model.Request, model.Sink) (model.Response, error)) *stepper {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, f)
	return p
}

func (p *stepper) requests() []model.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reqs
}

func (p *stepper) last() model.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reqs[len(p.reqs)-1]
}

func say(text string) func(context.Context, model.Request, model.Sink) (model.Response, error) {
	return func(_ context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: text})
		return model.Response{Parts: []model.Part{{Kind: model.PartText, Text: text}}, Stop: model.StopEnd}, nil
	}
}

// callTools answers with calls given as id, name, args triples.
func callTools(triples ...string) func(context.Context, model.Request, model.Sink) (model.Response, error) {
	var parts []model.Part
	for i := 0; i < len(triples); i += 3 {
		parts = append(parts, model.Part{
			Kind: model.PartCall,
			Call: &model.Call{ID: triples[i], Name: triples[i+1], Args: triples[i+2]},
		})
	}
	return func(context.Context, model.Request, model.Sink) (model.Response, error) {
		return model.Response{Parts: parts, Stop: model.StopCalls}, nil
	}
}

// bench is a host over a temporary workspace that remembers its events.
type bench struct {
	*Host
	dir   string
	model *stepper

	mu     sync.Mutex
	events []Event
}

func newBench(t *testing.T, change func(*Options)) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), model: &stepper{}}
	o := Options{
		StateDir: t.TempDir(),
		Models: func(string) (model.Provider, string, string, error) {
			return b.model, "m", "stepper:m", nil
		},
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &shelltest.Fake{} },
		Defaults: Settings{Dir: b.dir, Mode: approval.AllowAll},
		Emit: func(e Event) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.events = append(b.events, e)
		},
	}
	if change != nil {
		change(&o)
	}
	b.Host = NewHost(o)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *bench) start(t *testing.T) *Session {
	t.Helper()
	s, err := b.New(Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prompt(t *testing.T, s *Session, text string) TurnCompleted {
	t.Helper()
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: text}}, "")
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-turn.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the turn does not end")
	}
	return turn.End()
}

// results are the tool results in the last message of a request.
func results(req model.Request) []*model.Result {
	var rs []*model.Result
	for _, p := range req.Messages[len(req.Messages)-1].Parts {
		if p.Result != nil {
			rs = append(rs, p.Result)
		}
	}
	return rs
}

func TestTurnRunsCallsAndEnds(t *testing.T) {
	b := newBench(t, nil)
	path := b.file(t, "a.txt", "one\ntwo\n")
	b.model.then(callTools("x", "edit_file", `{"file_path":"a.txt","old_string":"two","new_string":"2"}`)).then(say("ok"))
	s := b.start(t)
	if end := prompt(t, s, "go"); end.Stop != StopEndTurn {
		t.Fatalf("end = %+v", end)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\n2\n" {
		t.Errorf("file = %q", got)
	}
	if rs := results(b.model.last()); len(rs) != 1 || !strings.HasPrefix(rs[0].Text, "Replaced 1 occurrence") {
		t.Errorf("results = %+v", rs)
	}
}

// Cases: P-ENV-28
func TestRepeatedIDsAreUniqueInsideAndOriginalOutside(t *testing.T) {
	b := newBench(t, nil)
	b.file(t, "a.txt", "one\n")
	read := `{"file_path":"a.txt"}`
	b.model.then(callTools("a", "read_file", read, "a", "read_file", read, "b#x", "read_file", read)).
		then(callTools("a", "read_file", read)).
		then(callTools("a", "read_file", read))
	s := b.start(t)
	prompt(t, s, "go")
	var inner []string
	for _, m := range s.talk.messages {
		for _, p := range m.Parts {
			if p.Call != nil {
				inner = append(inner, p.Call.ID)
			}
		}
	}
	if got := strings.Join(inner, " "); got != "a a#2 b#x a#3 a#4" {
		t.Errorf("inner ids = %s", got)
	}
	wantSentBack(t, b.model.last())
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	prompt(t, again, "more")
	wantSentBack(t, b.model.last())
}

// wantSentBack checks that calls and results have the ids which the service gave,
// but for the second of one message: no service takes two results of one id there.
func wantSentBack(t *testing.T, req model.Request) {
	t.Helper()
	var calls, answers []string
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if p.Call != nil {
				calls = append(calls, p.Call.ID)
			}
			if p.Result != nil {
				answers = append(answers, p.Result.CallID)
			}
		}
	}
	for what, ids := range map[string][]string{"calls": calls, "results": answers} {
		if got := strings.Join(ids, " "); got != "a a_2 b#x a a" {
			t.Errorf("%s are sent back as %s", what, got)
		}
	}
}

func TestFourthIdenticalFailureStops(t *testing.T) {
	b := newBench(t, nil)
	miss := `{"file_path":"gone.txt"}`
	for range 5 {
		b.model.then(callTools("x", "read_file", miss))
	}
	s := b.start(t)
	end := prompt(t, s, "go")
	if end.Stop != StopError || !strings.Contains(end.Cause, "same read_file call failed 4 times") {
		t.Errorf("end = %+v", end)
	}
	if n := len(b.model.reqs); n != 4 {
		t.Errorf("%d requests", n)
	}
}

func TestLoadGivesTheSameConversation(t *testing.T) {
	b := newBench(t, nil)
	b.file(t, "a.txt", "one\n")
	b.model.then(callTools("a", "read_file", `{"file_path":"a.txt"}`, "a", "nope", `{`)).then(say("fine"))
	s := b.start(t)
	prompt(t, s, "go")
	want := b.model.last()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	again, last, err := b.Load(s.id, 0, func(e Event) { kinds = append(kinds, kindOf(e.Body)) })
	if err != nil {
		t.Fatal(err)
	}
	prompt(t, again, "more")
	got := b.model.last()
	for i, m := range want.Messages {
		if len(m.Parts) != len(got.Messages[i].Parts) || m.Role != got.Messages[i].Role {
			t.Errorf("message %d: %+v, want %+v", i, got.Messages[i], m)
		}
	}
	if last == 0 || strings.Join(kinds, " ") != "turn started started completed completed message end" {
		t.Errorf("replay to %d: %v", last, kinds)
	}
}

func kindOf(body any) string {
	switch body.(type) {
	case TurnStarted:
		return "turn"
	case CallStarted:
		return "started"
	case CallCompleted:
		return "completed"
	case MessageChunk:
		return "message"
	case TurnCompleted:
		return "end"
	}
	return "other"
}

func TestSessionHasOneOwner(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	other := NewHost(b.o)
	_, _, err := other.Load(s.id, 0, func(Event) {})
	if e, ok := err.(*Error); !ok || e.Kind != "sessionBusy" {
		t.Errorf("err = %v", err)
	}
}

func TestTornLogIsHealed(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "first")
	s.Close(context.Background())
	path := b.logPath(s.id)
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(`{"seq":99,"type":"tu`)
	f.Close()
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	prompt(t, again, "second")
	again.Close(context.Background())
	turns := 0
	skipped, err := readLines(path, func(r record) {
		if r.Type == recTurn {
			turns++
		}
	})
	if err != nil || skipped != 1 || turns != 2 {
		t.Errorf("turns %d, skipped %d, err %v", turns, skipped, err)
	}
}

func TestLogAndFolderArePrivate(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	for path, want := range map[string]os.FileMode{b.logPath(s.id): 0o600, b.metaPath(s.id): 0o600, b.Host.dir(s.id): 0o700} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v %v", filepath.Base(path), st.Mode(), err)
		}
	}
}

func TestBrokenArgumentsLeaveAValidHistory(t *testing.T) {
	for _, args := range []string{`{"file_path":`, `[1]`, `null`, ``, `"x"`, `{"file_path":"a","limit":1e999}`} {
		var h history
		h.user([]model.Part{{Kind: model.PartText, Text: "go"}})
		_, calls := h.assistant([]model.Part{{Kind: model.PartCall, Call: &model.Call{ID: "x", Name: "read_file", Args: args}}})
		if calls[0].Args != args || h.messages[1].Parts[0].Call.Args != "{}" {
			t.Errorf("%s is kept as %s", args, h.messages[1].Parts[0].Call.Args)
		}
	}
}

// TestArchivedOutputIsReadWithoutAQuestion follows the note of a cut output in
// a mode that asks about everything outside the workspace.
func TestArchivedOutputIsReadWithoutAQuestion(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(_ context.Context, a Approval) (approval.Answer, error) {
			if a.Question.Request.Access != approval.Execute {
				t.Errorf("asked: %s (%s)", a.Plan.Title, a.Question.Reason)
			}
			return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Once, All: true}, nil
		}
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{
				Match: "big",
				Out:   []shelltest.Piece{{Text: strings.Repeat("0123456789\n", 5000)}},
			}}}
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"big"}`)).
		then(func(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
			_, path, ok := strings.Cut(results(req)[0].Text, "[output archived: ")
			if !ok {
				t.Errorf("no archive: %.200s", results(req)[0].Text)
			}
			path, _, _ = strings.Cut(path, "]")
			return callTools("y", "read_file", `{"file_path":"`+path+`","offset":4999}`)(ctx, req, sink)
		})
	s := b.start(t)
	prompt(t, s, "go")
	if rs := results(b.model.last()); !strings.Contains(rs[0].Text, "5000\t0123456789") {
		t.Errorf("%+v", rs[0])
	}
}

// TestCommandStartsAfterTheChangesBeforeIt holds a change back: the command of
// the same step, allowed already, sees it when it runs.
func TestCommandStartsAfterTheChangesBeforeIt(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{}, 2)
	fake := &shelltest.Fake{Steps: []shelltest.Step{{Match: "make"}}}
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.NewShell = func() shell.Runner { return fake }
		o.Ask = func(ctx context.Context, a Approval) (approval.Answer, error) {
			asked <- struct{}{}
			a.Out()
			if a.Question.Request.Access == approval.Write {
				<-hold
			}
			return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Once, All: true}, nil
		}
	})
	b.model.then(callTools("x", "write_file", `{"file_path":"a.txt","content":"x\n"}`, "y", "exec_command", `{"cmd":"make"}`))
	s := b.start(t)
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	<-asked // both questions are open together
	time.Sleep(20 * time.Millisecond)
	if n := len(fake.Specs()); n != 0 {
		t.Error("the command did not wait")
	}
	close(hold)
	<-turn.Done()
	if n := len(fake.Specs()); n != 1 {
		t.Errorf("%d commands ran", n)
	}
}

// TestCallsOfABrokenAnswerAreDropped keeps what was said of an answer that
// broke off, and no call that nobody ran.
func TestCallsOfABrokenAnswerAreDropped(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(func(context.Context, model.Request, model.Sink) (model.Response, error) {
		return model.Response{Stop: model.StopMaxTokens, Parts: []model.Part{
			{Kind: model.PartThinking, Text: "hm"},
			{Kind: model.PartText, Text: "half"},
			{Kind: model.PartCall, Call: &model.Call{ID: "x", Name: "read_file", Args: `{"file_path":"a.txt"}`}},
		}}, &model.Error{Kind: model.ErrNetwork, Message: "broken off"}
	})
	s := b.start(t)
	if end := prompt(t, s, "go"); end.Stop != StopError || end.Cause != "broken off" {
		t.Errorf("end = %+v", end)
	}
	prompt(t, s, "more")
	sent := b.model.last().Messages
	if why := valid(sent); why != "" || len(sent) != 3 || sent[1].Parts[0].Text != "half" {
		t.Errorf("%s: %+v", why, sent)
	}
}

func TestEndedCommandsAreForgotten(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Match: "true", Repeat: true}}}
		}
	})
	for range keptTerminals + 8 {
		b.model.then(callTools("x", "exec_command", `{"cmd":"true"}`))
	}
	s := b.start(t)
	prompt(t, s, "go")
	if n := len(s.sh.List()); n > keptTerminals+1 {
		t.Errorf("%d commands are kept", n)
	}
	if n := len(s.Terminals()); n > keptTerminals+1 {
		t.Errorf("%d terminals are kept", n)
	}
}
