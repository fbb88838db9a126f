package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// running starts a scripted command in the background and returns its id.
func (r *room) running(t *testing.T, cmd string) string {
	t.Helper()
	o := r.do(t, "exec_command", args(t, "cmd", cmd, "run_in_background", true))
	checkSays(t, o, Completed, "[running in the background; process_id: "+o.ProcessID+"]")
	return o.ProcessID
}

// held are the ids that the room's commands hold, oldest first.
func (r *room) held() []string {
	var ids []string
	for _, info := range r.env.Commands.List() {
		ids = append(ids, info.ID)
	}
	return ids
}

// forever runs until it is ended.
var forever = shelltest.Step{Match: "forever", Repeat: true, After: 24 * 365 * time.Hour}

// P-EXEC-20: the 65th command costs one that has ended, or else the one that
// was not used for the longest time, which is ended.
func TestCommandsMakeRoom(t *testing.T) {
	steps := []shelltest.Step{forever, {Match: "short", Repeat: true, After: time.Second}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		var ids []string
		for i := range maxHeld {
			ids = append(ids, r.running(t, map[bool]string{true: "short", false: "forever"}[i == 40]))
			time.Sleep(time.Minute)
		}
		newest := r.running(t, "forever")
		if got := r.held(); len(got) != maxHeld || slices.Contains(got, ids[40]) || !slices.Contains(got, newest) {
			t.Errorf("the one that had ended is not what was dropped: %v", got)
		}
		r.do(t, "input_command", args(t, "process_id", ids[0], "yield_time_ms", 250)) // the oldest is in use
		r.env.Commands.List()                                                         // to look is not to use
		r.running(t, "forever")
		if got := r.held(); len(got) != maxHeld || slices.Contains(got, ids[1]) || !slices.Contains(got, ids[0]) {
			t.Errorf("the least recently used is not what was dropped: %v", got)
		}
		synctest.Wait()
		for i, want := range map[int]string{0: "", 1: "SIGTERM", 2: ""} {
			if got := fake.Commands()[i].Exit().Signal; got != want {
				t.Errorf("command %d was ended by %q, want %q", i, got, want)
			}
		}
		for _, tool := range []string{"input_command", "kill_command"} {
			checkSays(t, r.do(t, tool, args(t, "process_id", ids[1])), Failed, ids[1], "It was killed to make room for newer commands.")
			checkSays(t, r.do(t, tool, args(t, "process_id", ids[40])), Failed, ids[40],
				"It had ended (exit code 0) and was cleared to make room for newer commands, with what was unread of it.")
		}
	})
}

// P-EXEC-20: what nobody has used for ten days is ended.
func TestCommandsAreEndedWhenNobodyUsesThem(t *testing.T) {
	scripted(t, []shelltest.Step{forever, {Match: "short", Repeat: true}}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		used, idle, ended := r.running(t, "forever"), r.running(t, "forever"), r.running(t, "short")
		time.Sleep(9 * 24 * time.Hour)
		if got := r.held(); !slices.Equal(got, []string{used, idle, ended}) {
			t.Errorf("held after nine days: %v", got)
		}
		r.do(t, "input_command", args(t, "process_id", used, "yield_time_ms", 250))
		time.Sleep(24*time.Hour + 2*sweepEvery)
		if got := r.held(); !slices.Equal(got, []string{used}) {
			t.Errorf("held after ten days: %v", got)
		}
		synctest.Wait()
		if got := fake.Commands()[1].Exit().Signal; got != "SIGTERM" {
			t.Errorf("the idle command was ended by %q", got)
		}
		checkSays(t, r.do(t, "input_command", args(t, "process_id", idle)), Failed, "It was killed because nobody used it for ten days.")
	})
}

// P-BG-01
func TestTheEndOfABackgroundCommandIsReported(t *testing.T) {
	steps := []shelltest.Step{
		{Match: "good", Out: []shelltest.Piece{{Text: "x"}}, After: time.Second},
		{Match: "bad", Out: []shelltest.Piece{{Text: "no\n"}}, After: 2 * time.Second, Exit: shell.Exit{Code: 3}},
		{Match: "stopped", After: time.Hour},
		{Match: "serve", Survivors: []string{"daemon"}, After: 3 * time.Second},
	}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		ends := make(chan Ended, 10)
		r.env.Commands.OnEnd(func(e Ended) { ends <- e })
		for _, cmd := range []string{"good one", "bad one", "stopped one", "serve"} {
			r.call.ID = "call of " + cmd
			r.running(t, cmd)
		}
		time.Sleep(10 * time.Second)
		r.env.Commands.StoppedByUser("proc-00000003")
		if err := fake.Commands()[2].Kill(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		close(ends)
		var got []Ended
		for e := range ends {
			got = append(got, e)
		}
		want := []Ended{
			{Process: "proc-00000001", Call: "call of good one", Title: "good one", OK: true, Detail: "exit code 0", Tail: "x"},
			{Process: "proc-00000002", Call: "call of bad one", Title: "bad one", Detail: "exit code 3", Tail: "no\n"},
			{Process: "proc-00000004", Call: "call of serve", Title: "serve", OK: true, Detail: "exit code 0"},
			{
				Process: "proc-00000003", Call: "call of stopped one", Title: "stopped one",
				Detail: "terminated by signal SIGTERM (stopped by the user)", ByUser: true,
			},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("reports (-want +got):\n%s", d)
		}
		// What was reported stays unread.
		checkText(t, r.do(t, "input_command", `{"process_id":"proc-00000002"}`), Failed, "no\n[exit code: 3]")
	})
}

