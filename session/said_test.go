package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/approval"
)

// Of what is said of a tool by its name, and of it in the profile, the stricter
// counts, in whatever order.
func TestTheStricterPolicyOfAToolCounts(t *testing.T) {
	byName := map[string]approval.ToolPolicy{"a": approval.ToolAllow, "b": approval.ToolDeny, "c": approval.ToolAsk}
	s := &Session{
		host:     &Host{o: Options{Policy: func(string, []string) approval.Policy { return approval.Policy{Tools: byName} }}},
		policies: map[string]string{"a": "always_ask", "b": "always_allow", "d": "always_allow", "e": "nonsense"},
	}
	want := map[string]approval.ToolPolicy{"a": "always_ask", "b": "always_deny", "c": "always_ask", "d": "always_allow", "e": "nonsense"}
	if diff := cmp.Diff(want, s.said(Info{}).Tools); diff != "" {
		t.Error(diff)
	}
	if len(byName) != 3 {
		t.Errorf("what was said became %v", byName)
	}
	s.host.o.Policy = nil
	if got := s.said(Info{}).Tools["d"]; got != approval.ToolAllow {
		t.Errorf("without other policies d is %q", got)
	}
}
