package main

import (
	"cmp"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/approval"
	"drawbridge/approval/grant"
	"drawbridge/approval/rule"
	"drawbridge/config"
)

// policies put together what people have said beforehand: flags, settings,
// what a trusted workspace brings, and what was remembered. Safe for concurrent
// use.
type policies struct {
	settings func() *config.Config
	// coming are settings that do not count yet; nil when there are none.
	coming func() *config.Config
	flags  []rule.Rule
	trust  *config.Trust
	grants *grant.Store
	log    func() *slog.Logger

	mu   sync.Mutex // guards below
	made map[string]madePolicy
	told map[string]bool // problems that were logged
}

// madePolicy is a policy with what it was made of.
type madePolicy struct {
	of string
	approval.Policy
}

// policiesOf are those of the settings, with rules from flags.
func (s *setup) policiesOf(flags []rule.Rule) *policies {
	return &policies{
		settings: s.cfg, coming: s.coming.Load, flags: flags, trust: s.trust, grants: grant.Open(filepath.Join(s.dirs.State, "grants")),
		log: func() *slog.Logger { return s.log }, made: map[string]madePolicy{}, told: map[string]bool{},
	}
}

// ruleFlags are the rules that flags give, in their order.
type ruleFlags []rule.Rule

// add is a flag that may be given again and again.
func (f *ruleFlags) add(v rule.Verdict) func(text string) error {
	return func(text string) error {
		// What a relative path is relative to is known with the session.
		if _, err := rule.Parse(v, text, string(filepath.Separator)); err != nil {
			return err
		}
		*f = append(*f, rule.Rule{Verdict: v, Text: text, Source: rule.Flag, Where: "--" + string(v)})
		return nil
	}
}

// addRuleFlags adds the flags that give rules.
func addRuleFlags(fs *flag.FlagSet) *ruleFlags {
	var f ruleFlags
	fs.Func("allow", "allow what this `RULE` covers, such as 'git diff' (may be repeated)", f.add(rule.Allow))
	fs.Func("deny", "deny what this `RULE` covers, such as 'git push' (may be repeated)", f.add(rule.Deny))
	return &f
}

// args are the flags again, for a program that takes the same.
func (f ruleFlags) args() []string {
	var args []string
	for _, r := range f {
		args = append(args, r.Where, r.Text)
	}
	return args
}

// policy is what holds for a session in dir with these folders, as it is at this
// moment. The same is returned as long as nothing has changed.
func (p *policies) policy(dir string, roots []string) approval.Policy {
	brought := p.trusted(roots)
	grants, version := p.grants.Rules(dir)
	settings, coming := p.settings(), p.coming()
	of := fmt.Sprintf("%s\x00%p\x00%p", version, settings, coming)
	for _, b := range brought {
		of += "\x00" + b.Root + "\x00" + b.Digest
	}
	key := strings.Join(append([]string{dir}, roots...), "\x00")
	p.mu.Lock()
	defer p.mu.Unlock()
	made, ok := p.made[key]
	if !ok || made.of != of {
		made = madePolicy{of, p.makeLocked(dir, tightened(settings.Approval, coming), brought, grants)}
		p.made[key] = made
	}
	return made.Policy
}

// tightened is what settings say with whatever those that come deny or have asked
// about: a restriction waits for no turn.
func tightened(own config.Approval, coming *config.Config) config.Approval {
	if coming == nil {
		return own
	}
	own.Rules, own.Tools = slices.Clone(own.Rules), slices.Clone(own.Tools)
	for _, r := range coming.Approval.Rules {
		known := func(o config.RuleText) bool { return o.Verdict == r.Verdict && o.Text == r.Text }
		if r.Verdict != string(rule.Allow) && r.Problem == "" && !slices.ContainsFunc(own.Rules, known) {
			own.Rules = append(own.Rules, r)
		}
	}
	for _, t := range coming.Approval.Tools {
		if t.Policy != string(approval.ToolAllow) {
			own.Tools = append(own.Tools, t)
		}
	}
	return own
}

// trusted is what the session's folders bring and the user trusts.
func (p *policies) trusted(roots []string) []config.Brought {
	return trustedIn(p.trust, roots)
}

func trustedIn(trust *config.Trust, roots []string) []config.Brought {
	var all []config.Brought
	for _, root := range roots {
		b, ok := trust.Look(root)
		if ok && b.Counts() && !slices.ContainsFunc(all, func(o config.Brought) bool { return o.Root == b.Root }) {
			all = append(all, b)
		}
	}
	return all
}

func (p *policies) makeLocked(dir string, said config.Approval, brought []config.Brought, grants []rule.Rule) approval.Policy {
	root := realPath(dir)
	rules := rulesOf(said.Rules, rule.User, root)
	for _, f := range p.flags {
		rules = append(rules, ruleOf(config.RuleText{Verdict: string(f.Verdict), Text: f.Text, Where: f.Where}, rule.Flag, root))
	}
	for _, b := range brought {
		rules = append(rules, rulesOf(b.Approval.Rules, rule.Repository, b.Root)...)
	}
	rules = append(rules, grants...)
	p.tellLocked(faultsOf(rules, brought))
	return approval.Policy{
		Rules: rule.NewSet(rules...).Denying(denialsOf(said.Denials, brought)),
		Tools: toolPolicies(said.Tools, brought),
	}
}

// realPath is a path with links followed, as far as it leads somewhere.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func rulesOf(texts []config.RuleText, source rule.Source, root string) []rule.Rule {
	rules := make([]rule.Rule, len(texts))
	for i, t := range texts {
		rules[i] = ruleOf(t, source, root)
	}
	return rules
}

