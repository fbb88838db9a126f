package tools

import (
	"errors"
	"strings"
	"testing"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// fence is a sandbox that recognises its refusals by a word.
type fence struct{ preset string }

func (fence) Backend() string { return "fence" }

func (f fence) Preset() string {
	if f.preset == "" {
		return "workspace-write"
	}
	return f.preset
}

func (fence) Wrap(l shell.Launch) (shell.Launch, error) { return l, nil }

func (fence) Denied(output string, _ shell.Exit) shell.Denial {
	if strings.Contains(output, "denied") {
		return shell.Denial{Why: "[the fence refused it]", ForGood: "the user opens the gate"}
	}
	return shell.Denial{}
}

func confinedBy(c shell.Confinement, err error) func() (shell.Confinement, error) {
	return func() (shell.Confinement, error) { return c, err }
}

const escalate = `{"cmd":"npm ci","sandbox_permissions":"require_escalated","justification":"it needs the network"}`

func TestHoldIsPlanned(t *testing.T) {
	broken := errors.New("SANDBOX_UNAVAILABLE: bubblewrap is missing")
	for _, c := range []struct {
		name, args          string
		confine             func() (shell.Confinement, error)
		sandbox, escalation string
		held                bool
	}{
		{"no sandbox", `{"cmd":"npm ci"}`, nil, "", "", false},
		{"a sandbox", `{"cmd":"npm ci"}`, confinedBy(fence{}, nil), "fence", "", true},
		{"as usual, said so", `{"cmd":"npm ci","sandbox_permissions":"use_default"}`, confinedBy(fence{}, nil), "fence", "", true},
		{"out of it", escalate, confinedBy(fence{}, nil), "", "it needs the network", false},
		{"out of nothing", escalate, confinedBy(nil, nil), "", "", false},
		{"out of full access", escalate, nil, "", "", false},
		{"out of what does not work", escalate, confinedBy(nil, broken), "", "it needs the network", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, []shelltest.Step{{}}, func(t *testing.T, r *room, fake *shelltest.Fake) {
				r.env.Confine = c.confine
				p, err := r.plan(t, "exec_command", c.args)
				if err != nil || p.Command.Sandbox != c.sandbox || p.Command.Escalation != c.escalation {
					t.Fatalf("plan is %+v, %v", p.Command, err)
				}
				checkText(t, CarryOut(t.Context(), r.call, bind(p, Accepted{})), Completed, "[no output]")
				if held := fake.Specs()[0].Confinement != nil; held != c.held {
					t.Errorf("held: %v, want %v", held, c.held)
				}
			})
		})
	}
}

func TestHoldRefuses(t *testing.T) {
	r := newRoom(t)
	fake := &shelltest.Fake{}
	r.env.Shell = fake
	broken := confinedBy(nil, errors.New("SANDBOX_UNAVAILABLE: bubblewrap is missing"))
	for _, c := range []struct {
		name, args string
		confine    func() (shell.Confinement, error)
		want       []string
	}{
		{"a sandbox that does not work", `{"cmd":"ls"}`, broken, []string{"SANDBOX_UNAVAILABLE: bubblewrap is missing\nNothing was run.", "require_escalated"}},
		{"a word that is none", `{"cmd":"ls","sandbox_permissions":"all"}`, nil, []string{"sandbox_permissions", `got "all"`}},
		{"no justification", `{"cmd":"ls","sandbox_permissions":"require_escalated"}`, nil, []string{"Missing required argument: justification"}},
		{"a blank one", `{"cmd":"ls","sandbox_permissions":"require_escalated","justification":" \n"}`, nil, []string{"Missing required argument: justification"}},
		{"one that shows nothing", `{"cmd":"ls","sandbox_permissions":"require_escalated","justification":"\u200b\u3164\u2800 -\ufeff"}`, nil, []string{"Missing required argument: justification"}},
		{"a justification of nothing", `{"cmd":"ls","justification":"why not"}`, nil, []string{`without sandbox_permissions "require_escalated"`}},
		{"one that is no text", `{"cmd":"ls","sandbox_permissions":"require_escalated","justification":1}`, nil, []string{"Invalid argument justification"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.env.Confine = c.confine
			o := r.do(t, "exec_command", c.args)
			checkSays(t, o, Failed, c.want...)
			if strings.HasPrefix(c.name, "a sandbox") && !strings.HasPrefix(o.Text, "SANDBOX_UNAVAILABLE") {
				t.Errorf("the text begins %q", o.Text)
			}
		})
	}
	if n := len(fake.Specs()); n > 0 {
		t.Errorf("%d commands were started", n)
	}
}

