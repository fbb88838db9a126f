package session

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drawbridge/approval"
	"drawbridge/approval/rule"
	"drawbridge/workspace"
)

// corpusLine is one of testdata/approval, with the class that it stands for.
type corpusLine struct{ class, text string }

func readCorpus(t *testing.T, name string) (all []corpusLine) {
	t.Helper()
	for _, line := range corpusText(t, name) {
		class, text, ok := strings.Cut(line, "\t")
		if !ok || class == "" || text == "" {
			t.Fatalf("%s: %q is not CLASS TAB LINE", name, line)
		}
		unescaped, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %q has an escape that is none", name, line)
		}
		all = append(all, corpusLine{class, unescaped})
	}
	return all
}

func corpusText(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("../testdata/approval/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// tooLong are lines beyond the limits that are too long to be written down.
func tooLong() (all []corpusLine) {
	for _, text := range []string{
		strings.Repeat("ls; ", 20_000) + "payload",
		"ls " + strings.Repeat("a", 70_000),
		`echo "` + strings.Repeat("x", 70_000) + `"; payload`,
		"bash -c " + strings.Repeat("'ls'", 20_000),
		strings.Repeat("ls\n", 30_000),
	} {
		all = append(all, corpusLine{"beyond the limits", text})
	}
	return all
}

// small is a workspace with what the lines of the corpus speak of: files that
// hold secrets, programs of its own, an outside to lead to. Programs that rules
// name are outside of it.
type small struct{ dir, home, path string }

func smallProject(t *testing.T) small {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := small{dir: base + "/ws", home: base + "/home", path: base + "/bin"}
	files := []string{
		"src/main.go", "src/util.go", "src/main_test.go", "docs/a file.md", "docs/guide.md", "README.md", "go.mod",
		"package.json", "Makefile", ".env", "ignored/file", ".git/HEAD", ".git/config", "../outside/file",
		"../home/.ssh/id_rsa", "../home/.bashrc", "../home/.netrc", "certs/server.key", "id_rsa",
	}
	programs := []string{"ls", "git", "go", "payload", "bin/cat", "node_modules/.bin/ls", "node_modules/.bin/jest", "src/ls"}
	for name := range strings.FieldsSeq("ls git cat go npm gofmt rg grep find make mkdir wc diff jq sed node head tail sort uniq cut tr tee bash sh env xargs") {
		programs = append(programs, "../bin/"+name)
	}
	for _, f := range files {
		p.write(t, f, "wanted\n", 0o644)
	}
	for _, f := range programs {
		p.write(t, f, "#!/bin/sh\n", 0o755)
	}
	p.write(t, ".drawbridgeignore", "ignored/file\n", 0o644)
	return p
}

// entangle adds links that lead to where no line should.
func (p small) entangle(t *testing.T) {
	t.Helper()
	for name, target := range map[string]string{"link-out": "../outside", "dangling": "../outside/none", "src/link-secret": "../.env"} {
		if err := os.Symlink(target, filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func (p small) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// judge explains lines in the project under rules of the user's.
func (p small) judge(t *testing.T, mode approval.Mode, lines []string) func(line string) approval.Explanation {
	t.Helper()
	ws, err := workspace.Open(workspace.Options{Roots: []string{p.dir}})
	if err != nil {
		t.Fatal(err)
	}
	var rules []rule.Rule
	for _, line := range lines {
		r, err := rule.Parse(rule.Allow, line, p.dir)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = rule.User
		rules = append(rules, r)
	}
	set := rule.NewSet(rules...)
	gate := approval.NewGate(approval.Options{
		Mode: mode, Preset: approval.PresetWorkspaceWrite, Root: p.dir,
		Policy: func() approval.Policy { return approval.Policy{Rules: set} },
		World:  func() approval.World { return NewWorld(ws, func() string { return p.path }, p.home) },
	})
	return func(line string) approval.Explanation {
		return gate.Explain(approval.Request{
			Tool: "exec_command", Title: line, Access: approval.Execute,
			Command: &approval.Command{Text: line, Dir: p.dir, Unconfined: true},
		})
	}
}

var corpusModes = []approval.Mode{approval.AlwaysAsk, approval.AutoEdit}

// TestNoLineOfTheCorpusGetsPast: under the rules that people begin with, and
// under all that they come to, no line is allowed that tries to run, write or
// read something else.
func TestNoLineOfTheCorpusGetsPast(t *testing.T) {
	p := smallProject(t)
	p.entangle(t)
	lines := append(readCorpus(t, "bypass.txt"), tooLong()...)
	classes := map[string]bool{}
	for _, l := range lines {
		classes[l.class] = true
	}
	if len(lines) < 400 || len(classes) < 20 {
		t.Errorf("the corpus has %d lines of %d classes: %q", len(lines), len(classes), slices.Sorted(maps.Keys(classes)))
	}
	all := corpusText(t, "rules.txt")
	for _, mode := range corpusModes {
		for _, rules := range [][]string{all[:6], all} {
			judge := p.judge(t, mode, rules)
			for _, l := range lines {
				if e := judge(l.text); e.Verdict == rule.Allow {
					t.Errorf("%s, %d rules: %s: %.200q is allowed: %q", mode, len(rules), l.class, l.text, e.Derivation)
				}
			}
		}
	}
}

// TestEverydayLinesAreNotAsked: under at most 25 rules nobody is asked about
// what people do all day.
func TestEverydayLinesAreNotAsked(t *testing.T) {
	p := smallProject(t)
	lines, rules := readCorpus(t, "everyday.txt"), corpusText(t, "rules.txt")
	if len(lines) < 200 || len(rules) > 25 {
		t.Errorf("the corpus has %d lines under %d rules", len(lines), len(rules))
	}
	for _, mode := range corpusModes {
		judge := p.judge(t, mode, rules)
		for _, l := range lines {
			if e := judge(l.text); e.Verdict != rule.Allow {
				t.Errorf("%s: %s: %q is %s: %s", mode, l.class, l.text, e.Verdict, e.Why)
			}
		}
	}
}
