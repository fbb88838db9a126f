package tools

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/shell"
)

// says makes a run that writes pieces and ends as told.
func says(res Result, err error, pieces ...string) func(context.Context, Output) (Result, error) {
	return func(_ context.Context, out Output) (Result, error) {
		for _, p := range pieces {
			out.Write(p)
		}
		return res, err
	}
}

// frames carries out a call and returns its stream. It checks what holds for
// every call: the deltas joined are the text, and there is exactly one end.
func frames(ctx context.Context, t *testing.T, call Call, run func(context.Context, Output) (Result, error)) ([]Frame, Outcome) {
	t.Helper()
	var list []Frame
	call.ID, call.Name = "call-1", "demo"
	o := Frames(ctx, call, run, func(f Frame) { list = append(list, f) })
	var deltas strings.Builder
	for i, f := range list {
		if f.CallID != "call-1" {
			t.Errorf("frame %d belongs to call %q", i, f.CallID)
		}
		if f.Kind == FrameDelta {
			deltas.WriteString(f.Text)
		}
	}
	if deltas.String() != o.Text {
		t.Errorf("the deltas say %q, the result %q", deltas.String(), o.Text)
	}
	return list, o
}

func checkFrames(t *testing.T, got []Frame, want ...Frame) {
	t.Helper()
	for i := range want {
		want[i].CallID = "call-1"
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("frames (-want +got):\n%s", d)
	}
}

func TestFrames(t *testing.T) {
	picture := []Image{{MimeType: "image/png", Data: "AAAA"}}
	start := Frame{Kind: FrameStart}
	for _, c := range []struct {
		name string
		run  func(context.Context, Output) (Result, error)
		want []Frame
	}{
		{"P-ENV-01 a self-reported failure", says(Result{Status: Failed}, nil, "partial ", "result"), []Frame{
			start,
			{Kind: FrameDelta, Text: "partial "},
			{Kind: FrameDelta, Text: "result"},
			{Kind: FrameStop, Status: Failed},
			{Kind: FrameComplete, Text: "partial result", Status: Failed},
		}},
		{"P-ENV-02 an error in the middle", says(Result{}, errors.New("kaboom"), "working"), []Frame{
			start,
			{Kind: FrameDelta, Text: "working"},
			{Kind: FrameDelta, Text: "\n[tool error] kaboom"},
			{Kind: FrameStop, Status: Failed},
			{Kind: FrameComplete, Text: "working\n[tool error] kaboom", Status: Failed},
		}},
		{"P-ENV-04 nothing but text", says(Result{}, nil, "partial only"), []Frame{
			start,
			{Kind: FrameDelta, Text: "partial only"},
			{Kind: FrameStop, Status: Completed},
			{Kind: FrameComplete, Text: "partial only", Status: Completed},
		}},
		{"P-ENV-05 no text at all", says(Result{}, nil), []Frame{
			start,
			{Kind: FrameDelta, Text: "[no output]"},
			{Kind: FrameStop, Status: Completed},
			{Kind: FrameComplete, Text: "[no output]", Status: Completed},
		}},
		{"P-ENV-20 an unknown tool", says(Result{}, Unknown("not_a_real_tool", []string{"read_file", "x"})), []Frame{
			start,
			{Kind: FrameDelta, Text: "Unknown tool: not_a_real_tool\nAvailable tools: read_file, x"},
			{Kind: FrameStop, Status: Failed},
			{Kind: FrameComplete, Text: "Unknown tool: not_a_real_tool\nAvailable tools: read_file, x", Status: Failed},
		}},
		{"P-ENV-22 a picture comes once, before stop", says(Result{Images: picture}, nil, "image/png, 3 B"), []Frame{
			start,
			{Kind: FrameDelta, Text: "image/png, 3 B"},
			{Kind: FrameDelta, Images: picture},
			{Kind: FrameStop, Status: Completed},
			{Kind: FrameComplete, Text: "image/png, 3 B", Images: picture, Status: Completed},
		}},
		{"P-ENV-22 a failed call has no picture", says(Result{Images: picture, Status: Failed}, nil, "x"), []Frame{
			start,
			{Kind: FrameDelta, Text: "x"},
			{Kind: FrameStop, Status: Failed},
			{Kind: FrameComplete, Text: "x", Status: Failed},
		}},
		{"a note alone is the text", says(Result{Note: "[exit code: 3]", Status: Failed}, nil), []Frame{
			start,
			{Kind: FrameDelta, Text: "[exit code: 3]"},
			{Kind: FrameStop, Status: Failed},
			{Kind: FrameComplete, Text: "[exit code: 3]", Status: Failed},
		}},
		{"a note begins a line, and only one", says(Result{Note: "note"}, nil, "x\n"), []Frame{
			start,
			{Kind: FrameDelta, Text: "x\n"},
			{Kind: FrameDelta, Text: "note"},
			{Kind: FrameStop, Status: Completed},
			{Kind: FrameComplete, Text: "x\nnote", Status: Completed},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := frames(t.Context(), t, Call{}, c.run)
			checkFrames(t, got, c.want...)
		})
	}
}

