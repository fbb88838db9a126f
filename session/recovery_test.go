package session

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// killed is a host over what a kill at this moment leaves of a session.
func killed(t *testing.T, b *bench, id string) *Host {
	t.Helper()
	o := b.o
	o.StateDir = t.TempDir()
	h := NewHost(o)
	if err := os.CopyFS(h.dir(id), os.DirFS(b.Host.dir(id))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// reload loads a session and returns what was replayed after fromSeq.
func reload(t *testing.T, h *Host, id string, fromSeq int64) (*Session, []Event) {
	t.Helper()
	var events []Event
	s, _, err := h.Load(id, fromSeq, func(e Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	return s, events
}

// outline is what events say, one a line.
func outline(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		switch body := e.Body.(type) {
		case ChangeUpdated:
			fmt.Fprintf(&b, "%d change %s %s gone=%t\n", e.Seq, body.Change.ID, body.Change.State, body.Change.Gone)
		case TerminalOpened:
			fmt.Fprintf(&b, "%d opened %s %s\n", e.Seq, body.Terminal, body.Title)
		default:
			fmt.Fprintf(&b, "%d %T %+v\n", e.Seq, body, body)
		}
	}
	return b.String()
}

// checkSame closes a session and loads it again: what was ended for a killed
// bridge is history from then on.
func checkSame(t *testing.T, s *Session, first []Event) *Session {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again, second := reload(t, s.host, s.id, 0)
	if outline(first) != outline(second) {
		t.Errorf("first replayed\n%sthen\n%s", outline(first), outline(second))
	}
	return again
}

func checkOutline(t *testing.T, events []Event, want ...string) {
	t.Helper()
	got := outline(events)
	for line := range strings.Lines(got) {
		if len(want) > 0 && strings.Contains(line, want[0]) {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("no %q in its place in\n%s", want[0], got)
	}
}

// await waits for a file, at most as long as a failing test may take.
func await(t *testing.T, path string) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("no %s", filepath.Base(path))
		}
	}
}

func checkNothingAside(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{"log.jsonl", "info.json", "owner", "changes", "checkpoints.jsonl"}, e.Name()) {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// halfAnswer thinks, says something and then nothing more.
func halfAnswer(ctx context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
	sink(model.Event{Kind: model.EventThinking, Text: "Hm. "})
	sink(model.Event{Kind: model.EventText, Text: "It is "})
	sink(model.Event{Kind: model.EventText, Text: "half"})
	<-ctx.Done()
	return model.Response{Parts: []model.Part{{Kind: model.PartText, Text: "It is half"}}}, ctx.Err()
}

func start(t *testing.T, s *Session) *Turn {
	t.Helper()
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func TestHalfAnAnswerOutlivesTheBridge(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: "I look."})
		resp, err := callTools("x", "read_file", `{"file_path":"a.txt"}`)(ctx, r, sink)
		resp.Parts = append([]model.Part{{Kind: model.PartText, Text: "I look."}}, resp.Parts...)
		return resp, err
	}).then(halfAnswer)
	s := b.start(t)
	start(t, s)
	await(t, draftPath(b.dirOf(s)))
	after, events := reload(t, killed(t, b, s.id), s.id, 0)
	checkOutline(t, events, "TurnStarted", "MessageChunk {Turn:t1 Text:I look.}", "ThoughtChunk {Turn:t1 Text:Hm. }", "MessageChunk {Turn:t1 Text:It is half}", "Stop:interrupted")
	after = checkSame(t, after, events)
	checkNothingAside(t, after.host.dir(s.id))
	turn, err := after.Continue()
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	sent := b.model.last().Messages
	if why := valid(sent); why != "" || len(sent) != 5 || len(sent[3].Parts) != 1 || sent[3].Parts[0].Text != "It is half" {
		t.Errorf("%s: the model got %+v", why, sent)
	}
}

// A turn that is cancelled keeps its thoughts for those who read on, and not
// for the model.
func TestThoughtsOfACutAnswerAreShownAgain(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(halfAnswer)
	s := b.start(t)
	turn := start(t, s)
	await(t, draftPath(b.dirOf(s)))
	s.Cancel("")
	<-turn.Done()
	checkNothingAside(t, b.dirOf(s))
	s.Close(t.Context())
	again, events := reload(t, b.Host, s.id, 0)
	checkOutline(t, events, "ThoughtChunk {Turn:t1 Text:Hm. }", "MessageChunk {Turn:t1 Text:It is half}", "Stop:cancelled")
	prompt(t, again, "more")
	for _, m := range b.model.last().Messages {
		for _, p := range m.Parts {
			if p.Kind == model.PartThinking {
				t.Errorf("the model got %+v", p)
			}
		}
	}
}

