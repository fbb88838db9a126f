package drawbridge_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestPackagesSayWhatTheyAre wants a comment of two lines at least: what the
// package does, and what it refuses to know.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	longest := map[string]int{}
	for _, s := range goFiles() {
		n := 0
		if s.file.Doc != nil {
			n = strings.Count(strings.TrimSpace(s.file.Doc.Text()), "\n") + 1
		}
		if !s.test || s.pkg == "." {
			longest[s.pkg] = max(longest[s.pkg], n)
		}
	}
	for pkg, n := range longest {
		if n < 2 {
			t.Errorf("package %s: its comment has %d lines; say what it does, what it refuses to know, which goroutines it starts", pkg, n)
		}
	}
}

// Names that say nothing attract everything.
func TestPackageNamesSaySomething(t *testing.T) {
	empty := []string{"util", "utils", "common", "types", "manager", "service", "helper", "helpers", "misc", "base"}
	for _, s := range goFiles() {
		file := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		for _, name := range []string{s.file.Name.Name, path.Base(s.pkg), file} {
			if slices.Contains(empty, strings.TrimSuffix(name, "_test")) {
				t.Errorf("%s: the name %q says nothing", s.path, name)
			}
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range productFiles() {
		if s.file.Name.Name == "main" {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				checkFuncDoc(t, s, d)
			case *ast.GenDecl:
				checkGroupDoc(t, s, d)
			}
		}
	}
}

// wellKnown methods are documented by the interface of the standard library
// that they satisfy.
var wellKnown = []string{
	"String", "GoString", "Error", "Unwrap", "Is", "As", "Len", "Less", "Swap", "LogValue",
	"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Read", "Write", "Close", "ServeHTTP",
}

// promised are the methods of our own interfaces, documented there.
var promised = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, s := range productFiles() {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, name := range m.Names {
						names[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
})

func checkFuncDoc(t *testing.T, s source, d *ast.FuncDecl) {
	t.Helper()
	method := d.Recv != nil
	if !d.Name.IsExported() || d.Doc != nil || method && !ast.IsExported(receiver(d)) {
		return
	}
	if method && (slices.Contains(wellKnown, d.Name.Name) || promised()[d.Name.Name]) {
		return
	}
	t.Errorf("%s: %s is exported and not documented", s.at(d), d.Name.Name)
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// checkGroupDoc accepts a comment on the group, above the name or behind it.
// Constants of a named type are documented by that type.
func checkGroupDoc(t *testing.T, s source, d *ast.GenDecl) {
	t.Helper()
	typed := false
	for _, spec := range d.Specs {
		switch x := spec.(type) {
		case *ast.TypeSpec:
			if x.Name.IsExported() && d.Doc == nil && x.Doc == nil && x.Comment == nil {
				t.Errorf("%s: type %s is exported and not documented", s.at(x), x.Name.Name)
			}
		case *ast.ValueSpec:
			typed = d.Tok == token.CONST && (x.Type != nil || typed && len(x.Values) == 0)
			if d.Doc != nil || x.Doc != nil || x.Comment != nil || typed {
				continue
			}
			if i := slices.IndexFunc(x.Names, (*ast.Ident).IsExported); i >= 0 {
				t.Errorf("%s: %s is exported and not documented", s.at(x), x.Names[i].Name)
			}
		}
	}
}
