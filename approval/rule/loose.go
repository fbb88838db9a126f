package rule

import (
	"strings"

	"drawbridge/approval/command"
)

// likely says whether a rule that forbids is about a command: no, perhaps, since
// something is known only when it runs, or yes.
type likely int

const (
	no likely = iota
	perhaps
	yes
)

// forbidWords applies rules that deny, or that ask.
func (j *judge) forbidWords(p *Part, v Verdict) {
	argv := p.Command.Argv
	if len(argv) == 0 {
		return
	}
	if !argv[0].Known {
		if j.set.strict() {
			p.say(Ask, "which command runs is known only then, and rules forbid some", "", false)
		}
		return
	}
	name := strings.TrimSuffix(baseName(argv[0].Text), ".exe")
	j.forbidNamed(p, v, name, &p.Command)
	if sub, ok := strings.CutPrefix(name, "git-"); ok {
		whole := p.Command
		whole.Argv = append([]command.Word{{Text: "git", Known: true}, {Text: sub, Known: true}}, argv[1:]...)
		j.forbidNamed(p, v, "git", &whole)
	}
}

// forbidNamed applies the rules about a name.
func (j *judge) forbidNamed(p *Part, v Verdict, name string, part *command.Part) {
	if !j.set.about(v, name) {
		return
	}
	words, vague := looseWords(part.Argv[1:])
	j.set.candidates(v, name, words, vague || part.Fed, func(r *entry) bool {
		switch j.about(r, part) {
		case yes:
			p.say(v, r.rule.says(), r.rule.Text, false)
			return true
		case perhaps:
			p.say(Ask, "perhaps "+r.rule.says(), r.rule.Text, false)
		}
		return false
	})
}

// looseWords are the words by which rules are found, and whether some is not
// known.
func looseWords(argv []command.Word) (words []string, vague bool) {
	for _, w := range argv {
		if !w.Known {
			vague = true
			continue
		}
		words = append(words, w.Text)
		if _, value, ok := strings.Cut(w.Text, "="); ok {
			words = append(words, value)
		}
		if len(w.Text) > 2 && w.Text[0] == '-' {
			words = append(words, w.Text[2:])
		}
	}
	return words, vague
}

// about matches a rule loosely: whatever flags stand between its words, and
// however they are spelled.
func (j *judge) about(r *entry, part *command.Part) likely {
	if r.held && !j.held || !assigned(r, part) {
		return no
	}
	if first := r.words[0]; first.home || strings.Contains(first.text, "/") {
		if strings.HasPrefix(part.Argv[0].Text, "/") && !first.home && strings.HasPrefix(first.text, "/") && part.Argv[0].Text != first.text {
			return no
		}
	}
	m := looseMatch{j: j, rule: r, argv: part.Argv[1:], exact: r.exact, fed: part.Fed}
	return m.from(r.words[1:], 0, 0)
}

// assigned reports whether the variables that a rule names are set.
func assigned(r *entry, part *command.Part) bool {
	for _, want := range r.assigns {
		found := false
		for _, a := range part.Assigns {
			found = found || a.Name == want.name && (want.value.wild != "" || !a.Value.Known || a.Value.Text == want.value.text)
		}
		if !found {
			return false
		}
	}
	return true
}

// looseMatch matches the words of a rule with those of a command.
type looseMatch struct {
	j     *judge
	rule  *entry
	argv  []command.Word
	exact bool
	fed   bool
	steps int
}

// maxSteps bounds the ways in which words may be flags or their values; beyond
// it a rule is perhaps about the command.
const maxSteps = 2000

