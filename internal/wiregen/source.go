package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what the Go files of the package say and reflection cannot:
// comments, order and constants.
type source struct {
	order  []string          // type names in source order: by file name, then position
	types  map[string]string // doc comments
	fields map[string]string // "Type.Field": doc comments
	values map[string][]value
	bounds []bound
}

// readSource parses the package's files, tests left out.
func readSource(dir string) (*source, error) {
	s := &source{types: map[string]string{}, fields: map[string]string{}, values: map[string][]value{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if err := s.file(f); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
	}
	return s, nil
}

func (s *source) file(f *ast.File) error {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.typeSpec(g, spec)
			case *ast.ValueSpec:
				if err := s.constant(g, spec); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *source) typeSpec(g *ast.GenDecl, spec *ast.TypeSpec) {
	name := spec.Name.Name
	doc := spec.Doc
	if doc == nil {
		doc = g.Doc
	}
	s.order = append(s.order, name)
	s.types[name] = prose(doc)
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			s.fields[name+"."+n.Name] = prose(f.Doc)
		}
	}
}

// constant keeps the words of an enum and the exported untyped numbers.
func (s *source) constant(g *ast.GenDecl, spec *ast.ValueSpec) error {
	if g.Tok != token.CONST || len(spec.Values) != 1 {
		return nil
	}
	name := spec.Names[0].Name
	if t, ok := spec.Type.(*ast.Ident); ok {
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return nil
		}
		word, err := strconv.Unquote(lit.Value)
		if err != nil {
			return err
		}
		s.values[t.Name] = append(s.values[t.Name], value{Word: word, Doc: withoutName(name, prose(spec.Doc))})
		return nil
	}
	if spec.Type == nil && strings.HasPrefix(name, "Max") {
		return s.bound(name, spec)
	}
	return nil
}

func (s *source) bound(name string, spec *ast.ValueSpec) error {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(spec.Values[0]))
	if err != nil {
		return err
	}
	n, exact := constant.Int64Val(v.Value)
	if !exact {
		return fmt.Errorf("%s is no whole number", name)
	}
	s.bounds = append(s.bounds, bound{lowerFirst(name), n, withoutName(name, prose(spec.Doc))})
	return nil
}

// prose is a comment as running text; paragraphs stay apart.
func prose(c *ast.CommentGroup) string {
	paragraphs := strings.Split(strings.TrimSpace(c.Text()), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// withoutName turns "MaxRead is the most" into "the most" and "StopError:
// something broke" into "something broke": elsewhere the Go name means nothing.
func withoutName(name, doc string) string {
	doc = strings.TrimPrefix(doc, name)
	doc = strings.TrimLeft(doc, ": ")
	return strings.TrimPrefix(doc, "is ")
}
