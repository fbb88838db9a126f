package session

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"

	"github.com/google/go-cmp/cmp"
)

// A command of which the model was promised to be told the end, and that ends
// with its session, is told with the next prompt, and by no turn of its own.
func TestEndsWithTheSessionAreTold(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) {
			commands(
				shelltest.Step{Match: "serve", Out: []shelltest.Piece{{Text: "up\r\n"}}, After: time.Hour},
				shelltest.Step{Match: "build", After: time.Second},
				shelltest.Step{Match: "leave", Survivors: []string{"sleep 30"}},
				shelltest.Step{Match: "slow", After: time.Hour},
			)(o)
			o.StateDir = dir
		})
		b.model.then(background("a", "serve")).then(background("b", "build")).then(background("c", "leave")).
			then(callTools("d", "exec_command", `{"cmd":"slow","yield_time_ms":300}`))
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(time.Minute)
		before := b.turns()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, events := reload(t, b.Host, s.id, 0)
		checkOutline(t, events, "TerminalClosed {Turn:t1 Call:c1")
		time.Sleep(time.Hour)
		s.Configure(Settings{Mode: "always-ask"})
		time.Sleep(time.Hour)
		if n := b.turns(); n != before {
			t.Errorf("%d turns began by themselves", n-before)
		}
		prompt(t, s, "and?")
		const want = "[background_task_done]\nkind: command\nid: proc-00000001\nstatus: failed\ndetail: ended with the session\n" +
			"label: serve\nThe end of its output:\nup\n"
		checkTold(t, b, "and?", want)
		prompt(t, s, "again")
		checkTold(t, b, "again")
	})
}

// checkTold holds the last words of a user, their own and those of notices,
// against what is wanted.
func checkTold(t *testing.T, b *bench, want ...string) {
	t.Helper()
	messages := b.model.last().Messages
	var got []string
	for _, p := range messages[len(messages)-1].Parts {
		if p.Result == nil {
			got = append(got, p.Text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The same of a bridge that was killed; once it was loaded, another kill changes
// nothing.
func TestEndsWithTheBridgeAreTold(t *testing.T) {
	b := newBench(t, commands(shelltest.Step{Match: "serve", Out: []shelltest.Piece{{Text: "up\r\n"}}, After: time.Hour}))
	b.model.then(background("a", "serve"))
	s := b.start(t)
	prompt(t, s, "go")
	await(t, tailPath(b.dirOf(s), "x1"))
	first := killed(t, b, s.id)
	again, _ := reload(t, first, s.id, 0)
	second := killed(t, &bench{Host: again.host, model: b.model}, s.id)
	for _, h := range []*Host{first, second} {
		s, _ := reload(t, h, s.id, 0)
		before := s.Info().Turn
		prompt(t, s, "and?")
		checkTold(t, b, "and?", "[background_task_done]\nkind: command\nid: proc-00000001\nstatus: failed\ndetail: ended with the bridge\n"+
			"label: serve\nThe end of its output:\nup\n")
		if before != "" {
			t.Errorf("turn %s had begun by itself", before)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, events := reload(t, h, s.id, 0)
		checkOutline(t, events, "TurnNotified {Turn:t2 Notices:[{Process:proc-00000001")
	}
}

// What came while a mode forbade it begins a turn when that mode is left.
func TestLeavingAModeWakes(t *testing.T) {
	for _, mode := range []approval.Mode{approval.Plan, approval.DenyAll} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, commands(shelltest.Step{After: time.Minute}))
			b.model.then(background("a", "one")).then(say("It runs."))
			s := b.start(t)
			prompt(t, s, "go")
			for _, next := range []approval.Mode{mode, "", mode} {
				if _, err := s.Configure(Settings{Mode: next, Title: "t"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
			}
			if n := b.turns(); n != 1 {
				t.Fatalf("%s: %d turns in it", mode, n)
			}
			if _, err := s.Configure(Settings{Mode: approval.AutoEdit}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			if n := b.turns(); n != 2 {
				t.Errorf("%s: %d turns after it", mode, n)
			}
		})
	}
}

// Nobody stops what has ended by itself.
func TestAnEndedCommandIsNotStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, commands(shelltest.Step{After: 500 * time.Millisecond, Exit: shell.Exit{Code: 3}}))
		b.model.then(callTools("a", "exec_command", `{"cmd":"x","yield_time_ms":250}`)).then(say("It runs.")).
			then(callTools("b", "input_command", `{"process_id":"proc-00000001"}`))
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(time.Second)
		if err := s.EndTerminal(t.Context(), "x1", 0); err != nil {
			t.Fatal(err)
		}
		prompt(t, s, "and?")
		messages := b.model.last().Messages
		if got := messages[len(messages)-1].Parts[0].Result; got == nil || !strings.Contains(got.Text, "[exit code: 3]") || strings.Contains(got.Text, "user") {
			t.Errorf("the model read %+v", got)
		}
	})
}

// What a call has told meanwhile is no news any more, also not after a reload.
func TestWhatACallHasToldIsNoNews(t *testing.T) {
	for _, stop := range []model.StopReason{model.StopCalls, model.StopRefusal} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, commands(shelltest.Step{After: time.Second}))
			b.o.StateDir = dir
			poll := callTools("b", "input_command", `{"process_id":"proc-00000001"}`)
			b.model.then(background("a", "one")).then(func(ctx context.Context, r model.Request, sink model.Sink) (model.Response, error) {
				time.Sleep(3 * time.Second)
				resp, err := poll(ctx, r, sink)
				resp.Stop = stop
				return resp, err
			})
			s := b.start(t)
			prompt(t, s, "go")
			time.Sleep(time.Minute)
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			again, events := reload(t, b.Host, s.id, 0)
			prompt(t, again, "and?")
			checkTold(t, b, "and?")
			if text := outline(events); strings.Contains(text, "TurnNotified") || !strings.Contains(text, "Call:c2 Status:completed") || b.turns() != 2 {
				t.Errorf("%s: %d turns\n%s", stop, b.turns(), text)
			}
		})
	}
}
