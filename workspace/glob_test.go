package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	dir := tree(t, "a.go", "b.go", ".hidden", "sub/c.go", "sub/deep/d.go", "sub2/x", "-n", "é")
	for pattern, want := range map[string]string{
		"*.go": "a.go b.go", "*": "-n a.go b.go sub sub2 é", ".h*": ".hidden", "[!a]*.go": "b.go", "sub*/": "sub/ sub2/",
		"*/*.go": "sub/c.go", "**": "-n a.go b.go sub sub2 é", "sub/*/d.go": "sub/deep/d.go", "?": "é", "*.rs": "", "missing/*": "",
		`\*`: "", "./*.go": "./a.go ./b.go", dir + "/su[b]": dir + "/sub", "a.go/*": "", "[[:upper:]]*": "",
	} {
		names, ok := Glob(dir, pattern)
		if got := strings.Join(names, " "); !ok || got != want {
			t.Errorf("%s: %q, %v; want %q", pattern, got, ok, want)
		}
	}
}

func TestGlobThatIsNotKnown(t *testing.T) {
	dir := t.TempDir()
	for i := range maxGlob + 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"*", strings.Repeat("*x", maxStars+1)} {
		if names, ok := Glob(dir, pattern); ok {
			t.Errorf("%q expands to %d names", pattern, len(names))
		}
	}
}

// tree makes files in a new folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What bash expands a pattern to is among what is said, and nothing else but
// the two names that older shells add.
func TestGlobIsWhatBashExpands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := tree(t, "a", "b", "ab", "a.b", ".a", ".b/c", "c/a", "c/.b", "c/d/a", "!a", "-", "[", "]x", "a]", "A", "1")
	pieces := []string{"a", "b", "*", "?", "/", "[ab]", "[!a]", "[^a-b]", ".", "**", "[[:alpha:]]", "c/", "[]]", `\*`, "-", `\a`, "]"}
	r := rand.New(rand.NewPCG(3, 3))
	var patterns []string
	for range 1500 {
		p := ""
		for range 1 + r.IntN(4) {
			p += pieces[r.IntN(len(pieces))]
		}
		if !strings.HasPrefix(p, "/") {
			patterns = append(patterns, p)
		}
	}
	script := "shopt -s nullglob\n"
	for _, p := range patterns {
		script += "printf '%s ' " + p + "; echo\n"
	}
	cmd := exec.Command(bash, "--norc", "-c", script)
	cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C.UTF-8"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for i, p := range patterns {
		names, ok := Glob(dir, p)
		names = slices.DeleteFunc(names, func(n string) bool { return dots(n) })
		theirs := slices.DeleteFunc(strings.Fields(lines[i]), dots)
		if _, literal := unquoted(p); literal {
			continue // no pattern: bash leaves it as it is
		}
		if !ok || strings.Join(names, " ") != strings.Join(theirs, " ") {
			t.Errorf("%s: %q, bash: %q", p, names, theirs)
		}
	}
}

func dots(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(p string) bool { return p == "." || p == ".." })
}
