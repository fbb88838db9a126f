package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// closedOut carries a call of a style out, and returns what its archive holds.
func closedOut(t *testing.T, style Style, limit int, run func(context.Context, Output) (Result, error)) (Outcome, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "truncated-tool-output")
	call := Call{ID: "call-1", Name: "demo", Limits: Limits{MaxOutput: limit}, Style: style, ArchiveDir: dir}
	o := CarryOut(t.Context(), call, run)
	if o.Archive == "" {
		if _, err := os.Stat(dir); err == nil {
			t.Error("there is an archive that nobody is told of")
		}
		return o, ""
	}
	kept, err := os.ReadFile(o.Archive)
	if err != nil {
		t.Fatal(err)
	}
	return o, string(kept)
}

func TestStyles(t *testing.T) {
	inside := Style{Bytes: true, Inside: true, Empty: noOutput, Cut: agentCut, NoArchive: true}
	tail := Style{Bytes: true, MaxLines: 2, Tail: true, First: true, Cut: compactCut, NoArchive: true}
	head := Style{Bytes: true, MaxLines: 2, NoArchive: true, Cut: compactCut}
	for _, c := range []struct {
		name  string
		style Style
		limit int
		run   func(context.Context, Output) (Result, error)
		want  string
	}{
		{"bytes are counted, and no character is cut", head, 5, says(Result{}, nil, "é", "éé"), "éé\n[Output truncated.]"},
		{"what fits is whole", head, 6, says(Result{}, nil, "ééé"), "ééé"},
		{"as many lines as may be", head, 0, says(Result{}, nil, "a\nb\n"), "a\nb\n"},
		{"a line too many", head, 0, says(Result{}, nil, "a\n", "b\n", "c"), "a\nb\n[Output truncated.]"},
		{"an empty line is one", head, 0, says(Result{}, nil, "a\n\n\n"), "a\n\n[Output truncated.]"},
		{"lines before bytes", head, 3, says(Result{}, nil, "a\nb\nc\n"), "a\nb\n[Output truncated.]"},
		{"bytes before lines", head, 2, says(Result{}, nil, "a\nb\nc\n"), "a\n\n[Output truncated.]"},
		{"a note comes behind", head, 3, says(Result{Note: "note"}, nil, "abcd"), "abc\n[Output truncated.]\nnote"},

		{"the last lines", tail, 0, says(Result{}, nil, "a\nb\n", "c\n"), "b\nc\n[Output truncated.]"},
		{"the last lines, unfinished", tail, 0, says(Result{}, nil, "a\nb\nc"), "b\nc\n[Output truncated.]"},
		{"no line too many", tail, 0, says(Result{}, nil, "a\nb\n"), "a\nb\n"},
		{"the last bytes, of whole characters", tail, 5, says(Result{}, nil, "éé", "éx"), "ééx\n[Output truncated.]"},
		{"how it ended comes first", tail, 2, says(Result{Note: "code 1"}, errors.New("broke"), "abc"), "code 1\n[tool error] broke\nbc\n[Output truncated.]"},
		{"and alone where there is no output", tail, 2, says(Result{Note: "code 1"}, nil), "code 1"},

		{"all of it counts", inside, 20, says(Result{Note: "exit code: 7"}, nil, "1234567"), "1234567\nexit code: 7"},
		{"a note cuts the output", inside, 40, says(Result{Note: "exit code: 7"}, nil, strings.Repeat("x", 30)), strings.Repeat("x", 8) + "\n[output truncated]\nexit code: 7"},
		{"what was lost before counts too", inside, 60, says(Result{lead: "[output truncated]", Note: "exit code: 7"}, nil, strings.Repeat("é", 30)), "[output truncated]\néééé\n[output truncated]\nexit code: 7"},
		{"the note is never cut", inside, 5, says(Result{Note: "exit code: 7"}, nil, "abcdef"), "\n[output truncated]\nexit code: 7"},
		{"no limit", inside, 0, says(Result{Note: "note"}, nil, strings.Repeat("x", 9000)), strings.Repeat("x", 9000) + "\nnote"},
		{"nothing", inside, 10, says(Result{}, nil), "(no output)"},

		{"NUL does not count", Style{NoNUL: true}, 3, says(Result{}, nil, "a\x00b", "\x00c\x00"), "abc"},
		{"nothing but NUL is nothing", agentStyle, 3, says(Result{}, nil, "\x00\x00"), "(no output)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if o, _ := closedOut(t, c.style, c.limit, c.run); o.Text != c.want {
				t.Errorf("got  %q\nwant %q", o.Text, c.want)
			}
		})
	}
}

