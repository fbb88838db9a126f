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

A session has the tools of one profile, which are listed here as a model is given them.
`

// Page renders the tools of profiles. examples returns a tool's example arguments.
func Page(sets []tools.Toolset, examples func(profile, name string) []json.RawMessage) (string, error) {
	var b strings.Builder
	b.WriteString(preface)
	for _, set := range sets {
		fmt.Fprintf(&b, "\n## Profile `%s`\n\n%s\n", set.Profile, manner(set))
		for _, t := range set.Tools {
			if err := section(&b, t.Spec(), examples(set.Profile, t.Spec().Name)); err != nil {
				return "", fmt.Errorf("document %s: %w", t.Spec().Name, err)
			}
		}
	}
	return b.String(), nil
}

// manner says how the tools of a profile behave together.
func manner(set tools.Toolset) string {
	order, mode := "Calls of one step overlap as far as their effects allow.", "the mode that the umask leaves"
	if set.Serial {
		order = "Calls of one step are carried out one after another, in their order."
	}
	if set.NewFile != 0 {
		mode = fmt.Sprintf("mode %04o, whatever the umask", set.NewFile)
	}
	return order + " A file that is made has " + mode + "."
}

func section(b *strings.Builder, s tools.Spec, examples []json.RawMessage) error {
	fmt.Fprintf(b, "\n### %s\n\nAccess: %s · time limit: %s · output limit: %s%s\n\n%s\n\n",
		s.Name, s.Access, timeLimit(s), outputLimit(s), forModel(s), s.Description)
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

func timeLimit(s tools.Spec) string {
	if s.Limits.Timeout <= 0 {
		return "none"
	}
	return s.Limits.Timeout.String()
}

func outputLimit(s tools.Spec) string {
	limit := fmt.Sprintf("%d characters", s.Limits.MaxOutput)
	if s.Style.Bytes {
		limit = fmt.Sprintf("%d bytes", s.Limits.MaxOutput)
	}
	if s.Style.Inside {
		limit += ", notes included"
	}
	if s.Style.MaxLines > 0 {
		limit += fmt.Sprintf(" or %d lines", s.Style.MaxLines)
	}
	if s.Style.Tail {
		limit += ", of which the last are kept"
	}
	return limit
}

// forModel says which models have the tool, where not all do.
func forModel(s tools.Spec) string {
	switch s.ForModel {
	case tools.ForVision:
		return " · for models that take pictures"
	case tools.ForTextOnly:
		return " · for models that take none, or of which that is not known"
	}
	return ""
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
