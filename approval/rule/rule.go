// Package rule reads, matches and proposes rules: what people have said
// beforehand about commands and files. The same matcher reads what was written,
// what was remembered, and tests what is about to be remembered. It asks nobody
// and keeps nothing.
package rule

import (
	"errors"

	"drawbridge/approval/command"
)

// Verdict is what rules say. The zero value is that none does.
type Verdict string

const (
	// Open: no rule covers it; the mode decides.
	Open  Verdict = ""
	Allow Verdict = "allow"
	Ask   Verdict = "ask" // a person decides, in any mode
	Deny  Verdict = "deny"
)

// Source is where a rule is from.
type Source string

const (
	Factory        Source = "factory"
	User           Source = "user"
	Flag           Source = "flag"
	Repository     Source = "repository"
	GrantUser      Source = "grantUser"
	GrantWorkspace Source = "grantWorkspace"
	GrantSession   Source = "grantSession"
)

// Rule is one line of what people have said beforehand.
type Rule struct {
	Verdict Verdict
	// Text is the rule in its one spelling: what Parse makes of it again is equal.
	Text   string
	Source Source
	Where  string // file and line, or the setting
	// Problem is why it does not count; such a rule only has what was written.
	Problem string
}

// Parse reads a rule. A rule that cannot be read comes back with its Problem
// set, and that as an error. root is the folder that relative paths in it are
// meant from; "" leaves only absolute ones.
func Parse(v Verdict, text, root string) (Rule, error) {
	return Rule{}, errors.New("rules cannot be read yet")
}

// Set is rules by what they are about. It does not change; safe for concurrent
// use. A nil Set has none.
type Set struct{}

// NewSet sorts rules. A rule with a Problem that denies or asks cannot be
// obeyed: while there is one, no rule of its kind allows anything.
func NewSet(rules ...Rule) *Set { return &Set{} }

// Rules lists them in the order in which they are looked at.
func (s *Set) Rules() []Rule { return nil }

// Judgement is what the rules say about a script.
type Judgement struct {
	// Verdict is the strictest of the parts and of what could not be understood.
	Verdict Verdict
	Why     string
	Parts   []Part
}

// Part is what the rules say about one simple command.
type Part struct {
	Command command.Part
	Verdict Verdict
	// Why is one line: which rule, or what none covers.
	Why string
	// Rule is the rule that decided, "" without one.
	Rule string
	// Hard asks and denials are answered by no remembered yes; and a Hard denial
	// by nothing at all.
	Hard bool
}

// Judge applies the rules to a script. held says that a sandbox would hold it.
func (s *Set) Judge(script command.Script, held bool, w command.World) Judgement {
	return Judgement{}
}

// With is s with more rules, at a cost that does not grow with s.
func (s *Set) With(more ...Rule) *Set { return s }

// File is what the rules say about reading a path, or writing it, and which
// rule says so.
func (s *Set) File(write bool, t command.Target) (v Verdict, why, rule string) {
	return Open, "", ""
}

// Propose derives the rules, one for each part that is open, that would allow a
// script like this from now on: by its words, never wider than what was seen to
// be harmless, and without secrets. Nil when it must not be remembered.
func Propose(j Judgement, held bool) []string { return nil }

// ProposeFile derives the rule that would allow reading, or writing, this file
// from now on; "" when it must not be remembered.
func ProposeFile(write bool, t command.Target) string { return "" }
