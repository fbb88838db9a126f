package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ownWay doubts a script for a shell with a language of its own, unless it is as
// plain as to mean the same in all.
func (w *walker) ownWay(shell, text string, at Span) {
	switch shell {
	case "bash", "rbash", "sh", "dash", "ash", "ksh", "mksh":
	default:
		if !plainText(text) {
			w.doubt(at, shell+" reads this in its own way")
		}
	}
}

// plainText says that a text means the same in every shell: words without any
// expansion, and simple operators.
func plainText(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" _./:,@%+-;|&", c) >= 0:
		case c == '=' && i > 0 && text[i-1] != ' ':
		default:
			return false
		}
	}
	return true
}

// checkPosix doubts what another shell than bash reads in another way.
func (w *walker) checkPosix(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil && bashOnly(n) {
			w.doubt(w.nodeSpan(n), "sh may not read this as bash does")
		}
		return true
	})
}

func bashOnly(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		return n.Dollar
	case *syntax.DblQuoted:
		return n.Dollar
	case *syntax.ProcSubst, *syntax.ExtGlob, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CoprocClause:
		return true
	case *syntax.FuncDecl:
		return n.RsrvWord
	case *syntax.BinaryCmd:
		return n.Op == syntax.PipeAll
	case *syntax.Redirect:
		return n.Op == syntax.RdrAll || n.Op == syntax.AppAll || n.Op == syntax.WordHdoc || n.N != nil && n.N.Value[0] == '{' ||
			n.Op == syntax.DplOut && !dup(n.Word.Lit())
	case *syntax.ForClause:
		_, words := n.Loop.(*syntax.WordIter)
		return n.Select || n.Braces || !words
	case *syntax.Assign:
		return n.Append || n.Array != nil || n.Index != nil
	case *syntax.ParamExp:
		return n.Excl || n.Index != nil || n.Slice != nil || n.Repl != nil || n.Names != 0
	case *syntax.ArithmExp:
		return n.Bracket
	}
	return false
}
