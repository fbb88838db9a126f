package drawbridge_test

import (
	"go/ast"
	"slices"
	"testing"
)

// The tail is where quality is lost: hard stops for the longest, and a bound
// on what is usual.
const (
	maxFunc    = 100
	medianFunc = 12
	maxFile    = 700
	mostFiles  = 450 // nine of ten files are no longer
)

func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range goFiles() {
		if s.generated {
			continue
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			n := s.lines(d)
			if s.test {
				n -= caseLines(s, d)
			} else {
				lengths = append(lengths, n)
			}
			if n > maxFunc {
				t.Errorf("%s: %s has %d lines, at most %d", s.at(d), d.Name.Name, n, maxFunc)
			}
		}
	}
	if m := quantile(lengths, 0.5); m > medianFunc {
		t.Errorf("half of the functions are longer than %d lines, aim at %d", m, medianFunc)
	}
}

// caseLines counts the lines of a test's tables, which are data.
func caseLines(s source, d *ast.FuncDecl) int {
	n := 0
	ast.Inspect(d, func(node ast.Node) bool {
		lit, ok := node.(*ast.CompositeLit)
		if ok {
			n += s.lines(lit)
		}
		return !ok
	})
	return n
}

func TestFilesAreShort(t *testing.T) {
	var lengths []int
	for _, s := range goFiles() {
		if s.generated {
			continue
		}
		n := s.fset.File(s.file.Pos()).LineCount()
		lengths = append(lengths, n)
		if n > maxFile {
			t.Errorf("%s has %d lines, at most %d", s.path, n, maxFile)
		}
	}
	if p90 := quantile(lengths, 0.9); p90 > mostFiles {
		t.Errorf("one file in ten is longer than %d lines, aim at %d", p90, mostFiles)
	}
}

func quantile(values []int, q float64) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(q*float64(len(values)-1))]
}
