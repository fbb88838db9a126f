package tools

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// P-EXEC-05 and what comes after the end.
func TestInputReadsOn(t *testing.T) {
	steps := []shelltest.Step{{
		Out:  []shelltest.Piece{{Text: "one\n"}, {Text: "two\n", After: time.Second}, {Text: "thr", After: time.Second}, {Text: "ee\n", After: 5 * time.Second}},
		Exit: shell.Exit{Code: 3},
	}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		o := r.do(t, "exec_command", `{"cmd":"x","yield_time_ms":300}`)
		checkSays(t, o, Completed, "one\n[still running after 300ms; process_id: proc-00000001]")
		poll := args(t, "process_id", o.ProcessID)
		began, first := time.Now(), time.Duration(0)
		r.call.Redact = redactor("nothing")
		r.call.Delta = func(string) {
			if first == 0 {
				first = time.Since(began)
			}
		}
		o = r.do(t, "input_command", poll)
		if first != 700*time.Millisecond {
			t.Errorf("the first piece came after %s", first)
		}
		checkText(t, o, Completed, "two\nthr\n[still running; process_id: proc-00000001]")
		if o.ProcessID != "proc-00000001" || o.Duration != 5*time.Second {
			t.Errorf("outcome is %+v", o)
		}
		o = r.do(t, "input_command", poll)
		checkText(t, o, Failed, "ee\n[exit code: 3]")
		if o.Duration != 1700*time.Millisecond {
			t.Errorf("the end was seen after %s", o.Duration)
		}
		checkText(t, r.do(t, "input_command", poll), Failed,
			`There is no command with process_id "proc-00000001". It may have exited and been cleared once its end was read.`)
	})
}

// P-EXEC-07 and its like: nothing is done to the command.
func TestInputRefuses(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		id := r.running(t, "forever")
		for _, c := range []struct {
			name string
			args string
			want []string
		}{
			{"no process", `{"chars":"x"}`, []string{"Missing required argument: process_id"}},
			{"an unknown process", `{"process_id":"proc-12345678"}`, []string{`"proc-12345678"`, "may have exited and been cleared"}},
			{"Ctrl-C within text", args(t, "process_id", id, "chars", "q\u0003"), []string{`"\u0003" alone`, "Nothing was typed"}},
			{"a pattern that is none", args(t, "process_id", id, "wait_for", "("), []string{"Invalid argument wait_for", "missing closing )"}},
			{"a window that is none", args(t, "process_id", id, "yield_time_ms", "soon"), []string{"Invalid argument yield_time_ms"}},
			{"keys that are no text", `{"process_id":"` + id + `","chars":3}`, []string{"Invalid argument chars"}},
		} {
			checkSays(t, r.do(t, "input_command", c.args), Failed, c.want...)
		}
		checkSays(t, r.do(t, "input_command", args(t, "process_id", id)), Completed, "[still running; process_id: "+id+"]")
		if typed := fake.Commands()[0].Typed(); len(typed) != 0 {
			t.Errorf("typed %q", typed)
		}
	})
}

func TestInputTypes(t *testing.T) {
	steps := []shelltest.Step{{
		Out:       []shelltest.Piece{{Text: "name? "}, {Text: "hi Ann\r\n", WaitInput: true, After: 100 * time.Millisecond}},
		WaitInput: true,
	}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.TTY = true
		id := r.do(t, "exec_command", `{"cmd":"ask","yield_time_ms":250}`).ProcessID
		o := r.do(t, "input_command", args(t, "process_id", id, "chars", "Ann\n"))
		checkText(t, o, Completed, "Ann\nhi Ann\n[still running; process_id: "+id+"]")
		if o.Duration != 250*time.Millisecond {
			t.Errorf("waited %s", o.Duration)
		}
		script := "y\n"
		r.accept = &Accepted{Script: &script, Comment: "just yes"}
		o = r.do(t, "input_command", args(t, "process_id", id, "chars", "n\n"))
		checkText(t, o, Completed, "y\n[the user changed the input to: y\n]\nThe user says: just yes")
		if got := strings.Join(fake.Commands()[0].Typed(), "|"); got != "Ann\n|y\n" {
			t.Errorf("typed %q", got)
		}
	})
}

