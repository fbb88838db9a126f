package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"

	"github.com/google/go-cmp/cmp"
)

// background starts a command in the background.
func background(id, cmd string) func(context.Context, model.Request, model.Sink) (model.Response, error) {
	return callTools(id, "exec_command", fmt.Sprintf(`{"description":"d","cmd":%q,"run_in_background":true}`, cmd))
}

func commands(steps ...shelltest.Step) func(*Options) {
	return func(o *Options) {
		o.WakeOnExit, o.Terminals = true, true
		o.NewShell = func() shell.Runner { return &shelltest.Fake{Steps: steps} }
	}
}

// What the model was told of ends is part of the history that a log gives back.
func TestNoticesAreHistory(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands(
			shelltest.Step{Match: "one", Out: []shelltest.Piece{{Text: "a\r\n"}}, After: time.Minute},
			shelltest.Step{Match: "two", After: 2 * time.Minute, Exit: shell.Exit{Code: 2}},
		))
		b.o.StateDir = dir
		b.model.then(background("a", "one")).then(background("b", "two")).then(say("Both run."))
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		said := s.talk.forModel()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, _ = reload(t, b.Host, s.id, 0)
		if diff := cmp.Diff(said, s.talk.forModel()); diff != "" {
			t.Error(diff)
		}
		if last := said[len(said)-2].Parts[0].Text; !strings.HasPrefix(last, "[background_task_done]\nkind: command\nid: proc-00000002\nstatus: failed\n") {
			t.Errorf("the model read %q", last)
		}
		if s.info.Unfinished != "" || len(s.notices) != 0 {
			t.Errorf("unfinished %q, %d notices", s.info.Unfinished, len(s.notices))
		}
	})
}

// A model that starts a command in each turn that a command began comes to rest
// until somebody says something.
func TestTurnsDoNotBeginByThemselvesForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands(shelltest.Step{Match: "tick", After: time.Second, Repeat: true}))
		for i := range 4 * maxAlone {
			b.model.then(background(fmt.Sprint(i), "tick")).then(say("Again."))
		}
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(time.Hour)
		if got := s.Info().Turn; got != "" {
			t.Fatalf("turn %s runs", got)
		}
		if n := b.turns(); n != 1+maxAlone {
			t.Errorf("%d turns, want %d", n, 1+maxAlone)
		}
		prompt(t, s, "go on")
		time.Sleep(time.Hour)
		if n := b.turns(); n != 2+2*maxAlone {
			t.Errorf("%d turns after a word, want %d", n, 2+2*maxAlone)
		}
	})
}

// Whoever cannot work is not woken; whoever is closing hears nothing.
func TestNobodyIsWokenInVain(t *testing.T) {
	for name, c := range map[string]struct {
		options func(*Options)
		after   func(*Session)
		want    int
	}{
		"as it is":       {func(*Options) {}, func(*Session) {}, 2},
		"not wished":     {func(o *Options) { o.WakeOnExit = false }, func(*Session) {}, 1},
		"no model":       {modelsUntilThen, func(*Session) { time.Sleep(modelsLast) }, 1},
		"mode deny-all":  {func(*Options) {}, func(s *Session) { s.Configure(Settings{Mode: "deny-all"}) }, 1},
		"mode plan":      {func(*Options) {}, func(s *Session) { s.Configure(Settings{Mode: "plan"}) }, 1},
		"session closed": {func(*Options) {}, func(s *Session) { s.Close(context.Background()) }, 1},
		"a person's end": {func(*Options) {}, func(s *Session) { s.EndTerminal(context.Background(), "x1", 0) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, func(o *Options) {
					commands(shelltest.Step{After: time.Minute})(o)
					c.options(o)
				})
				b.model.then(background("a", "one")).then(say("It runs."))
				s := b.start(t)
				prompt(t, s, "go")
				c.after(s)
				time.Sleep(time.Hour)
				if n := b.turns(); n != c.want {
					t.Errorf("%d turns, want %d", n, c.want)
				}
			})
		})
	}
}

// modelsLast is how long there are models with modelsUntilThen.
const modelsLast = 30 * time.Second

func modelsUntilThen(o *Options) {
	began, open := time.Now(), o.Models
	o.Models = func(spec string) (model.Provider, string, string, error) {
		if time.Since(began) >= modelsLast {
			return nil, "", "", &model.Error{Kind: model.ErrSetup, Message: "no model is set up"}
		}
		return open(spec)
	}
}

