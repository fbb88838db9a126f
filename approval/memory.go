package approval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"drawbridge/approval/rule"
)

// memory is what yeses for the session have left behind.
type memory struct {
	rules []rule.Rule
	// processes are the running commands into which anything may be typed.
	processes map[string]bool
	// made is base with rules, so that it is made once.
	base *rule.Set
	made *rules
}

// with adds the session's rules to those of the policy.
func (m *memory) with(base *rule.Set) *rules {
	if base == nil {
		base = nothingSaid
	}
	if m.made == nil || m.base != base {
		m.base, m.made = base, &rules{Set: base}
		if len(m.rules) > 0 {
			m.made = &rules{Set: base.With(m.rules...)}
		}
	}
	return m.made
}

var nothingSaid = rule.NewSet()

func (m *memory) add(rules ...rule.Rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(m.rules, func(old rule.Rule) bool { return old.Text == r.Text }) {
			m.rules = append(m.rules, r)
		}
	}
	m.made = nil
}

// typing says that a yes covers whatever is typed into the request's process.
func (m *memory) typing(req Request) bool {
	return types(req) && m.processes[req.Command.Process]
}

// Rules lists what counts now, in the order in which it is looked at.
func (g *Gate) Rules() []rule.Rule {
	return g.open(Request{}).rules.Rules()
}

// Denials lists what is never run, as rules.
func (g *Gate) Denials() (rules []rule.Rule) {
	for _, d := range g.open(Request{}).rules.Denials() {
		if d.Enabled {
			rules = append(rules, rule.Rule{
				Verdict: rule.Deny, Text: d.Name, Source: rule.Factory, Where: "approval.denials", Problem: d.Problem,
			})
		}
	}
	return rules
}

// Forget drops a rule that was remembered for the session; false when there is
// none of that text.
func (g *Gate) Forget(text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(g.memory.rules), func(r rule.Rule) bool { return r.Text == text })
	gone := len(kept) < len(g.memory.rules)
	g.memory.rules, g.memory.made = kept, nil
	return gone
}

// offers are the ways in which a yes to the question may be remembered; nil when
// it may not be.
func (g *Gate) offers(c *hearing) []Offer {
	if !c.verdict.keeps {
		return nil
	}
	if types(c.req) {
		if c.req.Command.Process == "" || escalates(c.req) {
			return nil
		}
		return []Offer{{Scope: Session, Rule: typingYes}}
	}
	text := strings.Join(propose(c), "\n")
	if text == "" || g.secret(text) {
		return nil
	}
	offers := []Offer{{Scope: Session, Rule: text, Editable: true}}
	if g.o.Keep != nil {
		offers = append(offers, Offer{Scope: Workspace, Rule: text, Editable: true}, Offer{Scope: User, Rule: text, Editable: true})
	}
	return offers
}

// secret says that a text holds the value of a known secret.
func (g *Gate) secret(text string) bool { return g.o.Redact != nil && g.o.Redact(text) != text }

// propose derives rules that would have let the request pass; nil when there can
// be none.
func propose(c *hearing) []string {
	if c.req.Access == Execute {
		return rule.Propose(c.found.judgement, !unconfined(c.req))
	}
	var rules []string
	for _, t := range c.req.Paths {
		text := rule.ProposeFile(c.req.Access == Write, t)
		if text == "" {
			return nil
		}
		rules = append(rules, text)
	}
	return rules
}

// remember keeps what a yes is to leave behind. An error says why the yes cannot
// be meant: what would be remembered does not cover what was asked for, or cannot
// be kept.
func (g *Gate) remember(c *hearing, offer Offer, a Answer) ([]string, error) {
	if !offer.Editable {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.memory.processes == nil {
			g.memory.processes = map[string]bool{}
		}
		g.memory.processes[c.req.Command.Process] = true
		return []string{offer.Rule}, nil
	}
	text := offer.Rule
	if a.Rule != "" {
		text = a.Rule
	}
	kept, err := g.readRules(text, offer.Scope)
	if err != nil {
		return nil, err
	}
	if err := rewritten(text, offer.Rule, kept); err != nil {
		return nil, err
	}
	if !g.covers(c, &rules{Set: c.rules.With(kept...)}) {
		return nil, errors.New("the rule does not cover what was asked")
	}
	if err := g.keep(offer.Scope, kept); err != nil {
		return nil, err
	}
	if again := g.open(c.req); again.found.verdict != rule.Allow {
		return nil, errors.New("the rule was saved, and yet what was asked is not covered: " + again.verdict.why)
	}
	texts := make([]string, len(kept))
	for i, r := range kept {
		texts[i] = r.Text
	}
	return texts, nil
}

// What a person may write in place of the rules that were offered.
const (
	maxRewritten      = 8 << 10 // bytes
	maxRewrittenLines = 50
)

// rewritten refuses rules of a person's own that nobody can have read, or that
// are a yes to whatever an interpreter or a wrapper runs. Who wants such a rule
// writes it into the settings.
func rewritten(text, offered string, rules []rule.Rule) error {
	switch {
	case text == offered:
		return nil
	case len(text) > maxRewritten:
		return fmt.Errorf("the rules are longer than %d bytes", maxRewritten)
	case len(rules) > maxRewrittenLines:
		return fmt.Errorf("more than %d rules", maxRewrittenLines)
	}
	for _, r := range rules {
		if r.Bare() {
			return fmt.Errorf("the rule %q would allow whatever that runs", cut(r.Text, 80))
		}
	}
	return nil
}

// covers is the test before anything is kept, by the matcher that will read it.
func (g *Gate) covers(c *hearing, set *rules) bool {
	return find(c.req, set, c.line, g.o.World()).verdict == rule.Allow
}

func (g *Gate) keep(scope Scope, rules []rule.Rule) error {
	if scope == Session {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.memory.add(rules...)
		return nil
	}
	if err := g.o.Keep(scope, rules); err != nil {
		return fmt.Errorf("the rule could not be kept: %w", err)
	}
	return nil
}

// readRules reads rules, a line each.
func (g *Gate) readRules(text string, scope Scope) ([]rule.Rule, error) {
	if g.secret(text) {
		return nil, errors.New("the rule holds a secret")
	}
	var rules []rule.Rule
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		r, err := rule.Parse(rule.Allow, line, g.o.Root)
		if err != nil {
			return nil, fmt.Errorf("the rule %q cannot be read: %w", cut(line, 80), err)
		}
		r.Source = sources[scope]
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errors.New("no rule is left")
	}
	return rules, nil
}

var sources = map[Scope]rule.Source{
	Session: rule.GrantSession, Workspace: rule.GrantWorkspace, User: rule.GrantUser,
}
