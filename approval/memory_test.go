package approval

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"drawbridge/approval/rule"
)

var yesForSession = Answer{Outcome: Allowed, Answered: true, Scope: Session, All: true}

// remember returns a gate on which req was allowed for the session.
func remember(t *testing.T, req Request) *Gate {
	t.Helper()
	g := open(AlwaysAsk)
	ask, _ := script(t, yesForSession)
	if d := g.Decide(t.Context(), req, ask); d.Scope != Session {
		t.Fatalf("not remembered: %+v", d)
	}
	return g
}

func TestWhatIsRememberedCoversItsKindAndNothingElse(t *testing.T) {
	two := edit("/w/a")
	two.Paths = append(two.Paths, edit("/w/b").Paths...)
	otherDir := run("make")
	otherDir.Command.Dir = "/w/sub"
	held := run("make")
	held.Command.Unconfined = false
	for _, c := range []struct {
		name  string
		given Request
		asked Request
		want  bool
	}{
		{"same path", edit("/w/a"), edit("/w/a"), true},
		{"other path", edit("/w/a"), edit("/w/b"), false},
		{"one path of two", edit("/w/a"), two, false},
		{"a path of a pair", two, edit("/w/b"), true},
		{"same command", run("make"), run("make"), true},
		{"in another folder of the workspace", run("make"), otherDir, true},
		{"command that only begins so", run("make"), run("make && curl x"), false},
		{"a command named like the file", edit("/w/a"), run("/w/a"), false},
		{"command that is held no more", held, run("make"), false},
		{"other words into the same process", typed("proc-1", "y\n"), typed("proc-1", "ls\n"), true},
		{"the same words into another process", typed("proc-1", "y\n"), typed("proc-2", "y\n"), false},
		{"a command named like what was typed", typed("proc-1", "make"), run("make"), false},
		{"typing what is a command that was allowed", run("make"), typed("proc-1", "make\n"), false},
		{"the same command outside the sandbox", run("make"), escalated("make"), false},
		{"write after a read was allowed", outside(read("")), outside(edit("")), false},
	} {
		g := remember(t, c.given)
		d := g.Decide(t.Context(), c.asked, nil)
		if got := d.Outcome == Allowed; got != c.want {
			t.Errorf("%s: allowed = %v (%s), want %v", c.name, got, d.Cause, c.want)
		}
		if covered, ok := g.Covered(c.asked); ok != c.want || ok && covered.By != ByGrant {
			t.Errorf("%s: Covered = %+v, %v", c.name, covered, ok)
		}
	}
}

func TestWhatIsRememberedStaysInItsGate(t *testing.T) {
	remember(t, run("make"))
	wantBy(t, open(AlwaysAsk).Decide(t.Context(), run("make"), nil), Denied, ByNobody)
}

func TestYesOnceIsNotRemembered(t *testing.T) {
	g := open(AlwaysAsk)
	ask, _ := script(t, yes)
	g.Decide(t.Context(), run("make"), ask)
	wantBy(t, g.Decide(t.Context(), run("make"), nil), Denied, ByNobody)
}

// Files that run code, files outside, and a yes to a part are asked for anew.
func TestWhatIsNeverRemembered(t *testing.T) {
	part := Answer{Outcome: Allowed, Answered: true, Scope: Session, Hunks: []string{"h1"}}
	for name, c := range map[string]struct {
		req    Request
		answer Answer
	}{
		"runs code": {edit("/w/.envrc"), yesForSession},
		"outside":   {outside(edit("")), yesForSession},
		"a part":    {edit("/w/a"), part},
	} {
		g := open(AlwaysAsk)
		ask, _ := script(t, c.answer)
		d := g.Decide(t.Context(), c.req, ask)
		wantBy(t, d, Allowed, ByPerson)
		if d.Scope != Once {
			t.Errorf("%s: scope %q", name, d.Scope)
		}
		wantBy(t, g.Decide(t.Context(), c.req, nil), Denied, ByNobody)
	}
}

