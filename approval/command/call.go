package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// part fills in what the script under way says about all its parts.
func (w *walker) part(p Part, st state) Part {
	p.place(st)
	p.Piped = st.piped || w.input
	if p.By == "" {
		p.By = w.src.by
	}
	p.Remote = p.Remote || w.src.remote
	if p.Remote {
		p.unplaced()
	}
	p.Fed = p.Fed || w.src.fed
	return p
}

// call takes a simple command apart: its words first, then what is redirected
// and assigned, then what it runs in turn.
func (w *walker) call(c *syntax.CallExpr, redirs []*syntax.Redirect, st state) (ok, fail state) {
	at := len(w.script.Parts)
	w.script.Parts = append(w.script.Parts, Part{})
	w.foresee(c, redirs)
	argv, st := w.argv(c.Args, st)
	if len(argv) == 0 {
		return w.assignOnly(at, c, redirs, st)
	}
	redirects, doc, st := w.redirects(redirs, st)
	assigns, _ := w.assigns(c.Assigns, st, false)
	p := w.part(Part{Argv: argv, Assigns: assigns, Redirects: redirects, Span: w.callSpan(c, redirs)}, st)
	w.script.Parts[at] = p
	if doc != nil && doc.Known && doc.Text != "" {
		if w.docs == nil {
			w.docs = map[int]string{}
		}
		w.docs[at] = doc.Text
	}
	ok, fail = w.run(at, st, doc, 0)
	for _, a := range assigns { // sh keeps them behind some builtins
		ok, fail = ok.forget(a.Name), fail.forget(a.Name)
	}
	w.dirty = w.dirty || !calmPart(&p)
	if len(redirs) > 0 && ok.gone { // the redirection may fail, and exit not come to run
		ok.gone, fail.gone = false, false
	}
	return ok, fail
}

// assignOnly is a command of which no word is left: its assignments change the
// shell, and what is redirected sees them.
func (w *walker) assignOnly(at int, c *syntax.CallExpr, redirs []*syntax.Redirect, st state) (ok, fail state) {
	assigns, st := w.assigns(c.Assigns, st, false)
	redirects, _, st := w.redirects(redirs, st)
	w.script.Parts[at] = w.part(Part{Assigns: assigns, Redirects: redirects, Span: w.callSpan(c, redirs)}, st)
	return st, st
}

func (w *walker) callSpan(c *syntax.CallExpr, redirs []*syntax.Redirect) Span {
	at := w.nodeSpan(c)
	if w.src.at != nil {
		return at
	}
	for _, r := range redirs {
		s := w.span(r.Pos(), opened(r))
		at.Start, at.End = min(at.Start, s.Start), max(at.End, s.End)
	}
	return at
}

// foresee notes that files may be made before, or while, a pattern is looked up:
// substitutions in the words run first, and one that is a process beside the
// command.
func (w *walker) foresee(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	beside := false
	for _, word := range c.Args {
		if !simple(word) {
			w.dirty = w.dirty || !w.scan(word) || !calmNode(word)
			beside = beside || holdsProcess(word)
		}
	}
	for _, r := range redirs {
		beside = beside || holdsProcess(r.Word)
	}
	if beside && len(c.Args) > 0 {
		w.dirty = w.dirty || !calmArgs(c.Args) || slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool { return !calmRedirect(r) })
	}
}

// simple says that a word holds no substitution at first sight.
func simple(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	switch word.Parts[0].(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return true
	}
	return false
}

func holdsProcess(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.ProcSubst)
		return ok
	})
}

func (w *walker) argv(args []*syntax.Word, st state) ([]Word, state) {
	argv := make([]Word, 0, len(args))
	for _, word := range args {
		if text, ok := plain(word); ok && w.words < maxWords { // as expand, without its list
			w.words++
			argv = append(argv, w.known(word, text))
			continue
		}
		var more []Word
		more, st = w.expand(word, st)
		argv = append(argv, more...)
	}
	return argv, st
}

func calmPart(p *Part) bool {
	for _, r := range p.Redirects {
		if r.Writes {
			return false
		}
	}
	var few [8]string
	words := few[:0]
	for _, a := range p.Argv {
		text := a.Text
		if !a.Known {
			text = ""
		}
		words = append(words, text)
	}
	return len(words) == 0 || calmWords(words)
}

// assigns takes assignments apart. after is the state when they change the shell
// itself.
func (w *walker) assigns(list []*syntax.Assign, st state, exported bool) (out []Assign, after state) {
	for _, a := range list {
		var one Assign
		one, st = w.assign(a, st)
		one.Exported = exported
		out = append(out, one)
	}
	return out, st
}

func (w *walker) assign(a *syntax.Assign, st state) (Assign, state) {
	out := Assign{Name: a.Name.Value, Append: a.Append}
	if a.Array != nil {
		st = w.array(a.Array, st, out.Name)
		out.Value = Word{Text: w.text(a.Array.Pos(), a.Array.End()), Many: true, Span: w.nodeSpan(a.Array)}
		return out, st.forget(out.Name)
	}
	out.Value, st = w.value(a.Value, st)
	if a.Value == nil {
		out.Value.Span = w.span(a.End(), a.End())
	}
	w.prompts(out)
	if a.Index != nil {
		st = w.subscript(a.Index, st)
		return out, st.forget(out.Name)
	}
	return out, st.assigned(out)
}

