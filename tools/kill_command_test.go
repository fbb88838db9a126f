package tools

import (
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

func TestKillEndsACommand(t *testing.T) {
	deaf := shelltest.Step{Match: "deaf", Deaf: true, Out: []shelltest.Piece{{Text: "busy"}}, After: time.Hour}
	steps := []shelltest.Step{
		{Match: "polite", Out: []shelltest.Piece{{Text: "unread\n"}}, After: time.Hour},
		deaf,
		{Match: "over", Out: []shelltest.Piece{{Text: "rest\n"}}, Exit: shell.Exit{Code: 3}},
		{Match: "serve", Survivors: []string{"daemon"}, Later: []shelltest.Piece{{Text: "log\n", After: time.Second}}, Exit: shell.Exit{Code: 1}},
	}
	for _, c := range []struct {
		cmd, text string
		took      time.Duration
	}{
		{"polite", "unread\n[killed: terminated by signal SIGTERM]", 0},
		{"deaf", "busy\n[killed: terminated by signal SIGKILL]", time.Second},
		{"over", "rest\n[it had already ended: exit code 3]", 0},
		{"serve", "log\n[killed what the command had left behind: 1 process; the command itself had ended: exit code 1]", 0},
	} {
		t.Run(c.cmd, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, fake *shelltest.Fake) {
				id := r.running(t, c.cmd)
				time.Sleep(2 * time.Second)
				o := r.do(t, "kill_command", args(t, "process_id", id))
				checkText(t, o, Completed, c.text)
				if o.Duration != c.took || o.ProcessID != "" {
					t.Errorf("outcome is %+v", o)
				}
				synctest.Wait()
				if !closed(fake.Commands()[0].Gone()) || len(r.held()) != 0 {
					t.Errorf("still held: %v", r.held())
				}
				checkSays(t, r.do(t, "kill_command", args(t, "process_id", id)), Failed, id, "may have exited and been cleared")
			})
		})
	}
}

func TestKillIsPlannedAsOurOwn(t *testing.T) {
	scripted(t, []shelltest.Step{forever}, func(t *testing.T, r *room, _ *shelltest.Fake) {
		p, err := r.plan(t, "kill_command", args(t, "process_id", r.running(t, "forever")))
		if err != nil || p.Title != "End: forever" || p.Access != Read || !p.Own || p.Command != nil {
			t.Errorf("plan is %+v, %v", p, err)
		}
		checkSays(t, r.do(t, "kill_command", `{}`), Failed, "Missing required argument: process_id")
	})
}
