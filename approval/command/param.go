package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param adds the value of a variable as far as it is certain.
func (e *expander) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 || p.Width || p.IsSet {
		e.hole(true)
		e.w.doubt(e.w.nodeSpan(p), "an expansion that is not bash's")
		return
	}
	name := p.Param.Value
	e.inside(p)
	if bare(p) {
		e.variable(name, quoted)
		return
	}
	e.hole(!quoted || severalWords(p))
	switch {
	case p.Excl && p.Names == 0 && !allIndices(p):
		e.w.doubt(e.w.nodeSpan(p), "what ${!"+name+"} names is not known until it runs")
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && p.Exp.Word.Lit() == "P":
		e.w.doubt(e.w.nodeSpan(p), "${"+name+"@P} runs what the value says")
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		e.st = e.st.forget(name)
	}
}

func bare(p *syntax.ParamExp) bool {
	return !p.Excl && !p.Length && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// inside takes apart what an expansion holds.
func (e *expander) inside(p *syntax.ParamExp) {
	if p.Index != nil && !allIndices(p) {
		e.st = e.w.subscript(p.Index, e.st)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				e.st = e.w.arithm(x, e.st)
			}
		}
	}
	if p.Repl != nil {
		e.st = e.w.substitutions(p.Repl.Orig, e.st)
		e.st = e.w.substitutions(p.Repl.With, e.st)
	}
	if p.Exp != nil {
		e.st = e.w.substitutions(p.Exp.Word, e.st)
	}
}

// allIndices is the [@] or [*] of an array.
func allIndices(p *syntax.ParamExp) bool {
	word, ok := p.Index.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// severalWords are the expansions that give several words also within quotes.
func severalWords(p *syntax.ParamExp) bool {
	if p.Param.Value == "@" || p.Names == syntax.NamesPrefixWords {
		return !p.Length
	}
	word, ok := p.Index.(*syntax.Word)
	return ok && word.Lit() == "@" && !p.Length
}

// variable adds the value of $name.
func (e *expander) variable(name string, quoted bool) {
	value, prefix, ok := e.w.lookup(name, e.st)
	if e.w.bytes += len(value) + len(prefix); e.w.bytes > maxValues {
		value, prefix, ok = "", "", false
	}
	b, _ := e.st.lookup(name)
	switch {
	case name == "?" || name == "#" || name == "$":
		_, ifs := e.st.lookup("IFS")
		e.hole(!quoted && ifs)
	case !ok && !quoted && b.full && e.w.onlyNumbers(name):
		_, ifs := e.st.lookup("IFS")
		e.hole(ifs)
	case !ok && quoted:
		e.quoted(prefix)
		e.hole(name == "@")
		e.cur.many = e.cur.many || name == "@"
	case !ok:
		if !strings.ContainsAny(prefix, " \t\n*?[\\") {
			e.quoted(prefix)
		}
		e.hole(true)
	case quoted || !e.split:
		e.quoted(value)
	default:
		e.fields(value)
	}
}

// lookup is the value of a variable; else what it is known to begin with.
func (w *walker) lookup(name string, st state) (value, prefix string, ok bool) {
	b, bound := st.lookup(name)
	switch {
	case bound && b.known:
		return b.value, "", true
	case bound && name == "IFS":
		return "", "", false
	case bound:
		return "", b.value, false
	case name == "IFS":
		return " \t\n", "", true
	case name == "HOME" && w.world.Home() != "":
		return w.world.Home(), "", true
	case name == "PWD" && st.pwd != "":
		return st.pwd, "", true
	}
	return "", "", false
}

// fields adds an unquoted value: split at blanks, with patterns in it alive.
func (e *expander) fields(value string) {
	if _, bound := e.st.lookup("IFS"); bound || strings.IndexByte(value, '\\') >= 0 {
		e.hole(true)
		return
	}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case ' ', '\t', '\n':
			e.flush()
		default:
			e.unquoted(c)
		}
	}
}