// prompts are variables whose value the shell runs by itself.
func (w *walker) prompts(a Assign) {
	switch a.Name {
	case "PS4", "PROMPT_COMMAND", "PS0", "PS1", "PS2":
		if !a.Value.Known || strings.ContainsAny(a.Value.Text, "$`") || a.Name == "PROMPT_COMMAND" {
			w.doubt(a.Value.Span, "the shell runs what "+a.Name+" says")
		}
	}
}

func (st state) assigned(a Assign) state {
	b := binding{name: a.Name, value: a.Value.Text, known: a.Value.Known && !a.Value.Many}
	if a.Append {
		old, _ := st.lookup(a.Name)
		b.value, b.known = old.value+b.value, b.known && old.known
	}
	if !b.known {
		b.value = a.Value.Prefix
		if a.Append {
			b.value = ""
		}
		old, _ := st.lookup(a.Name)
		b.full = old.full
	}
	return st.set(b)
}

func (w *walker) array(a *syntax.ArrayExpr, st state, name string) state {
	var list []Word
	for _, elem := range a.Elems {
		if elem.Index != nil {
			st = w.subscript(elem.Index, st)
		}
		if elem.Value != nil {
			var words []Word
			words, st = w.expand(elem.Value, st)
			list = append(list, words...)
		}
	}
	w.keep(name, list)
	return st
}

// declare takes export, readonly, declare, local and their like apart.
func (w *walker) declare(c *syntax.DeclClause, redirs []*syntax.Redirect, st state) (ok, fail state) {
	at := len(w.script.Parts)
	w.script.Parts = append(w.script.Parts, Part{})
	odd := oddDeclaration(c)
	exported := c.Variant.Value == "export"
	argv := []Word{{Text: c.Variant.Value, Known: true, Span: w.nodeSpan(c.Variant)}}
	var assigns []Assign
	for _, a := range c.Args {
		if !a.Naked {
			var one Assign
			one, st = w.assign(a, st)
			assigns = append(assigns, one)
			continue
		}
		var word []Word
		w.unset(c, a)
		if word, st = w.naked(a, st); len(word) == 1 && word[0].Known && strings.HasPrefix(word[0].Text, "-") {
			exported = exported || strings.Contains(word[0].Text, "x")
		}
		argv = append(argv, word...)
	}
	for i := range assigns {
		assigns[i].Exported = exported
	}
	if len(assigns) > 0 && !slices.ContainsFunc(argv[1:], notOption) {
		argv = nil
	}
	redirects, _, st := w.redirects(redirs, st)
	w.script.Parts[at] = w.part(Part{Argv: argv, Assigns: assigns, Redirects: redirects, Span: w.nodeSpan(c)}, st)
	if odd {
		w.doubt(w.nodeSpan(c), "what this declares is not known until it runs")
		return both(st.dazed())
	}
	return both(declared(c, st))
}

func notOption(w Word) bool { return !w.Known || !strings.HasPrefix(w.Text, "-") }

// unset doubts a variable of a function that has no value there, but one outside
// that shells or programs obey.
func (w *walker) unset(c *syntax.DeclClause, a *syntax.Assign) {
	if w.inFunc > 0 && a.Name != nil && !Ordinary(a.Name.Value) && c.Variant.Value != "export" && c.Variant.Value != "readonly" {
		w.doubt(w.nodeSpan(a), c.Variant.Value+" takes its value from "+a.Name.Value)
	}
}

// naked is an operand of a declaration without a value: an option or a name.
func (w *walker) naked(a *syntax.Assign, st state) ([]Word, state) {
	if a.Name == nil {
		return w.expand(a.Value, st)
	}
	if a.Index != nil {
		st = w.subscript(a.Index, st)
	}
	return []Word{{Text: a.Name.Value, Known: true, Span: w.nodeSpan(a.Name)}}, st
}

// declared marks variables whose value is not what is assigned from now on.
func declared(c *syntax.DeclClause, st state) state {
	odd := c.Variant.Value == "readonly"
	for _, a := range c.Args {
		odd = odd || a.Naked && a.Name == nil && strings.Trim(a.Value.Lit(), "-+xgpf") != ""
	}
	for _, a := range c.Args {
		switch {
		case a.Name == nil:
		case odd:
			st = st.set(binding{name: a.Name.Value, odd: true})
		case a.Naked && c.Variant.Value != "export", c.Variant.Value == "local":
			st = st.forget(a.Name.Value) // local assigns nothing outside of functions
		}
	}
	return st
}

// oddDeclaration is one whose operands are not plain, that makes references, or
// that computes what it assigns.
func oddDeclaration(c *syntax.DeclClause) bool {
	for _, a := range c.Args {
		switch {
		case !a.Naked:
		case a.Name == nil:
			opt := a.Value.Lit()
			if len(opt) < 2 || opt[0] != '-' && opt[0] != '+' || strings.ContainsAny(opt, "ni\\{~*?[$") {
				return true
			}
		}
	}
	return c.Variant.Value == "nameref"
}