// P-EXEC-06 in virtual time; one that ignores it goes on.
func TestInputInterrupts(t *testing.T) {
	deaf := forever
	deaf.Match, deaf.Deaf = "deaf", true
	scripted(t, []shelltest.Step{forever, deaf}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		o := r.do(t, "input_command", args(t, "process_id", r.running(t, "forever"), "chars", "\u0003"))
		checkText(t, o, Failed, "[terminated by signal SIGINT]")
		o = r.do(t, "input_command", args(t, "process_id", r.running(t, "deaf"), "chars", "\u0003"))
		checkText(t, o, Completed, "[still running; process_id: proc-00000002]")
		if o.Duration != interruptYield {
			t.Errorf("waited %s", o.Duration)
		}
	})
}

func TestInputEndsTheInputOfAPipe(t *testing.T) {
	scripted(t, []shelltest.Step{{WaitInput: true}}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		o := r.do(t, "input_command", args(t, "process_id", r.running(t, "cat"), "chars", ctrlD))
		checkText(t, o, Completed, "[no output]")
		if typed := fake.Commands()[0].Typed(); len(typed) != 0 {
			t.Errorf("typed %q", typed)
		}
	})
}

func TestInputIsPlanned(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.env.Confine = func() (shell.Confinement, error) { return fence{}, nil }
		id := r.running(t, "forever")
		r.env.Confine = nil // the preset of now does not matter to what runs
		for _, c := range []struct {
			chars, title string
			own          bool
		}{
			{"", "Read on: forever", true},
			{ctrlC, "Interrupt: forever", true},
			{"rm -r build\n", `Type "rm -r build\n" into: forever`, false},
			{strings.Repeat("企", 50), `Type "` + strings.Repeat("企", 40) + `…" into: forever`, false},
		} {
			p, err := r.plan(t, "input_command", args(t, "process_id", id, "chars", c.chars))
			if err != nil || p.Title != c.title || p.Own != c.own || (p.Access == Read) != c.own || (p.Command == nil) != c.own {
				t.Errorf("plan of %q is %+v, %v", c.chars, p, err)
			}
			want := Command{Script: c.chars, Dir: r.dir, Sandbox: "fence", TypedInto: "forever", Process: id}
			if !c.own && *p.Command != want {
				t.Errorf("command is %+v, want %+v", *p.Command, want)
			}
		}
	})
}

func TestInputWaitsForAPattern(t *testing.T) {
	bar := []shelltest.Piece{
		{Text: "listening soon\r\n"},
		{Text: "10%", After: time.Second},
		{Text: "\r90%", After: time.Second},
		{Text: "\rdone\nlisten", After: time.Second},
		{Text: "ing on 80\n", After: time.Second},
	}
	steps := []shelltest.Step{{Match: "serve", Repeat: true, Out: bar, After: time.Hour}}
	for _, c := range []struct {
		name, pattern, note, text string
		took                      time.Duration
		tty                       bool
	}{
		{"what is there already", "soon$", "[wait_for matched after 0s]", "listening soon\n", 0, false},
		{"a whole line", "^listening on", "[wait_for matched after 4s]", "done\nlistening on 80\n", 4 * time.Second, false},
		{"an unfinished line", "listen$", "[wait_for matched after 3s]", "done\nlisten\n", 3 * time.Second, false},
		{"what a line shows for a moment", "90%", "[wait_for matched after 2s]", "90%\n", 2 * time.Second, false},
		{"in a terminal too", "90%", "[wait_for matched after 2s]", "90%\n", 2 * time.Second, true},
		{"line ends of a terminal", "soon$", "[wait_for matched after 0s]", "listening soon\n", 0, true},
		{"in vain", "error", "[wait_for did not match within 30s]", "listening on 80\n", 30 * time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				r.env.TTY = c.tty
				id := r.running(t, "serve")
				o := r.do(t, "input_command", args(t, "process_id", id, "wait_for", c.pattern))
				o.Text = strings.ReplaceAll(o.Text, "\r\n", "\n")
				checkSays(t, o, Completed, c.text+c.note+"\n[still running; process_id: "+id+"]")
				if o.Duration != c.took {
					t.Errorf("took %s, want %s", o.Duration, c.took)
				}
			})
		})
	}
}