func TestTruncation(t *testing.T) {
	for _, c := range []struct {
		name   string
		limit  int
		pieces []string
		want   string
	}{
		{"P-ENV-06 keeps the head, and the marker starts one after it", 5, []string{"abc", "defgh", "ij"}, "abcde\n[output truncated: exceeded 5 chars]"},
		{"also when the head ends a line", 3, []string{"ab\ncd"}, "ab\n\n[output truncated: exceeded 3 chars]"},
		{"what just fits is whole", 5, []string{"abc", "de"}, "abcde"},
		{"counts characters, not bytes", 3, []string{"企鹅🐧"}, "企鹅🐧"},
		{"and cuts between them", 2, []string{"企鹅🐧"}, "企鹅\n[output truncated: exceeded 2 chars]"},
		{"P-ENV-17 without a place for archives there is no note", 5, []string{"abcdefghijklmnopqrstuvwxyz"}, "abcde\n[output truncated: exceeded 5 chars]"},
		{"0 is no limit", 0, []string{"abc", "def"}, "abcdef"},
		{"less than 0 too", -1, []string{"abc"}, "abc"},
		{"characters split over writes are whole", 9, []string{"\xe4\xbc", "\x81", "\xf0\x9f", "\x90\xa7"}, "企🐧"},
		{"the end of half a character is seen", 9, []string{"a\xf0\x9f"}, "a��"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, o := frames(t.Context(), t, Call{Limits: Limits{MaxOutput: c.limit}}, says(Result{}, nil, c.pieces...))
			checkText(t, o, Completed, c.want)
		})
	}
	t.Run("the tool's note survives, and comes after the marker", func(t *testing.T) {
		_, o := frames(t.Context(), t, Call{Limits: Limits{MaxOutput: 2}}, says(Result{Note: "[exit code: 1]", Status: Failed}, errors.New("late"), "abc"))
		checkText(t, o, Failed, "ab\n[output truncated: exceeded 2 chars]\n[exit code: 1]\n[tool error] late")
	})
	t.Run("Len counts beyond the limit", func(t *testing.T) {
		frames(t.Context(), t, Call{Limits: Limits{MaxOutput: 2}}, func(_ context.Context, out Output) (Result, error) {
			out.Write("企鹅🐧")
			out.Write("x")
			if out.Len() != 4 {
				t.Errorf("Len is %d, want 4", out.Len())
			}
			return Result{}, nil
		})
	})
}

// until runs to the end of its context, as a well-behaved tool does.
func until(text string) func(context.Context, Output) (Result, error) {
	return func(ctx context.Context, out Output) (Result, error) {
		out.Write(text)
		<-ctx.Done()
		return Result{}, context.Cause(ctx)
	}
}

