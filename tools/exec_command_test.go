package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// newShell adds a real shell without the developer's profile.
func newShell(t *testing.T, r *room) {
	t.Helper()
	l := shell.NewRunner(shell.Options{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	r.env.Shell = l
	env := []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	r.env.Environ = func(context.Context, bool) []string { return env }
}

func TestExec(t *testing.T) {
	for _, c := range []struct {
		name, args, text string
		status           Status
	}{
		{"P-ENV-05 success without output", `{"cmd":"true"}`, "[no output]", Completed},
		{"both streams in the order of arrival", `{"cmd":"echo a; echo b >&2; echo c"}`, "a\nb\nc\n", Completed},
		{"P-EXEC-15 an exit code", `{"cmd":"echo no; exit 3"}`, "no\n[exit code: 3]", Failed},
		{"a note begins a line", `{"cmd":"printf no; exit 3"}`, "no\n[exit code: 3]", Failed},
		{"a character that never ends", `{"cmd":"printf 'a\\303'"}`, "a�", Completed},
		{"a signal", `{"cmd":"kill -KILL $$"}`, "[terminated by signal SIGKILL]", Failed},
		{"in a directory of the workspace", `{"cmd":"basename \"$PWD\"","workdir":"sub"}`, "sub\n", Completed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, "sub/", "")
			newShell(t, r)
			checkText(t, r.do(t, "exec_command", c.args), c.status, c.text)
		})
	}
}

func TestExecInATerminal(t *testing.T) {
	r := newRoom(t)
	newShell(t, r)
	r.env.TTY = true
	checkText(t, r.do(t, "exec_command", `{"cmd":"test -t 1 && printf '\\033[1mbold\\033[0m\\nplain\\n'"}`), Completed, "bold\nplain\n")
}

// A display is drawn for the size that the terminal has at the time: what the
// person resizes it to counts, not what it began with.
func TestExecFollowsTheSizeOfTheTerminal(t *testing.T) {
	bar := func(done int) string { return "\r[" + strings.Repeat("#", done) + strings.Repeat(".", 100-done) + "]" }
	steps := []shelltest.Step{{
		Out:   []shelltest.Piece{{Text: "start\r\n"}, {Text: bar(10), After: time.Second}, {Text: bar(100) + "\r\n", After: time.Minute}},
		After: time.Second,
	}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.TTY, r.env.Cols, r.env.Rows = true, 80, 24
		r.call.Terminal = func(p shell.Process) {
			if err := p.Resize(120, 40); err != nil {
				t.Error(err)
			}
		}
		o := r.do(t, "exec_command", `{"cmd":"x","yield_time_ms":2000}`)
		checkSays(t, o, Completed, "start\n["+strings.Repeat("#", 10)+strings.Repeat(".", 90)+"]\n[still running")
		o = r.do(t, "input_command", args(t, "process_id", o.ProcessID, "yield_time_ms", 100_000))
		checkText(t, o, Completed, "\n["+strings.Repeat("#", 100)+"]\n") // a line that was read already, whole again
	})
}

// P-ENV-06, P-ENV-08
func TestExecOutputBeyondTheLimit(t *testing.T) {
	r := newRoom(t)
	newShell(t, r)
	r.call.ArchiveDir = filepath.Join(r.dir, "scratch")
	r.env.Limits.MaxOutput = 50
	var streamed strings.Builder
	r.call.Delta = func(text string) { streamed.WriteString(text) }
	o := r.do(t, "exec_command", `{"cmd":"seq 1 100000"}`)
	checkSays(t, o, Completed, "1\n2\n3\n")
	if at := strings.Index(o.Text, "[output truncated: exceeded 50 chars]"); at != 51 {
		t.Errorf("the marker is at %d", at)
	}
	if streamed.String() != o.Text {
		t.Errorf("streamed %q", streamed.String())
	}
	kept, err := os.ReadFile(o.Archive)
	if lines := strings.Split(string(kept), "\n"); err != nil || len(lines) != 100_001 || lines[99_999] != "100000" {
		t.Errorf("archive has %d lines: %v", len(lines), err)
	}
}

