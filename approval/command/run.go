package command

import (
	"path/filepath"
	"strings"
)

// run looks at what the command of a Part does to the shell, and at what it runs
// in turn. doc is the document on its standard input; depth counts the commands
// around it.
func (w *walker) run(at int, st state, doc *Word, depth int) (ok, fail state) {
	p := &w.script.Parts[at]
	if len(p.Argv) == 0 {
		return st, st
	}
	name := p.Argv[0]
	if !name.Known {
		w.doubt(name.Span, "which command this is, is not known until it runs")
		return both(st.lost())
	}
	if name.Text == "" {
		return st, st
	}
	if depth == 0 && w.stands(name.Text, p.Span) {
		return both(st.lost())
	}
	if depth == 0 && w.funcs[name.Text] {
		return both(w.unsettled(st))
	}
	if depth >= maxWraps {
		w.doubt(p.Span, "commands that run commands, too deep")
		return both(st.lost())
	}
	base := filepath.Base(name.Text)
	builtin, runner := builtins[name.Text], runners[base]
	if loads(base) {
		runner = runners["ld.so"]
	}
	if builtin == nil && runner == nil {
		return st, st
	}
	c := &call{walker: w, at: at, Part: *p, st: st, doc: doc, depth: depth, name: base}
	if builtin != nil {
		return builtin(c)
	}
	runner(c)
	return st, st
}

// call is a command under way that may run others.
type call struct {
	*walker
	Part
	at    int
	st    state
	doc   *Word
	depth int
	name  string
}

// unsure doubts what the command would run.
func (c *call) unsure(why string) { c.doubt(c.Part.Span, c.name+": "+why) }

// inner adds the Part of the command that begins at the word k of this one, and
// takes that apart.
func (c *call) inner(k int, st state, change func(*Part)) (ok, fail state) {
	if k >= len(c.Argv) {
		if c.Fed {
			c.unsure("which command it runs is not known until it runs")
		}
		return st, st
	}
	c.script.Parts[c.at].Wraps = k
	p := Part{Argv: c.Argv[k:], Span: spanOf(c.Argv[k:], c.Part.Span), By: c.name}
	p = c.part(p, st)
	p.Fed, p.Remote = p.Fed || c.Fed, p.Remote || c.Remote
	if change != nil {
		change(&p)
	}
	return c.add(p, st)
}

// add adds a Part that this command runs.
func (c *call) add(p Part, st state) (ok, fail state) {
	st = st.in(p)
	st.piped = p.Piped
	c.script.Parts = append(c.script.Parts, p)
	return c.run(len(c.script.Parts)-1, st, c.doc, c.depth+1)
}

func spanOf(words []Word, or Span) Span {
	first, last := words[0].Span, words[len(words)-1].Span
	if last.End < first.Start {
		return or
	}
	return Span{first.Start, last.End}
}

// shellText takes a script apart that this command gives to a shell. It comes
// back with the state that the script leaves.
func (c *call) shellText(text Word, by string, st state, change func(*source)) state {
	switch {
	case !text.Known:
		c.doubt(text.Span, c.name+": the script that it runs is not known until it runs")
		return st.lost()
	case c.src.depth >= MaxScripts || len(text.Text) > c.left:
		c.doubt(text.Span, "scripts within scripts, too many")
		return st.lost()
	}
	outer := c.src
	at := text.Span
	if outer.at != nil {
		at = *outer.at
	}
	c.left -= len(text.Text) + 1
	c.src = source{text: text.Text, at: &at, by: by, depth: outer.depth + 1, remote: c.Remote, posix: outer.posix}
	if change != nil {
		change(&c.src)
	}
	st = c.file(st)
	c.src = outer
	return st
}

// words tells the words of an argument list with blanks between them, as eval
// and ssh read them.
func joined(words []Word) Word {
	if len(words) == 0 {
		return Word{Known: true}
	}
	texts := make([]string, len(words))
	out := Word{Known: true, Span: spanOf(words, words[0].Span)}
	for i, word := range words {
		texts[i] = word.Text
		out.Known = out.Known && word.Known
	}
	out.Text = strings.Join(texts, " ")
	return out
}

// options says which options a command has: letters and long names, those
// without a value and those with one.
type options struct {
	flags, values         string
	longFlags, longValues string
	// numeric commands take -5 for an option; plus ones begin also with +.
	numeric, plus bool
	// anyLong commands have many long options, none of which takes the next word.
	anyLong bool
}

// found is an option as it was given; value is nil when it has none.
type found struct {
	name  string
	value *Word
}

// skip reads the options that begin at the word i, and says where they end. ok
// is false when that is not certain.
func (o options) skip(argv []Word, i int) (next int, given []found, ok bool) {
	for ; i < len(argv); i++ {
		word := argv[i]
		text := word.Text
		switch {
		case !word.Known:
			return i, given, !word.Flag() && !word.Many
		case text == "--":
			return i + 1, given, true
		case text == "-" || !strings.HasPrefix(text, "-") && !(o.plus && strings.HasPrefix(text, "+")):
			return i, given, true
		case strings.HasPrefix(text, "--"):
			f, used, known := o.long(argv, i)
			if !known {
				return i, given, false
			}
			given, i = append(given, f), i+used
		default:
			more, used, known := o.short(argv, i)
			if !known {
				return i, given, false
			}
			given, i = append(given, more...), i+used
		}
	}
	return i, given, true
}

// long reads --name, --name=value or --name value. used counts the words beyond
// the first.
func (o options) long(argv []Word, i int) (f found, used int, ok bool) {
	name, value, has := strings.Cut(argv[i].Text[2:], "=")
	f.name = name
	switch {
	case has:
		word := argv[i]
		word.Text = value
		f.value = &word
		return f, 0, o.anyLong || listed(o.longValues, name) || listed(o.longFlags, name)
	case o.anyLong || listed(o.longFlags, name):
		return f, 0, true
	case listed(o.longValues, name) && i+1 < len(argv):
		f.value = &argv[i+1]
		return f, 1, !argv[i+1].Many
	}
	return f, 0, false
}

func listed(names, name string) bool {
	for _, n := range strings.Fields(names) {
		if n == name {
			return true
		}
	}
	return false
}

// short reads a word of letters, the last of which may have a value.
func (o options) short(argv []Word, i int) (given []found, used int, ok bool) {
	letters := argv[i].Text[1:]
	if o.numeric && strings.Trim(letters, "0123456789") == "" {
		return nil, 0, true
	}
	for j := 0; j < len(letters); j++ {
		letter := letters[j : j+1]
		switch {
		case strings.Contains(o.flags, letter):
			given = append(given, found{name: letter})
		case !strings.Contains(o.values, letter):
			return nil, 0, false
		case j+1 < len(letters):
			word := argv[i]
			word.Text = letters[j+1:]
			return append(given, found{letter, &word}), 0, true
		case i+1 == len(argv) || argv[i+1].Many:
			return nil, 0, false
		default:
			return append(given, found{letter, &argv[i+1]}), 1, true
		}
	}
	return given, 0, true
}

func get(given []found, names ...string) *found {
	for i := len(given) - 1; i >= 0; i-- {
		for _, name := range names {
			if given[i].name == name {
				return &given[i]
			}
		}
	}
	return nil
}
