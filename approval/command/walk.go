package command

import (
	"mvdan.cc/sh/v3/syntax"
)

// What a statement leaves is two states: one for when it succeeded, one for
// when it failed.

// stmts takes a list apart.
func (w *walker) stmts(list []*syntax.Stmt, st state) (ok, fail state) {
	ok, fail = st, st
	for i, s := range list {
		if i > 0 {
			st = merge(ok, fail)
		}
		ok, fail = w.stmt(s, st)
	}
	return ok, fail
}

// apart takes a list apart that runs in a shell of its own.
func (w *walker) apart(list []*syntax.Stmt, st state) { w.stmts(list, st) }

func (w *walker) stmt(s *syntax.Stmt, st state) (ok, fail state) {
	if w.depth++; w.depth > maxDepth {
		w.doubt(w.nodeSpan(s), "statements within statements, too deep")
		w.depth--
		return st.lost(), st.lost()
	}
	defer func() { w.depth-- }()
	beside := s.Background || s.Coprocess || s.Disown
	w.dirty = w.dirty || beside // what follows runs at the same time
	outer := st.piped
	st.piped = stdin(s.Redirs, st.piped)
	ok, fail = w.command(s, st)
	ok.piped, fail.piped = outer, outer
	if s.Negated {
		ok, fail = fail, ok
	}
	if beside {
		st.piped = outer
		return st, st
	}
	return ok, fail
}

func (w *walker) command(s *syntax.Stmt, st state) (ok, fail state) {
	switch c := s.Cmd.(type) {
	case nil:
		w.redirectPart(s.Redirs, st)
		return st, st
	case *syntax.CallExpr:
		return w.call(c, s.Redirs, st)
	case *syntax.DeclClause:
		return w.declare(c, s.Redirs, st)
	default:
		ok, fail = w.compound(c, st)
		w.redirectPart(s.Redirs, st)
		return w.bindFiles(s.Redirs, ok), w.bindFiles(s.Redirs, fail)
	}
}

func (w *walker) compound(c syntax.Command, st state) (ok, fail state) {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, st)
	case *syntax.Block:
		return w.stmts(c.Stmts, st)
	case *syntax.Subshell:
		w.apart(c.Stmts, st)
		return st, st
	case *syntax.IfClause:
		return w.ifClause(c, st)
	case *syntax.WhileClause:
		return both(w.while(c, st))
	case *syntax.ForClause:
		return both(w.forClause(c, st))
	case *syntax.CaseClause:
		return both(w.caseClause(c, st))
	case *syntax.FuncDecl:
		w.function(c, st)
		return st, st
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return st, st
		}
		return w.stmt(c.Stmt, st)
	}
	return both(w.expression(c, st))
}

func both(st state) (ok, fail state) { return st, st }

// expression takes apart what runs nothing itself, but may hold substitutions.
func (w *walker) expression(c syntax.Command, st state) state {
	switch c := c.(type) {
	case *syntax.CoprocClause:
		in := st
		in.piped, w.dirty = true, true
		w.stmt(c.Stmt, in)
		if c.Name != nil {
			return st.forget(c.Name.Lit()).forget("COPROC")
		}
		return st.forget("COPROC")
	case *syntax.ArithmCmd:
		return w.arithm(c.X, st)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			st = w.arithm(x, st)
		}
		return st
	case *syntax.TestClause:
		return w.test(c.X, st)
	}
	w.doubt(w.nodeSpan(c), "syntax that is not bash's")
	return st.lost()
}

func (w *walker) binary(b *syntax.BinaryCmd, st state) (ok, fail state) {
	switch b.Op {
	case syntax.AndStmt:
		xok, xfail := w.stmt(b.X, st)
		yok, yfail := w.stmt(b.Y, xok)
		return yok, merge(xfail, yfail)
	case syntax.OrStmt:
		xok, xfail := w.stmt(b.X, st)
		yok, yfail := w.stmt(b.Y, xfail)
		return merge(xok, yok), yfail
	}
	w.pipe(b, st)
	if st.loose { // lastpipe may be set
		return both(st.lost())
	}
	return st, st
}

// pipe takes a pipeline apart. Its commands run at the same time, so none knows
// what files there are when another makes some.
func (w *walker) pipe(b *syntax.BinaryCmd, st state) {
	w.dirty = w.dirty || !w.scan(b) || !calmNode(b)
	at := len(w.script.Parts)
	w.stmt(b.X, st)
	st.piped, st.feed = true, w.said(at, st.feed)
	w.stmt(b.Y, st)
}

