package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

var (
	lowerName = regexp.MustCompile(`^([a-z_][a-z0-9_]*|[A-Z])$`)
	// obeyed are lower-case variables that programs or shells obey.
	obeyed = regexp.MustCompile(`^(npm_|.*_proxy$|histchars$|auto_resume$|(|cd|f|man|module_|info)path$|prompt$)`)
)

// Ordinary says that a variable is a script's own: no shell or program does
// anything else because of its value. Of PATH, say, that is not so.
func Ordinary(name string) bool {
	return lowerName.MatchString(name) && name != "_" && !obeyed.MatchString(name)
}

// setting are what a script has one of that sets a variable without an
// assignment.
var setting = []string{"for", "select", "coproc", "let", "{", "[", "(("}

// checkNames doubts scripts in which something else than an assignment sets a
// variable that shells or programs obey: a loop, arithmetic, a redirection, a
// coprocess, an expansion. Assignments are listed as such.
func (w *walker) checkNames(file *syntax.File) {
	if !slices.ContainsFunc(setting, func(s string) bool { return strings.Contains(w.src.text, s) }) {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WordIter:
			w.sets(n, n.Name.Value)
		case *syntax.Redirect:
			if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
				w.sets(n, strings.Trim(n.N.Value, "{}"))
			}
		case *syntax.CoprocClause:
			if n.Name != nil {
				w.sets(n, n.Name.Lit())
			}
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				w.sets(n, variable(n.X))
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				w.sets(n, variable(n.X))
			}
		case *syntax.ParamExp:
			if e := n.Exp; e != nil && n.Param != nil && (e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull) {
				w.sets(n, n.Param.Value)
			}
		}
		return true
	})
}

func (w *walker) sets(n syntax.Node, name string) {
	switch {
	case name == "":
		w.doubt(w.nodeSpan(n), "which variable it sets is not known until it runs")
	case !Ordinary(name):
		w.doubt(w.nodeSpan(n), "it sets "+name+", which may change what commands do")
	}
}

// checkVisible doubts scripts with characters that show nothing: they make a
// word look like another, and some file systems take them out of names.
func (w *walker) checkVisible(file *syntax.File) {
	for _, r := range w.src.text {
		if r > unicode.MaxASCII && unicode.Is(unicode.Cf, r) {
			w.doubt(w.nodeSpan(file), fmt.Sprintf("it has a character that does not show: %U", r))
			return
		}
	}
}