// What was unread before is no answer to what is typed.
func TestInputWaitsForTheAnswer(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "> "}, {Text: "2\n> ", WaitInput: true, After: 3 * time.Second}}, WaitInput: true}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		id := r.running(t, "calc")
		synctest.Wait()
		o := r.do(t, "input_command", args(t, "process_id", id, "chars", "1+1\n", "wait_for", "^> $"))
		checkSays(t, o, Completed, "2\n> \n[wait_for matched after 3s]")
	})
}

func TestInputTellsTheEndRatherThanThePattern(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "bye\n", After: time.Second}}, Exit: shell.Exit{Code: 1}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		o := r.do(t, "input_command", args(t, "process_id", r.running(t, "x"), "wait_for", "never"))
		checkText(t, o, Failed, "bye\n[exit code: 1]")
	})
}

func TestInputThatIsCancelledLeavesTheCommand(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "a\n", After: time.Second}, {Text: "b\n", After: 10 * time.Second}}, After: time.Hour}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		poll := args(t, "process_id", r.running(t, "x"))
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(2*time.Second, func() { cancel(ErrInterrupted) })
		defer timer.Stop()
		checkSays(t, r.doCtx(ctx, t, "input_command", poll), Aborted, "a\n[interrupted: tool aborted by user]")
		time.Sleep(10 * time.Second)
		checkSays(t, r.do(t, "input_command", poll), Completed, "b\n[still running")
		if closed(fake.Commands()[0].Done()) {
			t.Error("the command was ended")
		}
	})
}

// A command that waits for typing is told of. Nobody but the model can answer
// it over pipes, so there no window is waited out.
func TestWaitingForTypingIsTold(t *testing.T) {
	steps := []shelltest.Step{{
		Out: []shelltest.Piece{
			{Text: "name? "},
			{Text: "age? ", WaitInput: true, Waiting: true, After: 100 * time.Millisecond},
		},
		WaitInput: true, Waiting: true,
	}}
	for _, c := range []struct {
		name  string
		tty   bool
		first time.Duration
		note  string
	}{
		{"over pipes", false, 500 * time.Millisecond, "[it waits for typing: answer with input_command]"},
		{"in a terminal", true, 10 * time.Second, "[it waits for typing: answer with input_command, or leave it to the user, who sees the terminal]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				r.env.TTY = c.tty
				o := r.do(t, "exec_command", `{"cmd":"ask","yield_time_ms":10000}`)
				checkSays(t, o, Completed, "name? \n[still running after "+c.first.String()+"; process_id: "+o.ProcessID+"]\n"+c.note)
				o = r.do(t, "input_command", args(t, "process_id", o.ProcessID, "chars", "Ann\n", "yield_time_ms", 9000))
				checkSays(t, o, Completed, "age? \n[still running; process_id: "+o.ProcessID+"]\n"+c.note)
				if took := map[bool]time.Duration{false: 600 * time.Millisecond, true: 9 * time.Second}[c.tty]; o.Duration != took {
					t.Errorf("took %s, want %s", o.Duration, took)
				}
				o = r.do(t, "input_command", args(t, "process_id", o.ProcessID))
				checkSays(t, o, Completed, c.note)
				if took := map[bool]time.Duration{false: 0, true: pollYield}[c.tty]; o.Duration != took {
					t.Errorf("the poll took %s, want %s", o.Duration, took)
				}
			})
		})
	}
}