func (w *walker) ifClause(c *syntax.IfClause, st state) (ok, fail state) {
	out := state{gone: true}
	for ; c != nil; c = c.Else {
		if c.ThenPos.IsValid() {
			yes, no := w.stmts(c.Cond, st)
			st = no
			tok, tfail := w.stmts(c.Then, yes)
			out = merge(out, merge(tok, tfail))
			continue
		}
		eok, efail := w.stmts(c.Then, st)
		return both(merge(out, merge(eok, efail)))
	}
	return both(merge(out, st))
}

func (w *walker) while(c *syntax.WhileClause, st state) state {
	st = w.loop(c, st)
	yes, no := w.stmts(c.Cond, st)
	if c.Until {
		yes, no = no, yes
	}
	ok, fail := w.stmts(c.Do, yes)
	return merge(st, merge(no, merge(ok, fail)))
}

// loop is the state in every round of a loop.
func (w *walker) loop(n syntax.Node, st state) state {
	if !w.scan(n) {
		w.dirty = true
		return st.lost()
	}
	if !calmNode(n) {
		w.dirty = true
	}
	return w.changes(n).apply(st)
}

// scan says that code may be looked through before it is taken apart. Code in
// code would be so again and again.
func (w *walker) scan(n syntax.Node) bool {
	w.scans += int(n.End().Offset()) - int(n.Pos().Offset())
	return w.scans <= maxScans
}

func (w *walker) caseClause(c *syntax.CaseClause, st state) state {
	st = w.substitutions(c.Word, st)
	out, through := st, state{gone: true}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			st = w.substitutions(p, st)
		}
		ok, fail := w.stmts(item.Stmts, merge(st, through))
		through = merge(ok, fail)
		out = merge(out, through)
		if item.Op != syntax.Fallthrough {
			through = state{gone: true}
		}
		st = merge(st, out)
	}
	return out
}

// function takes a body apart where it is defined. It may run anywhere later, so
// that nothing is known in it.
func (w *walker) function(f *syntax.FuncDecl, st state) {
	in := w.unsettled(st)
	in.gone, in.loose = false, st.loose
	w.dirty = true
	w.inFunc++
	w.stmt(f.Body, in)
	w.inFunc--
}

func (w *walker) forClause(c *syntax.ForClause, st state) state {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		return w.forWords(c, loop, st)
	case *syntax.CStyleLoop:
		st = w.loop(c, st)
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil {
				st = w.arithm(x, st)
			}
		}
		if name, number := counter(loop.Init); number {
			st = st.set(binding{name: name, full: true})
		}
		ok, fail := w.stmts(c.Do, st)
		return merge(st, merge(ok, fail))
	}
	w.doubt(w.nodeSpan(c), "a loop that is not bash's")
	return st.lost()
}

// forWords goes through a short list of known words one by one, so that each
// round is judged for what it does.
func (w *walker) forWords(c *syntax.ForClause, loop *syntax.WordIter, st state) state {
	var values []Word
	for _, item := range loop.Items {
		var more []Word
		more, st = w.expand(item, st)
		values = append(values, more...)
	}
	name := loop.Name.Value
	st = w.loop(c, st)
	if !loop.InPos.IsValid() || c.Select || !w.unrolls(values, c) {
		ok, fail := w.stmts(c.Do, st.set(binding{name: name, value: common(values), full: noneEmpty(values)}))
		return merge(st, merge(ok, fail)).change(name)
	}
	out := st
	for _, v := range values {
		ok, fail := w.stmts(c.Do, st.set(binding{name: name, value: v.Text, known: true}))
		out = merge(out, merge(ok, fail))
	}
	return out.change(name)
}

// unrolls says that a loop is gone through value by value, and takes that off
// what may still be read.
func (w *walker) unrolls(values []Word, c *syntax.ForClause) bool {
	size := len(values) * (int(c.End().Offset()) - int(c.Pos().Offset()))
	if len(values) == 0 || len(values) > maxRound || size > min(maxUnroll, w.left) {
		return false
	}
	for _, v := range values {
		if !v.Known {
			return false
		}
	}
	w.left -= size
	return true
}

// noneEmpty says that each of the values is certainly something.
func noneEmpty(values []Word) bool {
	for _, v := range values {
		if v.Text == "" || !v.Known {
			return false
		}
	}
	return true
}

// common is what all the values are known to begin with.
func common(values []Word) string {
	shared := ""
	for i, v := range values {
		start := v.Prefix
		if v.Known {
			start = v.Text
		}
		switch {
		case v.Many:
			return ""
		case i == 0:
			shared = start
		default:
			shared = sharedPrefix(shared, start)
		}
	}
	return shared
}

func sharedPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
