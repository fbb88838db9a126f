package tools_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"drawbridge/internal/tooldoc"
	"drawbridge/tools"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

func TestEveryExampleMatchesItsSchema(t *testing.T) {
	forEachTool(t, func(t *testing.T, set tools.Toolset, spec tools.Spec) {
		var s jsonschema.Schema
		if err := json.Unmarshal(spec.Schema, &s); err != nil {
			t.Fatal(err)
		}
		// A misspelt property in an example must not pass as an extra one.
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		examples := tools.Examples(set.Profile, spec.Name)
		if len(examples) == 0 {
			t.Error("the page has no example")
		}
		for _, e := range examples {
			var value any
			if err := json.Unmarshal(e, &value); err != nil {
				t.Errorf("%s: %v", e, err)
			} else if err := resolved.Validate(value); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		}
	})
}

// forEachTool runs a test for each tool of each profile.
func forEachTool(t *testing.T, test func(t *testing.T, set tools.Toolset, spec tools.Spec)) {
	for _, set := range profiles(t) {
		for _, tool := range set.Tools {
			spec := tool.Spec()
			t.Run(set.Profile+"/"+spec.Name, func(t *testing.T) { test(t, set, spec) })
		}
	}
}

func profiles(t *testing.T) []tools.Toolset {
	t.Helper()
	var sets []tools.Toolset
	for _, name := range tools.Profiles() {
		set, err := tools.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}

func TestEveryToolIsDescribed(t *testing.T) {
	forEachTool(t, func(t *testing.T, _ tools.Toolset, spec tools.Spec) {
		if len(spec.Description) < 100 || strings.Contains(spec.Description, "```") || strings.Contains(spec.Description, "## ") {
			t.Errorf("%s: the description is not one: %q", spec.Name, spec.Description)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(spec.Schema, &s); err != nil {
			t.Fatal(err)
		}
		for name, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", spec.Name, name)
			}
		}
		if spec.Limits.MaxOutput <= 0 || spec.Access == "" {
			t.Errorf("%s has no limits: %+v", spec.Name, spec.Limits)
		}
		if spec.Limits.Timeout <= 0 && spec.Access != tools.Execute {
			t.Errorf("%s has no time limit", spec.Name)
		}
	})
}

func TestDocsAreCurrent(t *testing.T) {
	const path = "../docs/tools.md"
	want, err := tooldoc.Page(profiles(t), tools.Examples)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("%s is stale; run go test ./tools -run TestDocs -update\n%s", path, d)
	}
}
