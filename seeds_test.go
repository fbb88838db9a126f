package drawbridge_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	seedCases = "testdata/seeds.txt"
	seedsPage = "docs/seeds.md"
)

// seedCase is one rule of behaviour that a profile implements.
type seedCase struct{ id, rule string }

// seeds lists the cases, in groups that an empty line separates.
func seeds(t *testing.T) [][]seedCase {
	t.Helper()
	var groups [][]seedCase
	seen := map[string]bool{}
	for _, block := range strings.Split(readText(t, seedCases), "\n\n") {
		var group []seedCase
		for line := range strings.Lines(block) {
			id, rule, ok := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(line, "#") {
				continue
			}
			if !ok || !seedID.MatchString(id) || seen[id] {
				t.Errorf("%s: %q is no case, or one twice", seedCases, line)
			}
			seen[id] = true
			group = append(group, seedCase{id, rule})
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

var (
	seedID      = regexp.MustCompile(`^[PLM]-[A-Z]+-\d\d$`)
	seedMention = regexp.MustCompile(`\b[PLM]-[A-Z]+-\d\d\b`)
)

// shownBy finds the tests that name each case: a Go test in its comment or its
// text, a scenario and a script anywhere.
func shownBy(t *testing.T) map[string][]string {
	t.Helper()
	shown := map[string][]string{}
	note := func(text, test string) {
		for _, id := range seedMention.FindAllString(text, -1) {
			if !slices.Contains(shown[id], test) {
				shown[id] = append(shown[id], test)
			}
		}
	}
	err := walk(func(name string) {
		switch {
		case path.Ext(name) == ".txtar":
			note(readText(t, name), name)
		case strings.HasSuffix(name, "_test.go") && name != "seeds_test.go":
			text := readText(t, name)
			for test, body := range testFuncs(t, name, text) {
				note(body, path.Dir(name)+"."+test)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

// testFuncs has the text of each test of a file, with its comment.
func testFuncs(t *testing.T, name, text string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		found[f.Name.Name] = text[files.Position(from).Offset:files.Position(f.End()).Offset]
	}
	return found
}

var seedSystems = map[byte]string{'P': "default", 'L': "compact", 'M': "agent_toolset_20260401"}

// Every case of the three systems is shown by a test, and docs/seeds.md says by
// which.
func TestSeedsHaveTheirTests(t *testing.T) {
	shown := shownBy(t)
	var page strings.Builder
	page.WriteString("# What the profiles promise\n\n" +
		"<!-- Generated from testdata/seeds.txt and the tests: go test . -run TestSeeds -update -->\n\n" +
		"Three systems of tools live behind one engine, each as a profile. What each of them promises is a case here, and every case\n" +
		"is shown by at least one test: a script that calls tools as a model would, a transcript of the wire, or a Go test where the\n" +
		"case is about what lies inside.\n")
	for _, group := range seeds(t) {
		page.WriteString("\n| case | profile | rule | shown by |\n|---|---|---|---|\n")
		for _, c := range group {
			tests := shown[c.id]
			slices.Sort(tests)
			if len(tests) == 0 {
				t.Errorf("%s (%s) is shown by no test", c.id, c.rule)
			}
			fmt.Fprintf(&page, "| %s | %s | %s | `%s` |\n", c.id, seedSystems[c.id[0]], c.rule, strings.Join(tests, "`, `"))
			delete(shown, c.id)
		}
	}
	for id, tests := range shown {
		t.Errorf("%s, named by %s, is no case of %s", id, tests[0], seedCases)
	}
	if *update {
		if err := os.WriteFile(seedsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, _ := os.ReadFile(seedsPage); string(have) != page.String() {
		t.Errorf("%s is stale; run: go test . -run TestSeeds -update", seedsPage)
	}
}
