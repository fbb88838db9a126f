package rule

import (
	"path"
	"strings"

	"drawbridge/approval/command"
)

// item is what a word of a call is: a flag, with the value that belongs to it,
// or an operand.
type item struct {
	flag  string       // with its dashes; "" for an operand
	word  command.Word // the operand, or the value when has is set
	has   bool         // a flag with a value
	use   use          // of a flag
	kind  ops          // of an operand
	sub   *program     // it is a subcommand
	loose bool         // what it is cannot be known
	named naming       // what a rule says of it
}

// naming is how much of an item a rule names.
type naming int

const (
	unnamed   naming = iota
	flagNamed        // the flag, but not its value
	wildNamed        // all of it, something by a wildcard
	allNamed         // to the letter
)

// call is a command's words by what they are.
type call struct {
	name  string
	prog  *program // of the subcommand, when there is one
	items []item
	same  equals // of a rule's call: its flags that have several spellings
}

// baseName is the name of a command without its folder.
func baseName(text string) string {
	return path.Base(strings.ReplaceAll(text, `\`, "/"))
}

// parseCall is the call of a name and the words after it.
func parseCall(name string, words []command.Word) *call {
	c := &call{}
	c.parse(name, words)
	return c
}

// parse sorts the words after the name.
func (c *call) parse(name string, words []command.Word) {
	c.name, c.prog = name, programNamed(name)
	if len(words) > 0 {
		c.items = make([]item, 0, len(words))
	}
	p := parser{call: c}
	for i := 0; i < len(words); i++ {
		i += p.take(words[i], words[i+1:])
	}
	p.classify()
}

// parser reads a call from left to right.
type parser struct {
	call   *call
	ended  bool // by --
	opaque bool
}

// take reads a word and says how many of those after it belong to it.
func (p *parser) take(w command.Word, rest []command.Word) int {
	prog := p.call.prog
	text, known := w.Text, w.Known
	if !known {
		text = w.Prefix
	}
	switch {
	case p.ended || p.opaque || prog.style == bareWord:
		p.operand(w)
	case prog.style == keyValue && strings.Contains(text, "="):
		p.keyValue(w, text)
	case known && text == "--" && !prog.noEnd:
		p.ended = true
	case strings.HasPrefix(text, "-") && (text != "-" || !w.Known) || strings.HasPrefix(text, "+") && prog.flags["+"] != 0:
		return p.flag(w, text, rest)
	case !known && text == "" && !prog.plain:
		p.add(item{word: w, loose: true, flag: w.Text})
	default:
		p.operand(w)
	}
	return 0
}

func (p *parser) add(it item) { p.call.items = append(p.call.items, it) }

// operand is a subcommand where one is expected.
func (p *parser) operand(w command.Word) {
	prog := p.call.prog
	it := item{word: w}
	if prog.subs != nil {
		next := prog.subs[w.Text]
		if next == nil || !w.Known {
			next = &program{unknown: true, named: true}
		}
		p.call.prog, it.sub = next, next
	} else if prog.opaque {
		p.opaque = true
	}
	p.add(it)
}

func (p *parser) keyValue(w command.Word, text string) {
	name, _, _ := strings.Cut(text, "=")
	u, ok := p.call.prog.flags[name+"="]
	it := item{flag: name + "=", word: tail(w, len(name)+1), has: true, use: u, loose: !ok}
	p.add(it)
}

// tail is the word from a byte on.
func tail(w command.Word, from int) command.Word {
	if w.Known {
		w.Text = w.Text[from:]
		return w
	}
	w.Prefix = w.Prefix[min(from, len(w.Prefix)):]
	return w
}

// flag reads a flag, or several in one word.
func (p *parser) flag(w command.Word, text string, rest []command.Word) int {
	if name, _, ok := strings.Cut(text, "="); ok && (strings.HasPrefix(text, "--") || p.call.prog.style == goStyle) {
		p.attached(p.goName(name), tail(w, len(name)+1))
		return 0
	}
	if !w.Known && !p.call.prog.cluster(text) {
		p.add(item{flag: w.Text, word: w, loose: true})
		return 0
	}
	name := p.goName(text)
	if strings.HasPrefix(text, "--") || p.call.prog.style == goStyle || p.call.prog.unknown {
		return p.single(name, rest)
	}
	if u, ok := p.call.prog.flags[text]; ok && len(text) > 2 && u != useUnknown {
		return p.single(text, rest) // -name, as find and others write them
	}
	return p.shorts(w, text, rest)
}

// goName has one dash for two where both are the same.
func (p *parser) goName(name string) string {
	if p.call.prog.style == goStyle && strings.HasPrefix(name, "--") {
		return name[1:]
	}
	return name
}

// attached is --name=value. A flag that takes none is not what we think it is,
// but in Go, where -v=false is common.
func (p *parser) attached(name string, value command.Word) {
	u := p.call.prog.flags[name]
	it := item{flag: name, word: value, has: true, use: u, loose: value.Many}
	if u == usePlain && p.call.prog.style != goStyle {
		it.use = useUnknown
	}
	p.add(it)
}

// single is a flag that is a word of its own, whose value may be the next.
func (p *parser) single(name string, rest []command.Word) int {
	u := p.call.prog.flags[name]
	it := item{flag: name, use: u}
	if !u.takesValue() {
		p.add(it)
		return 0
	}
	if len(rest) == 0 {
		it.loose = true
		p.add(it)
		return 0
	}
	it.word, it.has, it.loose = rest[0], true, rest[0].Many && !rest[0].Known
	p.add(it)
	p.opaque = p.call.prog.opaque && u == useHarmArg // the rest is for what the value names
	return 1
}

// cluster reports whether what is known of a word ends within the value of a
// short flag.
func (prog *program) cluster(text string) bool {
	if strings.HasPrefix(text, "--") || prog.style != gnu {
		return false
	}
	for i := 1; i < len(text); i++ {
		u := prog.flags["-"+text[i:i+1]]
		if u.takesValue() || u == useOpt {
			return true
		}
	}
	return false
}

// shorts reads flags of one letter, the last of which may have a value.
func (p *parser) shorts(w command.Word, text string, rest []command.Word) int {
	prog := p.call.prog
	if prog.count && isNumber(text[1:]) {
		p.add(item{flag: "-#", use: usePlain})
		return 0
	}
	for i := 1; i < len(text); i++ {
		name := text[:1] + text[i:i+1]
		u := prog.flags[name]
		switch {
		case u.takesValue() && i+1 == len(text) && w.Known:
			return p.single(name, rest)
		case u.takesValue(), u == useOpt && i+1 < len(text):
			p.add(item{flag: name, use: u, has: true, word: tail(w, i+1), loose: !w.Known && w.Many})
			return 0
		case u == useUnknown:
			p.add(item{flag: name, use: u, has: i+1 < len(text), word: tail(w, i+1)})
			return 0
		}
		p.add(item{flag: name, use: u})
	}
	return 0
}

// classify says what the operands are, now that they can be counted.
func (p *parser) classify() {
	c, n := p.call, 0
	last := -1
	for i := range c.items {
		if c.items[i].flag == "" && c.items[i].sub == nil {
			last = i
		}
	}
	for i := range c.items {
		if c.items[i].flag != "" || c.items[i].sub != nil {
			continue
		}
		c.items[i].kind = c.kindOf(n, i == last)
		n++
	}
}

// kindOf is what the n-th operand is.
func (c *call) kindOf(n int, last bool) ops {
	switch o := c.prog.ops; o {
	case opCopy:
		if last && n > 0 && !c.has("-t", "--target-directory") {
			return opWrite
		}
		return opRead
	case opMove:
		return opWrite
	case opMode:
		if n == 0 {
			return opText
		}
		return opWrite
	case opPattern:
		if n == 0 && !c.has("-e", "--regexp", "--expression", "-f", "--file", "--files", "--type-list") {
			return opText
		}
		return opRead
	case opScript:
		if n == 0 && !c.inline() {
			return opRead
		}
		return opArgs
	default:
		return o
	}
}

// inline reports whether an interpreter is given what it runs in a flag.
func (c *call) inline() bool {
	for _, it := range c.items {
		if it.use == useHarmArg && it.has {
			return true
		}
	}
	return false
}

// has reports whether one of the flags is given.
func (c *call) has(names ...string) bool {
	for _, it := range c.items {
		for _, name := range names {
			if it.flag == name {
				return true
			}
		}
	}
	return false
}

// operands are the words that are no flags and no subcommands.
func (c *call) operands() []item {
	var all []item
	for _, it := range c.items {
		if it.flag == "" && it.sub == nil {
			all = append(all, it)
		}
	}
	return all
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
