package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// valid says what a strict service would refuse in a history, "" if nothing.
func valid(messages []model.Message) string {
	var open []string
	for i, m := range messages {
		if len(m.Parts) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		if i > 0 && messages[i-1].Role == m.Role {
			return fmt.Sprintf("messages %d and %d are both %s's", i-1, i, m.Role)
		}
		answered := map[string]bool{}
		for _, p := range m.Parts {
			if p.Result != nil {
				answered[p.Result.CallID] = true
			}
		}
		if len(answered) != len(open) {
			return fmt.Sprintf("message %d answers %d calls of %d", i, len(answered), len(open))
		}
		for _, id := range open {
			if !answered[id] {
				return fmt.Sprintf("message %d does not answer %s", i, id)
			}
		}
		open = nil
		for _, p := range m.Parts {
			if p.Call == nil {
				continue
			}
			open = append(open, p.Call.ID)
			var o map[string]any
			if json.Unmarshal([]byte(p.Call.Args), &o) != nil || o == nil {
				return fmt.Sprintf("message %d: arguments %q are no object", i, p.Call.Args)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("calls %v are never answered", open)
	}
	return ""
}

// eventful is the log of a session in which much happened.
func eventful(t *testing.T, b *bench) (id string, log []byte) {
	t.Helper()
	b.file(t, "a.txt", "one\ntwo\n")
	edit := `{"file_path":"a.txt","old_string":"two","new_string":"2"}`
	b.model.then(callTools("a", "read_file", `{"file_path":"a.txt"}`, "a", "edit_file", edit, "b", "nope", `{"`)).
		then(callTools("q", "exec_command", `{"description":"d","cmd":"quick","run_in_background":true}`,
			"s", "exec_command", `{"description":"d","cmd":"serve","run_in_background":true}`,
			"l", "exec_command", `{"description":"d","cmd":"leave"}`)).
		then(say("hello")).
		then(callTools("c", "write_file", `{"file_path":"b.txt","content":"ü\n"}`)).
		then(func(context.Context, model.Request, model.Sink) (model.Response, error) {
			return model.Response{
				Parts: []model.Part{{Kind: model.PartText, Text: "half"}},
				Stop:  model.StopMaxTokens,
			}, &model.Error{Kind: model.ErrNetwork, Message: "broken off"}
		})
	s := b.start(t)
	prompt(t, s, "first")
	prompt(t, s, "second")
	if why := valid(s.talk.messages); why != "" {
		t.Fatal(why)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(b.logPath(s.id))
	if err != nil {
		t.Fatal(err)
	}
	return s.id, log
}

// TestLogCutAnywhereLoads stops the bridge at any byte of its log: the session
// loads, its history is one that a strict service accepts, and it goes on.
//
// Cases: P-TRC-01
func TestLogCutAnywhereLoads(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{
				{Match: "quick", Exit: shell.Exit{Code: 1}, Out: []shelltest.Piece{{Text: "q\r\n"}}},
				{Match: "serve", After: time.Hour},
				{Match: "leave", Survivors: []string{"sleep 30"}},
			}}
		}
	})
	id, log := eventful(t, b)
	whole := os.Getenv("DRAWBRIDGE_SOAK") != ""
	start := 0
	for i, c := range log {
		if c == '\n' {
			start = i + 1
			break
		}
	}
	for cut := start; cut <= len(log); cut++ {
		if !whole && log[cut-1] != '\n' && rand.IntN(40) > 0 {
			continue
		}
		loadCut(t, b, id, log[:cut])
	}
}

func loadCut(t *testing.T, b *bench, id string, log []byte) {
	t.Helper()
	if err := os.WriteFile(b.logPath(id), log, 0o600); err != nil {
		t.Fatal(err)
	}
	var last int64
	var events []Event
	s, seq, err := b.Load(id, 0, func(e Event) {
		if e.Seq <= last {
			t.Errorf("cut at %d: event %d after %d", len(log), e.Seq, last)
		}
		last, events = e.Seq, append(events, e)
	})
	if err != nil {
		t.Fatalf("cut at %d: %v", len(log), err)
	}
	if last > seq {
		t.Errorf("cut at %d: event %d beyond %d", len(log), last, seq)
	}
	s = checkSame(t, s, events)
	prompt(t, s, "go on")
	if why := valid(b.model.last().Messages); why != "" {
		t.Errorf("cut at %d: %s", len(log), why)
	}
	s.Close(context.Background())
}