// C1, C2, C22: what a command leaves behind is listed, read and ended by its id.
func TestInputOfWhatIsLeftBehind(t *testing.T) {
	steps := []shelltest.Step{{
		Out: []shelltest.Piece{{Text: "started\n"}}, Exit: shell.Exit{Code: 2},
		Survivors: []string{"sleep 300", "serve"}, Later: []shelltest.Piece{{Text: "later\n", After: time.Second}}, LiveFor: 8 * time.Second,
	}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		const left = "[the command itself has ended; 2 processes that it started still run; process_id: proc-00000001]\n" +
			"  1000 sleep 300\n  1001 serve\n" +
			"input_command reads on and kill_command ends them; at the latest they end with the session."
		o := r.do(t, "exec_command", `{"cmd":"x"}`)
		checkText(t, o, Failed, "started\n[exit code: 2]\n"+left)
		if o.ProcessID != "proc-00000001" || o.Duration != 0 {
			t.Errorf("outcome is %+v", o)
		}
		poll := args(t, "process_id", o.ProcessID)
		o = r.do(t, "input_command", poll)
		checkText(t, o, Completed, "later\n"+left)
		o = r.do(t, "input_command", poll)
		checkText(t, o, Completed, "[what the command left behind has ended; its process_id is cleared]")
		if o.Duration != 4*time.Second {
			t.Errorf("the end was seen after %s", o.Duration)
		}
		checkSays(t, r.do(t, "input_command", poll), Failed, "There is no command")
	})
}

// Whether what is waited for came is said of what is left behind too.
func TestInputWaitsForWhatIsLeftBehind(t *testing.T) {
	steps := []shelltest.Step{{
		Survivors: []string{"serve"}, LiveFor: time.Hour, Exit: shell.Exit{Code: 2}, After: 5 * time.Second,
		Later: []shelltest.Piece{{Text: "late\n", After: time.Second}, {Text: "later\n", After: time.Second}},
	}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		id := r.running(t, "x")
		wait := func(pattern string) Outcome {
			return r.do(t, "input_command", args(t, "process_id", id, "wait_for", pattern, "yield_time_ms", 10_000))
		}
		const left = "[the command itself has ended; 1 process that it started still runs; "
		checkSays(t, wait("later"), Failed, "[wait_for did not match within 5s]\n[exit code: 2]\n"+left)
		checkSays(t, wait("later"), Completed, "late\nlater\n[wait_for matched after 2s]\n"+left)
		checkSays(t, wait("never"), Completed, "[wait_for did not match within 10s]\n"+left)
	})
}

// unheard is a runner whose commands read nothing.
type unheard struct{ shell.Runner }

func (u unheard) Start(s shell.Spec) (shell.Process, error) {
	p, err := u.Runner.Start(s)
	return mute{p}, err
}

type mute struct{ shell.Process }

func (mute) Write(string) error { return shell.ErrInputClosed }

// What is typed to nobody is a failure.
func TestInputThatReachesNobody(t *testing.T) {
	steps := []shelltest.Step{
		{Match: "deaf", Out: []shelltest.Piece{{Text: "x\n"}}, After: time.Minute},
		{Match: "over", Out: []shelltest.Piece{{Text: "bye\n"}}},
	}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Shell = unheard{fake}
		deaf, over := r.running(t, "deaf"), r.running(t, "over")
		synctest.Wait()
		o := r.do(t, "input_command", args(t, "process_id", deaf, "chars", "abc\n", "wait_for", "x"))
		checkText(t, o, Failed, "x\n[nothing was typed: the command reads no more, its input is closed]\n[still running; process_id: "+deaf+"]")
		typing := args(t, "process_id", over, "chars", "abc\n")
		if p, err := r.plan(t, "input_command", typing); err != nil || !p.Own || p.Command != nil || p.Title != "Read on: over" {
			t.Errorf("the plan is %+v, %v", p, err)
		}
		o = r.do(t, "input_command", typing)
		checkText(t, o, Failed, "bye\n[nothing was typed: the command had ended before]")
		checkSays(t, r.do(t, "input_command", args(t, "process_id", over)), Failed, "There is no command")
	})
}

