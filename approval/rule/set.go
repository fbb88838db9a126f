package rule

import (
	"cmp"
	"slices"
	"strings"
)

// Set is rules by what they are about. It does not change; safe for concurrent
// use. A nil Set has no rules, but the factory's denials.
type Set struct {
	layers  []*layer // the largest first, each at least twice the next
	denials *Denials // nil: the factory's
}

// layer is rules that were sorted together.
type layer struct {
	rules []*entry
	// byWord finds rules about commands by the base name of the command, and by
	// that and their first plain argument.
	byWord map[key][]*entry
	has    map[key]bool // whether there is any of a verdict and a name
	files  []*entry
	deaf   map[fileKind]string // why no rule of this kind allows anything
	strict bool                // some rule about commands asks or denies
}

// key is a command's base name, and the argument that a rule names behind it; ""
// for rules that begin with a flag or a wildcard, or name nothing.
type key struct {
	verdict    Verdict
	name, word string
}

// NewSet sorts rules. A rule with a Problem that denies or asks cannot be
// obeyed: while there is one, no rule of its kind allows anything.
func NewSet(rules ...Rule) *Set {
	if len(rules) == 0 {
		return &Set{}
	}
	return &Set{layers: []*layer{newLayer(compileAll(rules))}}
}

func compileAll(rules []Rule) []*entry {
	all := make([]*entry, 0, len(rules))
	for _, r := range rules {
		p, err := compile(r)
		if r.Problem != "" || err != nil {
			if err != nil && r.Problem == "" {
				r.Problem = err.Error()
			}
			p = &entry{rule: r, file: kindOf(r.Text)}
		}
		p.prepare()
		all = append(all, p)
	}
	return all
}

func newLayer(rules []*entry) *layer {
	l := &layer{rules: rules, byWord: map[key][]*entry{}, has: map[key]bool{}, deaf: map[fileKind]string{}}
	for _, p := range rules {
		l.add(p)
	}
	return l
}

func (l *layer) add(p *entry) {
	switch {
	case p.rule.Problem != "":
		l.unreadable(p)
	case p.file != commands:
		l.files = append(l.files, p)
	default:
		k := p.key()
		l.byWord[k] = append(l.byWord[k], p)
		l.has[key{k.verdict, k.name, ""}] = true
		l.strict = l.strict || p.rule.Verdict != Allow
	}
}

// unreadable silences the rules that allow, where a rule that would have
// forbidden something could not be read.
func (l *layer) unreadable(p *entry) {
	if p.rule.Verdict == Allow {
		return
	}
	why := "a rule that may forbid it cannot be read: " + cmp.Or(p.rule.Where, p.rule.Text, p.rule.Problem)
	if p.rule.Text == "" {
		l.deaf[reads] = why
		l.deaf[commands] = why
	}
	if about := strings.ToLower(p.rule.Text); strings.Contains(about, string(reads)) || strings.Contains(about, string(writes)) {
		l.deaf[reads] = why // whatever stands before
	}
	l.deaf[deafKind(p.file)] = why
	l.strict = l.strict || deafKind(p.file) == commands
}

// deafKind has reads and writes fall silent together: they are one kind.
func deafKind(k fileKind) fileKind {
	if k == writes {
		return reads
	}
	return k
}

// key is where the rule is found.
func (p *entry) key() key {
	k := key{p.rule.Verdict, baseName(p.words[0].text), ""}
	if len(p.words) > 1 {
		if w := p.words[1]; w.wild == "" && !w.home && !strings.HasPrefix(w.text, "-") {
			k.word = canonical(k.name, w.text)
		}
	}
	return k
}

// Rules lists them in the order in which they are looked at.
func (s *Set) Rules() []Rule {
	var all []Rule
	for _, l := range s.list() {
		for _, p := range l.rules {
			all = append(all, p.rule)
		}
	}
	slices.SortStableFunc(all, func(a, b Rule) int { return b.Verdict.strictness() - a.Verdict.strictness() })
	return all
}

func (s *Set) list() []*layer {
	if s == nil {
		return nil
	}
	return s.layers
}

// With is s with more rules, at a cost that grows with the logarithm of s, taken
// over many calls.
func (s *Set) With(more ...Rule) *Set {
	out := &Set{}
	if s != nil {
		out.layers, out.denials = slices.Clone(s.layers), s.denials
	}
	if len(more) == 0 {
		return out
	}
	top := newLayer(compileAll(more))
	for n := len(out.layers); n > 0 && len(out.layers[n-1].rules) < 2*len(top.rules); n-- {
		top = newLayer(slices.Concat(out.layers[n-1].rules, top.rules))
		out.layers = out.layers[:n-1]
	}
	out.layers = append(out.layers, top)
	return out
}

// Denying is s with these denials in the place of the factory's.
func (s *Set) Denying(d Denials) *Set {
	out := s.With()
	out.denials = &d
	return out
}

// candidates are the rules of a verdict that could be about a command: its base
// name and its words. With vague set some word is not known, and every rule of
// the name could.
func (s *Set) candidates(v Verdict, name string, words []string, vague bool, do func(*entry) (done bool)) {
	for _, l := range s.list() {
		if !l.has[key{v, name, ""}] {
			continue
		}
		if vague && l.each(v, name, do) || !vague && l.some(v, name, words, do) {
			return
		}
	}
}

// about reports whether some rule of a verdict is about a command.
func (s *Set) about(v Verdict, name string) bool {
	return slices.ContainsFunc(s.list(), func(l *layer) bool { return l.has[key{v, name, ""}] })
}

// some visits the rules that begin with one of the words, or with none.
func (l *layer) some(v Verdict, name string, words []string, do func(*entry) bool) bool {
	if slices.ContainsFunc(l.byWord[key{v, name, ""}], do) {
		return true
	}
	for i, word := range words {
		word = canonical(name, word)
		if word != "" && !slices.Contains(words[:i], word) && slices.ContainsFunc(l.byWord[key{v, name, word}], do) {
			return true
		}
	}
	return false
}

// each visits all rules about a command.
func (l *layer) each(v Verdict, name string, do func(*entry) bool) bool {
	for k, list := range l.byWord {
		if k.verdict == v && k.name == name && slices.ContainsFunc(list, do) {
			return true
		}
	}
	return false
}

// silent says why no rule of a kind may allow anything, "" when they may.
func (s *Set) silent(k fileKind) string {
	for _, l := range s.list() {
		if why := l.deaf[deafKind(k)]; why != "" {
			return why
		}
	}
	return ""
}

// Closed says why no rule about commands, or about files, allows anything: one that
// was to forbid something cannot be read. It is "" when none is in the way.
func (s *Set) Closed(files bool) string {
	if files {
		return s.silent(reads)
	}
	return s.silent(commands)
}

// strict reports whether some rule about commands asks or denies.
func (s *Set) strict() bool {
	return slices.ContainsFunc(s.list(), func(l *layer) bool { return l.strict })
}
