package approval

import (
	"context"
	"errors"
	"testing"
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

func TestGrantCoversTheSameAndNothingElse(t *testing.T) {
	otherDir := run("make")
	otherDir.Command.Dir = "/w/sub"
	held := run("make")
	held.Command.Unconfined = false
	two := edit("/w/a")
	two.Paths = append(two.Paths, Target{Abs: "/w/b", Inside: true})
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
		{"command that only begins so", run("make"), run("make && rm x"), false},
		{"other folder", run("make"), otherDir, false},
		{"a command named like the file", edit("/w/a"), run("/w/a"), false},
		{"command that is held no more", held, run("make"), false},
		{"other words into the same process", typed("proc-1", "y\n"), typed("proc-1", "rm -r x\n"), true},
		{"the same words into another process", typed("proc-1", "y\n"), typed("proc-2", "y\n"), false},
		{"a command named like what was typed", typed("proc-1", "make"), run("make"), false},
		{"the same command outside the sandbox", run("make"), escalated("make"), false},
		{"write after a read was granted", outside(read("")), outside(edit("")), false},
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

// The classes hold on their own, whatever the rules before them let through.
func TestGrantClasses(t *testing.T) {
	given := grants{}
	given.add(read("/w/a"))
	for name, c := range map[string]struct {
		req  Request
		want bool
	}{
		"the read":         {read("/w/a"), true},
		"a write of it":    {edit("/w/a"), false},
		"nothing named":    {Request{Tool: "t", Access: Read}, false},
		"no command":       {Request{Tool: "t"}, false},
		"an empty command": {run(""), false},
	} {
		if got := given.cover(c.req); got != c.want {
			t.Errorf("%s: covered = %v, want %v", name, got, c.want)
		}
	}
}

func TestGrantStaysInItsGate(t *testing.T) {
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

// A grant stands for a person's yes; it lifts no rule that needs none.
func TestGrantYieldsToStricterRules(t *testing.T) {
	g := remember(t, edit("/w/a"))
	for _, mode := range []Mode{Plan, DenyAll} {
		g.SetMode(mode)
		wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Denied, ByRule)
	}
	g.SetMode(ReadOnly)
	wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Denied, ByNobody)
	g.SetMode(AlwaysAsk)
	g.SetPreset(PresetReadOnly)
	wantBy(t, g.Decide(t.Context(), edit("/w/a"), nil), Denied, ByRule)
}

// The caller withdraws a waiting question that a sibling's answer covers; its
// Decide then finds the grant and asks nobody again.
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