func TestMarkersNameTheFile(t *testing.T) {
	long := says(Result{Note: "exit code: 3", Status: Failed}, nil, strings.Repeat("x", 9000), strings.Repeat("\x00", 100), "end")
	for _, c := range []struct {
		name          string
		style         Style
		before, after string
		file          string
	}{
		{"compact", compactBashStyle, "x\nend\n[Output truncated. Full output: ", "]", strings.Repeat("x", 9000) + strings.Repeat("\x00", 100) + "end"},
		{"agent", agentStyle, "x\n[output truncated; full output written to ", "]\nexit code: 3", strings.Repeat("x", 9000) + "end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, kept := closedOut(t, c.style, 1000, long)
			if kept != c.file {
				t.Errorf("the file holds %d bytes, not %d", len(kept), len(c.file))
			}
			if want := o.Archive + c.after; !strings.HasSuffix(o.Text, want) {
				t.Errorf("%q does not end with %q", o.Text, want)
			}
			if c.style.Inside && len(o.Text) > 1000 {
				t.Errorf("the text has %d bytes", len(o.Text))
			}
		})
	}
}

// pieces draws a text of many kinds of characters in many pieces.
func pieces(t *rapid.T) []string {
	piece := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\x00é企🐧")), 0, 40, -1), rapid.Just("\n"), rapid.Just(strings.Repeat("x\n", 30)))
	return rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces")
}

// Whatever comes in whatever pieces: a head is a head and a tail a tail, within
// the limits and of whole characters; what is never cut is there.
func TestEveryStyleKeepsItsLimits(t *testing.T) {
	const ending = "exit code: 7"
	rapid.Check(t, func(rt *rapid.T) {
		style := Style{
			Bytes: rapid.Bool().Draw(rt, "bytes"), MaxLines: rapid.IntRange(0, 40).Draw(rt, "lines"),
			Tail: rapid.Bool().Draw(rt, "tail"), NoNUL: rapid.Bool().Draw(rt, "noNUL"), NoArchive: true,
			Cut: func(Loss) string { return "\n[cut]" },
		}
		limit := rapid.IntRange(0, 600).Draw(rt, "limit")
		list := pieces(rt)
		whole := strings.Join(list, "")
		if style.NoNUL {
			whole = strings.ReplaceAll(whole, "\x00", "")
		}
		o := CarryOut(t.Context(), Call{Limits: Limits{MaxOutput: limit}, Style: style}, says(Result{Note: ending}, nil, list...))
		text, ended := strings.CutSuffix(o.Text, ending)
		if !ended || !utf8.ValidString(o.Text) {
			rt.Fatalf("%q has no end, or is no text", o.Text)
		}
		body, cut := strings.CutSuffix(text, "\n[cut]\n")
		if !cut {
			if strings.TrimSuffix(body, "\n") != strings.TrimSuffix(whole, "\n") {
				rt.Fatalf("%q is not whole: %q", body, whole)
			}
			return
		}
		if style.Tail && !strings.HasSuffix(whole, body) && !strings.HasSuffix(whole, body+"\n") || !style.Tail && !strings.HasPrefix(whole, body) {
			rt.Fatalf("%q is no part of %q", body, whole)
		}
		if n := style.size(body); n >= style.size(whole) || limit > 0 && n > limit {
			rt.Fatalf("%q counts %d", body, n)
		}
		if n := strings.Count(body, "\n") + 1; style.MaxLines > 0 && n > style.MaxLines && limit == 0 {
			rt.Fatalf("%q has %d lines", body, n)
		}
	})
}

