package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/rpc/protocol"

	"github.com/google/go-cmp/cmp"
)

// What is committed is what the Go source says now.
func TestGenerated(t *testing.T) {
	root, files := generated(t)
	if err := stale(root, files); err != nil {
		t.Error(err)
	}
}

// A file that is gone and one that was edited by hand are both stale.
func TestStaleNamesTheFiles(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{"docs/a.md": []byte("a"), "b.json": []byte("b"), "c.lua": []byte("c")}
	if err := write(dir, files); err != nil {
		t.Fatal(err)
	}
	if err := stale(dir, files); err != nil {
		t.Errorf("right after writing: %v", err)
	}
	os.Remove(filepath.Join(dir, "docs", "a.md"))
	os.WriteFile(filepath.Join(dir, "b.json"), []byte("mine"), 0o644)
	if err := stale(dir, files); err == nil || !strings.HasPrefix(err.Error(), "stale: b.json, docs/a.md;") {
		t.Errorf("stale = %v", err)
	}
}

// Two runs write the same bytes.
func TestGenerateIsDeterministic(t *testing.T) {
	_, first := generated(t)
	_, second := generated(t)
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs from run to run", name)
		}
	}
}

func generated(t *testing.T) (root string, files map[string][]byte) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if files, err = generate(root); err != nil {
		t.Fatal(err)
	}
	return root, files
}

func loaded(t *testing.T) *api {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	a, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every field that is in use stands in an example, so no part of the wire is
// left without one and none is left untested.
func TestEveryFieldHasAnExample(t *testing.T) {
	a := loaded(t)
	seen := map[string]bool{}
	for _, m := range a.Methods {
		for _, e := range m.Examples {
			markRef(t, a, seen, m.Params.Ref, e.Params)
			if m.Kind == "request" {
				markRef(t, a, seen, m.Result.Ref, e.Result)
			}
		}
	}
	for _, w := range a.Types {
		if strings.HasSuffix(w.Name, "Capabilities") || w.Name == "Limits" || w.Name == "CommandPart" || w.Name == "Span" {
			continue // in LSP messages, or reserved as a whole
		}
		for _, f := range w.Fields {
			if !seen[w.Name+"."+f.Name] && !strings.Contains(f.Doc, "Reserved:") {
				t.Errorf("%s.%s is in no example", w.Name, f.Name)
			}
		}
	}
}

func markRef(t *testing.T, a *api, seen map[string]bool, ref string, text json.RawMessage) {
	t.Helper()
	w := a.find(ref)
	if w.Kind != structType && w.Kind != unionType {
		return
	}
	var have map[string]json.RawMessage
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatalf("%s: %v in %s", ref, err, text)
	}
	for _, e := range w.Extends {
		markRef(t, a, seen, e, text)
	}
	for _, f := range w.Fields {
		if v, ok := have[f.Name]; ok {
			seen[w.Name+"."+f.Name] = true
			markShape(t, a, seen, f.Shape, v)
		}
	}
}

func markShape(t *testing.T, a *api, seen map[string]bool, s shape, text json.RawMessage) {
	t.Helper()
	switch s.Kind {
	case refShape:
		markRef(t, a, seen, s.Ref, text)
	case listShape:
		var items []json.RawMessage
		if err := json.Unmarshal(text, &items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			markShape(t, a, seen, *s.Elem, item)
		}
	}
}

// Fields on the wire are camelCase.
func TestFieldsAreCamelCase(t *testing.T) {
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	for _, w := range loaded(t).Types {
		for _, f := range w.Fields {
			if !camel.MatchString(f.Name) {
				t.Errorf("%s.%s", w.Name, f.Name)
			}
		}
	}
}

// Go, the schema, TypeScript and Lua have the same words in the same order.
func TestClosedListsAgree(t *testing.T) {
	_, files := generated(t)
	ts := string(files["editors/vscode/src/protocol.gen.ts"])
	lua := string(files["editors/nvim/lua/drawbridge/protocol.lua"])
	var schema struct {
		Defs map[string]struct{ Enum []string } `json:"$defs"`
	}
	if err := json.Unmarshal(files["editors/protocol.json"], &schema); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, w := range loaded(t).Types {
		if w.Kind != enumType {
			continue
		}
		checked++
		var want []string
		for _, v := range w.Values {
			want = append(want, v.Word)
		}
		checkWords(t, w.Name+" in the schema", want, schema.Defs[w.Name].Enum)
		checkWords(t, w.Name+" in TypeScript", want, quoted(between(t, ts, "export const "+plural(w.Name)+" = [\n", "] as const;")))
		checkWords(t, w.Name+" in Lua", want, quoted(between(t, lua, "\nM."+plural(w.Name)+" = {\n", "}\n")))
	}
	if checked < 15 {
		t.Errorf("only %d closed lists were found", checked)
	}
}

func checkWords(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-Go):\n%s", what, diff)
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	part, _, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Errorf("nothing between %q and %q", from, to)
	}
	return part
}

// quoted are the lines of a list that hold a word.
func quoted(text string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`(?m)^\s*"([^"]+)",$`).FindAllStringSubmatch(text, -1) {
		words = append(words, m[1])
	}
	return words
}

// Each native method stands in every generated file.
func TestEveryFileHasEveryMethod(t *testing.T) {
	_, files := generated(t)
	for _, m := range loaded(t).Methods {
		if !m.native() {
			continue
		}
		for name, text := range files {
			if !bytes.Contains(text, []byte(`"`+m.Name+`"`)) && !bytes.Contains(text, []byte("#### "+m.Name+"\n")) {
				t.Errorf("%s has no %s", name, m.Name)
			}
		}
	}
}

