package config

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"
)

var someNames = Names{
	Tools:   []string{"a", "bash", "edit_file", "exec_command", "read_file"},
	Builtin: []string{"exec_command", "read_file"},
	Agent:   []string{"a", "bash", "grep"},
}

func resolve(t *testing.T, text []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// value is what an editor's language server sees of a text; ok is false when it
// sees no single document.
func value(text string) (v any, ok bool) {
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	return v, true
}

// looser are the faults that a schema cannot tell of: what is about two places at
// once, about the machine, or finer than a pattern.
var looser = []string{
	"is set twice", "is defined twice", "is configured twice", "exclude each other", "second document", "have a reference",
	"a duration with its unit of at most", "is the whole file system", "want a host", "a user or password", "want a number",
	"want a size", "put it in quotes", "want the key", `unknown setting "<<"`,
}

// stricter are texts that reading takes though the schema does not: entries that
// are told about and count for nothing, and names that are judged elsewhere.
func stricter(c Config) bool {
	for _, r := range c.Approval.Rules {
		if r.Problem != "" {
			return true
		}
	}
	unknown := func(name string, known []string) bool { return !slices.Contains(known, name) }
	for _, t := range c.Approval.Tools {
		if unknown(t.Name, someNames.Tools) {
			return true
		}
	}
	if a := c.Tools.Agent; a != nil {
		for _, t := range append([]AgentTool{a.Default}, a.Configs...) {
			if t.Name != "" && unknown(t.Name, someNames.Agent) || t.Policy != "" && unknown(t.Policy, agentPolicies) {
				return true
			}
		}
	}
	return false
}

// agree compares the schema with reading, and says how they differ.
func agree(s *jsonschema.Resolved, text string) error {
	v, ok := value(text)
	c, err := parse(Dirs{Home: "/home/ada"}, "f", []byte(text))
	if !ok || v == nil {
		return nil
	}
	refused := s.Validate(v)
	switch {
	case err == nil && refused != nil && !stricter(c):
		return fmt.Errorf("reading takes what the schema refuses: %w", refused)
	case err != nil && refused == nil:
		for _, p := range ProblemsOf(err) {
			if !slices.ContainsFunc(looser, func(w string) bool { return strings.Contains(p.Text, w) }) {
				return fmt.Errorf("the schema takes what reading refuses: %w", &p)
			}
		}
	}
	return nil
}

// samples are texts of settings: each row by its default, those of other tests and
// of the documentation.
func samples() []string {
	all := []string{everySetting, everyShape, example, toolsExample}
	for _, s := range settings(Dirs{}) {
		if s.def != "" {
			all = append(all, nested(s.path, s.def))
		}
	}
	return all
}

// nested is a setting as it is written.
func nested(path, value string) string {
	var b strings.Builder
	parts := strings.Split(path, ".")
	for i, p := range parts {
		fmt.Fprintf(&b, "\n%s%s:", strings.Repeat("  ", i), p)
	}
	return b.String() + " " + value + "\n"
}

// yamlOf is the example within a page.
func yamlOf(page string) string {
	_, rest, found := strings.Cut(page, "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	if !found {
		return page
	}
	return text
}

// What is right is right for both, and so are the examples of the page.
func TestSchemaTakesWhatReadingTakes(t *testing.T) {
	s := resolve(t, Schema(someNames))
	for _, text := range samples() {
		text = yamlOf(text)
		if _, err := parse(Dirs{Home: "/home/ada"}, "f", []byte(text)); err != nil {
			t.Errorf("%s\nis no sample: %v", text, err)
		}
		v, _ := value(text)
		if err := s.Validate(v); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// Each fault that a person is told of is one for an editor too, as far as a schema
// can say it.
func TestSchemaAgreesAboutFaults(t *testing.T) {
	s := resolve(t, Schema(someNames))
	for text := range faultyTexts {
		if err := agree(s, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Any text that comes of a right one by a few changes is judged alike.
func TestSchemaAgreesAboutMutations(t *testing.T) {
	s := resolve(t, Schema(someNames))
	rounds := 1000
	if testing.Short() {
		rounds = 400
	}
	random := rand.New(rand.NewPCG(7, 7))
	texts := samples()
	for range rounds {
		text := mutated(random, yamlOf(texts[random.IntN(len(texts))]))
		if err := agree(s, text); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
	}
}

// words are put in place of a value, or of a key.
var words = []string{
	"x", "5", "-1", "1.5", "true", "null", "''", "[]", "{}", "[x]", "{x: y}", "90s", "0", "0s", "30d", "never", "1GiB", "auto", "none",
	"name", "enabled", "allow", "type", "r", "rw", "openai:x", "always_ask", "bash", "http://x", "/tmp/x", "vision", ".inf", "2024-01-01", "0x10", "yes",
}

func mutated(random *rand.Rand, text string) string {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return text
	}
	for range 1 + random.IntN(3) {
		n := &doc
		for len(n.Content) > 0 && (n == &doc || random.IntN(5) > 0) {
			n = n.Content[random.IntN(len(n.Content))]
		}
		change(random, n)
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return text
	}
	return string(out)
}

// change puts something else where a node is, or takes a part of it away.
func change(random *rand.Rand, n *yaml.Node) {
	pairs := 1
	if n.Kind == yaml.MappingNode {
		pairs = 2
	}
	if len(n.Content) >= pairs && random.IntN(2) == 0 {
		at := random.IntN(len(n.Content)/pairs) * pairs
		n.Content = slices.Delete(slices.Clone(n.Content), at, at+pairs)
		return
	}
	var other yaml.Node
	if yaml.Unmarshal([]byte(words[random.IntN(len(words))]), &other) == nil {
		*n = *other.Content[0]
	}
}

// A workspace's file has a schema of its own.
func TestSchemaOfAWorkspace(t *testing.T) {
	s := resolve(t, RepositorySchema(someNames))
	for text, takes := range map[string]bool{
		"mode: plan\nhooks: {x: y}\nprofile: other\nproviders: {openai: {baseUrl: x}}\n":         true,
		"sandbox: {network: none}\ntools: {agent_toolset_20260401: {configs: [{name: bash}]}}\n": true,
		"sandbox: {writable: [/x]}\n": false, "log: {level: debug}\n": false, "mode: plna\n": false,
	} {
		v, _ := value(text)
		r := Repository{File: "f"}
		err := r.parse([]byte(text), nil)
		if refused := s.Validate(v); (refused == nil) != takes || (err == nil) != takes {
			t.Errorf("%q: schema %v, reading %v", text, refused, err)
		}
	}
}

// Every row says what is written there, when a change of it counts, and what it
// is to an editor.
func TestEveryRowIsWhole(t *testing.T) {
	for _, s := range settings(Dirs{}) {
		if s.kind == "" || s.doc == "" || len(s.shape) == 0 || s.read == nil || s.get == nil || s.show == nil {
			t.Errorf("%s: %+v", s.path, s)
		}
		if !slices.Contains([]When{AtOnce, NewSessions, AfterRestart}, s.when) {
			t.Errorf("%s counts %q", s.path, s.when)
		}
	}
}
