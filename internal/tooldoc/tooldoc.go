// Package tooldoc renders tools as a page of documentation. It knows what a
// tool says of itself and nothing of how it works. It starts no goroutine.
package tooldoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/tools"
)

const preface = `# Tools

<!-- Generated from the tools themselves: go test ./tools -run TestDocs -update -->

These are the tools of the profile ` + "`default`" + `, as a model is given them.
`

// Page renders a set of tools. examples returns a tool's example arguments.
func Page(set []tools.Tool, examples func(name string) []json.RawMessage) (string, error) {
	var b strings.Builder
	b.WriteString(preface)
	for _, t := range set {
		if err := section(&b, t.Spec(), examples(t.Spec().Name)); err != nil {
			return "", fmt.Errorf("document %s: %w", t.Spec().Name, err)
		}
	}
	return b.String(), nil
}

func section(b *strings.Builder, s tools.Spec, examples []json.RawMessage) error {
	fmt.Fprintf(b, "\n## %s\n\nAccess: %s · time limit: %s · output limit: %d characters\n\n%s\n\n",
		s.Name, s.Access, s.Limits.Timeout, s.Limits.MaxOutput, s.Description)
	if err := arguments(b, s.Schema); err != nil {
		return err
	}
	b.WriteString("\n```json\n")
	for _, e := range examples {
		fmt.Fprintf(b, "%s\n", e)
	}
	b.WriteString("```\n")
	return nil
}

type schema struct {
	Properties map[string]struct {
		Type        string
		Description string
	}
	Required []string
}

func arguments(b *strings.Builder, raw json.RawMessage) error {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	b.WriteString("| argument | type | |\n|---|---|---|\n")
	for _, name := range s.names() {
		p := s.Properties[name]
		need := ""
		if slices.Contains(s.Required, name) {
			need = "Required. "
		}
		fmt.Fprintf(b, "| `%s` | %s | %s%s |\n", name, p.Type, need, p.Description)
	}
	return nil
}

// names puts what is required first, in the schema's order.
func (s schema) names() []string {
	names := slices.Clone(s.Required)
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}
