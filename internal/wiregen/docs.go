package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"drawbridge/rpc/protocol"
)

//go:embed protocol.md.tmpl
var docsTemplate string

// emitDocs renders the template: prose is written there, everything with a
// name on the wire comes from the model.
func emitDocs(a *api) ([]byte, error) {
	d := &docs{api: a}
	t := template.New("protocol.md").Option("missingkey=error").Funcs(template.FuncMap{
		"sections": d.sections,
		"words":    d.words,
		"shapes":   d.shapes,
		"bounds":   d.bounds,
		"bound":    d.bound,
		"fields":   d.fields,
		"method":   d.methodLink,
		"kind":     d.errorKind,
	})
	if _, err := t.Parse(docsTemplate); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, a); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

type docs struct{ api *api }

func (d *docs) sections() (string, error) {
	w := &writer{}
	rows := d.api.Methods
	for _, s := range protocol.Sections {
		w.line("### %s", s.Title)
		w.line("")
		for range s.Methods {
			if err := d.method(w, rows[0]); err != nil {
				return "", err
			}
			rows = rows[1:]
		}
	}
	return strings.TrimSpace(w.buf.String()), nil
}

func (d *docs) method(w *writer, m method) error {
	w.line("#### %s", m.Name)
	w.line("")
	traits := []string{m.Kind, m.Direction}
	if m.Policy != "" {
		traits = append(traits, m.Policy)
	}
	w.line("*%s*", strings.Join(traits, " · "))
	w.line("")
	w.line("%s", m.Doc)
	if m.When != "" {
		w.line("**When:** %s", m.When)
	}
	w.line("")
	d.payload(w, "Params", m.Params)
	if m.Kind == "request" {
		d.payload(w, "Result", m.Result)
	}
	if len(m.Errors) > 0 {
		w.line("Errors: `%s`.", strings.Join(m.Errors, "`, `"))
		w.line("")
	}
	for _, e := range m.Examples {
		if err := w.example(e); err != nil {
			return err
		}
	}
	return nil
}

func (d *docs) payload(w *writer, label string, p payload) {
	switch {
	case p.LSP != "":
		w.line("%s: `%s` of the Language Server Protocol.", label, p.LSP)
	case p.Ref == "" && label == "Result":
		w.line("%s: `null`.", label)
	case p.Ref == "":
		w.line("%s: none.", label)
	default:
		t := d.api.find(p.Ref)
		if len(d.api.allFields(t)) == 0 {
			w.line("%s: `{}`.", label)
			break
		}
		w.line("%s `%s`: %s", label, t.Name, t.Doc)
		w.line("")
		w.line("%s", d.table(t))
	}
	w.line("")
}

func (w *writer) example(e example) error {
	for _, part := range []struct {
		label string
		text  json.RawMessage
	}{{"params", e.Params}, {"result", e.Result}} {
		if part.text == nil {
			continue
		}
		var out bytes.Buffer
		if err := json.Indent(&out, part.text, "", "  "); err != nil {
			return fmt.Errorf("example %s: %w", e.Name, err)
		}
		w.line("```json")
		w.line("// %s", part.label)
		w.line("%s", out.String())
		w.line("```")
		w.line("")
	}
	return nil
}

// fields is the table of a type named in the template.
func (d *docs) fields(name string) string { return d.table(d.api.find(name)) }

func (d *docs) table(t *wireType) string {
	w := &writer{}
	w.line("| field | type | meaning |")
	w.line("|---|---|---|")
	for _, f := range d.api.allFields(t) {
		w.line("| `%s`%s | %s | %s |", f.Name, optional(f), d.shape(f.Shape), cell(f.Doc))
	}
	return strings.TrimSpace(w.buf.String())
}

func optional(f field) string {
	if f.Optional {
		return " ?"
	}
	return ""
}

// cell makes text fit into a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n\n", " ")
}

func (d *docs) shape(s shape) string {
	switch s.Kind {
	case boolShape:
		return "boolean"
	case intShape:
		return "integer"
	case objectShape:
		return "object"
	case listShape:
		return d.shape(*s.Elem) + "[]"
	case refShape:
		return fmt.Sprintf("[%s](#%s)", s.Ref, d.anchor(s.Ref))
	}
	return "string"
}

