package approval

import (
	"context"
	"slices"
	"strings"
	"testing"

	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// under makes a gate under rules, written as "allow git".
func under(t *testing.T, mode Mode, tools map[string]ToolPolicy, lines ...string) *Gate {
	t.Helper()
	var rules []rule.Rule
	for _, l := range lines {
		verdict, text, _ := strings.Cut(l, " ")
		r, err := rule.Parse(rule.Verdict(verdict), text, "/w")
		if err != nil {
			t.Fatal(err)
		}
		r.Source, r.Where = rule.User, "settings"
		rules = append(rules, r)
	}
	said := Policy{Rules: rule.NewSet(rules...), Tools: tools}
	return NewGate(Options{
		Mode: mode, Preset: PresetWorkspaceWrite, World: theWorld, Root: "/w", Policy: func() Policy { return said },
	})
}

// B1, B2, B4: what comes first decides, whatever comes later would say.
func TestTheOrderOfADecision(t *testing.T) {
	denied := map[string]ToolPolicy{"exec_command": ToolDeny}
	asked := map[string]ToolPolicy{"exec_command": ToolAsk, "write_file": ToolAsk}
	allowed := map[string]ToolPolicy{"exec_command": ToolAllow, "edit_file": ToolAllow}
	for _, c := range []struct {
		name  string
		mode  Mode
		tools map[string]ToolPolicy
		rules []string
		req   Request
		want  ruling
		why   string
	}{
		{"safety before allow", AllowAll, allowed, []string{"allow rm"}, run("rm -rf /"), refuse, "rm"},
		{"deny before ask and allow", AllowAll, nil, []string{"allow git", "ask git", "deny git push"}, run("git status && git push"), refuse, "git push"},
		{"ask before allow and mode", AllowAll, nil, []string{"allow git", "ask git push"}, run("git push"), question, "asked by rule"},
		{"allow before mode", AlwaysAsk, nil, []string{"allow git status"}, run("git status"), pass, "git status"},
		{"a part that no rule covers", AlwaysAsk, nil, []string{"allow git status"}, run("git status; curl x"), question, "mode always-ask"},
		{"denied tool before allow", AllowAll, denied, []string{"allow git"}, run("git status"), refuse, "always_deny"},
		{"asked tool before allow", AllowAll, asked, []string{"allow git"}, run("git status"), question, "always_ask"},
		{"allowed tool before mode", AlwaysAsk, allowed, nil, run("make"), pass, "always_allow"},
		{"ask rule before allowed tool", AlwaysAsk, allowed, []string{"ask make"}, run("make"), question, "asked by rule"},
		{"allowed tool, code", AutoEdit, allowed, nil, edit("/w/.envrc"), question, "runs code"},
		{"allowed tool, secrets", AlwaysAsk, allowed, nil, secret(edit("/w/.env")), question, "holds secrets"},
		{"allowed tool, outside", AlwaysAsk, allowed, nil, outside(edit("")), question, "outside"},
		{"a code file that is named", AlwaysAsk, nil, []string{"allow write:.envrc"}, edit("/w/.envrc"), pass, "write:.envrc"},
		{"a code file that is not named", AllowAll, nil, []string{"allow write:**"}, edit("/w/.envrc"), question, "runs code"},
		{"a read that is named", AlwaysAsk, nil, []string{"allow read:/elsewhere/**"}, outside(read("")), pass, "read:/elsewhere"},
		{"a read that is denied", AllowAll, nil, []string{"deny read:*.key"}, read("/w/a.key"), refuse, "*.key"},
		{"leaving the sandbox before allow", AllowAll, allowed, []string{"allow npm"}, escalated("npm ci"), question, "outside the sandbox"},
		{"plan before allow", Plan, allowed, []string{"allow git"}, run("git status"), refuse, "plan"},
		{"deny-all before allow", DenyAll, nil, []string{"allow read:**"}, read("/w/a"), refuse, "deny-all"},
		{"read-only with allow", ReadOnly, nil, []string{"allow git status"}, run("git status"), pass, "git status"},
		{"no rule allows typing", AlwaysAsk, nil, []string{"allow ls"}, typed("proc-1", "ls\n"), question, "always-ask"},
		{"typing what is denied", AllowAll, nil, []string{"deny git push"}, typed("proc-1", "git push\n"), refuse, "git push"},
		{"typing what asks", AllowAll, nil, []string{"ask git push"}, typed("proc-1", "git push\n"), question, "asked by rule"},
		{"a lone key", AllowAll, nil, []string{"deny x"}, typed("proc-1", "\x04"), pass, "allow-all"},
	} {
		g := under(t, c.mode, c.tools, c.rules...)
		h := g.open(c.req)
		if h.verdict.ruling != c.want || !strings.Contains(h.verdict.why, c.why) {
			t.Errorf("%s: %s, want %d because of %q", c.name, h.verdict, c.want, c.why)
		}
		if h.verdict.ruling == question && !strings.Contains(h.verdict.why, "mode always-ask") && len(g.offers(h)) > 0 {
			t.Errorf("%s: a yes could be remembered: %+v", c.name, g.offers(h))
		}
	}
}

// What was found when an effect was planned is told as far as it may be read: the
// tool's own question is about the effect.
func TestAQuestionOfTheToolIsAboutItsEffect(t *testing.T) {
	g := under(t, AlwaysAsk, map[string]ToolPolicy{"edit_file": ToolAsk})
	look := edit("/w/a")
	look.Access, look.Look = Read, true
	wantBy(t, g.Unasked(look), Allowed, ByRule)
	look.Look = false
	wantBy(t, g.Unasked(look), Denied, ByNobody)
}

// What nobody can make out of a command's words no rule allows.
func TestWithoutAWorldNoRuleAllowsACommand(t *testing.T) {
	r, err := rule.Parse(rule.Allow, "git status", "/w")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGate(Options{Mode: AlwaysAsk, Preset: PresetWorkspaceWrite, Policy: func() Policy { return Policy{Rules: rule.NewSet(r)} }})
	wantBy(t, g.Decide(t.Context(), run("git status"), nil), Denied, ByNobody)
}

func TestWhatStandsOnTheLine(t *testing.T) {
	for _, c := range []struct {
		line, text string
		want       []string
	}{
		{"", "\x03", nil},
		{"", "\r\n", nil},
		{"rm ", "-rf /\r", []string{"rm -rf /\n"}},
		{"", "rmx\x7f -rf /", []string{"rm -rf /", "rmx -rf /"}},
		{"rm -r", "\x15f /\n", []string{"f /\n", "rm -rf /\n"}},
		{"one two", "\x17three", []string{"one three", "one twothree"}},
		{"a\n", "\x7fb", []string{"a\nb"}},
	} {
		if got := asTyped(c.line, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q behind %q: %q, want %q", c.text, c.line, got, c.want)
		}
	}
	if got := pending("a", "b\rc\nd"); got != "d" {
		t.Errorf("%q is left on the line", got)
	}
}

// Of two pieces that are decided at once the second is judged behind the first.
func TestTextTypedInPiecesAtOnce(t *testing.T) {
	g := under(t, AlwaysAsk, nil, "deny git push")
	first, _ := script(t, yes)
	d := g.Decide(t.Context(), typed("proc-1", "sh\n"), func(ctx context.Context, _ Question) (Answer, error) {
		wantBy(t, g.Decide(ctx, typed("proc-1", "git pu"), first), Allowed, ByPerson)
		return yes, nil
	})
	wantBy(t, d, Denied, ByRule)
	if !strings.Contains(d.ModelText(), "git push") {
		t.Errorf("model reads %q", d.ModelText())
	}
	ask, _ := script(t, yes)
	wantBy(t, g.Decide(t.Context(), typed("proc-2", "sh\n"), ask), Allowed, ByPerson)
}

// What a person typed instead is what stands on the line.
func TestTextThatAPersonRewroteStandsOnTheLine(t *testing.T) {
	g, other := under(t, AllowAll, nil, "deny git push", "ask echo"), "git pu"
	ask, _ := script(t, Answer{Answered: true, Outcome: Allowed, Command: &other})
	wantBy(t, g.Decide(t.Context(), typed("proc-1", "echo"), ask), Allowed, ByPerson)
	wantBy(t, g.Decide(t.Context(), typed("proc-1", "sh\n"), nil), Denied, ByRule)
}

// A rule about a file says nothing of an address, whatever else a request names.
func TestNoRuleSpeaksOfAddresses(t *testing.T) {
	r, err := rule.Parse(rule.Allow, "read:**", "/w")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGate(Options{Mode: AlwaysAsk, Preset: PresetWorkspaceWrite, Policy: func() Policy { return Policy{Rules: rule.NewSet(r)} }})
	req := read("/w/a")
	if e := g.Explain(req); e.Verdict != rule.Allow {
		t.Fatalf("the rule allows nothing: %+v", e)
	}
	req.URL = "https://example.com/a"
	if e := g.Explain(req); e.Verdict != rule.Ask {
		t.Errorf("%s: %s", e.Verdict, e.Why)
	}
}

// Whoever is asked although a rule would allow it is told why that rule does not
// count, before what the agent says.
func TestARuleThatADoubtSetsAsideIsTold(t *testing.T) {
	g := under(t, AlwaysAsk, nil, "allow git status", "allow echo")
	for _, c := range []struct {
		text, want string
		in         command.Inherited
	}{
		{"git status", "mode always-ask; rule `git status` does not count: git is a function that an earlier command made; unconfined; the agent says: why not", command.Inherited{Functions: []string{"git"}}},
		{"git status", "mode always-ask; rule `git status` does not count: an earlier command has set or unset PATH, which may change what commands do; unconfined; the agent says: why not", command.Inherited{Unset: []string{"PATH"}}},
		{"echo ${a@P}", "mode always-ask; rule `echo` does not count: ", command.Inherited{}},
		{"make", "mode always-ask; unconfined; the agent says: why not", command.Inherited{Functions: []string{"make"}}},
		{"git log", "mode always-ask; unconfined; the agent says: why not", command.Inherited{}},
	} {
		req := run(c.text)
		req.Command.Inherited, req.Justification = &c.in, "why not"
		ask, asked := script(t, yes)
		g.Decide(t.Context(), req, ask)
		if len(*asked) != 1 || !strings.HasPrefix((*asked)[0].Reason, c.want) {
			t.Errorf("%q with %+v: asked %+v, want the reason %q", c.text, c.in, *asked, c.want)
		}
	}
}
