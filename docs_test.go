package drawbridge_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// decisions lists the notes in docs/decisions.
func decisions(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no decisions found (%v)", err)
	}
	return names
}

func TestDecisionsAreShort(t *testing.T) {
	for _, name := range decisions(t) {
		text := readText(t, name)
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%s has %d lines, at most 60", name, n)
		}
		for _, part := range []string{"## Context", "## Choice", "## Rejected", "## What would change our mind"} {
			if !strings.Contains(text, "\n"+part+"\n") {
				t.Errorf("%s has no part %q", name, part)
			}
		}
	}
}

func TestDecisionsAreListed(t *testing.T) {
	list := readText(t, "docs/decisions/README.md")
	for _, name := range decisions(t) {
		if !strings.Contains(list, "("+path.Base(name)+")") {
			t.Errorf("docs/decisions/README.md does not list %s", name)
		}
	}
}

// inTicks finds what looks like a file or folder of the tree.
var inTicks = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)*(?:/|\\.(?:go|md|txtar|json|ts|lua|sh|tmpl)))`")

func TestFilesNamedInTheArchitectureExist(t *testing.T) {
	for _, m := range inTicks.FindAllStringSubmatch(readText(t, "docs/architecture.md"), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("docs/architecture.md names %s, which does not exist", m[1])
		}
	}
}

// link finds relative links of a page.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

func TestLinksBetweenPagesHold(t *testing.T) {
	err := walk(func(name string) {
		if path.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			return
		}
		for _, m := range link.FindAllStringSubmatch(readText(t, name), -1) {
			if _, err := os.Stat(path.Join(path.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