// anchor is where a type is explained: among the shapes and words, or at the
// first method that carries it.
func (d *docs) anchor(name string) string {
	for _, m := range d.api.Methods {
		if m.Params.Ref == name || m.Result.Ref == name {
			return strings.ToLower(strings.ReplaceAll(m.Name, "/", ""))
		}
	}
	return strings.ToLower(name)
}

// words explains every closed list, the error kinds aside, which the template
// shows where errors are explained.
func (d *docs) words() string {
	w := &writer{}
	for _, t := range d.api.Types {
		if t.Kind == enumType && t.Name != "ErrorKind" {
			w.line("### %s", t.Name)
			w.line("")
			w.line("%s", t.Doc)
			w.line("")
			w.line("%s", d.wordTable(t))
			w.line("")
		}
	}
	return strings.TrimSpace(w.buf.String())
}

func (d *docs) errorKind() string { return d.wordTable(d.api.find("ErrorKind")) }

func (d *docs) wordTable(t *wireType) string {
	w := &writer{}
	w.line("| word | meaning |")
	w.line("|---|---|")
	for _, v := range t.Values {
		w.line("| `%s` | %s |", v.Word, cell(v.Doc))
	}
	return strings.TrimSpace(w.buf.String())
}

// shapes explains the types that are parts of messages.
func (d *docs) shapes() string {
	w := &writer{}
	for _, t := range d.api.Types {
		if t.Kind == enumType || d.anchor(t.Name) != strings.ToLower(t.Name) || t.Name == "Empty" {
			continue
		}
		w.line("### %s", t.Name)
		w.line("")
		w.line("%s", t.Doc)
		w.line("")
		switch t.Kind {
		case structType:
			w.line("%s", d.table(t))
			w.line("")
		case unionType:
			d.union(w, t)
		}
	}
	return strings.TrimSpace(w.buf.String())
}

func (d *docs) union(w *writer, t *wireType) {
	w.line("| %s | fields |", t.Tag.Name)
	w.line("|---|---|")
	for _, c := range t.Cases {
		var names []string
		for _, f := range c.Fields {
			names = append(names, fmt.Sprintf("`%s`%s: %s", f.Name, optional(f), d.shape(f.Shape)))
		}
		w.line("| `%s` | %s |", c.Value, strings.Join(names, ", "))
	}
	w.line("")
	w.line("| field | meaning |")
	w.line("|---|---|")
	for _, f := range t.Fields {
		w.line("| `%s` | %s |", f.Name, cell(f.Doc))
	}
	w.line("")
}

func (d *docs) bounds() string {
	w := &writer{}
	w.line("| bound | value | meaning |")
	w.line("|---|--:|---|")
	for _, b := range d.api.Bounds {
		w.line("| `%s` | %d | %s |", b.Name, b.Value, cell(b.Doc))
	}
	return strings.TrimSpace(w.buf.String())
}

// bound is a bound's value in the unit that reads best.
func (d *docs) bound(name string) (string, error) {
	for _, b := range d.api.Bounds {
		switch {
		case b.Name != name:
		case b.Value%(1<<20) == 0:
			return fmt.Sprintf("%d MiB", b.Value>>20), nil
		case b.Value%(1<<10) == 0:
			return fmt.Sprintf("%d KiB", b.Value>>10), nil
		default:
			return fmt.Sprint(b.Value), nil
		}
	}
	return "", fmt.Errorf("no bound %s", name)
}

// methodLink names a method in prose; a name that does not exist stops the
// generator, so prose cannot outlive a method.
func (d *docs) methodLink(name string) (string, error) {
	for _, m := range d.api.Methods {
		if m.Name == name {
			return fmt.Sprintf("[`%s`](#%s)", name, strings.ToLower(strings.ReplaceAll(name, "/", ""))), nil
		}
	}
	return "", fmt.Errorf("no method %s", name)
}