// turns counts those that have begun.
func (b *bench) turns() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if _, ok := e.Body.(TurnStarted); ok {
			n++
		}
	}
	return n
}

// A notice that comes in the last step of a turn that ends for another reason
// than that the model has no more to say is told right after it.
func TestANoticeThatATurnPassesByIsToldAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands(shelltest.Step{After: time.Second}))
		b.model.then(background("a", "one")).then(func(context.Context, model.Request, model.Sink) (model.Response, error) {
			time.Sleep(2 * time.Second)
			return model.Response{Stop: model.StopRefusal}, nil
		})
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(time.Minute)
		if n := b.turns(); n != 2 {
			t.Errorf("%d turns, want 2", n)
		}
	})
}

// A bridge that was killed before it told again what a replaced turn knew still
// owes it.
func TestWhatAReplacedTurnKnewIsOwed(t *testing.T) {
	p := &past{session: "s1"}
	kept, lost := Notice{Process: "proc-1", Call: "c1"}, Notice{Process: "proc-2", Call: "c2"}
	for i, r := range []record{
		{Type: recTurn, Turn: "t1"},
		{Type: recStarted, Turn: "t1", Call: "c1"},
		{Type: recTurn, Turn: "t2"},
		{Type: recStarted, Turn: "t2", Call: "c2"},
		{Type: recEnded, Notices: []Notice{kept}},
		{Type: recEnded, Notices: []Notice{lost}},
		{Type: recNotified, Turn: "t2", Notices: []Notice{kept, lost}},
		{Type: recTurn, Turn: "t3", Replaces: "t2"},
	} {
		if p.started == nil {
			p.started = map[string]string{}
		}
		r.Seq = int64(i + 1)
		p.add(r)
	}
	if diff := cmp.Diff([]Notice{kept}, p.notices); diff != "" {
		t.Error(diff)
	}
}

// A log in which the delivery of a notice or a remark came first would owe it
// anew after a reload.
func TestWhatWasDeliveredIsNotOwed(t *testing.T) {
	b := newBench(t, func(o *Options) { o.WakeOnExit = false })
	s := b.start(t)
	const n = 500
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range n {
			s.notice(Notice{Process: fmt.Sprint("proc-", i)}, true)
			s.remark(fmt.Sprint("remark ", i))
		}
	}()
	turn := &running{Turn: Turn{ID: "t1"}, ctx: t.Context()}
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		s.deliverNotices(turn, true)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _ := reload(t, b.Host, s.id, 0)
	if len(again.notices) > 0 || len(again.remarks) > 0 {
		t.Errorf("%d notices and %d remarks of %d are told again", len(again.notices), len(again.remarks), n)
	}
}

// A cancel that comes before the model was told ends the turn and keeps the
// notice.
func TestACancelWhileNoticesGatherKeepsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands(shelltest.Step{After: time.Minute}))
		b.model.then(background("a", "one")).then(say("It runs."))
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(time.Minute + gatherTime/2)
		turn := s.Cancel("")
		if turn == nil {
			t.Fatal("no turn has begun")
		}
		<-turn.Done()
		synctest.Wait()
		if end := turn.End(); end.Stop != StopCancelled || len(s.notices) != 1 || len(b.model.requests()) != 2 {
			t.Errorf("%s, %d notices, %d requests", end.Stop, len(s.notices), len(b.model.requests()))
		}
		prompt(t, s, "and?")
		if why := valid(b.model.last().Messages); why != "" {
			t.Error(why)
		}
		if n := len(s.notices); n != 0 {
			t.Errorf("%d notices are left", n)
		}
	})
}

// The end of a long output comes with a notice, and no more than is bounded.
func TestANoticeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands())
		s := b.start(t)
		s.commandEnded(tools.Ended{Process: "proc-1", Tail: strings.Repeat("ü", 2*maxNoticeTail) + "end"})
		time.Sleep(time.Second) // its turn
		synctest.Wait()
		var tail string
		for _, e := range b.events {
			if n, ok := e.Body.(TurnNotified); ok {
				tail = n.Notices[0].Tail
			}
		}
		if n := len([]rune(tail)); n != maxNoticeTail || !strings.HasSuffix(tail, "end") {
			t.Errorf("%d characters ending in %q", n, tail[max(0, len(tail)-10):])
		}
	})
}

