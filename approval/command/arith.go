package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Arithmetic runs code: bash reads the value of a variable in an expression as
// an expression in turn, and a subscript in it is expanded, so that a value of
// a[$(id)] runs id. Only variables that are sure to hold numbers, or that the
// script does not set, are taken as harmless.

// arithm takes an expression apart.
func (w *walker) arithm(x syntax.ArithmExpr, st state) state {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		return w.binaryArithm(x, st)
	case *syntax.UnaryArithm:
		st = w.arithm(x.X, st)
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			st = st.change(variable(x.X))
		}
	case *syntax.ParenArithm:
		return w.arithm(x.X, st)
	case *syntax.Word:
		return w.operand(x, st)
	case *syntax.FlagsArithm:
		w.doubt(w.nodeSpan(x), "arithmetic that is not bash's")
	}
	return st
}

func (w *walker) binaryArithm(x *syntax.BinaryArithm, st state) state {
	for i := 0; ; i++ { // the left side of a long sum is nested
		if i == maxDepth {
			w.doubt(w.nodeSpan(x), "an expression too long to take apart")
			return st
		}
		st = w.arithm(x.Y, st)
		if assigns(x.Op) {
			name := variable(x.X)
			if st = st.change(name); x.Op == syntax.Assgn && name != "" {
				return st
			}
		}
		left, ok := x.X.(*syntax.BinaryArithm)
		if !ok {
			return w.arithm(x.X, st)
		}
		x = left
	}
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

// counter is the variable that a loop begins with, and whether it gets a number.
func counter(x syntax.ArithmExpr) (name string, ok bool) {
	b, isBinary := x.(*syntax.BinaryArithm)
	if !isBinary || b.Op != syntax.Assgn {
		return "", false
	}
	value, isWord := b.Y.(*syntax.Word)
	name = variable(b.X)
	return name, isWord && name != "" && value.Lit() != "" && number(value.Lit())
}

// variable is the name that an expression consists of, without a subscript; ""
// for any other.
func variable(x syntax.ArithmExpr) string {
	word, ok := x.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return ""
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if syntax.ValidName(p.Value) {
			return p.Value
		}
	case *syntax.ParamExp:
		if p.Param != nil && syntax.ValidName(p.Param.Value) {
			return p.Param.Value
		}
	}
	return ""
}

// operand is a number, a variable or a substitution within an expression.
func (w *walker) operand(word *syntax.Word, st state) state {
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !number(p.Value) {
				w.mustBeNumber(p.Value, p, st)
			}
		case *syntax.ParamExp:
			if p.Param != nil && p.Length {
				continue
			}
			st = w.paramOperand(p, st)
		case *syntax.ArithmExp:
			st = w.arithm(p.X, st)
		default:
			st = w.substitutions(&syntax.Word{Parts: []syntax.WordPart{part}}, st)
			if text, ok := plain(word); !ok || !number(text) {
				w.doubt(w.nodeSpan(word), "arithmetic runs what this text says")
			}
		}
	}
	return st
}

func (w *walker) paramOperand(p *syntax.ParamExp, st state) state {
	st = w.substitutions(&syntax.Word{Parts: []syntax.WordPart{p}}, st)
	switch {
	case p.Param == nil:
	case p.Param.Value == "#" || p.Param.Value == "?" || p.Param.Value == "$":
	case bare(p):
		w.mustBeNumber(p.Param.Value, p, st)
	default:
		w.doubt(w.nodeSpan(p), "arithmetic runs what this value says")
	}
	return st
}

// mustBeNumber doubts a variable of an expression that may hold another one.
func (w *walker) mustBeNumber(name string, n syntax.Node, st state) {
	b, bound := st.lookup(name)
	switch {
	case bound && b.known && number(b.value):
		return
	case syntax.ValidName(name) && w.onlyNumbers(name):
		return
	}
	w.doubt(w.nodeSpan(n), "arithmetic runs what the value of "+name+" says")
}

func number(s string) bool {
	if s == "" {
		return true
	}
	_, err := strconv.ParseInt(strings.TrimPrefix(s, "-"), 0, 64)
	if err != nil { // 08 is a fault in bash, and base#digits a number
		for i := 0; i < len(s); i++ {
			if (s[i] < '0' || s[i] > '9') && s[i] != '#' {
				return false
			}
		}
		return s[0] != '#'
	}
	return true
}

// subscript takes the index of an array apart: an expression, or a key.
func (w *walker) subscript(x syntax.ArithmExpr, st state) state {
	return w.arithm(x, st)
}

