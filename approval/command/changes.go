package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// changed is what code may do to the state of the shell that runs it.
type changed struct {
	names  []string
	folder bool
	all    bool
}

func (c changed) apply(st state) state {
	if c.all {
		return st.lost()
	}
	if c.folder {
		st = st.nowhere()
	}
	for _, name := range c.names {
		st = st.change(name)
	}
	return st
}

// changes looks through code for all that may change the shell's state, whether
// it comes to it or not.
func (w *walker) changes(n syntax.Node) changed {
	var c changed
	syntax.Walk(n, func(n syntax.Node) bool {
		if c.all {
			return false
		}
		switch n := n.(type) {
		case *syntax.FuncDecl, *syntax.Subshell, *syntax.ProcSubst:
			return false
		case *syntax.Assign:
			c.name(n.Name)
		case *syntax.WordIter:
			c.name(n.Name)
		case *syntax.CallExpr:
			w.callChanges(n, &c)
		case *syntax.DeclClause:
			c.all = c.all || oddDeclaration(n)
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				c.arithm(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				c.arithm(n.X)
			}
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				c.name(n.Param)
			}
		case *syntax.Redirect:
			if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
				c.names = append(c.names, strings.Trim(n.N.Value, "{}"))
			}
		}
		return true
	})
	return c
}

func (c *changed) name(l *syntax.Lit) {
	if l != nil {
		c.names = append(c.names, l.Value)
	}
}

func (c *changed) arithm(x syntax.ArithmExpr) {
	if name := variable(x); name != "" {
		c.names = append(c.names, name)
	} else {
		c.all = true
	}
}

// callChanges adds what a simple command may change: nothing, unless its name is
// a builtin that does, a function of the script or not a plain word.
func (w *walker) callChanges(call *syntax.CallExpr, c *changed) {
	if len(call.Args) == 0 {
		return
	}
	name := call.Args[0].Lit()
	switch {
	case name == "" || strings.ContainsAny(name, "\\{~*?[") && name != "[" || w.funcs[name]:
		c.all = true
	case name == "cd":
		c.folder = true
	case name == "read":
		c.read(call.Args[1:])
	case mutators[name]:
		c.all = true
	}
}

// read adds the variables that the builtin sets.
func (c *changed) read(args []*syntax.Word) {
	for _, a := range args {
		name := a.Lit()
		switch {
		case syntax.ValidName(name):
			c.names = append(c.names, name)
		case name == "" || !strings.HasPrefix(name, "-"):
			c.all = true
		}
	}
}

// mutators are the builtins that may change the state of the shell in ways that
// are not followed.
var mutators = set("pushd popd eval source . mapfile readarray printf getopts let unset set shopt trap wait " +
	"alias unalias enable hash builtin command exec export declare typeset local readonly coproc")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m[word] = true
	}
	return m
}

// calmNode says that no command in the code makes a file, as far as plain words
// show.
func calmNode(n syntax.Node) bool {
	calm := true
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			calm = calm && (len(n.Args) == 0 || calmArgs(n.Args))
		case *syntax.Redirect:
			calm = calm && calmRedirect(n)
		case *syntax.FuncDecl:
			calm = false
		}
		return calm
	})
	return calm
}

func calmArgs(args []*syntax.Word) bool {
	var few [8]string
	words := few[:0]
	for _, a := range args {
		words = append(words, a.Lit())
	}
	return calmWords(words)
}

func calmRedirect(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return true
	}
	target := r.Word.Lit()
	return target == "/dev/null" || r.Op == syntax.DplOut && dup(target)
}

func literals(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Lit()
	}
	return words
}

// calmWords says that a command makes no file; "" stands for a word that is not
// plain.
func calmWords(words []string) bool {
	switch name := words[0]; name {
	case "git":
		return len(words) > 1 && calmGit[words[1]] && noneBegins(words[2:], "-o", "--o", "")
	case "sort":
		return noneBegins(words[1:], "-", "") || len(words) == 2 && calmSort[words[1]]
	case "uniq":
		return len(words) == 1 || len(words) == 2 && len(words[1]) == 2 && words[1][0] == '-'
	default:
		return calmNames[name]
	}
}

var (
	calmNames = set("ls cat head tail wc grep egrep fgrep rg cut tr echo printf pwd true false test [ : cd basename " +
		"dirname date which type stat du df nproc sleep diff cmp exit return read export uname whoami id seq")
	calmGit  = set("status diff log show rev-parse ls-files blame")
	calmSort = set("-n -r -u -rn -nr -h -hr -k1 -k2 -V")
)

// noneBegins says that no word begins with one of the given; an empty one given
// stands for a word that is not plain.
func noneBegins(words []string, starts ...string) bool {
	for _, word := range words {
		for _, s := range starts {
			if s == "" && word == "" || s != "" && strings.HasPrefix(word, s) {
				return false
			}
		}
	}
	return true
}