// TestSoakCancelAnywhere cancels turns at random moments: every one ends, and
// the history stays valid.
func TestSoakCancelAnywhere(t *testing.T) {
	rounds := 30
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		rounds = 3000
	}
	b := newBench(t, nil)
	b.file(t, "a.txt", "one\n")
	s := b.start(t)
	for i := range rounds {
		b.model.then(func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
			sink(model.Event{Kind: model.EventText, Text: "well"})
			select {
			case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
			case <-ctx.Done():
				return model.Response{Parts: []model.Part{{Kind: model.PartText, Text: "well"}}}, ctx.Err()
			}
			return callTools("x", "read_file", `{"file_path":"a.txt"}`, "x", "write_file",
				fmt.Sprintf(`{"file_path":"n%d.txt","content":"x"}`, i))(ctx, r, sink)
		})
		turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
		s.Cancel("")
		<-turn.Done()
		if why := valid(s.talk.forModel()); why != "" {
			t.Fatalf("round %d: %s", i, why)
		}
	}
	if why := valid(s.talk.messages); why != "" {
		t.Fatal(why)
	}
}

func TestUnreadableSessionsAreNotInTheWay(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "fine")
	for _, id := range []string{"sbroken", "sempty"} {
		if err := os.MkdirAll(b.Host.dir(id), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(b.metaPath("sbroken"), []byte("{"), 0o600)
	os.WriteFile(b.logPath("sbroken"), []byte("not a log\n"), 0o600)
	os.WriteFile(filepath.Join(b.sessionsDir(), "stray"), nil, 0o600)
	infos, _, err := b.List("", "", 0)
	if err != nil || len(infos) != 1 || infos[0].ID != s.id {
		t.Errorf("list = %+v, %v", infos, err)
	}
	for _, id := range []string{"sbroken", "sempty", "snever", "../sessions"} {
		if _, _, err := b.Load(id, 0, func(Event) {}); err == nil {
			t.Errorf("%s loads", id)
		}
	}
	prompt(t, b.start(t), "still works")
}

// TestTurnsDoNotOverlap prompts again as soon as that is taken: a turn begins
// only after the one before it has ended for the client and in the log.
func TestTurnsDoNotOverlap(t *testing.T) {
	b := newBench(t, func(o *Options) {
		keep := o.Emit
		o.Emit = func(e Event) {
			keep(e)
			if c, ok := e.Body.(StateChanged); ok && c.State == StateIdle {
				time.Sleep(time.Millisecond) // whoever waits for the stream comes next
			}
		}
	})
	s := b.start(t)
	for range 50 {
		turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
		for err != nil {
			turn, err = s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
		}
		s.Cancel(turn.ID)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	open := ""
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		switch body := e.Body.(type) {
		case TurnStarted:
			if open != "" {
				t.Fatalf("%s starts before %s has ended", body.Turn, open)
			}
			open = body.Turn
		case TurnCompleted:
			open = ""
		}
	}
	last := ""
	readLines(b.logPath(s.id), func(r record) {
		if r.Type == recTurn && last == recTurn {
			t.Error("the log begins a turn within another")
		}
		if r.Type == recTurn || r.Type == recEnd {
			last = r.Type
		}
	})
}

func TestParallelLoadsGetTheSameSession(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	var wg sync.WaitGroup
	got := make([]*Session, 32)
	start := make(chan struct{})
	time.AfterFunc(10*time.Millisecond, func() { close(start) })
	for i := range got {
		wg.Go(func() {
			<-start
			loaded, _, err := b.Load(s.id, 0, func(Event) {})
			if err != nil {
				t.Error(err)
			}
			got[i] = loaded
		})
	}
	wg.Wait()
	for _, other := range got {
		if other != got[0] {
			t.Error("two sessions of one log")
		}
	}
}

func TestEveryCloseWaitsForTheEnd(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	hold := make(chan struct{})
	b.model.then(func(context.Context, model.Request, model.Sink) (model.Response, error) {
		<-hold
		return model.Response{}, context.Canceled
	})
	if _, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, ""); err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	go func() { first <- s.Close(context.Background()) }()
	for closing := false; !closing; {
		s.mu.Lock()
		closing = s.closed
		s.mu.Unlock()
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := s.Close(ctx); err == nil {
		t.Error("the second close did not wait")
	}
	close(hold)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNothingIsDoneOffTheRecord closes the log's file under the session: an
// effect is not carried out, and the turn ends with the reason.
func TestNothingIsDoneOffTheRecord(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "fine")
	s.out.mu.Lock()
	s.out.log.f.Close()
	s.out.mu.Unlock()
	b.model.then(callTools("x", "write_file", `{"file_path":"a.txt","content":"x"}`))
	end := prompt(t, s, "go")
	if end.Stop != StopError || end.Hint == "" {
		t.Errorf("end = %+v", end)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "a.txt")); err == nil {
		t.Error("the file was written")
	}
}