// from matches the words of a rule from the i-th word of the command on. A flag
// of the rule may stand anywhere; between its other words there may be flags,
// each with a value of its own.
func (m *looseMatch) from(want []token, i, depth int) likely {
	if m.steps++; m.steps > maxSteps {
		return perhaps
	}
	if len(want) == 0 {
		return m.end(i)
	}
	t := want[0]
	if t.wild == "" && strings.HasPrefix(t.text, "-") && len(t.text) > 1 {
		return m.flag(want, i, depth)
	}
	best := no
	for k := i; k < len(m.argv); k++ {
		w := m.argv[k]
		if got := max(m.same(t, w), m.alias(want, w)); got != no {
			best = max(best, min(got, m.from(want[1:], k+1, depth)))
			if best == yes {
				return yes
			}
		}
		isFlag := strings.HasPrefix(w.Text, "-") || !w.Known
		isValue := k > i-1 && k > 0 && strings.HasPrefix(m.argv[k-1].Text, "-")
		if !isFlag && !isValue {
			return best
		}
	}
	if m.fed {
		best = max(best, perhaps)
	}
	return best
}

// end: with <end>, only flags may follow.
func (m *looseMatch) end(i int) likely {
	if !m.exact {
		return yes
	}
	for k := i; k < len(m.argv); k++ {
		if !strings.HasPrefix(m.argv[k].Text, "-") {
			return no
		}
	}
	return yes
}

// flag finds a flag of the rule, in any spelling, and its value, should that be
// the rule's next word.
func (m *looseMatch) flag(want []token, i, depth int) likely {
	best := no
	if m.fed {
		best = perhaps
	}
	name := want[0].text
	for k, w := range m.argv {
		got, value := sameFlag(name, w)
		if got == no {
			got, value = m.rule.otherwise(name, w)
		}
		if got == no {
			continue
		}
		best = max(best, min(got, m.from(want[1:], i, depth+1)))
		if len(want) > 1 {
			best = max(best, min(got, m.value(want[1], value, k), m.from(want[2:], i, depth+1)))
		}
		if best == yes {
			return yes
		}
	}
	return best
}

// value compares the value of a flag: attached, or the next word.
func (m *looseMatch) value(t token, attached string, k int) likely {
	if attached != "" {
		return m.same(t, command.Word{Text: attached, Known: true})
	}
	if k+1 < len(m.argv) {
		return m.same(t, m.argv[k+1])
	}
	return no
}

// sameFlag compares a flag with a word: as it is, with a value, abbreviated,
// with one dash or two, or among others of one letter.
func sameFlag(name string, w command.Word) (likely, string) {
	if !w.Known {
		if w.Prefix == "" || strings.HasPrefix(w.Prefix, "-") {
			return perhaps, ""
		}
		return no, ""
	}
	text, value, _ := strings.Cut(w.Text, "=")
	wantName, wantValue, valued := strings.Cut(name, "=")
	if valued && value != wantValue {
		return no, ""
	}
	bare := strings.TrimLeft(wantName, "-")
	switch {
	case strings.TrimLeft(text, "-") == bare && strings.HasPrefix(text, "-"):
		return yes, value
	case strings.HasPrefix(text, "--") && len(text) > 3 && strings.HasPrefix(wantName, text):
		return yes, value
	case len(bare) == 1 && strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, bare):
		_, rest, _ := strings.Cut(w.Text, bare)
		return yes, strings.TrimPrefix(rest, "=")
	}
	return no, ""
}

// alias compares the rule's first word with another name of that subcommand.
func (m *looseMatch) alias(want []token, w command.Word) likely {
	if t := want[0]; len(want) == len(m.rule.words)-1 && t.wild == "" && w.Known && canonical(m.rule.call.name, t.text) == canonical(m.rule.call.name, w.Text) {
		return yes
	}
	return no
}

// same compares a word.
func (m *looseMatch) same(t token, w command.Word) likely {
	if !w.Known {
		if t.wild == "" && !w.Many && !strings.HasPrefix(t.text, w.Prefix) {
			return no
		}
		return perhaps
	}
	want := t.text
	if t.home {
		want = m.j.world.Home() + t.text
	}
	ok := false
	switch t.wild {
	case "":
		ok = w.Text == want
	case wildWord, wildPath:
		ok = !strings.HasPrefix(w.Text, "-")
	case wildNumber:
		ok = number.MatchString(w.Text)
	case wildAny:
		ok = true
	}
	if ok {
		return yes
	}
	return no
}