// ruleOf reads a rule; one that cannot be read keeps its problem.
func ruleOf(t config.RuleText, source rule.Source, root string) rule.Rule {
	r := rule.Rule{Verdict: rule.Verdict(t.Verdict), Text: t.Text, Problem: t.Problem, Guessed: t.Guessed}
	if t.Problem == "" {
		r, _ = rule.Parse(r.Verdict, t.Text, root)
	}
	r.Source, r.Where = source, t.Where
	return r
}

// tell logs what does not count, once each.
func (p *policies) tell(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tellLocked(lines)
}

func (p *policies) tellLocked(lines []string) {
	for _, line := range lines {
		if !p.told[line] {
			p.told[line] = true
			p.log().Warn(line)
		}
	}
}

// faultsOf are what does not count of a policy, a line each, in the words that
// the settings have for it.
func faultsOf(rules []rule.Rule, brought []config.Brought) []string {
	var lines []string
	for _, r := range rules {
		switch {
		case r.Problem == "":
		case r.Source == rule.User, r.Source == rule.Repository:
			lines = append(lines, r.Where+": approval.rules: this entry does not count: "+r.Problem)
		default:
			lines = append(lines, r.Where+": this rule does not count: "+r.Problem)
		}
	}
	for _, b := range brought {
		lines = slices.Concat(lines, b.Warnings, deniesNothing(b.Approval.Denials.Rules))
	}
	return lines
}

// toolPolicies are those of the user and of workspaces; of two the stricter.
func toolPolicies(own []config.ToolText, brought []config.Brought) map[string]approval.ToolPolicy {
	all := slices.Clone(own)
	for _, b := range brought {
		all = slices.Concat(all, b.Approval.Tools, narrowedTools(b.Tools))
	}
	said := map[string]approval.ToolPolicy{}
	for _, t := range all {
		said[t.Name] = approval.Stricter(said[t.Name], approval.ToolPolicy(t.Policy))
	}
	return said
}

// sourceOf is where a yes of a scope is kept.
func sourceOf(scope approval.Scope) (rule.Source, error) {
	switch scope {
	case approval.Workspace:
		return rule.GrantWorkspace, nil
	case approval.User:
		return rule.GrantUser, nil
	}
	return "", fmt.Errorf("a yes for %q is not kept", scope)
}

// keep remembers yeses on the disk.
func (p *policies) keep(dir string, scope approval.Scope, rules []rule.Rule) error {
	source, err := sourceOf(scope)
	if err != nil {
		return err
	}
	return p.grants.Add(source, dir, rules, time.Now())
}

// forget takes a remembered yes back.
func (p *policies) forget(dir string, source rule.Source, text string) (bool, error) {
	return p.grants.Forget(source, dir, text)
}

// unreadable are the user's rules and denials that cannot be read, a line each.
func unreadable(a config.Approval) []string {
	var lines []string
	for _, t := range a.Rules {
		if t.Problem != "" {
			continue // the settings say so already
		}
		if _, err := rule.Parse(rule.Verdict(t.Verdict), t.Text, string(filepath.Separator)); err != nil {
			lines = append(lines, t.Where+": approval.rules: this entry does not count: "+err.Error())
		}
	}
	return append(lines, deniesNothing(a.Denials.Rules)...)
}

// deniesNothing are denials that cannot be read, a line each.
func deniesNothing(texts []config.DenialText) []string {
	var lines []string
	for i, d := range rule.NewDenials(denialList(texts)).List {
		if d.Problem != "" {
			lines = append(lines, texts[i].Where+": approval.denials.rules: "+d.Name+" denies nothing: "+d.Problem)
		}
	}
	return lines
}

func denialList(texts []config.DenialText) []rule.Denial {
	list := make([]rule.Denial, len(texts))
	for i, t := range texts {
		list[i] = rule.Denial{Name: t.Name, Pattern: t.Pattern, Enabled: t.Enabled}
	}
	return list
}

// denialsOf are the user's in place of the factory's, and those that workspaces
// add.
func denialsOf(own config.Denials, brought []config.Brought) rule.Denials {
	var list []rule.Denial
	switch {
	case !own.Enabled:
	case own.Own:
		list = denialList(own.Rules)
	default:
		list = rule.FactoryDenials()
	}
	for _, b := range brought {
		list = append(list, denialList(b.Approval.Denials.Rules)...)
	}
	return rule.NewDenials(list)
}

// modeOrder and presetOrder go from the widest to the strictest.
var (
	modeOrder   = []approval.Mode{approval.AllowAll, approval.AutoEdit, approval.AlwaysAsk, approval.ReadOnly, approval.Plan, approval.DenyAll}
	presetOrder = []approval.Preset{approval.PresetFullAccess, approval.PresetWorkspaceWrite, approval.PresetReadOnly}
)

// narrowed are the mode and the preset that a new session begins with: a trusted
// workspace can make them stricter, never wider.
func (p *policies) narrowed(roots []string, mode approval.Mode, preset approval.Preset) (approval.Mode, approval.Preset) {
	mode, preset = cmp.Or(mode, approval.AlwaysAsk), cmp.Or(preset, approval.PresetWorkspaceWrite)
	for _, b := range p.trusted(roots) {
		mode = stricter(modeOrder, mode, approval.Mode(b.Mode))
		preset = stricter(presetOrder, preset, approval.Preset(b.Preset))
	}
	return mode, preset
}

// stricter takes what comes later in an order; what is not in it changes
// nothing.
func stricter[T comparable](order []T, own, other T) T {
	if i := slices.Index(order, own); i >= 0 && slices.Index(order, other) > i {
		return other
	}
	return own
}