// A draft that the log has already is not said twice.
func TestDraftOfARecordedAnswerIsOld(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(halfAnswer)
	s := b.start(t)
	turn := start(t, s)
	await(t, draftPath(b.dirOf(s)))
	left, err := os.ReadFile(draftPath(b.dirOf(s)))
	if err != nil {
		t.Fatal(err)
	}
	s.Cancel("")
	<-turn.Done()
	s.Close(t.Context())
	h := killed(t, b, s.id)
	log, _ := os.ReadFile(h.logPath(s.id))
	lines := splitLines(log)
	for len(lines) > 0 && !contains(lines[len(lines)-1], `"type":"message"`) {
		lines = lines[:len(lines)-1]
	}
	os.WriteFile(h.logPath(s.id), slices.Concat(lines...), 0o600)
	os.WriteFile(draftPath(h.dir(s.id)), left, 0o600)
	_, events := reload(t, h, s.id, 0)
	if got := outline(events); strings.Count(got, "It is half") != 1 || strings.Count(got, "Hm. ") != 1 {
		t.Errorf("replayed\n%s", got)
	}
}

// atWork is a bench whose command says something and runs on.
func atWork(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{
				Match: "make", Out: []shelltest.Piece{{Text: "compiling\n"}}, After: time.Hour, Repeat: true,
			}}}
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"make"}`))
	return b
}

func (b *bench) dirOf(s *Session) string { return b.Host.dir(s.id) }

func TestOutputOfACommandOutlivesTheBridge(t *testing.T) {
	b := atWork(t)
	s := b.start(t)
	start(t, s)
	await(t, tailPath(b.dirOf(s), "x1"))
	after, events := reload(t, killed(t, b, s.id), s.id, 0)
	checkOutline(t, events, "opened x1 make", "TerminalClosed", "CallCompleted", "Stop:interrupted")
	for _, e := range events {
		switch body := e.Body.(type) {
		case TerminalClosed:
			if body.Tail != "compiling\n" || body.Exit.Signal != "SIGKILL" {
				t.Errorf("closed with %+v", body)
			}
		case CallCompleted:
			if body.Terminal != "x1" || body.Text != "compiling\n"+interruptedText {
				t.Errorf("completed with %+v", body)
			}
		}
	}
	after = checkSame(t, after, events)
	checkNothingAside(t, after.host.dir(s.id))
	if r, err := after.PreviewRewind(t.Context(), RewindChoice{}); err != nil || len(r.Files) != 1 || !strings.Contains(r.Files[0].Why, "while `make` ran") {
		t.Errorf("a rewind says %+v, %v", r.Files, err)
	}
	prompt(t, after, "more")
	sent := b.model.last()
	if why := valid(sent.Messages); why != "" || !strings.Contains(results(model.Request{Messages: sent.Messages[:3]})[0].Text, "compiling") {
		t.Errorf("%s: the model got %+v", why, sent.Messages)
	}
}

// A call that waited for its answer had not begun, and nobody is told that it
// may be half done.
func TestWhatWasNotAllowedBeforeAKillWasNotBegun(t *testing.T) {
	asked := make(chan string, 1)
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(ctx context.Context, a Approval) (approval.Answer, error) {
			asked <- a.ID
			<-ctx.Done()
			return approval.Answer{}, ctx.Err()
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"make"}`))
	s := b.start(t)
	start(t, s)
	first := <-asked
	after, events := reload(t, killed(t, b, s.id), s.id, 0)
	for _, e := range events {
		if body, ok := e.Body.(CallCompleted); ok && body.Text != unbegunText {
			t.Errorf("completed with %q", body.Text)
		}
	}
	checkOutline(t, events, "CallCompleted")
	b.model.then(callTools("y", "exec_command", `{"cmd":"make"}`))
	start(t, after)
	if second := <-asked; second == first {
		t.Errorf("another question has the id %s, too", first)
	}
}

