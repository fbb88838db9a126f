package tools

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// A secret that a command prints in parts, with any pause between, is not read
// by the model, neither at once nor later.
func TestSecretsOfCommandsInParts(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	steps := []shelltest.Step{{
		Repeat: true,
		Out:    []shelltest.Piece{{Text: "a " + secret[:9]}, {Text: secret[9:20], After: time.Second}, {Text: secret[20:] + " b\r\n", After: time.Second}},
	}}
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				r.env.TTY = tty
				r.call.Redact = redactor(secret)
				o := r.do(t, "exec_command", `{"cmd":"x"}`)
				o.Text = strings.ReplaceAll(o.Text, "\r\n", "\n")
				checkText(t, o, Completed, "a [redacted] b\n")
				id := r.running(t, "x")
				o = r.do(t, "input_command", args(t, "process_id", id))
				o.Text = strings.ReplaceAll(o.Text, "\r\n", "\n")
				checkText(t, o, Completed, "a [redacted] b\n")
			})
		})
	}
}

// Nor is a part of it, where the model may read no further.
func TestSecretsOfCommandsAtTheLimit(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-some-length"
	steps := []shelltest.Step{{Out: []shelltest.Piece{
		{Text: strings.Repeat("x", 90) + secret[:9]},
		{Text: secret[9:15], After: time.Second},
		{Text: secret[15:] + " b\n", After: time.Second},
	}}}
	scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
		r.env.Limits = Limits{MaxOutput: 100, Timeout: time.Minute}
		r.call = Call{ID: "c", Redact: redactor(secret), ArchiveDir: t.TempDir()}
		o := r.do(t, "exec_command", `{"cmd":"x"}`)
		checkSays(t, o, Completed, strings.Repeat("x", 90)+"[redacted]\n[output truncated: exceeded 100 chars]")
		if kept, err := os.ReadFile(o.Archive); err != nil || string(kept) != strings.Repeat("x", 90)+"[redacted] b\n" {
			t.Errorf("the archive has %q, %v", kept, err)
		}
	})
}

// lines of a take that come to out.
type notepad struct {
	Output
	text strings.Builder
}

func (n *notepad) Write(text string) { n.text.WriteString(text) }
func (n *notepad) Len() int          { return n.text.Len() }

// Gaps with nothing between are one.
func TestTakeTellsOnceOfGapsInARow(t *testing.T) {
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			k, out := newTake(shell.Spec{TTY: tty, Cols: 80, Rows: 24}, 0), &notepad{}
			flood := func() {
				for range 3 {
					k.tap([]byte(strings.Repeat("\a", 3*archiveLimit)))
					k.forward(out)
				}
			}
			flood()
			k.tap([]byte("one\r\n"))
			k.forward(out)
			flood()
			k.finish(out)
			text := strings.ReplaceAll(out.text.String(), "\r\n", "\n")
			before, after, _ := strings.Cut(text, "one\n")
			if tty { // a row that may still change comes when it cannot any more
				before, after = text, text
			}
			if strings.Count(before, "dropped") != 1 || strings.Count(after, "dropped") != 1 {
				t.Errorf("got %q", text)
			}
		})
	}
}

// A command that is longer than the system takes is refused before anybody is
// asked, and told in words where a person made it so.
func TestExecThatIsTooLong(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the limit is another one
	}
	r := newRoom(t)
	newShell(t, r)
	long := ": " + strings.Repeat("x", maxScript)
	const want = "the command has 131073 bytes, and the system takes at most 131071 bytes: write it to a file and run that"
	if _, err := r.plan(t, "exec_command", args(t, "cmd", long)); err == nil || err.Error() != "Invalid argument cmd: "+want+"." {
		t.Errorf("the plan fails with %v", err)
	}
	checkText(t, r.do(t, "exec_command", args(t, "cmd", long[:maxScript])), Completed, "[no output]")
	r.accept = &Accepted{Script: &long}
	checkSays(t, r.do(t, "exec_command", `{"cmd":"true"}`), Failed, "[spawn error: "+want+"]")
}
