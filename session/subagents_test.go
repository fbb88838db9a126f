package session

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/approval"
	"drawbridge/checkpoint"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
	"drawbridge/workspace"
)

// withChildren is a bench whose subagents may have the model stepper:child, which
// plays child.
func withChildren(t *testing.T, child *stepper, change func(*Options)) *bench {
	t.Helper()
	var b *bench
	b = newBench(t, func(o *Options) {
		o.Models = func(spec string) (model.Provider, string, string, error) {
			if spec == "stepper:child" {
				return child, "child", spec, nil
			}
			return b.model, "m", "stepper:m", nil
		}
		if change != nil {
			change(o)
		}
	})
	return b
}

const runChild = `{"description":"Help","prompt":"help","provider":"stepper","model_id":"child"}`

// heard are the bodies of one kind that a session's events had.
func heard[T any](b *bench, session string) (list []T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if body, ok := e.Body.(T); ok && e.Session == session {
			list = append(list, body)
		}
	}
	return list
}

func childOf(t *testing.T, b *bench, s *Session) string {
	t.Helper()
	told := heard[SubagentUpdated](b, s.id)
	if len(told) == 0 {
		t.Fatal("no subagent was announced")
	}
	return told[len(told)-1].Subagent.Session
}

// eventually waits until something is so, which must not take long.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it does not come to that: " + what)
		}
	}
}

func awaitIdle(t *testing.T, s *Session) {
	t.Helper()
	eventually(t, "every subagent is idle", func() bool { return s.busy() == "" })
}

// A model cannot have a file read by naming it as a script.
func TestASubagentOfARealModelPlaysNoScript(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(callTools("x", "run_subagent", `{"prompt":"x","provider":"script","model_id":"/etc/passwd"}`)).then(say("well"))
	s := b.start(t)
	prompt(t, s, "go")
	if rs := results(b.model.last()); !rs[0].Failed || !strings.Contains(rs[0].Text, "is no model") || len(s.Subagents()) > 0 {
		t.Errorf("results = %+v", rs[0])
	}
}

// Where nobody is there, the question of a subagent is answered with no, at once,
// and the record of its session says so.
//
// Cases: B34
func TestTheQuestionOfASubagentIsDeniedWithoutAPerson(t *testing.T) {
	child := (&stepper{}).then(callTools("k", "write_file", `{"file_path":"new.txt","content":"x"}`)).then(say("I may not."))
	b := withChildren(t, child, func(o *Options) { o.Defaults.Mode = approval.AlwaysAsk })
	b.model.then(callTools("x", "run_subagent", runChild)).then(say("so it is"))
	s := b.start(t)
	prompt(t, s, "go")
	if rs := results(b.model.last()); len(rs) != 1 || !strings.HasPrefix(rs[0].Text, "I may not.\n[idle; subagent_id: subagent-") {
		t.Errorf("results = %+v", rs)
	}
	if rs := results(child.last()); len(rs) != 1 || !strings.Contains(rs[0].Text, "nobody is there to ask") {
		t.Errorf("the subagent was told %+v", rs)
	}
	if _, err := os.Stat(b.dir + "/new.txt"); err == nil {
		t.Error("the file was written")
	}
}

// The parent's record names the session of its subagent, and the first record of
// that says whose it is; what it has cost is part of the parent's total, also once
// it is loaded again.
func TestRecordsOfASubagentAreLinked(t *testing.T) {
	child := (&stepper{}).then(func(_ context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: "yes"})
		return model.Response{Parts: []model.Part{{Kind: model.PartText, Text: "yes"}}, Stop: model.StopEnd, Usage: model.Usage{Input: 7, Output: 3}}, nil
	})
	b := withChildren(t, child, nil)
	b.model.then(callTools("x", "run_subagent", runChild)).then(say("so it is"))
	s := b.start(t)
	if end := prompt(t, s, "go"); end.Usage.Input != 7 || end.Usage.Output != 3 {
		t.Errorf("the turn has cost %+v", end.Usage)
	}
	id := childOf(t, b, s)
	total := heard[UsageUpdated](b, s.id)
	if last := total[len(total)-1].TotalUsage; last.Input != 7 || last.Output != 3 {
		t.Errorf("the total is %+v", last)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var first Info
	_, err := readLog(b.logPath(id), newChainCheck(id), func(r record) {
		if r.Type == recSession {
			first = *r.Info
		}
	})
	if err != nil || first.Origin == nil || first.Origin.Session != s.id || first.Origin.Call != "c1" {
		t.Errorf("the first record says %+v (%v)", first.Origin, err)
	}
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if again.total.Input != 7 || again.total.Output != 3 {
		t.Errorf("loaded, the total is %+v", again.total)
	}
	if list, _, err := b.List("", "", 0); err != nil || len(list) != 1 || list[0].ID != s.id {
		t.Errorf("listed: %+v (%v)", list, err)
	}
	if list, _, err := b.List(s.id, "", 0); err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("listed below it: %+v (%v)", list, err)
	}
	peek, err := b.Peek(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := peek.PreviewRewind(t.Context(), RewindChoice{}); err == nil || !strings.HasSuffix(err.Error(), "what it changed is kept with session "+s.id) {
		t.Errorf("a rewind of it: %v", err)
	}
}