// Cases: P-TRC-01
func TestDamagedRecordsAreNoRecords(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	f, err := os.OpenFile(b.logPath(s.id), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"seq":50,"type":"message","parts":[{"kind":"call"}]}`,
		`{"seq":51,"type":"configure","info":{"ID":"../x","Mode":"nope"}}`,
		`{"seq":9223372036854775807,"type":"end","end":{}}`,
	} {
		fmt.Fprintln(f, line)
	}
	f.Close()
	again, last, err := b.Load(s.id, 0, func(Event) {})
	if err != nil || again.Info().ID != s.id || last > 1000 {
		t.Fatalf("%v, %d, %+v", err, last, again)
	}
	prompt(t, again, "go on")
}

func TestDecisionRecordSaysWhatWasAllowed(t *testing.T) {
	other := "echo mine"
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(context.Context, Approval) (approval.Answer, error) {
			return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Once, All: true, Command: &other}, nil
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"echo orig"}`))
	s := b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	said := ""
	readLines(b.logPath(s.id), func(r record) {
		if r.Decision != nil {
			said = r.Decision.Command
		}
	})
	if said != other {
		t.Errorf("the record says %q", said)
	}
}

// TestCutTurnIsKnownByItsName looks at a session whose process was killed in
// mid-turn: it is listed and loaded as interrupted, and can be continued.
func TestCutTurnIsKnownByItsName(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(func(ctx context.Context, _ model.Request, _ model.Sink) (model.Response, error) {
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	})
	s := b.start(t)
	if _, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, ""); err != nil {
		t.Fatal(err)
	}
	for began := false; !began; {
		began = len(b.model.requests()) > 0
	}
	// What a kill leaves behind: a copy of the folder as it is now.
	left := t.TempDir()
	if err := os.CopyFS(filepath.Join(left, "sessions", s.id), os.DirFS(b.Host.dir(s.id))); err != nil {
		t.Fatal(err)
	}
	o := b.o
	o.StateDir = left
	after := NewHost(o)
	infos, _, err := after.List("", "", 0)
	if err != nil || len(infos) != 1 || infos[0].Unfinished != "t1" || infos[0].Turn != "" {
		t.Errorf("list = %+v, %v", infos, err)
	}
	again, _, err := after.Load(s.id, 0, func(Event) {})
	if err != nil || again.Info().Unfinished != "t1" {
		t.Fatalf("%+v, %v", again, err)
	}
	turn, err := again.Continue()
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	if end := turn.End(); end.Stop != StopEndTurn || again.Info().Unfinished != "" {
		t.Errorf("end = %+v", end)
	}
	again.Close(t.Context())
}

// TestEndOfAnotherTurnEndsNothing reads a log in which an end stands late.
func TestEndOfAnotherTurnEndsNothing(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	f, err := os.OpenFile(b.logPath(s.id), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"seq":50,"type":"turn","turn":"t2","blocks":[{"kind":"text","text":"more"}]}`,
		`{"seq":51,"type":"end","turn":"t1","end":{"Turn":"t1","Stop":"endTurn"}}`,
	} {
		fmt.Fprintln(f, line)
	}
	f.Close()
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil || again.Info().Unfinished != "t2" {
		t.Errorf("%v, %+v", err, again.Info())
	}
}

// TestAppendAfterATornWrite starts on a line of its own.
//
// Cases: P-TRC-01
func TestAppendAfterATornWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _, err := openLog(path, path+".head", "s")
	if err != nil {
		t.Fatal(err)
	}
	real := l.f
	if l.f, err = os.Open(path); err != nil { // cannot be written
		t.Fatal(err)
	}
	if l.append(record{Type: recTurn}) == nil {
		t.Fatal("a write to a file that is open for reading succeeds")
	}
	l.f.Close()
	l.f = real
	real.WriteString(`{"type":"tu`) // what reached the disk of the torn one
	if err := l.append(record{Type: recEnd}); err != nil {
		t.Fatal(err)
	}
	l.close()
	var types []string
	readLines(path, func(r record) { types = append(types, r.Type) })
	if len(types) != 1 || types[0] != recEnd {
		t.Errorf("records %v", types)
	}
}