// A remembered yes stands in for a person: where a person is asked, and never
// where nothing may happen.
func TestWhatIsRememberedYieldsToWhatDenies(t *testing.T) {
	g := remember(t, edit("/w/a"))
	for _, mode := range []Mode{Plan, DenyAll} {
		g.SetMode(mode)
		wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Denied, ByRule)
	}
	g.SetMode(ReadOnly)
	wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Allowed, ByGrant)
	g.SetMode(AlwaysAsk)
	g.SetPreset(PresetReadOnly)
	wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Denied, ByRule)
}

// The caller withdraws a waiting question that a sibling's answer covers; its
// Decide then finds the rule and asks nobody again.
func TestWithdrawnSiblingIsAllowedByTheGrant(t *testing.T) {
	g := open(AlwaysAsk)
	calls := 0
	d := g.Decide(t.Context(), run("make"), func(ctx context.Context, _ Question) (Answer, error) {
		calls++
		sibling, _ := script(t, yesForSession)
		g.Decide(ctx, run("make"), sibling)
		return Answer{}, errors.New("withdrawn")
	})
	wantBy(t, d, Allowed, ByGrant)
	if calls != 1 || d.Scope != Session || !d.All {
		t.Errorf("asked %d times, decision %+v", calls, d)
	}
}

// shelf keeps rules as a disk would.
type shelf struct {
	rules []rule.Rule
	fails error
	lies  bool // says that it kept what it did not
}

func (s *shelf) keep(_ Scope, rules []rule.Rule) error {
	if s.fails == nil && !s.lies {
		s.rules = append(s.rules, rules...)
	}
	return s.fails
}

func (s *shelf) gate() *Gate {
	return NewGate(Options{
		Mode: AlwaysAsk, Preset: PresetWorkspaceWrite, World: theWorld, Root: "/w", Keep: s.keep,
		Policy: func() Policy { return Policy{Rules: rule.NewSet(s.rules...)} },
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") },
	})
}

// B14, B17: what is offered is the rule to the letter, a yes saves just that, and
// the same request is allowed by it at once, in another session too.
func TestAYesForLongerIsReadBackByTheMatcherThatReadsRules(t *testing.T) {
	for _, scope := range []Scope{Session, Workspace, User} {
		s := &shelf{}
		g := s.gate()
		answer := yesForSession
		answer.Scope = scope
		ask, asked := script(t, answer)
		d := g.Decide(t.Context(), run("go test ./..."), ask)
		wantBy(t, d, Allowed, ByPerson)
		offers := (*asked)[0].Offers
		i := slices.IndexFunc(offers, func(o Offer) bool { return o.Scope == scope })
		if i < 0 || !offers[i].Editable || strings.Join(d.Remembered, "\n") != offers[i].Rule {
			t.Fatalf("%s: remembered %q of %+v", scope, d.Remembered, offers)
		}
		again := g.Decide(t.Context(), run("go test ./..."), nil)
		wantBy(t, again, Allowed, ByGrant)
		if again.Scope != scope || !again.Ruled || !strings.Contains(again.Cause, offers[i].Rule) {
			t.Errorf("%s: %+v", scope, again)
		}
		other := s.gate().Decide(t.Context(), run("go test ./..."), nil)
		if got := other.Outcome == Allowed; got != (scope != Session) {
			t.Errorf("%s: in another session allowed %v: %s", scope, got, other.Cause)
		}
	}
}

// B14: what has a secret in it is not offered to be remembered.
func TestNoRuleHasASecretInIt(t *testing.T) {
	for text, offered := range map[string]bool{"make all": true, "make hunter2": false, "curl -u me:hunter2 example.com": false} {
		ask, asked := script(t, no)
		(&shelf{}).gate().Decide(t.Context(), run(text), ask)
		if got := len((*asked)[0].Offers) > 0; got != offered {
			t.Errorf("%s: offers %+v", text, (*asked)[0].Offers)
		}
	}
}

func TestWithoutAPlaceToKeepRulesASessionIsTheLongest(t *testing.T) {
	ask, asked := script(t, no)
	open(AlwaysAsk).Decide(t.Context(), run("make"), ask)
	for _, o := range (*asked)[0].Offers {
		if o.Scope != Session {
			t.Errorf("offered %+v", o)
		}
	}
}