// A bridge that is killed takes its subagents with it: each record then ends, and
// the model is told of the answer that it was promised.
func TestAKilledBridgeTakesItsSubagentsWithIt(t *testing.T) {
	asked := make(chan struct{})
	hang := func(ctx context.Context, _ model.Request, _ model.Sink) (model.Response, error) {
		close(asked)
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	}
	b := withChildren(t, (&stepper{}).then(hang), nil)
	background := strings.Replace(runChild, "{", `{"run_in_background":true,`, 1)
	b.model.then(callTools("x", "run_subagent", background)).then(say("it works"))
	s := b.start(t)
	prompt(t, s, "go")
	id := childOf(t, b, s)
	<-asked // the child's turn is in its record
	state := t.TempDir()
	if err := os.CopyFS(state, os.DirFS(b.o.StateDir)); err != nil {
		t.Fatal(err)
	}
	after := newBench(t, func(o *Options) { o.StateDir = state })
	var last Subagent
	again, _, err := after.Load(s.id, 0, func(e Event) {
		if told, ok := e.Body.(SubagentUpdated); ok {
			last = told.Subagent
		}
	})
	if err != nil || last.State != SubagentEnded || last.Session != id {
		t.Fatalf("the last that is heard of it is %+v (%v)", last, err)
	}
	var end TurnCompleted
	_, _, err = after.Load(id, 0, func(e Event) {
		if over, ok := e.Body.(TurnCompleted); ok {
			end = over
		}
		if e.Origin == nil || e.Origin.Session != s.id {
			t.Errorf("replayed without an origin: %+v", e)
		}
	})
	if err != nil || end.Stop != StopInterrupted {
		t.Errorf("its turn ended by %+v (%v)", end, err)
	}
	after.model.then(callTools("x", "input_subagent", `{"subagent_id":"`+last.ID+`"}`)).then(say("gone"))
	prompt(t, again, "and now?")
	if told := heard[TurnNotified](after, s.id); len(told) != 1 || told[0].Notices[0].Subagent != last.ID || !told[0].Notices[0].Lost {
		t.Errorf("notified: %+v", told)
	}
	if rs := results(after.model.last()); !strings.Contains(rs[0].Text, "It ended with the run of the bridge") {
		t.Errorf("results = %+v", rs)
	}
}

