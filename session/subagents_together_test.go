package session

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

const runAside = `{"description":"Help","prompt":"help","provider":"stepper","model_id":"child","run_in_background":true}`

// stalls asks nothing of anybody and does not end by itself.
func stalls(ctx context.Context, _ model.Request, _ model.Sink) (model.Response, error) {
	<-ctx.Done()
	return model.Response{}, ctx.Err()
}

func stalling(children int) *stepper {
	child := &stepper{}
	for range children {
		child.then(stalls)
	}
	return child
}

// Of the calls of one step the last by their order find no place.
//
// Cases: P-SUB-06
func TestSubagentsOfAStepTakePlacesInTheOrderOfTheirCalls(t *testing.T) {
	for range 10 {
		b := withChildren(t, stalling(2*maxSubagents), nil)
		var calls []string
		for i := range maxSubagents + 2 {
			calls = append(calls, fmt.Sprint("x", i), "run_subagent", runAside)
		}
		b.model.then(callTools(calls...)).then(say("well"))
		s := b.start(t)
		prompt(t, s, "go")
		for i, r := range results(b.model.last()) {
			if refused := strings.HasPrefix(r.Text, "Too many background subagents"); refused != (i >= maxSubagents) {
				t.Errorf("call %d: %s", i+1, r.Text)
			}
		}
		for i, a := range s.Subagents() {
			if want := fmt.Sprint("c", i+1); a.Call != want {
				t.Errorf("the subagent %d is that of call %s", i+1, a.Call)
			}
		}
	}
}

// A subagent that is ended makes room for one that a later call of the step starts,
// and one that is prompted gives way to none.
func TestSubagentsOfAStepKnowWhatEarlierCallsDid(t *testing.T) {
	for range 5 {
		child := (&stepper{}).then(say("one")).then(say("two"))
		b := withChildren(t, child, nil)
		var calls []string
		for i := range maxSubagents - 2 {
			child.then(stalls)
			calls = append(calls, fmt.Sprint("x", i), "run_subagent", runAside)
		}
		b.model.then(callTools("a", "run_subagent", runChild)).then(callTools("b", "run_subagent", runChild)).
			then(callTools(calls...)).then(say("well"))
		s := b.start(t)
		prompt(t, s, "go")
		all := s.Subagents()
		child.then(stalls).then(stalls).then(stalls)
		b.model.then(callTools(
			"d", "kill_subagent", `{"subagent_id":"`+all[2].ID+`"}`,
			"e", "run_subagent", runAside,
			"f", "input_subagent", `{"subagent_id":"`+all[0].ID+`","prompt":"more","yield_time_ms":300}`,
			"g", "run_subagent", runAside,
			"h", "run_subagent", runAside,
		)).then(say("well"))
		prompt(t, s, "go")
		want := []string{"[killed while it was running]", "[running in the background", "[still running after", "[running in the background", "Too many"}
		for i, r := range results(b.model.last()) {
			if !strings.HasPrefix(r.Text, want[i]) {
				t.Errorf("call %d: %q, want %q", i+1, r.Text, want[i])
			}
		}
		if b := s.subs.find(all[1].ID); b != nil {
			t.Error("the one that was idle did not give way")
		}
	}
}

// The limit of model steps is one of the session and its subagents together, until
// a person says how to go on.
func TestTheStepsOfSubagentsCount(t *testing.T) {
	child := &stepper{}
	for i := range 9 {
		child.then(callTools(fmt.Sprint("k", i), "exec_command", `{"cmd":"true"}`))
	}
	b := withChildren(t, child, func(o *Options) { o.Defaults.MaxSteps = 4 })
	b.model.then(callTools("x", "run_subagent", runChild)).then(say("never"))
	s := b.start(t)
	end := prompt(t, s, "go")
	const limit = "the limit of 4 model steps was reached; subagents took 3 of them"
	if end.Stop != StopMaxSteps || end.Cause != limit {
		t.Errorf("the turn ended by %+v", end)
	}
	if own, its := len(b.model.requests()), len(child.requests()); own != 1 || its != 3 {
		t.Errorf("%d steps and %d of the subagent", own, its)
	}
	ends := heard[CallCompleted](b, s.id)
	if len(ends) != 1 || !strings.HasPrefix(ends[0].Text, "[aborted: "+limit+"]") {
		t.Errorf("the call ended by %+v", ends)
	}
	turn, err := s.Continue()
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	if end := turn.End(); end.Stop != StopEndTurn {
		t.Errorf("continued, the turn ended by %+v", end)
	}
	if end := prompt(t, s, "once more"); end.Stop != StopEndTurn {
		t.Errorf("prompted, the turn ended by %+v", end)
	}
}

