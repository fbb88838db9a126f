package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
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

func (d *docs) sections() string {
	w := &writer{}
	rows := d.api.Methods
	for _, s := range protocol.Sections {
		w.line("### %s", s.Title)
		w.line("")
		for range s.Methods {
			d.method(w, rows[0])
			rows = rows[1:]
		}
	}
	return w.trimmed()
}

func (d *docs) method(w *writer, m method) {
	w.line("#### %s", m.Name)
	w.line("")
	traits := []string{m.Kind, m.Direction}
	if m.Policy != "" {
		traits = append(traits, m.Policy)
	}
	w.line("*%s*", strings.Join(traits, " · "))
	w.line("")
	w.line("%s", m.Doc)
	w.line("")
	if m.When != "" {
		w.line("Allowed: %s.", m.When)
		w.line("")
	}
	d.payload(w, "Params", m.Params)
	if m.Kind == "request" {
		d.payload(w, "Result", m.Result)
	}
	if len(m.Errors) > 0 {
		w.line("Errors: `%s`.", strings.Join(m.Errors, "`, `"))
		w.line("")
	}
	for _, e := range m.Examples {
		w.line("```json")
		w.line("%s", e.Text)
		w.line("```")
		w.line("")
	}
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
		w.line("%s: %s", label, sentence(t))
		w.line("")
		w.line("%s", d.table(t))
	}
	w.line("")
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
	return w.trimmed()
}

// sentence is a type's comment with its name in code quotes.
func sentence(t *wireType) string { return "`" + t.Name + "`" + strings.TrimPrefix(t.Doc, t.Name) }

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
	case realShape:
		return "number"
	case objectShape:
		return "object"
	case listShape:
		return d.shape(*s.Elem) + "[]"
	case refShape:
		return fmt.Sprintf("[%s](#%s)", s.Ref, d.anchor(s.Ref))
	}
	return "string"
}

// anchor is where a type is explained: at the first method that carries it,
// else among the shapes and words, which come after the methods.
func (d *docs) anchor(name string) string {
	slug := strings.ToLower(name)
	taken := false
	for _, m := range d.api.Methods {
		if m.Params.Ref == name || m.Result.Ref == name {
			return methodSlug(m.Name)
		}
		taken = taken || methodSlug(m.Name) == slug
	}
	if taken {
		return slug + "-1"
	}
	return slug
}

func methodSlug(name string) string {
	return strings.ToLower(strings.NewReplacer("/", "", "$", "").Replace(name))
}

// carried says that a method or the section on negotiation shows the type.
func (d *docs) carried(t *wireType) bool {
	return strings.HasSuffix(t.Name, "Capabilities") || slices.ContainsFunc(d.api.Methods, func(m method) bool {
		return m.Params.Ref == t.Name || m.Result.Ref == t.Name
	})
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
	return w.trimmed()
}

func (d *docs) errorKind() string { return d.wordTable(d.api.find("ErrorKind")) }

func (d *docs) wordTable(t *wireType) string {
	w := &writer{}
	w.line("| word | meaning |")
	w.line("|---|---|")
	for _, v := range t.Values {
		w.line("| `%s` | %s |", v.Word, cell(upperFirst(v.Doc)))
	}
	return w.trimmed()
}

// shapes explains the types that are parts of messages.
func (d *docs) shapes() string {
	w := &writer{}
	for _, t := range d.api.Types {
		if t.Kind == enumType || d.carried(t) {
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
	return w.trimmed()
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
		w.line("| `%s` | %d | %s |", b.Name, b.Value, cell(upperFirst(b.Doc)))
	}
	return w.trimmed()
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
			return fmt.Sprintf("[`%s`](#%s)", name, methodSlug(name)), nil
		}
	}
	return "", fmt.Errorf("no method %s", name)
}