func TestExecRefuses(t *testing.T) {
	r := newRoom(t, "file", "x")
	fake := &shelltest.Fake{}
	r.env.Shell = fake
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"P-EXEC-15 no command", `{"description":"x"}`, []string{"Missing required argument: cmd"}},
		{"an empty command", `{"cmd":"  "}`, []string{"Missing required argument: cmd"}},
		{"a command that is no string", `{"cmd":["ls"]}`, []string{"Invalid argument cmd"}},
		{"a NUL", `{"cmd":"a\u0000b"}`, []string{"NUL"}},
		{"a directory that is not there", `{"cmd":"ls","workdir":"fil"}`, []string{`[spawn error: workdir "fil" does not exist]`, "It contains: file"}},
		{"a directory that is a file", `{"cmd":"ls","workdir":"file"}`, []string{`[spawn error: workdir "file" is not a directory]`}},
		{"a window that is no number", `{"cmd":"ls","yield_time_ms":"soon"}`, []string{"Invalid argument yield_time_ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkSays(t, r.do(t, "exec_command", c.args), Failed, c.want...)
		})
	}
	if n := len(fake.Specs()); n > 0 {
		t.Errorf("%d commands were started", n)
	}
}

func TestExecThatCannotStart(t *testing.T) {
	r := newRoom(t)
	r.env.Shell = &shelltest.Fake{Steps: []shelltest.Step{{Err: syscall.EAGAIN}}}
	checkText(t, r.do(t, "exec_command", `{"cmd":"ls"}`), Failed, "[spawn error: resource temporarily unavailable]")
}

func TestExecTitle(t *testing.T) {
	r := newRoom(t)
	r.env.Shell = &shelltest.Fake{}
	long := strings.Repeat("企", 130)
	for cmd, want := range map[string]string{
		"  go test ./...\n":  "go test ./...",
		"cd x\nmake":         "cd x…",
		long:                 strings.Repeat("企", 119) + "…",
		"\n\n# first\n\ntwo": "# first…",
	} {
		plan, err := r.plan(t, "exec_command", args(t, "cmd", cmd))
		if err != nil || plan.Title != want {
			t.Errorf("title of %q is %q, want %q (%v)", cmd, plan.Title, want, err)
		}
		if plan.Command == nil || plan.Command.Script != cmd || plan.Command.Dir != r.dir || plan.Access != Execute {
			t.Errorf("plan of %q is %+v", cmd, plan)
		}
	}
}

// P-EXEC-03
func TestYieldWindow(t *testing.T) {
	for _, c := range []struct {
		ms      int
		timeout time.Duration
		want    time.Duration
	}{
		{60_000, 120 * time.Second, time.Minute},
		{1, 120 * time.Second, 250 * time.Millisecond},
		{120_000, 120 * time.Second, 119 * time.Second},
		{999_999, 0, 999_999 * time.Millisecond},
		{60_000, 200 * time.Millisecond, 250 * time.Millisecond},
	} {
		if got := yieldWindow(c.ms, c.timeout); got != c.want {
			t.Errorf("yieldWindow(%d, %s) = %s, want %s", c.ms, c.timeout, got, c.want)
		}
	}
}

// scripted runs a call of a scripted command in virtual time.
func scripted(t *testing.T, steps []shelltest.Step, test func(t *testing.T, r *room, fake *shelltest.Fake)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		fake := &shelltest.Fake{Steps: steps}
		r.env.Shell = fake
		test(t, r, fake)
		fake.Close(t.Context())
	})
}

// Cases: P-EXEC-02
func TestExecStreams(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "first\n"}, {Text: "\x1b[1mse", After: time.Second}, {Text: "cond\n", After: time.Second}}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		began := time.Now()
		var got []string
		r.call.Terminal = func(p shell.Process) { got = append(got, p.ID()) }
		r.call.Delta = func(text string) { got = append(got, time.Since(began).String()+" "+text) }
		r.call.Redact = redactor("nothing") // what a command writes is not held back
		checkText(t, r.do(t, "exec_command", `{"cmd":"x"}`), Completed, "first\nsecond\n")
		if want := "proc-00000001|0s first\n|1.2s se|2s cond\n"; strings.Join(got, "|") != want {
			t.Errorf("stream is %q, want %q", strings.Join(got, "|"), want)
		}
	})
}

