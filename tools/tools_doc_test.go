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
	for _, tool := range tools.Default() {
		spec := tool.Spec()
		t.Run(spec.Name, func(t *testing.T) {
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
			examples := tools.Examples(spec.Name)
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
}

func TestEveryToolIsDescribed(t *testing.T) {
	for _, tool := range tools.Default() {
		spec := tool.Spec()
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
		if spec.Limits.Timeout <= 0 || spec.Limits.MaxOutput <= 0 || spec.Access == "" {
			t.Errorf("%s has no limits: %+v", spec.Name, spec.Limits)
		}
	}
}

func TestDocsAreCurrent(t *testing.T) {
	const path = "../docs/tools.md"
	want, err := tooldoc.Page(tools.Default(), tools.Examples)
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
