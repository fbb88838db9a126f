package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/workspace"
)

func TestFilesThatACommandNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b c.txt", "x.go", "y.go", "sub/d.txt", "sub/deep/e.txt", "node_modules/m.js", ".git/HEAD"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"rm a.txt":                          "rm a.txt",
		"mv a.txt sub/new.txt":              "mv a.txt sub/new.txt",
		"rm 'b c.txt' \"a.txt\"":            "rm b c.txt a.txt",
		`rm b\ c.txt`:                       "rm b c.txt",
		"gofmt -w *.go":                     "gofmt x.go y.go",
		"sort a.txt>out.txt;cat<x.go":       "sort a.txt out.txt cat x.go",
		"cd sub && rm d.txt":                "sub/d.txt", // in what follows
		"rm -r sub":                         "rm sub/d.txt sub/deep/e.txt",
		"go fmt ./sub/...":                  "go fmt sub/d.txt sub/deep/e.txt",
		"tool --out=a.txt":                  "tool a.txt",
		"rm " + dir + "/a.txt":              "rm a.txt",
		"rm /etc/passwd ../a.txt $X \"$Y\"": "rm",
		"rm */*.txt":                        "rm",
		"rm node_modules/m.js":              "rm",
		"true && (echo 'don't)":             "true echo dont",
		"":                                  "",
	} {
		var got []string
		for _, p := range filesNamed(ws, script, dir, time.Now().Add(time.Minute)).paths {
			got = append(got, p.Rel)
		}
		if text := strings.Join(got, " "); !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s\n names  %q\n wanted %q", script, text, want)
		}
	}
}

func TestAFolderStandsForSoManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, strings.Repeat("x", i+1)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(filesNamed(ws, ".", dir, time.Now().Add(time.Minute)).paths); n != maxMatches {
		t.Errorf("%d files, want %d", n, maxMatches)
	}
}

func TestWhatAWordCovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"src/deep", "lib"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("lib", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, yes, no string }{
		{"touch a.txt", "a.txt", "b.txt a.txt.bak"},
		{"gofmt -w .", "a.txt src/deep/x.go", ""},
		{"cp -r lib out", "lib/a out/a out/b/c", "output"}, // what is not there yet
		{"rm src/*.go", "src/x.go", "src/x.txt src/deep/x.go x.go"},
		{"rm -r s*", "src/deep/x.go s.txt", "lib/a"},
		{"prettier -w src/*/x.ts", "src/deep/x.ts", "src/x.ts"},
		{"touch {a,b}.{js,ts} {c}", "a.js b.ts", "c.js d.ts"},
		{"cd src && make", "", "src/x.go"},
		{"cd " + dir + " && sleep 3", "", "a.txt"},
		{"cd " + dir + "/src && touch x.go", "src/x.go", "src/y.go"},
		{"sleep 3", "", "a.txt"},
		{"ls / ..", "", "a.txt"},
		{"cp x link", "lib/x link", ""},
	} {
		n := filesNamed(ws, c.script, dir, time.Now().Add(time.Minute))
		for _, name := range strings.Fields(c.yes) {
			if !n.covers(filepath.Join(dir, name)) {
				t.Errorf("%s: does not cover %s", c.script, name)
			}
		}
		for _, name := range strings.Fields(c.no) {
			if n.covers(filepath.Join(dir, name)) {
				t.Errorf("%s: covers %s", c.script, name)
			}
		}
	}
}

// When the time is up folders are not looked into any more; what they cover is
// known by their names.
func TestNamingKeepsToItsTime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(workspace.Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{".", "*.txt"} {
		n := filesNamed(ws, script, dir, time.Now())
		if len(n.paths) != 0 || !n.covers(filepath.Join(dir, "a.txt")) {
			t.Errorf("%s: %v, covered: %t", script, n.paths, n.covers(filepath.Join(dir, "a.txt")))
		}
	}
}