// A turn that the end of a subagent begins has the steps that the prompt before it has
// left.
func TestATurnWithoutAPromptHasTheStepsThatAreLeft(t *testing.T) {
	over := make(chan struct{})
	child := (&stepper{}).then(func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
		<-over
		return say("found")(ctx, r, sink)
	})
	b := withChildren(t, child, func(o *Options) { o.Defaults.MaxSteps, o.WakeOnExit = 3, true })
	b.model.then(callTools("x", "run_subagent", runAside)).then(say("it works"))
	s := b.start(t)
	prompt(t, s, "go")
	close(over)
	var ends []TurnCompleted
	eventually(t, "a turn begins by itself and ends", func() bool {
		ends = heard[TurnCompleted](b, s.id)
		return len(ends) == 2
	})
	if ends[1].Stop != StopMaxSteps || len(b.model.requests()) != 2 {
		t.Errorf("after %d steps it ended by %+v", len(b.model.requests()), ends[1])
	}
	if told := heard[TurnNotified](b, s.id); len(told) != 1 || told[0].Notices[0].Tail != "found" {
		t.Errorf("notified: %+v", told)
	}
}

// afterKill is a bench that finds what the bridge of another one left that is killed
// now.
func afterKill(t *testing.T, b *bench) *bench {
	t.Helper()
	state := t.TempDir()
	if err := os.CopyFS(state, os.DirFS(b.o.StateDir)); err != nil {
		t.Fatal(err)
	}
	return newBench(t, func(o *Options) { o.StateDir = state })
}

// drafts waits until half an answer of a session is on the disk.
func drafts(t *testing.T, b *bench, session, text string) {
	t.Helper()
	eventually(t, "its answer is on the disk", func() bool { return readDraft(b.Host.dir(session)).Text == text })
}