// Terminals of commands that run are kept however many are closed, and of the
// closed ones the newest.
func TestClosedTerminalsMakeRoom(t *testing.T) {
	var ts terminals
	var running []*terminal
	for i := range 3 * keptTerminals {
		x, _ := ts.add(&call{}, TerminalOpened{})
		if i%2 == 0 {
			running = append(running, x)
		} else {
			close(x.closed)
		}
	}
	ts.mu.Lock()
	dropped := ts.dropLocked()
	ts.mu.Unlock()
	closed := 0
	for _, x := range ts.list {
		if x.over() {
			closed++
		}
	}
	if closed != keptTerminals || len(ts.list) != closed+len(running) {
		t.Errorf("%d closed ones of %d are kept, %d run", closed, len(ts.list), len(running))
	}
	for _, x := range dropped {
		if !x.over() {
			t.Errorf("%s was dropped while it runs", x.opened.Terminal)
		}
	}
	if newest := ts.list[len(ts.list)-1]; newest.opened.Terminal != fmt.Sprintf("x%d", 3*keptTerminals) {
		t.Errorf("the newest is %s", newest.opened.Terminal)
	}
}

// Commands are held by the preset of the moment. Their folder for temporary
// files is there when it is needed, is nobody else's, and goes with the session,
// whatever stands in it.
func TestPresetsHoldCommands(t *testing.T) {
	var asked []Confines
	b := newBench(t, func(o *Options) {
		o.Confine = func(c Confines) (shell.Confinement, error) {
			st, err := os.Stat(c.Tmp)
			if err != nil || !st.IsDir() || st.Mode().Perm() != 0o700 {
				t.Errorf("the folder for temporary files: %v, %v", st, err)
			}
			asked = append(asked, c)
			return nil, nil
		}
	})
	s := b.start(t)
	tmp := s.host.tmp(s.id)
	for _, preset := range []string{"full-access", "workspace-write", "read-only", "full-access"} {
		if _, err := s.Configure(Settings{Preset: parsePreset(t, preset)}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(tmp); len(asked) == 0 && err == nil {
			t.Error("a folder nobody needs is there")
		}
		if _, err := s.env.Confine(); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 2 || asked[0].Preset != "workspace-write" || asked[1].Preset != "read-only" || asked[0].Roots[0] != b.dir {
		t.Errorf("asked %+v", asked)
	}
	locked := filepath.Join(tmp, "a", "b")
	if err := os.MkdirAll(locked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(locked, "c"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(tmp)); err == nil {
		t.Error("temporary files are left")
	}
}

// A bridge that was killed leaves its commands' temporary files to the next one.
func TestTemporaryFilesOfAKilledBridgeGo(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	h := killed(t, b, s.id)
	left := filepath.Join(h.tmp(s.id), "x")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	reload(t, h, s.id, 0)
	if _, err := os.Stat(left); err == nil {
		t.Error("temporary files are left")
	}
}

// After a kill the commands of earlier turns are shown with their ends: a leader
// that had ended keeps its own.
func TestBackgroundCommandsOfAKilledBridgeAreClosed(t *testing.T) {
	b := newBench(t, commands(
		shelltest.Step{Match: "serve", After: time.Hour},
		shelltest.Step{Match: "leave", Exit: shell.Exit{Code: 3}, Survivors: []string{"sleep 30"}},
	))
	b.model.then(background("a", "serve")).
		then(callTools("b", "exec_command", `{"description":"d","cmd":"leave"}`)).then(say("Done."))
	s := b.start(t)
	prompt(t, s, "go")
	prompt(t, s, "more")
	again, events := reload(t, killed(t, b, s.id), s.id, 0)
	ends := map[string]shell.Exit{}
	for _, e := range events {
		if c, ok := e.Body.(TerminalClosed); ok {
			ends[c.Terminal] = c.Exit
		}
	}
	want := map[string]shell.Exit{"x1": {Code: 137, Signal: "SIGKILL"}, "x2": {Code: 3}}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Error(diff)
	}
	if again.Info().Unfinished != "" {
		t.Error("the turn counts as cut off")
	}
	checkSame(t, again, events)
}
