package tools

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// offering has the model given these tools of the default profile alone.
func (r *room) offering(t *testing.T, names ...string) {
	t.Helper()
	set, err := Profile(r.profile)
	if err != nil {
		t.Fatal(err)
	}
	r.env.Offers = OffersOf(slices.DeleteFunc(set.Tools, func(tool Tool) bool { return !slices.Contains(names, tool.Spec().Name) }))
}

func TestOffersHaveTheArgumentsOfASchema(t *testing.T) {
	for profile, want := range map[string]bool{ProfileDefault: true, ProfileCompact: true, ProfileAgent: false} {
		set, err := Profile(profile)
		if err != nil {
			t.Fatal(err)
		}
		if got := OffersOf(set.Tools).escalates(); got != want {
			t.Errorf("%s: a command may ask to leave the sandbox: %v", profile, got)
		}
	}
	if (Offers{}).Has("bash") || !(Offers{"bash": {}}).Has("bash") || Offers(nil).escalates() {
		t.Error("a tool without arguments is one, and none is none")
	}
}

// The bash of the agent toolset has no word for a run outside the sandbox: it takes
// none, and no hint names one.
func TestAgentBashKnowsNoEscalation(t *testing.T) {
	refused := shelltest.Step{Repeat: true, Out: []shelltest.Piece{{Text: "denied\n"}}, Exit: shell.Exit{Code: 1}}
	scripted(t, []shelltest.Step{refused}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.profile = ProfileAgent
		r.env.StateDir = t.TempDir()
		r.env.Confine = confinedBy(fence{}, nil)
		for _, args := range []string{
			`{"command":"ls","sandbox_permissions":"require_escalated","justification":"why not"}`,
			`{"command":"ls","sandbox_permissions":"use_default"}`,
		} {
			checkSays(t, r.do(t, "bash", args), Failed, "Unknown argument: sandbox_permissions.", "Nothing was run.")
		}
		if n := len(fake.Specs()); n != 0 {
			t.Errorf("%d commands were started", n)
		}
		o := r.do(t, "bash", `{"command":"ls"}`)
		checkSays(t, o, Failed, "[the fence refused it] If the task needs it, tell the user; for good, the user opens the gate.")
		checkLacks(t, o, "sandbox_permissions", "require_escalated")
		r.env.Confine = confinedBy(nil, errors.New("SANDBOX_UNAVAILABLE: gone"))
		o = r.do(t, "bash", `{"command":"ls"}`)
		checkSays(t, o, Failed, "SANDBOX_UNAVAILABLE: gone\nNothing was run")
		checkLacks(t, o, "sandbox_permissions", "require_escalated")
	})
}

// Settings may take the argument out of a tool's schema: then there is none.
func TestAnArgumentThatTheSchemaLacksIsNone(t *testing.T) {
	scripted(t, []shelltest.Step{{}}, func(t *testing.T, r *room, fake *shelltest.Fake) {
		r.env.Offers = Offers{"exec_command": {"cmd"}}
		r.env.Confine = confinedBy(fence{}, nil)
		checkSays(t, r.do(t, "exec_command", escalate), Failed, "Unknown argument: sandbox_permissions.")
		if n := len(fake.Specs()); n != 0 {
			t.Errorf("%d commands were started", n)
		}
	})
}

// Without the tools to reach it again, a command ends with its call, and so does
// what it leaves behind.
func TestACommandThatNobodyCouldReachEndsWithItsCall(t *testing.T) {
	for _, names := range [][]string{{"exec_command"}, {"exec_command", "input_command"}, {"exec_command", "kill_command"}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t)
			r.offering(t, names...)
			fake := &shelltest.Fake{Steps: []shelltest.Step{{Repeat: true, After: time.Hour}}}
			r.env.Shell = fake
			began := time.Now()
			o := r.do(t, "exec_command", `{"cmd":"sleep","yield_time_ms":500}`)
			checkSays(t, o, Failed, "[tool timeout: exceeded 120000ms]")
			checkLacks(t, o, "process_id", "input_command", "kill_command")
			if took := time.Since(began); took < commandTimeout {
				t.Errorf("it was given up after %v", took)
			}
			if o.ProcessID != "" || len(r.env.Commands.List()) != 0 {
				t.Errorf("it is held as %q", o.ProcessID)
			}
			checkSays(t, r.do(t, "exec_command", `{"cmd":"sleep","run_in_background":true}`), Failed, "cannot be left in the background")
		})
	}
}

// Each hint of a file tool names tools that the model has.
func TestHintsNameOnlyWhatTheModelHas(t *testing.T) {
	for _, c := range []struct {
		profile, tool, args string
		names               []string // given, besides the tool
		says, lacks         []string
	}{
		{"", "read_file", `{"file_path":"bin"}`, nil, []string{"is a binary file (it contains NUL bytes)."}, []string{"image", "exec_command"}},
		{"", "read_file", `{"file_path":"bin"}`, []string{"exec_command"}, []string{"Look at it with exec_command"}, []string{"image"}},
		{"", "read_file", `{"file_path":"bin"}`, []string{"describe_image"}, []string{"with describe_image."}, []string{"read_image", "exec_command"}},
		{"", "edit_file", `{"file_path":"a","old_string":"","new_string":"x"}`, nil, []string{"nothing to look for."}, []string{"write_file"}},
		{"", "edit_file", `{"file_path":"a","old_string":"","new_string":"x"}`, []string{"write_file"}, []string{"use write_file."}, nil},
		{ProfileAgent, "edit", `{"file_path":"a","old_string":"","new_string":"x"}`, nil, []string{"nothing to look for."}, []string{"use write"}},
		{ProfileAgent, "edit", `{"file_path":"none","old_string":"x","new_string":"y"}`, nil, []string{"no such file"}, []string{"use write"}},
		{ProfileAgent, "edit", `{"file_path":"none","old_string":"x","new_string":"y"}`, []string{"write"}, []string{"use write."}, nil},
	} {
		r := newRoom(t, "bin", "a\x00b", "a", "one\ntwo\n")
		r.profile = c.profile
		r.offering(t, append(c.names, c.tool)...)
		o := r.do(t, c.tool, c.args)
		checkSays(t, o, Failed, c.says...)
		checkLacks(t, o, c.lacks...)
	}
}

func TestTextThatIsStillAbsentNamesOnlyWhatTheModelHas(t *testing.T) {
	r := newRoom(t, "a", "one\ntwo\n")
	for _, c := range []struct {
		names       []string
		says, lacks string
	}{
		{[]string{"edit_file"}, "Read lines 1-", "_file"},
		{[]string{"edit_file", "read_file", "write_file"}, "replace the whole file with write_file.", "none"},
	} {
		r.offering(t, c.names...)
		_, err := r.plan(t, "edit_file", `{"file_path":"a","old_string":"ona","new_string":"x"}`)
		var f *Failure
		if !errors.As(err, &f) || !strings.Contains(f.Again, c.says) || strings.Contains(f.Again, c.lacks) {
			t.Errorf("with %v it says %+v", c.names, f)
		}
	}
}

func checkLacks(t *testing.T, o Outcome, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(o.Text, w) {
			t.Errorf("the model has no %s: %q", w, o.Text)
		}
	}
}