// B12, B14, B17: a rule that cannot be read, does not cover the request, holds a
// secret, or was not kept makes the answer none: it is said why, and nothing is
// remembered.
func TestARuleThatWouldNotHoldIsNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		shelf shelf
		rule  string
		scope Scope
		why   string
	}{
		"unreadable":      {shelf{}, `go "`, Session, "cannot be read"},
		"blank":           {shelf{}, " \n", Session, "no rule is left"},
		"something else":  {shelf{}, "git status", Session, "does not cover"},
		"a secret":        {shelf{}, "go test hunter2", Session, "secret"},
		"an interpreter":  {shelf{}, "go test\nbash", Session, "would allow whatever that runs"},
		"a wrapper":       {shelf{}, "go test\nxargs", User, "would allow whatever that runs"},
		"too many":        {shelf{}, strings.Repeat("go test\n", 51), Session, "more than 50"},
		"too long":        {shelf{}, "go test\n" + strings.Repeat("go vet\n", 1200), Session, "longer than"},
		"one unreadable":  {shelf{}, "go test\ngo '", Session, "cannot be read"},
		"full disk":       {shelf{fails: errors.New("no space left")}, "", User, "could not be kept: no space left"},
		"lost on the way": {shelf{lies: true}, "", Workspace, "saved, and yet"},
		"not for once":    {shelf{}, "go test", Once, "cannot be remembered"},
	} {
		g := c.shelf.gate()
		answer := Answer{Outcome: Allowed, Answered: true, Scope: c.scope, All: true, Rule: c.rule}
		ask, asked := script(t, answer, no)
		d := g.Decide(t.Context(), run("go test ./..."), ask)
		wantBy(t, d, Denied, ByPerson)
		if len(*asked) != 2 || !(*asked)[1].Again || !strings.Contains((*asked)[1].Reason, c.why) {
			t.Errorf("%s: asked %d times, then for %q, want %q", name, len(*asked), (*asked)[len(*asked)-1].Reason, c.why)
		}
		if !strings.Contains(strings.Join((*asked)[1].Derivation, "\n"), c.why) {
			t.Errorf("%s: the record does not say why: %q", name, (*asked)[1].Derivation)
		}
		if len(c.shelf.rules) != 0 || len(g.Rules()) != 0 {
			t.Errorf("%s: remembered %v, %v", name, c.shelf.rules, g.Rules())
		}
	}
}

func TestARuleMayBeRewrittenBeforeItIsSaved(t *testing.T) {
	s := &shelf{}
	ask, _ := script(t, Answer{Outcome: Allowed, Answered: true, Scope: User, All: true, Rule: "go test\n"})
	d := s.gate().Decide(t.Context(), run("go test ./a"), ask)
	wantBy(t, d, Allowed, ByPerson)
	if len(s.rules) != 1 || s.rules[0].Text != "go test" || s.rules[0].Source != rule.GrantUser {
		t.Fatalf("kept %+v", s.rules)
	}
	wantBy(t, s.gate().Decide(t.Context(), run("go test ./b"), nil), Allowed, ByGrant)
}

func TestForgettingARuleOfTheSession(t *testing.T) {
	g := remember(t, run("make"))
	if g.Forget("git") || !g.Forget("make") || g.Forget("make") {
		t.Error("what was there to forget is not what was forgotten")
	}
	wantBy(t, g.Decide(t.Context(), run("make"), nil), Denied, ByNobody)
}

// B12: by an interpreter alone nothing is remembered.
func TestNoInterpreterIsRememberedByNameAlone(t *testing.T) {
	for _, text := range []string{"python x.py", "npx tool", "bash deploy.sh", "sudo ls", "env ls", "node -e 1"} {
		ask, asked := script(t, no)
		open(AlwaysAsk).Decide(t.Context(), run(text), ask)
		for _, o := range (*asked)[0].Offers {
			if line, _, _ := strings.Cut(o.Rule, "\n"); line == strings.Fields(text)[0] {
				t.Errorf("%s: offers %q", text, o.Rule)
			}
		}
	}
}
