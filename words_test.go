package drawbridge_test

import (
	"bytes"
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The project speaks of itself alone: nothing of the machine it was written
// on, nor of where its parts were downloaded from. The patterns are put
// together from pieces, so that this file does not match itself.
var foreignWords = map[string]*regexp.Regexp{
	"a path of somebody's machine": regexp.MustCompile("(^|[\\s\"'`(=:])/(wor" + "k|roo" + "t|Users/\\w+)/"),
	"the host of a registry": regexp.MustCompile(strings.Join([]string{
		`proxy\.golang` + `\.org`, `sum\.golang` + `\.org`, `registry\.npmjs` + `\.org`, `pypi` + `\.org`,
		`deb\.debian` + `\.org`, `crates` + `\.io`, `ghcr` + `\.io`,
	}, "|")),
}

// openEnds finds markers of unfinished work. They need a name and a cause.
var (
	openEnds   = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b.{0,24}`)
	argued     = regexp.MustCompile(`^TO` + `DO\([\w-]+\): because `)
	textEnding = []string{
		".go", ".md", ".tmpl", ".ts", ".js", ".mjs", ".json", ".lua", ".sh", ".yaml", ".yml",
		".txt", ".txtar", ".toml", ".mod", ".py", ".vim", "",
	}
)

func TestTextSpeaksOfTheProjectAlone(t *testing.T) {
	err := walk(func(name string) {
		text, err := os.ReadFile(name)
		if err != nil || !slices.Contains(textEnding, path.Ext(name)) || bytes.IndexByte(text, 0) >= 0 {
			return
		}
		line := 0
		for s := range strings.Lines(string(text)) {
			line++
			checkLine(t, name, line, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkLine(t *testing.T, name string, line int, text string) {
	t.Helper()
	for what, pattern := range foreignWords {
		if found := pattern.FindString(text); found != "" {
			t.Errorf("%s:%d: %q is %s", name, line, strings.TrimSpace(found), what)
		}
	}
	if found := openEnds.FindString(text); found != "" && !argued.MatchString(found) {
		t.Errorf("%s:%d: %q needs a name and a cause", name, line, strings.TrimSpace(found))
	}
}

// A test that does not run must say why.
func TestSkipsGiveACause(t *testing.T) {
	for _, s := range goFiles() {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "SkipNow" || sel.Sel.Name == "Skip" && len(call.Args) == 0 && s.test) {
				t.Errorf("%s: skips without a cause", s.at(call))
			}
			return true
		})
	}
}
