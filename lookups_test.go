package drawbridge_test

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// A program that we start ourselves is named by its whole path, which
// shell.Locate finds outside the workspace: by a bare name, or by
// exec.LookPath, it could be one that the workspace brings.
func TestProgramsAreNotLookedUpInTheWorkspace(t *testing.T) {
	for _, s := range productFiles() {
		if testOnly(s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if f, ok := n.(*ast.SelectorExpr); ok && isPackage(f.X, "exec") && f.Sel.Name == "LookPath" {
				t.Errorf("%s: exec.LookPath; use shell.Locate", s.at(f))
			}
			if name := bareProgram(n); name != "" {
				t.Errorf("%s: starts %s by its bare name", s.at(n), name)
			}
			return true
		})
	}
}

func isPackage(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// bareProgram is the program that a call starts by a name without a folder.
func bareProgram(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isPackage(f.X, "exec") || !strings.HasPrefix(f.Sel.Name, "Command") {
		return ""
	}
	at := strings.Count(f.Sel.Name, "Context") // which comes first
	if lit, ok := call.Args[at].(*ast.BasicLit); ok && lit.Kind == token.STRING && !strings.HasPrefix(lit.Value, `"/`) {
		return lit.Value
	}
	return ""
}