func TestReportsCarryTheEndOfUnreadOutput(t *testing.T) {
	long := strings.Repeat("企", 5000) + "end"
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "read\n"}, {Text: long, After: time.Minute}}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		var tail string
		r.env.Commands.OnEnd(func(e Ended) { tail = e.Tail })
		id := r.running(t, "x")
		checkSays(t, r.do(t, "input_command", args(t, "process_id", id)), Completed, "read\n")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if want := strings.Repeat("企", 3997) + "end"; tail != want {
			t.Errorf("the tail has %d bytes: %.40q", len(tail), tail)
		}
	})
}

// P-BG-01: an end before anybody listens is told to the first who does.
func TestReportsWaitForSomebodyToHearThem(t *testing.T) {
	scripted(t, []shelltest.Step{{Repeat: true}}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		id := r.running(t, "x")
		synctest.Wait()
		var got []string
		r.env.Commands.OnEnd(func(e Ended) { got = append(got, e.Process) })
		r.env.Commands.OnEnd(func(e Ended) { t.Errorf("told twice: %+v", e) })
		if !slices.Equal(got, []string{id}) {
			t.Errorf("told of %v", got)
		}
	})
}

// P-BG-01: nothing is told of what its caller killed or waits for, nor after the
// session.
func TestNoReportWithoutNeed(t *testing.T) {
	steps := []shelltest.Step{forever, {Match: "later", Repeat: true, After: time.Minute}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Commands.OnEnd(func(e Ended) { t.Errorf("told of %+v", e) })
		checkSays(t, r.do(t, "kill_command", args(t, "process_id", r.running(t, "forever"))), Completed, "[killed: terminated by signal SIGTERM]")
		r.do(t, "exec_command", `{"cmd":"later","yield_time_ms":250}`) // yielded, not sent to the background
		time.Sleep(2 * time.Minute)
		r.running(t, "later")
		r.env.Commands.Close()
		time.Sleep(2 * time.Minute)
	})
}

// P-EXEC-17
func TestNothingIsKnownOrStartedAfterClose(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		id := r.running(t, "forever")
		plan, err := r.plan(t, "exec_command", `{"cmd":"forever"}`)
		if err != nil {
			t.Fatal(err)
		}
		r.env.Commands.Close()
		checkSays(t, CarryOut(t.Context(), Call{}, bind(plan, Accepted{})), Failed, "disposed")
		checkSays(t, r.do(t, "input_command", args(t, "process_id", id)), Failed, id)
		checkSays(t, r.do(t, "kill_command", args(t, "process_id", id)), Failed, id)
		if n := len(fake.Specs()); n != 1 || len(r.held()) != 0 {
			t.Errorf("%d commands were started, held are %v", n, r.held())
		}
	})
}

func TestCommandsAreListed(t *testing.T) {
	steps := []shelltest.Step{
		{Match: "ask", WaitInput: true, Waiting: true},
		{Match: "serve", Survivors: []string{"daemon -d"}},
		{Match: "done"},
	}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.env.TTY = true
		began := time.Now()
		r.do(t, "exec_command", `{"cmd":"ask","yield_time_ms":1000}`)
		r.do(t, "exec_command", `{"cmd":"serve"}`)
		r.running(t, "done\nat once")
		synctest.Wait()
		want := []CommandInfo{
			{ID: "proc-00000001", Title: "ask", Started: began, Running: true, Waiting: true},
			{ID: "proc-00000002", Title: "serve", Started: began.Add(time.Second), Survivors: []shell.Survivor{{PID: 1000, Name: "daemon -d"}}},
			{ID: "proc-00000003", Title: "done…", Started: began.Add(time.Second), Background: true},
		}
		if d := cmp.Diff(want, r.env.Commands.List()); d != "" {
			t.Errorf("list (-want +got):\n%s", d)
		}
	})
}

func TestManyCommandsAtOnce(t *testing.T) {
	steps := []shelltest.Step{{Repeat: true, Out: []shelltest.Piece{{Text: "x"}}, After: time.Second}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		seen := make(chan string, 200)
		r.env.Commands.OnEnd(func(e Ended) { seen <- e.Process })
		for i := range 200 {
			go r.do(t, "exec_command", args(t, "cmd", fmt.Sprint(i), "run_in_background", true))
		}
		time.Sleep(time.Minute)
		if len(seen) != 200 || len(r.held()) != maxHeld {
			t.Errorf("told of %d, held %d", len(seen), len(r.held()))
		}
	})
}