// What a subagent had said last when its bridge was killed is told with its end, or
// by the call that waited for it.
func TestTheLastWordsOfALostSubagentAreTold(t *testing.T) {
	half := func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: strings.Repeat("x", 2*maxNoticeTail) + "a lead"})
		return stalls(ctx, r, sink)
	}
	first := func(context.Context, model.Request, model.Sink) (model.Response, error) {
		return model.Response{Stop: model.StopCalls, Parts: []model.Part{
			{Kind: model.PartText, Text: "I look."},
			{Kind: model.PartCall, Call: &model.Call{ID: "k", Name: "read_file", Args: `{"file_path":"no.txt"}`}},
		}}, nil
	}
	short := func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: "There is a lead"})
		return stalls(ctx, r, sink)
	}
	const long = "a lead"
	for name, c := range map[string]struct {
		run   string
		steps *stepper
		draft string
		tail  string
	}{
		"in the background": {runAside, (&stepper{}).then(first).then(short), "There is a lead", "I look.\nThere is a lead"},
		"waited for":        {runChild, (&stepper{}).then(first).then(short), "There is a lead", "I look.\nThere is a lead"},
		"much": {
			runAside, (&stepper{}).then(half), strings.Repeat("x", 2*maxNoticeTail) + long,
			strings.Repeat("x", maxNoticeTail-len(long)) + long,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := withChildren(t, c.steps, nil)
			b.model.then(callTools("x", "run_subagent", c.run)).then(say("it works"))
			s := b.start(t)
			turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
			if err != nil {
				t.Fatal(err)
			}
			if c.run == runAside {
				<-turn.Done()
			}
			eventually(t, "it is announced", func() bool { return len(heard[SubagentUpdated](b, s.id)) > 0 })
			drafts(t, b, childOf(t, b, s), c.draft)
			after := afterKill(t, b)
			var ends []CallCompleted
			again, _, err := after.Load(s.id, 0, func(e Event) {
				if end, ok := e.Body.(CallCompleted); ok {
					ends = append(ends, end)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			prompt(t, again, "and now?")
			told := heard[TurnNotified](after, s.id)
			if c.run == runChild {
				if len(told) != 0 || len(ends) != 1 || ends[0].Text != c.tail+"\n"+interruptedText {
					t.Errorf("the call ended by %+v; notified: %+v", ends, told)
				}
				return
			}
			if len(told) != 1 || told[0].Notices[0].Tail != c.tail || told[0].Notices[0].Detail != "ended with the bridge" {
				t.Errorf("notified: %+v", told)
			}
			if text := told[0].Notices[0].forModel(); !strings.HasSuffix(text, "\nThe end of its output:\n"+c.tail) {
				t.Errorf("the model reads %s", text)
			}
		})
	}
}

// closingShell starts nothing until it closes.
type closingShell struct {
	*shelltest.Fake
	starting, closing chan struct{}
}

func (c closingShell) Start(s shell.Spec) (shell.Process, error) {
	close(c.starting)
	<-c.closing
	return nil, &shell.SpawnError{Dir: s.Dir, Err: shell.ErrClosed}
}

func (c closingShell) Close(ctx context.Context) error {
	close(c.closing)
	return c.Fake.Close(ctx)
}

// A command that a subagent starts while its session closes ends as all do that the
// close interrupts.
func TestACommandThatStartsWhileItsSessionClosesIsInterrupted(t *testing.T) {
	child := (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"make"}`))
	starting := make(chan struct{})
	b := withChildren(t, child, func(o *Options) {
		o.NewShell = func() shell.Runner { return closingShell{&shelltest.Fake{}, starting, make(chan struct{})} }
	})
	b.model.then(callTools("x", "run_subagent", runAside)).then(say("it works"))
	s := b.start(t)
	prompt(t, s, "go")
	<-starting
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends := heard[CallCompleted](b, childOf(t, b, s))
	usual := regexp.MustCompile(`^\[interrupted: tool aborted by user\]\n\(interrupted after [\d.]+ s: the bridge is closing\)$`)
	if len(ends) != 1 || !usual.MatchString(ends[0].Text) {
		t.Errorf("the call ended by %+v", ends)
	}
}

// What a tool of a subagent had too much to say is kept in a file, which the session
// that it works for may read as it may its own; so may others that work with it.
func TestLongOutputOfASubagentCanBeRead(t *testing.T) {
	kept := regexp.MustCompile(`output archived: ([^\]]+)\]`)
	path := ""
	child := (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"make"}`)).
		then(func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
			if found := kept.FindStringSubmatch(results(r)[0].Text); found != nil {
				path = found[1]
			}
			return say("see "+path)(ctx, r, sink)
		})
	b := withChildren(t, child, func(o *Options) {
		o.Protected = []string{o.StateDir}
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Out: []shelltest.Piece{{Text: "begun\n" + strings.Repeat("line\n", 20000)}}}}}
		}
	})
	reads := func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
		return callTools("r", "read_file", `{"file_path":"`+path+`","limit":1}`)(ctx, r, sink)
	}
	b.model.then(callTools("x", "run_subagent", runChild)).then(reads).then(say("well"))
	s := b.start(t)
	prompt(t, s, "go")
	checkRead := func(who string, r *model.Result) {
		t.Helper()
		if !strings.HasPrefix(r.Text, "     1\tbegun") {
			t.Errorf("%s reads %q of %q", who, r.Text, path)
		}
	}
	checkRead("the session", results(b.model.last())[0])
	child.then(reads).then(say("read"))
	b.model.then(callTools("y", "run_subagent", runChild)).then(say("well"))
	prompt(t, s, "go")
	checkRead("another subagent", results(child.last())[0])
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	b.model.then(reads).then(say("well"))
	prompt(t, again, "go")
	checkRead("the session that is loaded again", results(b.model.last())[0])
	stranger := b.start(t)
	b.model.then(reads).then(say("well"))
	prompt(t, stranger, "go")
	if rs := results(b.model.last()); !strings.Contains(rs[0].Text, "off limits") {
		t.Errorf("another session reads %q", rs[0].Text)
	}
}
