package scenario

import (
	"fmt"
	"strings"
	"time"

	"drawbridge/approval"
	"drawbridge/approval/grant"
	"drawbridge/approval/rule"
)

// saidBefore is what a scenario's user has said beforehand.
type saidBefore struct {
	rules []spoken
	tools map[string]approval.ToolPolicy
}

// spoken is a verdict and the rule behind it.
type spoken struct {
	verdict rule.Verdict
	text    string
}

// parseRules reads lines VERDICT RULE and tool NAME POLICY.
func parseRules(text string) (saidBefore, error) {
	all := saidBefore{tools: map[string]approval.ToolPolicy{}}
	for l := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		switch verdict := rule.Verdict(word); verdict {
		case "":
		case rule.Allow, rule.Ask, rule.Deny:
			all.rules = append(all.rules, spoken{verdict, rest})
		case "tool":
			name, policy, _ := strings.Cut(rest, " ")
			p, err := approval.ParseToolPolicy(policy)
			if err != nil {
				return saidBefore{}, err
			}
			all.tools[name] = p
		default:
			return saidBefore{}, fmt.Errorf("%q is no allow, ask, deny or tool", word)
		}
	}
	return all, nil
}

// policy is what counts in a folder: the scenario's rules, which stand for the
// user's settings, and what was remembered.
func (s saidBefore) policy(kept *grant.Store) func(dir string, roots []string) approval.Policy {
	return func(dir string, _ []string) approval.Policy {
		var rules []rule.Rule
		for i, l := range s.rules {
			r, _ := rule.Parse(l.verdict, l.text, dir) // one that cannot be read says so
			r.Source, r.Where = rule.User, fmt.Sprintf("rules:%d", i+1)
			rules = append(rules, r)
		}
		remembered, _ := kept.Rules(dir)
		return approval.Policy{Rules: rule.NewSet(append(rules, remembered...)...), Tools: s.tools}
	}
}

// keep has yeses remembered beyond the session.
func keep(kept *grant.Store) func(dir string, scope approval.Scope, rules []rule.Rule) error {
	return func(dir string, scope approval.Scope, rules []rule.Rule) error {
		source := rule.GrantWorkspace
		if scope == approval.User {
			source = rule.GrantUser
		}
		return kept.Add(source, dir, rules, time.Now())
	}
}