func TestWhatTheUserStoppedIsSaid(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		id := r.running(t, "forever")
		r.env.Commands.StoppedByUser(id)
		if err := fake.Commands()[0].Kill(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
		poll := args(t, "process_id", id)
		checkText(t, r.do(t, "input_command", poll), Failed, "[terminated by signal SIGTERM]\n[the user stopped the command]")
		for _, tool := range []string{"input_command", "kill_command"} {
			checkText(t, r.do(t, tool, poll), Failed, `There is no command with process_id "`+id+`" any more. It was stopped by the user.`)
		}
	})
}

// The same of what a command left behind, whether its end was read by then or not.
func TestWhoEndedWhatWasLeftIsSaid(t *testing.T) {
	const swept = "[the user ended what the command had left behind]"
	steps := []shelltest.Step{
		{Match: "read", Exit: shell.Exit{Code: 2}, Survivors: []string{"a"}},
		{Match: "unread", Exit: shell.Exit{Code: 2}, Survivors: []string{"b"}},
		{Match: "killed", Survivors: []string{"c"}},
	}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		read, unread, killed := r.do(t, "exec_command", `{"cmd":"read"}`).ProcessID, r.running(t, "unread"), r.running(t, "killed")
		synctest.Wait()
		for i, id := range []string{read, unread, killed} {
			r.env.Commands.StoppedByUser(id)
			if err := fake.Commands()[i].Kill(t.Context(), time.Second); err != nil {
				t.Fatal(err)
			}
		}
		checkText(t, r.do(t, "input_command", args(t, "process_id", read)), Completed,
			swept+"\n[what the command left behind has ended; its process_id is cleared]")
		checkText(t, r.do(t, "input_command", args(t, "process_id", unread)), Failed, "[exit code: 2]\n"+swept)
		r.do(t, "kill_command", args(t, "process_id", killed))
		if n := len(r.env.Commands.stopped.text); n != 0 {
			t.Errorf("%d are kept that nobody takes", n)
		}
	})
}

// Who reads on from a command that is ended for another one's sake learns why.
func TestMakingRoomIsToldToWhoReads(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		id := r.running(t, "forever")
		read := make(chan Outcome, 1)
		go func() { read <- r.do(t, "input_command", args(t, "process_id", id, "yield_time_ms", 100_000)) }()
		for range maxHeld {
			time.Sleep(time.Second)
			r.running(t, "forever")
		}
		checkText(t, <-read, Failed, "[terminated by signal SIGTERM]\n[ended to make room for newer commands]")
	})
}

func TestFatesAreBounded(t *testing.T) {
	var f fates
	for i := range maxFates + 1 {
		f.add(fmt.Sprint(i), "x")
		f.add(fmt.Sprint(i), "y")
	}
	if f.of("0") != "" || f.of("1") != "y" || len(f.text) != maxFates || len(f.order) != maxFates {
		t.Errorf("%d are known, the first are %q, %q", len(f.text), f.of("0"), f.of("1"))
	}
}

// A command's end is told once: by the call that reads on from it while it ends,
// or else by a report.
func TestAnEndIsToldOnce(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "A\n"}, {Text: "B\n", After: time.Second}}, Exit: shell.Exit{Code: 2}, Repeat: true}}
	for _, c := range []struct {
		name    string
		wait    int // of the call, in ms
		cancel  time.Duration
		text    string
		reports []string // their tails
	}{
		{"by the call", 3000, time.Hour, "A\nB\n[exit code: 2]", nil},
		{"by the report, after the call's window", 500, time.Hour, "A\n[still running; process_id: proc-00000001]", []string{"B\n"}},
		{"by the report, after a call that was cancelled", 3000, 600 * time.Millisecond, "A\n[interrupted: ", []string{"B\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				var got []string
				r.env.Commands.OnEnd(func(e Ended) { got = append(got, e.Tail) })
				id := r.running(t, "x")
				ctx, cancel := context.WithTimeoutCause(t.Context(), c.cancel, ErrInterrupted)
				defer cancel()
				o := r.doCtx(ctx, t, "input_command", args(t, "process_id", id, "yield_time_ms", c.wait))
				checkSays(t, o, o.Status, c.text)
				time.Sleep(time.Minute)
				synctest.Wait()
				if d := cmp.Diff(c.reports, got); d != "" {
					t.Errorf("reports (-want +got):\n%s", d)
				}
				if told := r.env.Commands.EndTold(id); told != (c.reports == nil) {
					t.Errorf("a call told of the end: %v", told)
				}
			})
		})
	}
}

// The end of a tail is within no secret, in whatever parts it was written.
func TestReportsHaveNoSecrets(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: secret[:9]}, {Text: secret[9:] + strings.Repeat("x", maxTail-5), After: time.Second}}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.call.Redact = redactor(secret)
		var tail string
		r.env.Commands.OnEnd(func(e Ended) { tail = e.Tail })
		r.running(t, "x")
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := "cted]" + strings.Repeat("x", maxTail-5); tail != want {
			t.Errorf("the tail begins with %.40q", tail)
		}
	})
}