// numbers tells which variables of the outermost script only ever get numbers.
type numbers struct {
	other map[string]bool // get something else
	any   bool            // any variable may get anything
}

// onlyNumbers says that a variable gets nothing but numbers in this script.
// Those of the environment are the person's own; a script within a script has
// variables that it does not show.
func (w *walker) onlyNumbers(name string) bool {
	return w.src.at == nil && w.numbers != nil && !w.numbers.any && !w.numbers.other[name] && !fickle(name)
}

// findNumbers looks through the whole file for assignments.
func (w *walker) findNumbers(file *syntax.File) {
	n := &numbers{other: map[string]bool{}}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			n.assign(node)
		case *syntax.WordIter:
			n.loop(node)
		case *syntax.CallExpr:
			n.call(node)
		case *syntax.DeclClause:
			n.any = n.any || oddDeclaration(node)
		case *syntax.ParamExp:
			if node.Exp != nil && (node.Exp.Op == syntax.AssignUnset || node.Exp.Op == syntax.AssignUnsetOrNull) && node.Param != nil {
				n.other[node.Param.Value] = n.other[node.Param.Value] || !numericWord(node.Exp.Word)
			}
		}
		return true
	})
	w.numbers = n
}

func (n *numbers) assign(a *syntax.Assign) {
	if a.Name != nil && (a.Array != nil || a.Append || a.Naked || !numericWord(a.Value)) {
		n.other[a.Name.Value] = true
	}
}

func (n *numbers) loop(l *syntax.WordIter) {
	for _, item := range l.Items {
		if !numericWord(item) {
			n.other[l.Name.Value] = true
		}
	}
	if !l.InPos.IsValid() {
		n.other[l.Name.Value] = true
	}
}

func (n *numbers) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	words := literals(c.Args)
	switch name := words[0]; {
	case name == "" || strings.ContainsAny(name, special) && name != "[" || setters[name]:
		n.any = true
	case name == "printf" || name == "wait":
		n.any = n.any || len(words) > 1 && !noneBegins(words[1:2], "-") || name == "printf" && len(words) > 1 && flagged(c.Args[1])
	case name == "read":
		for i, word := range words[1:] {
			if syntax.ValidName(word) {
				n.other[word] = true
			} else if word == "" && !strings.HasPrefix(words[i], "-") || strings.Contains(word, "\\") {
				n.any = true
			}
		}
	}
}

// flagged says that a word may turn out to begin with a dash.
func flagged(word *syntax.Word) bool {
	switch p := word.Parts[0].(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		text, ok := plain(word)
		return !ok || strings.HasPrefix(text, "-")
	case *syntax.DblQuoted:
		if len(p.Parts) > 0 {
			lit, ok := p.Parts[0].(*syntax.Lit)
			return !ok || strings.HasPrefix(lit.Value, "-")
		}
	}
	return true
}

// setters are the builtins that may set any variable.
var setters = set("eval source . mapfile readarray getopts let trap alias builtin command declare typeset local readonly export")

// numericWord says that a word gives a number: {1..9} too.
func numericWord(word *syntax.Word) bool {
	if word == nil {
		return false
	}
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.Trim(p.Value, "0123456789-{}.,") != "" {
				return false
			}
		case *syntax.ArithmExp:
		case *syntax.ParamExp:
			if p.Param == nil || !p.Length && p.Param.Value != "#" && p.Param.Value != "?" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// test takes the expression of a [[ ]] apart.
func (w *walker) test(x syntax.TestExpr, st state) state {
	switch x := x.(type) {
	case *syntax.Word:
		e := expander{w: w, st: st, src: x, globs: true}
		e.word(x)
		return e.st
	case *syntax.ParenTest:
		return w.test(x.X, st)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			if word, ok := x.X.(*syntax.Word); !ok || !syntax.ValidName(word.Lit()) {
				w.doubt(w.nodeSpan(x), "a subscript in a test runs what it says")
			}
		}
		return w.test(x.X, st)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return w.compared(x.Y, w.compared(x.X, st))
		}
		return w.test(x.Y, w.test(x.X, st))
	}
	return st
}

// compared is a side of -eq and its like: an expression.
func (w *walker) compared(x syntax.TestExpr, st state) state {
	word, ok := x.(*syntax.Word)
	if !ok {
		return w.test(x, st)
	}
	text, isPlain := plain(word)
	switch {
	case isPlain && number(text):
		return st
	case !isPlain && len(word.Parts) == 1:
		if q, quoted := word.Parts[0].(*syntax.DblQuoted); quoted && !q.Dollar {
			return w.operand(&syntax.Word{Parts: q.Parts}, st)
		}
	}
	return w.operand(word, st)
}
