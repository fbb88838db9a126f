// Package drawbridge_test holds the rules that the tree as a whole keeps:
// which package may import which, what may print, how long things may be. It
// reads source text only, so a plain go test says in a second what a reviewer
// would otherwise have to notice.
package drawbridge_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is the path that our own imports begin with.
const module = "drawbridge"

// source is one Go file of the tree.
type source struct {
	path      string // with forward slashes, relative to the root
	pkg       string // its folder: "rpc/protocol", "." for the root
	test      bool
	generated bool
	file      *ast.File
	fset      *token.FileSet
}

// at names the place of a node, ready to be clicked.
func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// lines counts the lines that a node spans.
func (s source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// imports lists what the file imports, our own without the module's name.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, strings.TrimPrefix(p, module+"/"))
	}
	return paths
}

// ours tells our packages from others, in the form that imports gives.
func ours(importPath string) bool {
	return slices.ContainsFunc(goFiles(), func(s source) bool { return s.pkg == importPath })
}

// skipped are folders that hold nothing we wrote.
var skipped = []string{"node_modules", "dist", "bin", "out"}

// walk calls visit for every file that belongs to the project.
func walk(visit func(name string)) error {
	return filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		hidden := strings.HasPrefix(d.Name(), ".") && name != "." && d.Name() != ".ci"
		switch {
		case d.IsDir() && (hidden || slices.Contains(skipped, d.Name())):
			return fs.SkipDir
		case d.Type().IsRegular():
			visit(name)
		}
		return nil
	})
}

// goFiles parses the tree once. Files under testdata are input, not code.
var goFiles = sync.OnceValue(func() []source {
	var all []source
	fset := token.NewFileSet()
	err := walk(func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			return
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return // the compiler says so better
		}
		all = append(all, source{
			path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			generated: ast.IsGenerated(f), file: f, fset: fset,
		})
	})
	if err != nil {
		panic(err)
	}
	return all
})

// productFiles are the hand-written files that end up in a program.
func productFiles() []source {
	return slices.DeleteFunc(slices.Clone(goFiles()), func(s source) bool { return s.test || s.generated })
}

// within matches a package against "x", which is x alone, or "x/...", which
// is x and everything below.
func within(pkg, pattern string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return pkg == base || below && strings.HasPrefix(pkg, base+"/")
}

func withinAny(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(pkg, p) })
}

// readText returns a file of the tree, "" and a test error if there is none.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
