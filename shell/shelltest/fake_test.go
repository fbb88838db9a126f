package shelltest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
)

func startFake(t *testing.T, f *Fake, s shell.Spec) shell.Process {
	t.Helper()
	p, err := f.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantExit(t *testing.T, p shell.Process, after time.Duration, want shell.Exit) {
	t.Helper()
	<-p.Done()
	if got := time.Since(p.Started()); got != after {
		t.Errorf("exit after %v, want %v", got, after)
	}
	if p.Exit() != want {
		t.Errorf("exit %+v, want %+v", p.Exit(), want)
	}
}

func wantOutput(t *testing.T, p shell.Process, want string) {
	t.Helper()
	if got := string(p.Output().Read(0, shell.RingSize).Data); got != want {
		t.Errorf("output %q, want %q", got, want)
	}
}

func TestFakePlaysPiecesInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fake{Steps: []Step{{
			Match: "go test",
			Out:   []Piece{{Text: "one\n", After: time.Minute}, {Text: "two\n", After: time.Minute}},
			After: time.Minute, Exit: shell.Exit{Code: 1},
		}}}
		p := startFake(t, f, shell.Spec{Script: "go test ./..."})
		time.Sleep(90 * time.Second)
		wantOutput(t, p, "one\n")
		wantExit(t, p, 3*time.Minute, shell.Exit{Code: 1})
		wantOutput(t, p, "one\ntwo\n")
	})
}

func TestFakeWaitsForInputAndEchoesInATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tapped []byte
		f := &Fake{Steps: []Step{{Out: []Piece{{Text: "name? "}, {Text: "hi\r\n", WaitInput: true}}, WaitInput: true}}}
		p := startFake(t, f, shell.Spec{TTY: true, Tap: func(b []byte) { tapped = append(tapped, b...) }})
		time.Sleep(time.Hour)
		p.Write("Ann\n")
		p.Resize(120, 40)
		p.CloseInput()
		wantExit(t, p, time.Hour, shell.Exit{})
		wantOutput(t, p, "name? Ann\r\nhi\r\n")
		if string(tapped) != "name? Ann\r\nhi\r\n" {
			t.Errorf("tap saw %q", tapped)
		}
		c := f.Commands()[0]
		if !slices.Equal(c.Typed(), []string{"Ann\n"}) || !slices.Equal(c.Sizes(), []Size{{120, 40}}) {
			t.Errorf("recorded %q %v", c.Typed(), c.Sizes())
		}
	})
}

func TestFakeEndsBySignal(t *testing.T) {
	ctx := context.Background()
	for name, row := range map[string]struct {
		deaf  bool
		end   func(shell.Process)
		after time.Duration
		want  shell.Exit
	}{
		"interrupt":   {false, func(p shell.Process) { p.Interrupt() }, 0, shell.Exit{Code: 130, Signal: "SIGINT"}},
		"kill":        {false, func(p shell.Process) { p.Kill(ctx, time.Second) }, 0, shell.Exit{Code: 143, Signal: "SIGTERM"}},
		"kill a deaf": {true, func(p shell.Process) { p.Interrupt(); p.Kill(ctx, time.Second) }, time.Second, shell.Exit{Code: 137, Signal: "SIGKILL"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &Fake{Steps: []Step{{After: time.Hour, Deaf: row.deaf}}}
				p := startFake(t, f, shell.Spec{})
				row.end(p)
				wantExit(t, p, row.after, row.want)
			})
		})
	}
}

func TestFakeGivesEachStepOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no such directory")
		f := &Fake{Steps: []Step{{Match: "a", Exit: shell.Exit{Code: 1}}, {Match: "b", Err: broken}, {Match: "c", Repeat: true}}}
		wantExit(t, startFake(t, f, shell.Spec{Script: "a"}), 0, shell.Exit{Code: 1})
		startFake(t, f, shell.Spec{Script: "c"})
		startFake(t, f, shell.Spec{Script: "c"})
		if _, err := f.Start(shell.Spec{Script: "b"}); !errors.Is(err, broken) {
			t.Errorf("scripted failure came as %v", err)
		}
		var spawn *shell.SpawnError
		if _, err := f.Start(shell.Spec{Script: "a", Dir: "/w"}); !errors.As(err, &spawn) || spawn.Dir != "/w" {
			t.Errorf("start beyond the script: %v", err)
		}
		if n := len(f.Specs()); n != 5 {
			t.Errorf("%d starts recorded, want 5", n)
		}
	})
}

func TestFakeCloseEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fake{Steps: []Step{{After: time.Hour, Repeat: true, Deaf: true}}}
		p := startFake(t, f, shell.Spec{})
		f.Forget(p.ID())
		if len(f.List()) != 1 {
			t.Error("a running command was forgotten")
		}
		if err := f.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Start(shell.Spec{}); !errors.Is(err, shell.ErrClosed) {
			t.Errorf("start after close: %v", err)
		}
		f.Forget(p.ID())
		if _, ok := f.Get(p.ID()); ok {
			t.Error("an exited command was not forgotten")
		}
	})
}

func TestFakeLeavesSurvivors(t *testing.T) {
	ctx := context.Background()
	for name, row := range map[string]struct {
		live  time.Duration
		end   func(shell.Process)
		after time.Duration
	}{
		"that end":         {time.Minute, func(shell.Process) {}, 62 * time.Second},
		"that are killed":  {0, func(p shell.Process) { p.Kill(ctx, time.Second) }, time.Second},
		"that are stopped": {0, func(p shell.Process) { p.Interrupt() }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &Fake{Steps: []Step{{
					After: time.Second, Survivors: []string{"sleep 60"}, LiveFor: row.live,
					Later: []Piece{{Text: "late\n", After: time.Second}},
				}}}
				p := startFake(t, f, shell.Spec{})
				wantExit(t, p, time.Second, shell.Exit{})
				s, changed := p.Status()
				if !s.Done || !slices.Equal(s.Survivors, []shell.Survivor{{PID: 1000, Name: "sleep 60"}}) || p.Output().Read(0, 1).EOF {
					t.Errorf("status %+v", s)
				}
				f.Forget(p.ID())
				if len(f.List()) != 1 {
					t.Error("a command with survivors was forgotten")
				}
				row.end(p)
				<-p.Gone()
				<-changed
				if s, _ := p.Status(); len(s.Survivors) != 0 || !p.Output().Read(p.Output().End(), 1).EOF {
					t.Errorf("status %+v when it is gone", s)
				}
				if got := time.Since(p.Started()); got != row.after {
					t.Errorf("gone after %v, want %v", got, row.after)
				}
			})
		})
	}
}

func TestFakeShowsThatItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fake{Steps: []Step{{Out: []Piece{{Text: "name? "}, {Text: "hi\n", WaitInput: true, Waiting: true}}}}}
		p := startFake(t, f, shell.Spec{})
		_, changed := p.Status()
		<-changed
		if s, _ := p.Status(); !s.Waiting || time.Since(p.Started()) != silence {
			t.Errorf("status %+v after %v", s, time.Since(p.Started()))
		}
		p.Write("Ann\n")
		<-p.Gone()
		if s, _ := p.Status(); s.Waiting {
			t.Error("it waits after its end")
		}
	})
}