func TestHowACallEnds(t *testing.T) {
	after := func(d time.Duration, cause error) func(*testing.T) context.Context {
		return func(t *testing.T) context.Context {
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(d, func() { cancel(cause) })
			t.Cleanup(func() { timer.Stop(); cancel(nil) })
			return ctx
		}
	}
	never := func(t *testing.T) context.Context { return t.Context() }
	limit := Limits{Timeout: 200 * time.Millisecond}
	for _, c := range []struct {
		name   string
		ctx    func(*testing.T) context.Context
		limits Limits
		run    func(context.Context, Output) (Result, error)
		status Status
		want   string
		fault  string // part of Outcome.Err, "" for none
	}{
		{"P-ENV-18 the time limit", never, limit, until("begin"), Failed, "begin\n[tool timeout: exceeded 200ms]", ""},
		{"no time limit", never, Limits{Timeout: -1}, says(Result{}, nil, "x"), Completed, "x", ""},
		{
			"the user", after(3*time.Second, ErrInterrupted),
			Limits{},
			until("partial"), Aborted,
			"partial\n[interrupted: tool aborted by user]\n(interrupted after 3.0 s)", "",
		},
		{
			"another cause is named", after(time.Second, errors.New("the session is closing")),
			Limits{},
			until(""), Aborted,
			"[interrupted: tool aborted by user]\n(interrupted after 1.0 s: the session is closing)", "",
		},
		{
			"the user before the time limit", after(100*time.Millisecond, ErrInterrupted), limit, until("x"), Aborted,
			"x\n[interrupted: tool aborted by user]\n(interrupted after 0.1 s)", "",
		},
		{"the user before an error", after(0, ErrInterrupted), Limits{}, func(ctx context.Context, _ Output) (Result, error) {
			<-ctx.Done()
			return Result{}, errors.New("torn pipe")
		}, Aborted, "[interrupted: tool aborted by user]\n(interrupted after 0.0 s)", "call call-1: demo: torn pipe"},
		{"the time limit before an error", never, limit, func(ctx context.Context, _ Output) (Result, error) {
			<-ctx.Done()
			return Result{}, errors.New("torn pipe")
		}, Failed, "[tool timeout: exceeded 200ms]", "torn pipe"},
		{
			"an error before the tool's report", never,
			Limits{},
			says(Result{Status: Completed}, errors.New("torn pipe")), Failed,
			"[tool error] torn pipe", "torn pipe",
		},
		{"what the model can mend is no fault of ours", never, Limits{}, says(Result{}, Failf("no %s", "file")), Failed, "no file", ""},
		{"a panic", never, Limits{}, func(context.Context, Output) (Result, error) { panic("kaboom") }, Failed, "[tool error] kaboom", "kaboom"},
		{
			"a goroutine that just ends", never,
			Limits{},
			func(context.Context, Output) (Result, error) { runtime.Goexit(); return Result{}, nil }, Failed,
			"[tool error] the tool ended without a result", "without a result",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, o := frames(c.ctx(t), t, Call{Limits: c.limits}, c.run)
				checkText(t, o, c.status, c.want)
				if (o.Err == nil) != (c.fault == "") || o.Err != nil && !strings.Contains(o.Err.Error(), c.fault) {
					t.Errorf("fault is %v, want %q", o.Err, c.fault)
				}
			})
		})
	}
}

func TestAPanicKeepsItsStack(t *testing.T) {
	_, o := frames(t.Context(), t, Call{}, func(context.Context, Output) (Result, error) { panic(io.ErrUnexpectedEOF) })
	var p *panicError
	if !errors.As(o.Err, &p) || !strings.Contains(p.Stack(), "TestAPanicKeepsItsStack") {
		t.Errorf("fault is %v", o.Err)
	}
}

func TestAToolThatIgnoresItsEndIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		release := make(chan struct{})
		var o Outcome
		_, o = frames(ctx, t, Call{}, func(_ context.Context, out Output) (Result, error) {
			out.Write("before")
			cancel(ErrInterrupted)
			<-release
			out.Write("too late")
			out.Terminal(nil)
			return Result{}, nil
		})
		checkText(t, o, Aborted, "before\n[interrupted: tool aborted by user]\n(interrupted after 2.0 s)\n(the tool did not stop; what it still does is unknown)")
		if o.Err == nil || !strings.Contains(o.Err.Error(), "ignored the end of its context") {
			t.Errorf("fault is %v", o.Err)
		}
		close(release)
		synctest.Wait()
	})
}

func TestASlowSinkHoldsNoToolUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces = 3 * maxPending
		wrote := make(chan struct{})
		deltas := 0
		call := Call{Delta: func(string) {
			if deltas == 0 {
				<-wrote // the tool ends its writing while the sink takes the first piece
			}
			deltas++
		}}
		_, o := frames(t.Context(), t, call, func(_ context.Context, out Output) (Result, error) {
			for range pieces {
				out.Write("x")
			}
			close(wrote)
			return Result{}, nil
		})
		checkText(t, o, Completed, strings.Repeat("x", pieces))
		if deltas > maxPending+2 {
			t.Errorf("%d deltas; what waits is not bounded", deltas)
		}
	})
}

func TestCallbacksComeOnTheCallersGoroutine(t *testing.T) {
	var got []string // unguarded: the race detector is the judge
	call := Call{
		Delta:    func(text string) { got = append(got, text) },
		Terminal: func(shell.Process) { got = append(got, "terminal") },
	}
	CarryOut(t.Context(), call, func(_ context.Context, out Output) (Result, error) {
		out.Terminal(nil)
		out.Write("text")
		return Result{}, nil
	})
	if d := cmp.Diff([]string{"terminal", "text"}, got); d != "" {
		t.Error(d)
	}
}