// Nobody knows what a subagent's command changed that ran when the bridge was killed:
// a rewind of the session that it worked for says so. While a subagent works there is
// none.
func TestARewindKnowsOfCommandsOfSubagents(t *testing.T) {
	child := (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"make"}`))
	b := withChildren(t, child, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Match: "make", After: time.Hour}}}
		}
	})
	b.model.then(callTools("x", "run_subagent", strings.Replace(runChild, "{", `{"run_in_background":true,`, 1))).
		then(callTools("y", "write_file", `{"file_path":"new.txt","content":"x"}`)).then(say("it works"))
	s := b.start(t)
	prompt(t, s, "go")
	helper := s.subs.all()[0].child
	eventually(t, "its command is on record", func() bool { return len(heard[TerminalOpened](b, helper.id)) > 0 })
	preview, err := s.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil {
		t.Fatal(err)
	}
	var refused *Error
	if _, _, err := s.Rewind(t.Context(), RewindChoice{}, preview.Digest); !errors.As(err, &refused) || refused.Kind != "turnRunning" || !strings.Contains(refused.Message, "subagent-") {
		t.Errorf("the rewind was answered by %v", err)
	}
	state := t.TempDir()
	if err := os.CopyFS(state, os.DirFS(b.o.StateDir)); err != nil {
		t.Fatal(err)
	}
	after := newBench(t, func(o *Options) { o.StateDir = state })
	again, _, err := after.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	preview, err = again.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil || !slices.ContainsFunc(preview.Files, func(f RewindFile) bool {
		return f.State == RewindUnkept && strings.Contains(f.Why, "the bridge was killed while `make` ran")
	}) {
		t.Errorf("the rewind would be %+v (%v)", preview.Files, err)
	}
}

// Two sessions that edit one file lose nothing of each other, and a rewind takes
// back what both did.
func TestASubagentAndItsSessionEditOneFile(t *testing.T) {
	const rounds = 20
	child := &stepper{}
	b := withChildren(t, child, nil)
	var lines []string
	for i := range rounds {
		lines = append(lines, "parent "+string(rune('a'+i)), "", "", "", "child "+string(rune('a'+i)), "", "", "")
	}
	path := b.file(t, "a.txt", strings.Join(lines, "\n")+"\n")
	edit := func(who string, i int) string {
		old := who + " " + string(rune('a'+i))
		return `{"file_path":"a.txt","old_string":"` + old + `","new_string":"` + old + ` done"}`
	}
	b.model.then(callTools("x", "run_subagent", strings.Replace(runChild, "{", `{"run_in_background":true,`, 1)))
	for i := range rounds {
		child.then(callTools("k", "edit_file", edit("child", i)))
		b.model.then(callTools("p", "edit_file", edit("parent", i)))
	}
	b.model.then(callTools("y", "input_subagent", `{"subagent_id":"ID"}`))
	s := b.start(t)
	prompt(t, s, "go")
	awaitIdle(t, s)
	got, _ := os.ReadFile(path)
	said := 0
	for _, done := range slices.Concat(heard[CallCompleted](b, s.id), heard[CallCompleted](b, s.subs.all()[0].child.id)) {
		_, line, ok := strings.Cut(done.Text, "\n+")
		if !ok {
			continue // it was refused, and the model told so
		}
		line, _, _ = strings.Cut(line, "\n")
		if said++; !strings.Contains(string(got), line+"\n") {
			t.Errorf("%q was lost", line)
		}
	}
	if said < rounds {
		t.Errorf("only %d edits of %d took place", said, 2*rounds)
	}
	preview, err := s.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil || len(preview.Files) != 1 || preview.Files[0].State != RewindRestore {
		t.Fatalf("a rewind would be %+v (%v)", preview.Files, err)
	}
	if _, _, err := s.Rewind(t.Context(), RewindChoice{}, preview.Digest); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != strings.Join(lines, "\n")+"\n" {
		t.Errorf("after the rewind:\n%s", got)
	}
}

// What a change left is told of its own step, once its file is let go of: others may
// have kept what they found there before that, and done what they wanted.
func TestWhatAChangeLeftIsToldOfItsOwnStep(t *testing.T) {
	b := newBench(t, nil)
	path := b.file(t, "a.txt", "zero")
	s := b.start(t)
	ctx := t.Context()
	at, err := s.ws.Resolve("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	look := func() workspace.Content {
		now, err := s.ws.Read(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	planned := workspace.Rewrite(look(), "planned")
	begin := func() *write {
		w := &write{s: s, call: &call{turn: "t1", plan: tools.Plan{Change: &planned}}}
		if err := w.keep(look()); err != nil {
			t.Fatal(err)
		}
		return w
	}
	put := func(text string) *workspace.Outcome {
		out := &workspace.Outcome{State: workspace.Applied, Change: workspace.Rewrite(look(), text)}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := begin()
	one := put("one")
	broken := begin()
	last := begin()
	two := put("two")
	last.done(two)
	broken.done(nil)
	first.done(one)
	journal, _, err := s.checkpointOf("t1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"one", "one", "two"} {
		if step := journal.Steps()[i]; step.After == nil || step.After.Sum != checkpoint.SumOf(want) {
			t.Errorf("step %d left %+v, want %q", i, step.After, want)
		}
	}
}

// childStates are what a subagent does when its session's turn is cancelled.
var childStates = map[string]func() *stepper{
	"thinks": func() *stepper {
		return (&stepper{}).then(func(ctx context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
			sink(model.Event{Kind: model.EventText, Text: "hm"})
			<-ctx.Done()
			return model.Response{}, ctx.Err()
		})
	},
	"runs a command": func() *stepper { return (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"sleep"}`)) },
	"asks": func() *stepper {
		return (&stepper{}).then(callTools("k", "write_file", `{"file_path":"n","content":""}`))
	},
	"waits for its command": func() *stepper {
		return (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"sleep","run_in_background":true}`)).
			then(callTools("k", "exec_command", `{"cmd":"sleep"}`))
	},
}

// Whatever a subagent does when the turn is cancelled whose call waits for it, it is
// gone with the turn, with its commands and its questions; one in the background
// goes on, and ends with its session.
//
// Cases: P-SUB-04
func TestCancelAtEachStateOfASubagent(t *testing.T) {
	for name, child := range childStates {
		for _, background := range []string{"", `"run_in_background":true,`} {
			t.Run(name+" "+background, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { cancelWithChild(t, child(), background) })
			})
		}
	}
}

func cancelWithChild(t *testing.T, child *stepper, background string) {
	b := withChildren(t, child, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Match: "sleep", Repeat: true, After: time.Hour}, {Match: "wait", After: time.Hour}}}
		}
		o.Ask = func(ctx context.Context, a Approval) (approval.Answer, error) {
			if a.Plan.Change == nil {
				return approval.Answer{Answered: true, Outcome: approval.Allowed, All: true}, nil
			}
			<-ctx.Done()
			return approval.Answer{}, ctx.Err()
		}
		o.Defaults.Mode = approval.AlwaysAsk
	})
	b.model.then(callTools("x", "run_subagent", strings.Replace(runChild, "{", "{"+background, 1))).
		then(callTools("y", "exec_command", `{"cmd":"wait"}`))
	s := b.start(t)
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Second)
	asks := len(s.Approvals())
	s.Cancel("")
	<-turn.Done()
	synctest.Wait()
	alive := len(s.Subagents())
	switch {
	case background == "" && alive != 0:
		t.Errorf("%+v", s.Subagents())
	case background != "" && alive != 1:
		t.Errorf("the subagent in the background is gone")
	case background == "" && len(s.Approvals()) != 0:
		t.Errorf("of %d questions are left: %+v", asks, s.Approvals())
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	told := heard[SubagentUpdated](b, s.id)
	if last := told[len(told)-1].Subagent; last.State != SubagentEnded || last.Questions != 0 {
		t.Errorf("the last that is heard of it is %+v", last)
	}
	ends := heard[TurnCompleted](b, told[0].Subagent.Session)
	want := StopCancelled
	if background != "" {
		want = StopInterrupted
	}
	if len(ends) != 1 || ends[0].Stop != want {
		t.Errorf("its turn ended by %+v", ends)
	}
}

// A yes that is kept for the session counts for its subagents, and one of theirs
// for it: also for a question that is waiting already.
func TestAYesForTheSessionReachesItsSubagents(t *testing.T) {
	child := (&stepper{}).then(callTools("k", "exec_command", `{"cmd":"make all"}`))
	asked := make(chan string, 8)
	b := withChildren(t, child, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Match: "make"}, {Match: "make"}}}
		}
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(ctx context.Context, a Approval) (approval.Answer, error) {
			asked <- a.Question.Request.Origin
			if a.Origin != nil {
				<-ctx.Done()
				return approval.Answer{}, ctx.Err()
			}
			return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Session, All: true}, nil
		}
	})
	b.model.then(callTools("x", "run_subagent", strings.Replace(runChild, "{", `{"run_in_background":true,`, 1))).
		then(func(ctx context.Context, r model.Request, s model.Sink) (model.Response, error) {
			if origin := <-asked; !strings.HasPrefix(origin, "subagent-") {
				t.Errorf("asked first: %q", origin)
			}
			return callTools("y", "exec_command", `{"cmd":"make all"}`)(ctx, r, s)
		})
	s := b.start(t)
	prompt(t, s, "go")
	a := s.subs.all()[0]
	awaitIdle(t, s)
	ends := heard[ApprovalResolved](b, a.child.id)
	if !slices.ContainsFunc(ends, func(r ApprovalResolved) bool {
		return r.By == string(approval.ByGrant) && r.Outcome == approval.Allowed
	}) {
		t.Errorf("the waiting question ended by %+v", ends)
	}
}

// A subagent that has answered gives way to a new one only when the call that waits
// for it has told what it said.
func TestWhoIsWaitedForGivesNoWay(t *testing.T) {
	for range 4 {
		child := &stepper{}
		b := withChildren(t, child, nil)
		var calls []string
		for i := range 2 * maxSubagents {
			calls = append(calls, "x"+string(rune('a'+i)), "run_subagent", runChild)
			child.then(say("the answer"))
		}
		b.model.then(callTools(calls...)).then(say("well"))
		s := b.start(t)
		prompt(t, s, "go")
		for _, r := range results(b.model.last()) {
			if !strings.HasPrefix(r.Text, "the answer\n[idle") && !strings.HasPrefix(r.Text, "Too many") {
				t.Errorf("%q", r.Text)
			}
		}
	}
}