// What goes on changing is not passed on in between: over pipes a line that was
// begun anew, in a terminal every unfinished one.
func TestExecStreamsNoDisplays(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "\r1%"}, {Text: "\r50%", After: time.Second}, {Text: "\r100%\r\n", After: time.Second}}}}
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				r.env.TTY = tty
				o := r.do(t, "exec_command", `{"cmd":"x"}`)
				o.Text = strings.ReplaceAll(o.Text, "\r\n", "\n")
				checkText(t, o, Completed, "100%\n")
			})
		})
	}
	steps[0].Out[0].Text = "1%"
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.env.TTY = true
		checkText(t, r.do(t, "exec_command", `{"cmd":"x"}`), Completed, "100%\n")
	})
}

// What was cut off is in the archive, and is not read a second time.
func TestExecYieldsBeyondTheLimit(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: strings.Repeat("a", 100) + "\n"}, {Text: "later\n", After: time.Second}}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.env.Limits = Limits{MaxOutput: 10}
		o := r.do(t, "exec_command", `{"cmd":"x","yield_time_ms":250}`)
		checkSays(t, o, Completed, "aaaaaaaaaa\n[output truncated: exceeded 10 chars]\n[still running")
		checkText(t, r.do(t, "input_command", args(t, "process_id", o.ProcessID)), Completed, "later\n")
	})
}