// An interruption that comes while the archive is written is too late.
func TestALateCancelChangesNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	call := Call{Limits: Limits{MaxOutput: 1}, ArchiveDir: t.TempDir()}
	call.Delta = func(text string) {
		if strings.Contains(text, "output truncated") {
			cancel(ErrInterrupted)
		}
	}
	_, o := frames(ctx, t, call, says(Result{}, nil, "abc"))
	checkSays(t, o, Completed, "[output archived: ")
	checkSilent(t, o, "interrupted")
}

// redactor replaces one secret, as a session's does for all it knows.
func redactor(secret string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
}

func TestSecretsAreNotTold(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	long := strings.Repeat("y", heldBack-5)
	for _, c := range []struct {
		name   string
		run    func(context.Context, Output) (Result, error)
		text   string
		status Status
	}{
		{"in one piece", says(Result{}, nil, "key "+secret+"!\n"), "key [redacted]!\n", Completed},
		{"in many", says(Result{}, nil, strings.Split("key "+secret+"!\n", "")...), "key [redacted]!\n", Completed},
		{"around what is held back", says(Result{}, nil, long+secret[:3], secret[3:]+long), long + "[redacted]" + long, Completed},
		{"in a note", says(Result{Note: secret}, nil, "a"), "a\n[redacted]", Completed},
		{"in a failure", says(Result{}, Failf("no %s", secret)), "no [redacted]", Failed},
		{"half of one", says(Result{}, nil, secret[:5]), secret[:5], Completed},
		{"around characters", says(Result{}, nil, strings.Repeat("企", heldBack)), strings.Repeat("企", heldBack), Completed},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, o := frames(t.Context(), t, Call{Redact: redactor(secret)}, c.run)
			checkText(t, o, c.status, c.text)
			if strings.Contains(o.Note, secret) {
				t.Errorf("the note is %q", o.Note)
			}
		})
	}
}

// Neither the limit nor the archive shows what the text does not.
func TestSecretsAreNotCountedOrArchived(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	call := Call{ID: "c", Name: "demo", Limits: Limits{MaxOutput: 20}, ArchiveDir: t.TempDir(), Redact: redactor(secret)}
	o := CarryOut(t.Context(), call, says(Result{}, nil, strings.Repeat("x", 15)+secret+"\n"))
	checkSays(t, o, Completed, strings.Repeat("x", 15)+"[reda\n[output truncated")
	kept, err := os.ReadFile(o.Archive)
	if err != nil || string(kept) != strings.Repeat("x", 15)+"[redacted]\n" {
		t.Errorf("the archive has %q, %v", kept, err)
	}
}

// What a process writes is passed on at once, so that a secret may go out in
// parts; what a model reads and what is kept is without it all the same.
func TestSecretsInPartsAreNotRead(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	for _, c := range []struct {
		name   string
		limit  int
		pieces []string
		text   string
		kept   string // the archive
	}{
		{"whole", 0, []string{"a ", secret[:9], secret[9:], " b\n"}, "a [redacted] b\n", ""},
		{"cut in a secret", 20, []string{"a ", secret[:9], secret[9:20], secret[20:], " b\n"}, "a [redacted]\n[output truncated: exceeded 20 chars]", "a [redacted] b\n"},
		{"cut behind one", 30, []string{"a ", secret[:9], secret[9:], " bcd\n"}, "a [redacted] \n[output truncated: exceeded 30 chars]", "a [redacted] bcd\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var deltas strings.Builder
			call := Call{
				ID: "c", Name: "demo", Limits: Limits{MaxOutput: c.limit}, ArchiveDir: t.TempDir(), Redact: redactor(secret),
				Delta: func(text string) { deltas.WriteString(text) },
			}
			o := CarryOut(t.Context(), call, func(_ context.Context, out Output) (Result, error) {
				out.Live()
				for _, p := range c.pieces {
					out.Write(p)
				}
				return Result{}, nil
			})
			if !strings.HasPrefix(o.Text, c.text) || c.limit == 0 && o.Text != c.text {
				t.Errorf("the text is %q", o.Text)
			}
			if c.limit == 0 && deltas.String() != strings.Join(c.pieces, "") {
				t.Errorf("the deltas are %q", deltas.String())
			}
			if kept, _ := os.ReadFile(o.Archive); string(kept) != c.kept {
				t.Errorf("the archive has %q", kept)
			}
		})
	}
}