// Where all counts, all of it fits, and what is never cut comes last.
func TestWhatCountsInsideFits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list, limit := pieces(rt), rapid.IntRange(60, 600).Draw(rt, "limit")
		o := CarryOut(t.Context(), Call{Limits: Limits{MaxOutput: limit}, Style: agentStyle}, says(Result{Note: "exit code: 7", lead: "[lost]"}, nil, list...))
		body, ended := strings.CutSuffix(o.Text, "\nexit code: 7")
		whole := "[lost]\n" + strings.ReplaceAll(strings.Join(list, ""), "\x00", "")
		if !ended || len(o.Text) > limit || !utf8.ValidString(o.Text) {
			rt.Fatalf("%d bytes: %q", len(o.Text), o.Text)
		}
		if kept, cut := strings.CutSuffix(body, "\n[output truncated]"); cut && !strings.HasPrefix(whole, kept) ||
			!cut && whole != body && whole != body+"\n" {
			rt.Fatalf("%q of %q", body, whole)
		}
	})
}

func TestATailTakesBoundedMemory(t *testing.T) {
	const megabytes = 200
	piece := strings.Repeat("0123456789abcde\n", 64<<10)
	var peak uint64
	run := func(_ context.Context, out Output) (Result, error) {
		for i := range megabytes {
			out.Write(piece)
			if i%20 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
		out.Write("the end")
		return Result{}, nil
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o, kept := closedOut(t, compactBashStyle, compactOutput, run)
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d MiB were held", grown>>20)
	}
	if !strings.Contains(o.Text, "abcde\nthe end\n[Output truncated. Its beginning and its end: ") || len(kept) > archiveLimit {
		t.Errorf("the text ends %q, %d bytes are kept", o.Text[len(o.Text)-200:], len(kept))
	}
}

// dribbles makes a run that writes as a process does that writes a little at a
// time, so that every secret comes in parts.
func dribbles(text string) func(context.Context, Output) (Result, error) {
	return func(_ context.Context, out Output) (Result, error) {
		out.Live()
		for piece := range slices.Chunk([]byte(text), 7) {
			out.Write(string(piece))
		}
		return Result{}, nil
	}
}

// Of a secret that the limit cuts through, no part stays at either end.
func TestNoPartOfASecretIsTheTail(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	for offset := range len(secret) + 4 {
		for _, size := range []int{200, 90 << 10} {
			call := Call{ID: "c", Name: "demo", Limits: Limits{MaxOutput: 100}, Style: Style{Bytes: true, Tail: true, NoArchive: true}, Redact: redactor(secret)}
			o := CarryOut(t.Context(), call, dribbles(strings.Repeat("x", size)+secret+strings.Repeat("y", 100-offset)))
			for n := len(secret); n > 3; n-- {
				if strings.Contains(o.Text, secret[len(secret)-n:]) {
					t.Fatalf("offset %d: %q", offset, o.Text)
				}
			}
		}
	}
}

// Where little is left of what is looked at, since it is full of secrets, that
// much is told, and it does not begin within one.
func TestATailOfManySecrets(t *testing.T) {
	var secret string // which begins within itself nowhere
	for i := range 40 {
		secret += fmt.Sprintf("s3c%03d-", i)
	}
	for shift := range 40 {
		call := Call{ID: "c", Name: "demo", Limits: Limits{MaxOutput: 2000}, Style: Style{Bytes: true, Tail: true, NoArchive: true}, Redact: redactor(secret)}
		o := CarryOut(t.Context(), call, dribbles("begin "+strings.Repeat(secret, 200)+strings.Repeat("y", shift)+"end"))
		if strings.Contains(o.Text, "s3c") || !strings.Contains(o.Text, "[redacted][redacted]"+strings.Repeat("y", shift)+"end\n") {
			t.Errorf("shift %d: %q", shift, o.Text)
		}
	}
}

func TestTimeLimitsInTheWordsOfAProfile(t *testing.T) {
	for _, c := range []struct {
		style Style
		want  string
	}{
		{Style{}, "begun\n[tool timeout: exceeded 1500ms]"},
		{compactBashStyle, "Command timed out after 1.5 seconds.\nbegun\n"},
		{agentStyle, "begun\ntimed out after 1.5s"},
		{agentBashStyle, "begun\ncommand timed out after 1.5s; this call's shell state changes were dropped"},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := CarryOut(t.Context(), Call{Limits: Limits{Timeout: 1500 * time.Millisecond}, Style: c.style}, until("begun\n"))
			checkText(t, o, Failed, c.want)
		})
	}
}
