package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
)

// load builds the model from the method table, the types it reaches, the
// comments beside them and the examples under testdata.
func load(root string) (*api, error) {
	dir := filepath.Join(root, "rpc", "protocol")
	src, err := readSource(dir)
	if err != nil {
		return nil, err
	}
	l := &loader{src: src, found: map[string]*wireType{}}
	a := &api{Version: protocol.Version, Bounds: src.bounds}
	for _, m := range protocol.Methods {
		row, err := l.method(m)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", m.Name, err)
		}
		if row.Examples, err = examples(dir, m.Name); err != nil {
			return nil, err
		}
		a.Methods = append(a.Methods, row)
	}
	for _, t := range negotiated {
		if _, err := l.named(t); err != nil {
			return nil, err
		}
	}
	a.Types = l.inOrder()
	return a, nil
}

// negotiated types are part of LSP messages or of error answers; no row of
// the table leads to them.
var negotiated = []reflect.Type{
	reflect.TypeFor[protocol.ClientCapabilities](),
	reflect.TypeFor[protocol.ServerCapabilities](),
	reflect.TypeFor[protocol.ErrorKind](),
}

type loader struct {
	src   *source
	found map[string]*wireType
}

func (l *loader) inOrder() []*wireType {
	var ts []*wireType
	for _, name := range l.src.order {
		if t, ok := l.found[name]; ok {
			ts = append(ts, t)
		}
	}
	return ts
}

func (l *loader) method(m protocol.Method) (method, error) {
	row := method{
		Name: m.Name, Direction: m.Direction.String(), Kind: m.Kind.String(), When: m.When, Doc: m.Doc,
	}
	if m.Direction == rpc.ToBridge {
		row.Policy = m.Policy.String()
	}
	for _, e := range m.Errors {
		row.Errors = append(row.Errors, string(e))
	}
	var err error
	if row.Params, err = l.payload(m.Params); err != nil {
		return row, err
	}
	row.Result, err = l.payload(m.Result)
	return row, err
}

func (l *loader) payload(v any) (payload, error) {
	switch v := v.(type) {
	case nil:
		return payload{}, nil
	case protocol.LSP:
		return payload{LSP: string(v)}, nil
	}
	s, err := l.shape(reflect.TypeOf(v))
	return payload{Ref: s.Ref}, err
}

// shape describes a Go type; named types become references and are loaded.
func (l *loader) shape(t reflect.Type) (shape, error) {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return shape{Kind: objectShape}, nil
	case t.Kind() == reflect.Pointer:
		return l.shape(t.Elem())
	case t.Kind() == reflect.Slice:
		elem, err := l.shape(t.Elem())
		return shape{Kind: listShape, Elem: &elem}, err
	case t.Kind() == reflect.Struct, l.src.types[t.Name()] != "":
		name, err := l.named(t)
		return shape{Kind: refShape, Ref: name}, err
	case t.Kind() == reflect.String:
		return shape{Kind: stringShape}, nil
	case t.Kind() == reflect.Bool:
		return shape{Kind: boolShape}, nil
	case t.Kind() == reflect.Uint16:
		return shape{Kind: intShape, Max: 1<<16 - 1}, nil
	case t.Kind() == reflect.Uint32:
		return shape{Kind: intShape, Max: 1<<32 - 1}, nil
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int32, t.Kind() == reflect.Int64:
		return shape{Kind: intShape}, nil
	case t.Kind() == reflect.Float64:
		return shape{Kind: realShape}, nil
	}
	return shape{}, fmt.Errorf("%s has no shape on the wire", t)
}

// named loads a type once. It is entered before its fields are looked at, so
// that a type may contain itself.
func (l *loader) named(t reflect.Type) (string, error) {
	name := t.Name()
	if _, ok := l.found[name]; ok {
		return name, nil
	}
	w := &wireType{Name: name, Doc: l.src.types[name]}
	if w.Doc == "" {
		return "", fmt.Errorf("type %s has no doc comment", name)
	}
	l.found[name] = w
	switch {
	case t == reflect.TypeFor[protocol.HunkChoice]():
		w.Kind = choiceType
	case t.Kind() == reflect.String:
		w.Kind = enumType
		return name, l.enum(w)
	case t.Kind() == reflect.Int64:
		w.Kind = numberType
	default:
		return name, l.structure(w, t)
	}
	return name, nil
}

func (l *loader) enum(w *wireType) error {
	w.Values = l.src.values[w.Name]
	for _, v := range w.Values {
		if v.Doc == "" {
			return fmt.Errorf("%s %q has no doc comment", w.Name, v.Word)
		}
	}
	if len(w.Values) == 0 {
		return fmt.Errorf("type %s has no words", w.Name)
	}
	return nil
}

func (l *loader) structure(w *wireType, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			name, err := l.named(f.Type)
			if err != nil {
				return err
			}
			w.Extends = append(w.Extends, name)
			continue
		}
		one, err := l.field(w.Name, f)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", w.Name, f.Name, err)
		}
		w.Fields = append(w.Fields, one)
	}
	if slices.ContainsFunc(w.Fields, func(f field) bool { return f.of != nil }) {
		return l.union(w)
	}
	return nil
}

func (l *loader) field(owner string, f reflect.StructField) (field, error) {
	tag := strings.Split(f.Tag.Get("json"), ",")
	if !ast.IsExported(f.Name) || tag[0] == "" {
		return field{}, fmt.Errorf("no name on the wire")
	}
	one := field{Name: tag[0], Doc: l.src.fields[owner+"."+f.Name]}
	if one.Doc == "" {
		return field{}, fmt.Errorf("no doc comment")
	}
	one.Optional = slices.Contains(tag, "omitempty") || slices.Contains(tag, "omitzero")
	for of := range strings.SplitSeq(f.Tag.Get("of"), ",") {
		if name, optional := strings.CutSuffix(of, "?"); name != "" {
			one.of = append(one.of, membership{name, optional})
		}
	}
	var err error
	one.Shape, err = l.shape(f.Type)
	return one, err
}

// union splits a struct with of tags into one variant a word of its first
// field, which must be an enum.
func (l *loader) union(w *wireType) error {
	w.Kind = unionType
	w.Tag, w.Fields = w.Fields[0], w.Fields[1:]
	tag, ok := l.found[w.Tag.Shape.Ref]
	if !ok || tag.Kind != enumType {
		return fmt.Errorf("%s: the first field of a union must be an enum", w.Name)
	}
	for _, v := range tag.Values {
		one := variant{Name: upperFirst(v.Word) + w.Name, Value: v.Word, Doc: v.Doc}
		for _, f := range w.Fields {
			for _, m := range f.of {
				if m.value == v.Word {
					f.Optional = m.optional
					one.Fields = append(one.Fields, f)
				}
			}
		}
		w.Cases = append(w.Cases, one)
	}
	return nil
}

// examples reads testdata/NOUN.VERB.json and testdata/NOUN.VERB.CASE.json.
func examples(dir, method string) ([]example, error) {
	base := strings.ReplaceAll(method, "/", ".")
	var all []example
	for _, pattern := range []string{base + ".json", base + ".*.json"} {
		paths, err := filepath.Glob(filepath.Join(dir, "testdata", pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			one, err := readExample(path)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func readExample(path string) (example, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return example{}, err
	}
	one := example{Name: filepath.Base(path), Text: strings.TrimSpace(string(text))}
	if err := json.Unmarshal(text, &one); err != nil {
		return example{}, fmt.Errorf("read %s: %w", path, err)
	}
	return one, nil
}