// Links in the documentation lead somewhere.
func TestDocsLinksResolve(t *testing.T) {
	_, files := generated(t)
	docs := string(files["docs/protocol.md"])
	slugs := headings(docs)
	links := regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(docs, -1)
	for _, l := range links {
		if !slugs[l[1]] {
			t.Errorf("no heading for #%s", l[1])
		}
	}
	if len(links) < 100 {
		t.Errorf("only %d links were found", len(links))
	}
}

// headings are the anchors that a Markdown viewer gives to headings: lower
// case, spaces to dashes, other signs dropped, a number on repetition.
func headings(docs string) map[string]bool {
	drop := regexp.MustCompile(`[^a-z0-9 -]`)
	count := map[string]int{}
	slugs := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(docs, -1) {
		slug := strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		if n := count[slug]; n > 0 {
			slugs[slug+"-"+string(rune('0'+n))] = true
		} else {
			slugs[slug] = true
		}
		count[slug]++
	}
	return slugs
}

// A method that the documentation or a comment names exists.
func TestNamedMethodsExist(t *testing.T) {
	_, files := generated(t)
	nouns := map[string]bool{}
	for _, m := range protocol.Methods {
		if noun, _, ok := strings.Cut(m.Name, "/"); ok {
			nouns[noun] = true
		}
	}
	name := regexp.MustCompile(`(?:\$|\b[a-zA-Z]+)/[a-zA-Z/]+`)
	for _, text := range name.FindAllString(withoutExamples(files["docs/protocol.md"]), -1) {
		noun, _, _ := strings.Cut(text, "/")
		if _, ok := protocol.Lookup(text); !ok && nouns[noun] {
			t.Errorf("the documentation names %s", text)
		}
	}
}

// withoutExamples drops JSON, which may hold any text.
func withoutExamples(docs []byte) string {
	return regexp.MustCompile("(?s)```json.*?```").ReplaceAllString(string(docs), "")
}

// The prose of the template cannot name a method or a bound that is gone.
func TestTemplateRefusesUnknownNames(t *testing.T) {
	d := &docs{api: loaded(t)}
	if _, err := d.methodLink("session/vanish"); err == nil {
		t.Error("a method that does not exist was linked")
	}
	if _, err := d.bound("maxVanish"); err == nil {
		t.Error("a bound that does not exist was shown")
	}
}

// What cannot be explained or has no shape stops the generator.
func TestLoadRefuses(t *testing.T) {
	type documented struct {
		NoDoc  string            `json:"noDoc"`
		NoName string            // no tag
		NoMap  map[string]string `json:"noMap"`
	}
	src := &source{types: map[string]string{"documented": "documented is here."}, fields: map[string]string{
		"documented.NoName": "It has no name.", "documented.NoMap": "It is a map.",
	}}
	for i, want := range []string{"no doc comment", "no name on the wire", "no shape on the wire"} {
		l := &loader{src: src, found: map[string]*wireType{}}
		_, err := l.field("documented", reflect.TypeFor[documented]().Field(i))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("field %d: %v, want %s", i, err, want)
		}
	}
	l := &loader{src: &source{types: map[string]string{}}, found: map[string]*wireType{}}
	if _, err := l.named(reflect.TypeFor[documented]()); err == nil {
		t.Error("a type without a comment was loaded")
	}
}

func TestSourceComments(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"MaxRead", "MaxRead is the most.", "the most."},
		{"StopError", "StopError: something broke.", "something broke."},
		{"ModePlan", "ModePlan denies it.", "denies it."},
	} {
		if got := withoutName(c.name, c.doc); got != c.want {
			t.Errorf("withoutName(%q) = %q, want %q", c.doc, got, c.want)
		}
	}
}

// Lines keep to their width and no word is lost.
func TestWrap(t *testing.T) {
	text := "one two three four\n\nfive sixsixsixsixsix"
	got := wrap(text, 10)
	if diff := cmp.Diff([]string{"one two", "three four", "", "five", "sixsixsixsixsix"}, got); diff != "" {
		t.Error(diff)
	}
}

// Unions become one type a word of their tag, each with its own fields only.
func TestUnionVariants(t *testing.T) {
	a := loaded(t)
	block := a.find("Block")
	got := map[string][]string{}
	for _, c := range block.Cases {
		for _, f := range c.Fields {
			got[c.Name] = append(got[c.Name], f.Name+optional(f))
		}
	}
	want := map[string][]string{
		"TextBlock": {"text"}, "ImageBlock": {"mimeType", "data"}, "ResourceBlock": {"text", "uri"},
		"ResourceLinkBlock": {"uri", "name"}, "SelectionBlock": {"text ?", "uri", "range"}, "DiagnosticsBlock": {"uri"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(block.Cases) != len(a.find("BlockType").Values) {
		t.Error("a word of the tag has no variant")
	}
}

// No two words of one list are the same, and every list has its own name.
func TestWordsAreUnique(t *testing.T) {
	names := map[string]string{}
	for _, w := range loaded(t).Types {
		if w.Kind != enumType {
			continue
		}
		if other := names[plural(w.Name)]; other != "" {
			t.Errorf("%s and %s are both %s", w.Name, other, plural(w.Name))
		}
		names[plural(w.Name)] = w.Name
		words := map[string]bool{}
		for _, v := range w.Values {
			if words[v.Word] {
				t.Errorf("%s has %s twice", w.Name, v.Word)
			}
			words[v.Word] = true
		}
	}
	if len(slices.Collect(maps.Keys(names))) == 0 {
		t.Error("no closed list was found")
	}
}
