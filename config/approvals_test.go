package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// F16: an entry that is no rule counts for nothing and says where it is. The
// others count, and its verdict is the strictest that may have been meant.
func TestAnEntryThatIsNoRuleIsTheOnlyOneThatDoesNotCount(t *testing.T) {
	for entry, want := range map[string]RuleText{
		"{dney: rm}":           {"deny", "rm", "f:4:7", `unknown verdict "dney": choose allow, ask, deny; did you mean deny?`, true},
		"{Allow: ls}":          {"deny", "ls", "f:4:7", `unknown verdict "Allow": choose allow, ask, deny; did you mean allow?`, true},
		"{allow: [ls]}":        {"allow", "", "f:4:15", "want text, have a list", false},
		"{allow: 7}":           {"allow", "7", "f:4:15", "want text, have 7; put it in quotes", false},
		"{deny: }":             {"deny", "", "f:4:14", "has no value; give one or take the line out", false},
		"{ask: ''}":            {"ask", "", "f:4:13", "has no value; give one or take the line out", false},
		"{allow: ls, deny: x}": {"deny", "", "f:4:7", "want one verdict with one rule, such as allow: git diff; have a section", true},
		"git diff":             {"deny", "", "f:4:7", "want one verdict with one rule, such as allow: git diff; have a single value", true},
		"{}":                   {"deny", "", "f:4:7", "want one verdict with one rule, such as allow: git diff; have a section", true},
	} {
		c, err := Parse("f", []byte("approval:\n  rules:\n    - allow: first\n    - "+entry+"\n    - deny: last\n"))
		if err != nil {
			t.Errorf("%s: the file is refused: %v", entry, err)
			continue
		}
		rules := []RuleText{{"allow", "first", "f:3:14", "", false}, want, {"deny", "last", "f:5:13", "", false}}
		if diff := cmp.Diff(rules, c.Approval.Rules); diff != "" {
			t.Errorf("%s: %s", entry, diff)
		}
		told := want.Where + ": approval.rules: this entry does not count: " + want.Problem
		if !slices.Contains(c.Warnings, told) {
			t.Errorf("%s: %q is not among %q", entry, told, c.Warnings)
		}
	}
}

// P-APR-05: an empty list denies nothing, which is not the same as none given.
func TestAnEmptyListOfDenialsIsOne(t *testing.T) {
	for text, own := range map[string]bool{"approval: {denials: {rules: []}}\n": true, "mode: plan\n": false} {
		c, err := Parse("f", []byte(text))
		if err != nil || c.Approval.Denials.Own != own {
			t.Errorf("%q: %+v, %v", text, c.Approval.Denials, err)
		}
	}
}

// M-POL-02: a policy of a tool that is not there is named by its path.
func TestPoliciesOfUnknownToolsAreRefused(t *testing.T) {
	c, err := Parse("f", []byte("approval:\n  tools:\n    edt_file: always_ask\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `f:3:5: approval.tools: there is no tool "edt_file": choose edit_file, exec_command; did you mean edit_file?`
	if err := c.Approval.CheckTools([]string{"edit_file", "exec_command"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := c.Approval.CheckTools([]string{"edt_file"}); err != nil {
		t.Error(err)
	}
}
