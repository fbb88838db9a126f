package search

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant writes files below a new folder.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// found are the lines of a search as PATH:LINE:TEXT.
func found(t *testing.T, q Query) ([]string, Report) {
	t.Helper()
	var lines []string
	r, err := Lines(t.Context(), q, func(h Hit) error {
		lines = append(lines, fmt.Sprintf("%s:%d:%s", h.Path, h.Line, h.Text))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", q.Pattern, err)
	}
	return lines, r
}

// engines are the programs of this machine, each alone, and the built-in search.
// Where CI=true none may be missing.
func engines(t *testing.T) map[string]Programs {
	t.Helper()
	all := map[string]Programs{"built-in": {}}
	for name, program := range map[string]string{"ripgrep": "rg", "grep": "grep"} {
		path, err := exec.LookPath(program)
		switch {
		case err != nil && os.Getenv("CI") == "true":
			t.Fatalf("%s is not installed (scripts/install-ripgrep.sh)", program)
		case err != nil:
			t.Logf("%s is not installed: nothing is compared with it", program)
		case name == "grep" && !gnu(path):
			t.Logf("%s is not GNU grep: nothing is compared with it", path)
		case name == "ripgrep":
			all[name] = Programs{Ripgrep: path}
		default:
			all[name] = Programs{Grep: path}
		}
	}
	return all
}

func gnu(grep string) bool {
	said, _ := exec.Command(grep, "--version").Output()
	return strings.Contains(string(said), "GNU")
}

// corpus has what engines are known to see in different ways.
var corpus = map[string]string{
	"a.go":                    "package a\n\nfunc One() {}\nfunc Two() {} // foo\n",
	".hidden/b.txt":           "foo\nbar foo\n",
	".gitignore":              "ignored\n*.log\n",
	"ignored/c.txt":           "foo in an ignored folder\n",
	"d.log":                   "foo in an ignored file\n",
	".git/config":             "foo\n",
	"sub/.git/config":         "foo\n",
	"node_modules/x/index.js": "foo\n",
	"sub/node_modules/y.js":   "foo\n",
	"sub/node_modules2/z.js":  "foo\n",
	"no-newline":              "first\nlast foo",
	"crlf":                    "foo\r\nbar\r\n",
	"cr":                      "foo\rbar\n",
	"binary":                  "foo\x00foo\nfoo\n",
	"late-nul":                strings.Repeat("0123456789abcde\n", 1024) + "foo\x00bar\n",
	"latin1":                  "caf\xe9 foo\n",
	"utf16":                   "\xff\xfef\x00o\x00o\x00\n\x00",
	"bom":                     "\xef\xbb\xbffoo\n",
	"empty":                   "",
	"only-newlines":           "\n\n\n",
	"with space/a b":          "foo\n",
	"-n":                      "foo\n",
	"--help":                  "foo\n",
	"colon:7:x":               "foo\n",
	"new\nline:1:x":           "foo\n",
	"uni/ä€😀":                 "naïve foo 😀\n",
	"bad\xffname":             "foo\n",
	"meta":                    "a.b*c [x] (y) $HOME `id` a|b {2} \\d\n-e -v --files foo\n",
	"repeats":                 "foo foo foo\nfoofoo\n",
}

// Every engine gives the same answer, and so for each a model may rely on what it
// once saw: hidden and ignored files are looked at, links and what is no text are
// not.
func TestEnginesAgree(t *testing.T) {
	dir := plant(t, corpus)
	must(t, os.Symlink("a.go", filepath.Join(dir, "link.go")))
	must(t, os.Symlink(".", filepath.Join(dir, "loop")))
	must(t, os.Symlink("/etc", filepath.Join(dir, "out")))
	must(t, os.WriteFile(filepath.Join(dir, "sub", "long"), []byte(strings.Repeat("x", 300_000)+" foo\nfoo\n"), 0o644))
	patterns := []string{
		"foo", "^foo$", "^foo", "foo$", "o+", "f.o", `\bfoo\b`, "^$", "^", ".", "nothing like it", "(?i)FOO", "foo|bar",
		"[a-z]+ foo", `a\.b\*c`, `\[x\]`, `\$HOME`, "`id`", "-n", "-e -v", "--files", `foo\s`, "😀", "na.ve", "^.{3}$",
		`^func \w+\(\) \{`, "(foo )+", "[*--]", "[ --]f", "[+--]", "f(o)o", `\d{10}`, "x{100} foo", "interface{}", `\Qa.b*c\E`, "/usr", "a|b",
	}
	want := map[string][]string{}
	for _, p := range patterns {
		want[p], _ = found(t, Query{Root: dir, Pattern: p})
	}
	if n := len(want["foo"]); n != 24 {
		t.Errorf("%d lines with foo:\n%s", n, strings.Join(want["foo"], "\n"))
	}
	for name, programs := range engines(t) {
		for _, p := range patterns {
			got, r := found(t, Query{Root: dir, Pattern: p, Programs: programs})
			if !slices.Equal(got, want[p]) {
				t.Errorf("%s %q: %s", name, p, difference(got, want[p]))
			}
			if r.Unread.Count > 0 || r.Engine != name {
				t.Errorf("%s %q: %+v", name, p, r)
			}
		}
	}
}

// difference is the first line that only one of two lists has.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%q is missing", want[i])
		case i >= len(want):
			return fmt.Sprintf("%q is too much", got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("%q and not %q", got[i], want[i])
		}
	}
	return "none"
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A slash at the end wants folders alone, also where only one of several
// alternatives has it.
func TestASlashAtTheEndWantsFolders(t *testing.T) {
	dir := plant(t, map[string]string{"a": "", "b/a": "", "b/c/a": "", "}x/a": "", "x,/a": ""})
	must(t, os.Symlink("b", filepath.Join(dir, "link")))
	for pattern, want := range map[string]string{
		"*/": "b/ x,/ }x/", "**/": "b/ b/c/ x,/ }x/", "**/c/": "b/c/", "b//": "b/", "a/": "", "link/": "", "*": "a b/ link x,/ }x/", "{a,b}/": "b/",
		"{a/,b/}": "b/", "{a,b/}": "a b/", "{*/,*/*}": "b/ b/a b/c/ x,/ x,/a }x/ }x/a", "{b/{a/,c/},a}": "a b/c/", "{b/,}*": "a b/ b/a b/c/ link x,/ }x/",
		"[}]{x/,y}": "}x/", `x{\,/,}`: "x,/", "{b,none}{/,}": "b/", "b/{c}/": "b/c/",
	} {
		g, err := Glob(t.Context(), GlobQuery{Root: dir, Pattern: pattern, Most: 99})
		slices.Sort(g.Paths)
		if got := strings.Join(g.Paths, " "); err != nil || got != want {
			t.Errorf("%s: %q and not %q, %v", pattern, got, want, err)
		}
	}
}
