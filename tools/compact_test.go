package tools

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/workspace"
)

func compactRoom(t *testing.T, files ...string) *room {
	t.Helper()
	r := newRoom(t, files...)
	r.profile = ProfileCompact
	return r
}

// A command whose call is cancelled is gone with all that it started, and the
// cause is told.
//
// Cases: L-BASH-05
func TestCompactBashEndsWithItsCall(t *testing.T) {
	r := compactRoom(t)
	newShell(t, r)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() { // ends with the file, or with ctx
		for ctx.Err() == nil {
			if pids, err := os.ReadFile(r.path("pids")); err == nil && strings.Count(string(pids), "\n") == 2 {
				cancel(errors.New("the reason for it"))
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	o := r.doCtx(ctx, t, "bash", `{"command":"echo $$ >pids; sleep 300 & echo $! >>pids; wait","timeout":60}`)
	checkSays(t, o, Aborted, "[interrupted: tool aborted by user]", "the reason for it")
	for _, word := range strings.Fields(r.content(t, "pids")) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// A command of a call that is over already is not started, and no file written.
//
// Cases: L-WRITE-01
func TestCompactDoesNothingWhenAlreadyCancelled(t *testing.T) {
	r := compactRoom(t, "nested/file.txt", "one\n")
	fake := &shelltest.Fake{Steps: []shelltest.Step{{}}}
	r.env.Shell = fake
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrInterrupted)
	checkSays(t, r.doCtx(ctx, t, "write", `{"path":"nested/file.txt","content":"two\n"}`), Aborted, "[interrupted")
	checkSays(t, r.doCtx(ctx, t, "edit", `{"path":"nested/file.txt","edits":[{"oldText":"one","newText":"two"}]}`), Aborted, "[interrupted")
	checkSays(t, r.doCtx(ctx, t, "bash", `{"command":"x"}`), Aborted, "[interrupted")
	if got := r.content(t, "nested/file.txt"); got != "one\n" || len(fake.Specs()) > 0 {
		t.Errorf("the file holds %q, %d commands were started", got, len(fake.Specs()))
	}
}

// Where a client shows terminals, this profile's commands have none all the same.
func TestCompactBashHasNoTerminal(t *testing.T) {
	r := compactRoom(t)
	r.env.TTY = true
	newShell(t, r)
	checkText(t, r.do(t, "bash", `{"command":"test -t 0 || test -t 1 || echo none"}`), Completed, "none\n")
}

// A sandbox that is missing is an error, and nothing runs without it.
func TestCompactBashNeverFallsBack(t *testing.T) {
	r := compactRoom(t)
	fake := &shelltest.Fake{Steps: []shelltest.Step{{}}}
	r.env.Shell = fake
	r.env.Confine = func() (shell.Confinement, error) { return nil, errors.New("SANDBOX_UNAVAILABLE: none is there") }
	checkSays(t, r.do(t, "bash", `{"command":"x"}`), Failed, "SANDBOX_UNAVAILABLE: none is there", "Nothing was run.")
	if n := len(fake.Specs()); n > 0 {
		t.Errorf("%d commands were started", n)
	}
}

// What a person let through of an edit is shown, where it is not all of it.
func TestCompactEditShowsWhatStands(t *testing.T) {
	const edits = `{"path":"f","edits":[{"oldText":"a1","newText":"A1"},{"oldText":"b1","newText":"B1"}]}`
	own := "a1\n-\n-\n-\nmine\n"
	for _, c := range []struct {
		name string
		ok   workspace.Acceptance
		want string
		file string
	}{
		{"all", workspace.Acceptance{All: true}, `Edited "f".`, "A1\n-\n-\n-\nB1\n"},
		{"one hunk", workspace.Acceptance{Hunks: []string{"h2"}}, "1 of 2 hunks applied to \"f\". What was really changed:\n@@ -2,4 +2,4 @@\n -\n -\n -\n-b1\n+B1\nRefused by the user: @@ -1,1 +1,1 @@", "a1\n-\n-\n-\nB1\n"},
		{"own text", workspace.Acceptance{Text: &own}, "The user changed the proposal for \"f\" before accepting it. What was really changed:\n@@ -2,4 +2,4 @@\n -\n -\n -\n-b1\n+mine", own},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compactRoom(t, "f", "a1\n-\n-\n-\nb1\n")
			r.accept = &Accepted{Change: c.ok}
			checkText(t, r.do(t, "edit", edits), Completed, c.want)
			if got := r.content(t, "f"); got != c.file {
				t.Errorf("the file holds %q", got)
			}
		})
	}
}

// Why a model wants a change reaches the plan, and with it the person.
func TestCompactJustificationIsInThePlan(t *testing.T) {
	r := compactRoom(t, "f", "a\n")
	for tool, args := range map[string]string{
		"write": `{"path":"g","content":"x","justification":" for the log "}`,
		"edit":  `{"path":"f","edits":[{"oldText":"a","newText":"b"}],"justification":"for the log"}`,
	} {
		plan, err := r.plan(t, tool, args)
		if err != nil || plan.Justification != "for the log" {
			t.Errorf("%s: %q, %v", tool, plan.Justification, err)
		}
	}
}