// A yes holds for what was planned only.
func TestAPresetThatChangedMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name, args string
		then, now  func() (shell.Confinement, error)
		want       string
	}{
		{"stricter", `{"cmd":"x"}`, confinedBy(fence{}, nil), confinedBy(fence{"read-only"}, nil), "from workspace-write to read-only"},
		{"laxer", `{"cmd":"x"}`, confinedBy(fence{}, nil), confinedBy(nil, nil), "from workspace-write to full-access"},
		{"confined at all", `{"cmd":"x"}`, nil, confinedBy(fence{}, nil), "from full-access to workspace-write"},
		{"escalated", escalate, confinedBy(fence{}, nil), confinedBy(fence{"read-only"}, nil), "from workspace-write to read-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t)
			fake := &shelltest.Fake{Steps: []shelltest.Step{{}}}
			r.env.Shell = fake
			state := c.then
			r.env.Confine = func() (shell.Confinement, error) {
				if state == nil {
					return nil, nil
				}
				return state()
			}
			p, err := r.plan(t, "exec_command", c.args)
			if err != nil {
				t.Fatal(err)
			}
			state = c.now
			checkSays(t, CarryOut(t.Context(), Call{}, bind(p, Accepted{})), Failed, "The preset changed "+c.want)
			if n := len(fake.Specs()); n > 0 {
				t.Errorf("%d commands were started", n)
			}
		})
	}
}

const askOnce = `If the task needs it, make the call again with sandbox_permissions "require_escalated" and a justification, ` +
	"which asks for one run outside the sandbox; for good, the user opens the gate."

// A refusal of the sandbox is explained, and nothing is run again.
func TestRefusalsOfTheSandboxAreExplained(t *testing.T) {
	refused := shelltest.Step{Match: "touch", Repeat: true, Out: []shelltest.Piece{{Text: "touch: denied\n"}}, Exit: shell.Exit{Code: 1}}
	fine := refused
	fine.Match, fine.Exit.Code = "fine", 0
	scripted(t, []shelltest.Step{refused, fine}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Confine = confinedBy(fence{}, nil)
		checkText(t, r.do(t, "exec_command", `{"cmd":"touch /x"}`), Failed, "touch: denied\n[exit code: 1]\n[the fence refused it] "+askOnce)
		id := r.running(t, "touch /x")
		checkText(t, r.do(t, "input_command", args(t, "process_id", id)), Failed, "touch: denied\n[exit code: 1]\n[the fence refused it] "+askOnce)
		checkText(t, r.do(t, "exec_command", `{"cmd":"fine"}`), Completed, "touch: denied\n")
		o := r.do(t, "exec_command", `{"cmd":"touch /x","sandbox_permissions":"require_escalated","justification":"why"}`)
		checkText(t, o, Failed, "touch: denied\n[exit code: 1]")
		if n := len(fake.Specs()); n != 4 {
			t.Errorf("%d commands were started", n)
		}
	})
}

// A sandbox that breaks between the plan and the start is no fault of the
// command, and nothing runs instead.
func TestASandboxThatFailsAtTheStart(t *testing.T) {
	broken := &shell.SpawnError{Dir: "/", Err: errors.New("fence: SANDBOX_UNAVAILABLE: fence: gone")}
	r := newRoom(t)
	r.env.Shell = &shelltest.Fake{Steps: []shelltest.Step{{Repeat: true, Err: broken}}}
	r.env.Confine = confinedBy(fence{}, nil)
	o := r.do(t, "exec_command", `{"cmd":"x"}`)
	checkSays(t, o, Failed, "SANDBOX_UNAVAILABLE: fence: gone\nNothing was run.", "require_escalated")
	if !strings.HasPrefix(o.Text, "SANDBOX_UNAVAILABLE") {
		t.Errorf("the text begins %q", o.Text)
	}
	r.env.Confine = nil
	checkSays(t, r.do(t, "exec_command", `{"cmd":"x"}`), Failed, "[spawn error: ")
}