// The last output is on the disk even if the command says nothing more.
func TestTailFollowsTheOutput(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Match: "make", After: time.Hour, Out: []shelltest.Piece{
				{Text: "one\n"}, {Text: "two\n", After: firstTail + tailPause/2},
			}}}}
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"make"}`))
	s := b.start(t)
	start(t, s)
	for limit := time.Now().Add(20 * time.Second); readTail(b.dirOf(s), "x1") != "one\ntwo\n"; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the tail is %q", readTail(b.dirOf(s), "x1"))
		}
	}
}

func TestCommandThatHasEndedLeavesNothingAside(t *testing.T) {
	b := atWork(t)
	s := b.start(t)
	turn := start(t, s)
	await(t, tailPath(b.dirOf(s), "x1"))
	s.Cancel("")
	<-turn.Done()
	checkNothingAside(t, b.dirOf(s))
}

// A client that saw more than the log has gets what is new under numbers that
// it has not seen.
func TestNewEventsHaveNewNumbers(t *testing.T) {
	b := atWork(t)
	s := b.start(t)
	start(t, s)
	await(t, tailPath(b.dirOf(s), "x1"))
	after, events := reload(t, killed(t, b, s.id), s.id, 1000)
	checkOutline(t, events, "TerminalClosed", "CallCompleted", "Stop:interrupted")
	if after.out.newest() != events[len(events)-1].Seq {
		t.Errorf("newest is %d after\n%s", after.out.newest(), outline(events))
	}
}

// cutBefore is a killed host whose log ends before the first line that holds
// text.
func cutBefore(t *testing.T, b *bench, id, text string) *Host {
	t.Helper()
	h := killed(t, b, id)
	log, err := os.ReadFile(h.logPath(id))
	if err != nil {
		t.Fatal(err)
	}
	lines := splitLines(log)
	at := slices.IndexFunc(lines, func(l []byte) bool { return contains(l, text) })
	if at < 0 {
		t.Fatalf("no %s in\n%s", text, log)
	}
	if err := os.WriteFile(h.logPath(id), slices.Concat(lines[:at]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// The bridge is killed after it wrote the texts and before the log says so.
func TestChangeThatTheLogLacksIsStillApplied(t *testing.T) {
	b, s, path := threeHunks(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(context.Context, Approval) (approval.Answer, error) {
			return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Once, Hunks: []string{"h1", "h3"}}, nil
		}
	})
	after, events := reload(t, cutBefore(t, b, s.id, `"state":"partly"`), s.id, 0)
	checkOutline(t, events, "change g1 partly gone=false", "Change:g1", "Stop:interrupted")
	after = checkSame(t, after, events)
	if ch := after.Changes()[0]; ch.Summary.Plus != 2 {
		t.Errorf("the summary is of %d lines: %s", ch.Summary.Plus, ch.Summary.Diff)
	}
	if _, err := after.Resolve(t.Context(), "g1", Verdict{Reject: Choice{Hunks: []string{"h1", "h2"}}}); err != nil {
		t.Fatal(err)
	}
	checkFile(t, path, "a\n1\nb\n2\nC\n3\n")
}

// A file whose change the log does not know is not that of the next change.
func TestTextsThatNoRecordKnowsAreDropped(t *testing.T) {
	b, s, _ := edited(t)
	s.Close(t.Context())
	h := cutBefore(t, b, s.id, `"state":"proposed"`)
	await(t, filepath.Join(h.textsDir(s.id), "g1"))
	again, _ := reload(t, h, s.id, 0)
	if _, err := os.Stat(again.changes.shelf.path("g1")); err == nil || len(again.Changes()) > 0 {
		t.Errorf("it is still there (%v); changes %+v", err, again.Changes())
	}
}

func TestProposalOfAKilledBridgeIsRejected(t *testing.T) {
	asked := make(chan struct{}, 1)
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(ctx context.Context, _ Approval) (approval.Answer, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return approval.Answer{}, ctx.Err()
		}
	})
	b.model.then(callTools("x", "write_file", `{"file_path":"a.txt","content":"x\n"}`))
	s := b.start(t)
	start(t, s)
	<-asked
	after, events := reload(t, killed(t, b, s.id), s.id, 0)
	checkOutline(t, events, "change g1 rejected", "Change:g1", "Stop:interrupted")
	checkSame(t, after, events)
}

// Nothing is kept of an ephemeral session, and nothing tried.
func TestEphemeralSessionsKeepNothing(t *testing.T) {
	var said strings.Builder
	b := newBench(t, func(o *Options) {
		o.Ephemeral = true
		o.Log = slog.New(slog.NewTextHandler(&said, nil))
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{
				Match: "make", Out: []shelltest.Piece{{Text: "compiling\n"}}, After: 2 * firstTail,
			}}}
		}
	})
	b.file(t, "a.txt", "one\ntwo\n")
	b.model.then(callTools("x", "edit_file", editTwo, "y", "exec_command", `{"cmd":"make"}`)).
		then(func(_ context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
			sink(model.Event{Kind: model.EventText, Text: "well"})
			time.Sleep(2 * draftPause)
			return model.Response{Stop: model.StopEnd}, nil
		})
	s := b.start(t)
	prompt(t, s, "go")
	if _, err := os.Stat(b.sessionsDir()); err == nil || said.Len() > 0 {
		t.Errorf("there is a folder of sessions (%v), or it was said that there is none:\n%s", err, said.String())
	}
	if _, err := s.Resolve(t.Context(), "g1", Verdict{Reject: Choice{All: true}}); err != nil {
		t.Error(err)
	}
}
