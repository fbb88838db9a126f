package rule

import (
	"regexp"
	"slices"
	"strings"
)

// A remembered yes must not allow what does more than what it was given for.
// So a rule is derived with every flag of the command but those that are known
// not to make it do less: of a command that only looks those are all, of
// another they stand in its table. A flag that is in neither, such as one for
// no more than a look (make -n, black --check), stays in the rule.

// tellsItself are flags by which a command does nothing but speak of itself.
var tellsItself = regexp.MustCompile(`^--?(help|version)$`)

// leaving adds flags that a remembered rule may leave out.
func (p *program) leaving(words string) *program {
	if p.leaves == nil {
		p.leaves = map[string]bool{}
	}
	for w := range strings.FieldsSeq(words) {
		p.leaves[w] = true
	}
	return p
}

// looking has all flags left out that do no harm, but the given ones: the
// command shows what is there, with or without them.
func (p *program) looking(but string) *program {
	for flag, u := range p.flags {
		if !u.harms() && !tellsItself.MatchString(flag) {
			p.leaving(flag)
		}
	}
	if p.count {
		p.leaving("-#")
	}
	for flag := range strings.FieldsSeq(but) {
		delete(p.leaves, flag)
	}
	for _, s := range p.subs {
		s.looking(but)
	}
	return p
}

// looking is it for each of a table.
func (t table) looking() table {
	for _, p := range t {
		p.looking("")
	}
	return t
}

// leftForScripts are flags for a script or a test binary of the project that
// are known well enough to be left out.
var leftForScripts = regexp.MustCompile(`^(-v|-q|--(verbose|quiet|silent|watch|watchAll|coverage|color|no-color|nocapture|show-output|test-threads=[0-9]+))$`)

// kept are the flags of a call that stay in the rule, and its subcommands among
// them; false when they cannot be said in one that is short.
func (c *call) kept() ([]string, bool) {
	var words []string
	prog := programNamed(c.name)
	operands := 0
	for k := range c.items {
		it := &c.items[k]
		switch {
		case it.sub != nil:
			prog = it.sub
			words = append(words, quote(it.word.Text, false))
		case it.flag == "":
			operands++
			if prog.opaque && operands > 1 || !prog.leavesOperand(it.word.Text) {
				return nil, false
			}
		case prog.leaves[it.flag]:
		case it.use.harms(), it.loose || it.has && (!it.word.Known || revealing(it.word.Text)), it.flag == "-#" || prog.style == keyValue:
			return nil, false
		default:
			words = append(words, it.written(prog))
		}
	}
	return words, true
}

// leavesOperand reports whether a word that is no flag of the command itself may
// be left out, or said as an operand is.
func (p *program) leavesOperand(text string) bool {
	return !strings.HasPrefix(text, "-") || p.ops == opArgs && leftForScripts.MatchString(text)
}

// written is a flag as a rule has it.
func (it *item) written(prog *program) string {
	switch {
	case !it.has:
		return quote(it.flag, false)
	case prog.style == goStyle || len(it.flag) == 2:
		return quote(it.flag, false) + " " + quote(it.word.Text, false)
	}
	return quote(it.flag+"="+it.word.Text, false)
}

// isNo are values that turn a flag off.
var isNo = regexp.MustCompile(`(?i)^(false|f|no|n|off|none|0)$`)

// gives reports whether a flag with a value may be what a rule means that has
// the flag alone: the value must not turn it off.
func (it *item) gives(want *item) bool {
	switch {
	case want.use == usePlain:
		return false
	case want.use != useUnknown:
		return true
	}
	return it.word.Known && !isNo.MatchString(it.word.Text)
}

// staying are the flags that a rule names and that a derived one would keep.
func (c *call) staying() (flags []string) {
	for k := range c.items {
		if it := &c.items[k]; it.named != unnamed && !c.prog.leaves[it.flag] && it.dashed() != "" {
			flags = append(flags, it.dashed())
		}
	}
	return flags
}

// takesBack says that the k-th item undoes one of the flags that a rule names: it
// turns it off, or gives it another value where that may be another command.
func (c *call) takesBack(k int, stay []string) string {
	it := &c.items[k]
	if len(stay) == 0 || it.named != unnamed {
		return ""
	}
	if k > 0 && it.flag == "" && isNo.MatchString(it.word.Text) {
		if before := &c.items[k-1]; !before.has && slices.Contains(stay, before.dashed()) {
			return it.shown() + " takes back `" + before.dashed() + "`"
		}
	}
	for _, flag := range stay {
		if name := it.dashed(); name == flag && it.turns(c.prog.unknown) || negates(name, flag) {
			return it.shown() + " takes back `" + flag + "`"
		}
	}
	return ""
}

// dashed is the name of a flag, also of one that is handed on to a script; "" of
// what is none.
func (it *item) dashed() string {
	if it.flag != "" {
		return it.flag
	}
	if !strings.HasPrefix(it.word.Text, "-") {
		return ""
	}
	name, _, _ := strings.Cut(it.word.Text, "=")
	return name
}

// turns reports whether a flag that is given once more may have another value.
// Of a command without a table it may be one that is given several times.
func (it *item) turns(unknown bool) bool {
	if it.flag == "" {
		_, value, has := strings.Cut(it.word.Text, "=")
		return has && isNo.MatchString(value)
	}
	return it.has && (!unknown || !it.word.Known || isNo.MatchString(it.word.Text))
}

// negates reports whether a flag is another one with a no before it.
func negates(name, flag string) bool {
	rest := strings.TrimLeft(name, "-")
	without, ok := strings.CutPrefix(rest, "no")
	return ok && strings.TrimPrefix(without, "-") == strings.TrimLeft(flag, "-")
}