// The model must not take a person's stop for a fault to try again.
func TestExecTellsThatThePersonStoppedIt(t *testing.T) {
	for _, c := range []struct{ name, args string }{
		{"in the foreground", `{"cmd":"forever"}`},
		{"read on", `{"cmd":"forever","yield_time_ms":250}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, fake *shelltest.Fake) {
				timer := time.AfterFunc(time.Second, func() {
					p := fake.Commands()[0]
					r.env.Commands.StoppedByUser(p.ID())
					p.Kill(context.Background(), time.Second)
				})
				defer timer.Stop()
				o := r.do(t, "exec_command", c.args)
				if o.ProcessID != "" {
					o = r.do(t, "input_command", args(t, "process_id", o.ProcessID))
				}
				checkText(t, o, Failed, "[terminated by signal SIGTERM]\n[the user stopped the command]")
			})
		})
	}
}

func TestExecYields(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "ready\n"}, {Text: "later\n", After: time.Minute}}, After: time.Hour}}
	scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
		o := r.do(t, "exec_command", `{"cmd":"npm run dev","yield_time_ms":300}`)
		checkSays(t, o, Completed, "ready\n[still running after 300ms; process_id: proc-00000001]\n")
		if o.ProcessID != "proc-00000001" || o.Duration != 300*time.Millisecond {
			t.Errorf("outcome is %+v", o)
		}
		time.Sleep(2 * time.Minute)
		p, _ := fake.Get(o.ProcessID)
		select {
		case <-p.Done():
			t.Error("the command did not go on running")
		default:
		}
		if p.Output().End() != int64(len("ready\nlater\n")) {
			t.Error("the command's output did not go on")
		}
	})
}

func TestExecEndsWithItsCall(t *testing.T) {
	hang := func(deaf bool) []shelltest.Step {
		return []shelltest.Step{{Deaf: deaf, Out: []shelltest.Piece{{Text: "begin\n"}}, After: time.Hour}}
	}
	for _, c := range []struct {
		name    string
		steps   []shelltest.Step
		cancel  time.Duration
		timeout time.Duration
		status  Status
		text    string
	}{
		{
			"P-EXEC-16 an interruption kills it at once", hang(false), 200 * time.Millisecond, time.Minute, Aborted,
			"begin\n[interrupted: tool aborted by user]\n(interrupted after 0.2 s)",
		},
		{
			"also one that ignores signals", hang(true), 250 * time.Millisecond, time.Minute, Aborted,
			"begin\n[interrupted: tool aborted by user]\n(interrupted after 0.4 s)",
		},
		{
			"P-ENV-18 so does the time limit", hang(false), time.Hour, 200 * time.Millisecond, Failed,
			"begin\n[tool timeout: exceeded 200ms]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, c.steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				timer := time.AfterFunc(c.cancel, func() { cancel(ErrInterrupted) })
				defer timer.Stop()
				r.env.Limits = Limits{Timeout: c.timeout, MaxOutput: 1000}
				o := r.doCtx(ctx, t, "exec_command", `{"cmd":"x"}`)
				checkText(t, o, c.status, c.text)
				if o.Err != nil {
					t.Errorf("reported as a fault: %v", o.Err)
				}
				select {
				case <-fake.Commands()[0].Done():
				default:
					t.Error("the command still runs")
				}
			})
		})
	}
}

// P-EXEC-16 with real processes, of which one holds the output.
func TestExecEndsWithItsCallForReal(t *testing.T) {
	r := newRoom(t)
	newShell(t, r)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r.call.Delta = func(text string) {
		if strings.Contains(text, "child=") {
			cancel(ErrInterrupted)
		}
	}
	o := r.doCtx(ctx, t, "exec_command", `{"cmd":"(trap '' TERM HUP; exec sleep 300) & echo child=$!; wait"}`)
	checkSays(t, o, Aborted, "child=", "[interrupted: tool aborted by user]")
	var child int
	if _, err := fmt.Sscanf(o.Text, "child=%d", &child); err != nil {
		t.Fatalf("%q: %v", o.Text, err)
	}
	if err := syscall.Kill(child, 0); err == nil {
		t.Errorf("process %d is still there", child)
	}
}

func TestExecDoesNotStartWhenAlreadyInterrupted(t *testing.T) {
	r := newRoom(t)
	fake := &shelltest.Fake{Steps: []shelltest.Step{{}}}
	r.env.Shell = fake
	plan, err := r.plan(t, "exec_command", `{"cmd":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrInterrupted)
	checkSays(t, CarryOut(ctx, Call{}, bind(plan, Accepted{})), Aborted, "[interrupted: tool aborted by user]")
	if n := len(fake.Specs()); n > 0 {
		t.Errorf("%d commands were started", n)
	}
}

func TestExecTellsWhatTheUserChanged(t *testing.T) {
	r := newRoom(t)
	fake := &shelltest.Fake{Steps: []shelltest.Step{{Match: "ls -l", Out: []shelltest.Piece{{Text: "total 0\n"}}}}}
	r.env.Shell = fake
	script := "ls -l"
	r.accept = &Accepted{Script: &script, Comment: "the long form"}
	checkText(t, r.do(t, "exec_command", `{"cmd":"ls"}`), Completed,
		"total 0\n[the user changed the command to: ls -l]\nThe user says: the long form")
	if err := fake.Close(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What a call kept is let go with it, though its process stays known.
func TestExecKeepsNothingOfAnEndedCommand(t *testing.T) {
	r := newRoom(t)
	fake := &shelltest.Fake{Steps: []shelltest.Step{{Repeat: true, Out: []shelltest.Piece{{Text: strings.Repeat("x", 8<<20)}}}}}
	r.env.Shell = fake
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 8 {
		checkSays(t, r.do(t, "exec_command", `{"cmd":"x"}`), Completed, "[output truncated")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	// The rings stay, of a MiB each.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 12*shell.RingSize {
		t.Errorf("%d bytes are kept of %d commands", grown, len(fake.Commands()))
	}
	if err := fake.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// 100 MB of raw output through the tap, as the reader of a command feeds it,
// with its archive. The target is 100 ms.
func BenchmarkExec100MB(b *testing.B) {
	piece := []byte(strings.Repeat("a line of output as a build prints it, of usual length\n", 4766))
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		call := Call{ID: time.Now().String(), Name: "exec_command", Limits: Limits{MaxOutput: maxOutput}, ArchiveDir: dir}
		o := CarryOut(b.Context(), call, func(_ context.Context, out Output) (Result, error) {
			taken := newTake(shell.Spec{}, maxOutput)
			for range 100_000_000 / len(piece) {
				taken.tap(piece)
				taken.forward(out)
			}
			taken.finish(out)
			return Result{capture: taken.release()}, nil
		})
		if o.Archive == "" {
			b.Fatal(o.Text)
		}
	}
}
