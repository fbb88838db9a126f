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

var (
	caseRow  = regexp.MustCompile(`(?m)^\| ([A-Z][-A-Z0-9]*\d(?:, [A-Z][-A-Z0-9]*\d)*) \|[^|]*\| (.*) \|$`)
	testName = regexp.MustCompile("`(Test\\w+|[a-z0-9]+(?:-[a-z0-9]+)*)`")
)

// testTexts has the text of each scenario and script by its name, and of each
// file with tests by the names of these.
func testTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := walk(func(name string) {
		switch {
		case path.Ext(name) == ".txtar":
			texts[strings.TrimSuffix(path.Base(name), ".txtar")] = readText(t, name)
		case strings.HasSuffix(name, "_test.go"):
			text := readText(t, name)
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(text, -1) {
				texts[m[1]] += text
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// A row of the cases in docs/testing.md names tests that are there, and each of
// its ids is named by one of them.
func TestCasesHaveTheirTests(t *testing.T) {
	texts, page := testTexts(t), readText(t, "docs/testing.md")
	_, page, _ = strings.Cut(page, "\n## Cases\n")
	rows := caseRow.FindAllStringSubmatch(page, -1)
	if len(rows) < 30 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		all := ""
		for _, m := range testName.FindAllStringSubmatch(row[2], -1) {
			if texts[m[1]] == "" {
				t.Errorf("%s: there is no test %s", row[1], m[1])
			}
			all += texts[m[1]]
		}
		for id := range strings.SplitSeq(row[1], ", ") {
			if all != "" && !regexp.MustCompile(`\b`+id+`\b`).MatchString(all) {
				t.Errorf("%s is named by none of its tests", id)
			}
		}
	}
}