// crowd is a runner whose commands leave more behind than is listed.
type crowd struct{ shell.Runner }

func (c crowd) Start(s shell.Spec) (shell.Process, error) {
	p, err := c.Runner.Start(s)
	return crowded{p}, err
}

type crowded struct{ shell.Process }

func (c crowded) Status() (shell.Status, <-chan struct{}) {
	s, changed := c.Process.Status()
	if len(s.Survivors) > 0 {
		s.More = 236
	}
	return s, changed
}

func TestAllThatIsLeftBehindIsCounted(t *testing.T) {
	step := shelltest.Step{Survivors: make([]string, 64)}
	for i := range step.Survivors {
		step.Survivors[i] = "sleep 100"
	}
	scripted(t, []shelltest.Step{step}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Shell = crowd{fake}
		o := r.do(t, "exec_command", `{"cmd":"x"}`)
		checkSays(t, o, Completed, "; 300 processes that", "\n  (+290 more)\n")
		o = r.do(t, "kill_command", args(t, "process_id", o.ProcessID))
		checkSays(t, o, Completed, "[killed what the command had left behind: 300 processes;")
	})
}

func TestManyThatAreLeftBehind(t *testing.T) {
	step := shelltest.Step{Survivors: make([]string, 13)}
	for i := range step.Survivors {
		step.Survivors[i] = strings.Repeat("x", 1000)
	}
	scripted(t, []shelltest.Step{step}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		o := r.do(t, "exec_command", `{"cmd":"x"}`)
		checkSays(t, o, Completed, "; 13 processes that", "\n  1009 xxx", "\n  (+3 more)\n")
		if strings.Contains(o.Text, "1010 ") || len(o.Text) > 2000 {
			t.Errorf("%d bytes: %s", len(o.Text), o.Text)
		}
	})
}

// Where nothing is held there is no background: the window does not end a call,
// and what is left behind is ended at once.
func TestWithoutCommandsNothingIsLeft(t *testing.T) {
	steps := []shelltest.Step{{Match: "serve", Survivors: []string{"a", "b"}, After: 100 * time.Second}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Commands = nil
		checkText(t, r.do(t, "exec_command", `{"cmd":"serve","yield_time_ms":1000}`), Completed,
			"[2 processes that the command left behind were ended with it]")
		if !closed(fake.Commands()[0].Gone()) {
			t.Error("something is left")
		}
		checkSays(t, r.do(t, "exec_command", `{"cmd":"serve","run_in_background":true}`), Failed, "without run_in_background")
		checkSays(t, r.do(t, "input_command", `{"process_id":"proc-00000001"}`), Failed, "There is no command")
	})
}

// P-EXEC-06 and P-EXEC-10 with real processes.
func TestInputOfRealCommands(t *testing.T) {
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			newShell(t, r)
			r.env.TTY = tty
			o := r.do(t, "exec_command", `{"cmd":"test -t 0 && echo tty || echo pipe; read -r x; echo \"got $x\"; exec sleep 60","yield_time_ms":250}`)
			checkSays(t, o, Completed, map[bool]string{false: "pipe\n", true: "tty\n"}[tty])
			id := o.ProcessID
			o = r.do(t, "input_command", args(t, "process_id", id, "chars", "it\n", "wait_for", "got it", "yield_time_ms", 20000))
			checkSays(t, o, Completed, "got it\n[wait_for matched")
			o = r.do(t, "input_command", args(t, "process_id", id, "chars", "\u0003", "yield_time_ms", 20000))
			checkSays(t, o, Failed, "[terminated by signal SIGINT]")
			if _, err := os.Stat(r.dir); err != nil {
				t.Error(err)
			}
		})
	}
}
