package drawbridge_test

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// printers are programs of their own that never share a process with a wire.
var printers = []string{"cmd/...", "internal/wiregen", "internal/bench"}

// forbiddenCalls print to the process's own streams. One stray line on stdout
// corrupts the wire; log's default logger bypasses level and rotation.
var forbiddenCalls = map[string][]string{
	"os":  {"Stdout"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
}

func TestOnlyCommandsPrint(t *testing.T) {
	for _, s := range goFiles() {
		if s.test || withinAny(s.pkg, printers) {
			continue
		}
		names := importNames(s)
		ast.Inspect(s.file, func(n ast.Node) bool {
			if what := printing(n, names); what != "" {
				t.Errorf("%s: %s outside cmd/; hand down a writer or a logger", s.at(n), what)
			}
			return true
		})
	}
}

// importNames maps the name that a file calls a package by to its path.
func importNames(s source) map[string]string {
	names := map[string]string{}
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := p[strings.LastIndex(p, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// printing names what a node prints with, "" if it does not.
func printing(n ast.Node, names map[string]string) string {
	switch x := n.(type) {
	case *ast.SelectorExpr:
		pkg, ok := x.X.(*ast.Ident)
		if !ok {
			return ""
		}
		for _, name := range forbiddenCalls[names[pkg.Name]] {
			if x.Sel.Name == name {
				return pkg.Name + "." + name
			}
		}
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
			return id.Name
		}
	}
	return ""
}
