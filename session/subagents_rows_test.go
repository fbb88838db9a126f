package session

import (
	"strings"
	"testing"
)

// A subagent thinks as its session does unless it is told otherwise; null is
// nothing that was told.
//
// Cases: P-SUB-02
func TestASubagentThinksAsItIsTold(t *testing.T) {
	for given, want := range map[string]string{"": "high", `"thinking_level":null,`: "high", `"thinking_level":"low",`: "low"} {
		child := &stepper{}
		b := withChildren(t, child, nil)
		b.model.then(callTools("x", "run_subagent", strings.Replace(runChild, "{", "{"+given, 1)))
		s, err := b.New(Settings{Thinking: "high"})
		if err != nil {
			t.Fatal(err)
		}
		prompt(t, s, "go")
		if got := b.model.last().Thinking; got != "high" {
			t.Errorf("%q: its session thinks %q", given, got)
		}
		if len(child.requests()) == 0 {
			t.Fatalf("%q: it was not asked: %+v", given, results(b.model.last()))
		}
		if got := child.last().Thinking; got != want {
			t.Errorf("%q: it thinks %q, want %q", given, got, want)
		}
	}
}

// Cases: P-SUB-03
func TestASubagentGoesByTheEndOfItsSession(t *testing.T) {
	ids := []string{"p0123456789abcdef", "c0123456789fedcba"}
	b := withChildren(t, &stepper{}, func(o *Options) {
		o.NewID = func() string {
			id := ids[0]
			ids = ids[1:]
			return id
		}
	})
	b.model.then(callTools("x", "run_subagent", runChild))
	s := b.start(t)
	prompt(t, s, "go")
	all := s.Subagents()
	if len(all) != 1 || all[0].Session != "c0123456789fedcba" || all[0].ID != "subagent-89fedcba" {
		t.Fatalf("subagents = %+v", all)
	}
	if rs := results(b.model.last()); len(rs) != 1 || !strings.Contains(rs[0].Text, "subagent_id: subagent-89fedcba]") {
		t.Errorf("the model was told %+v", rs)
	}
}
