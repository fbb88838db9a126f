package approval_test

import (
	"sync"
	"testing"

	"drawbridge/approval"
	"drawbridge/approval/rule"
)

// Who may search a folder reads what could be read without a question, and of what
// holds secrets what the decision was about.
func TestBelowAFolderThatWasDecidedAbout(t *testing.T) {
	set := rule.NewSet(
		rule.Rule{Verdict: rule.Deny, Text: "read:/w/private/**", Source: rule.User, Root: "/w"},
		rule.Rule{Verdict: rule.Ask, Text: "read:/w/asked", Source: rule.User, Root: "/w"},
		rule.Rule{Verdict: rule.Allow, Text: "read:/w/.env", Source: rule.User, Root: "/w"},
	)
	target := func(path, secret string) approval.Target {
		return approval.Target{Abs: path, Lexical: path, Inside: true, Secret: secret}
	}
	for _, c := range []struct {
		name   string
		mode   approval.Mode
		why    string
		target approval.Target
		may    bool
	}{
		{"an ordinary file", approval.AlwaysAsk, "", target("/w/a", ""), true},
		{"one outside, in a folder that was decided about", approval.AlwaysAsk, "", approval.Target{Abs: "/o/a"}, true},
		{"secrets", approval.AlwaysAsk, "", target("/w/id_rsa", "keys"), false},
		{"secrets of the kind that was asked about", approval.AlwaysAsk, "keys", target("/w/id_rsa", "keys"), true},
		{"secrets of another kind", approval.AlwaysAsk, "keys", target("/w/.netrc", "passwords"), false},
		{"secrets where nothing is asked", approval.AllowAll, "", target("/w/id_rsa", "keys"), true},
		{"secrets that a rule allows by their name", approval.AlwaysAsk, "", target("/w/.env", "settings"), true},
		{"what a rule denies", approval.AllowAll, "", target("/w/private/x", ""), false},
		{"what a rule asks about", approval.AllowAll, "", target("/w/asked", ""), false},
		{"our own state", approval.AllowAll, "", approval.Target{Abs: "/s", Protected: "ours"}, false},
	} {
		g := approval.NewGate(approval.Options{Mode: c.mode, Preset: approval.PresetWorkspaceWrite, Policy: func() approval.Policy {
			return approval.Policy{Rules: set}
		}})
		may := g.Below(c.why)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if may(c.target) != c.may {
					t.Errorf("%s: %v", c.name, !c.may)
				}
			})
		}
		all.Wait()
	}
}
