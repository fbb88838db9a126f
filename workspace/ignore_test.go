package workspace

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// ignoring opens a folder whose ignore files say this.
func ignoringTree(t *testing.T, files map[string]string) *Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := Open(Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func checkIgnored(t *testing.T, ws *Workspace, want map[string]bool) {
	t.Helper()
	for name, want := range want {
		p, err := ws.Resolve(name)
		if err != nil || (p.Ignored != "") != want {
			t.Errorf("%s: %q, want %v (%v)", name, p.Ignored, want, err)
		}
	}
}

func TestIgnoreFile(t *testing.T) {
	ws := ignoringTree(t, map[string]string{
		IgnoreFile:          "\ufeff# what nobody reads\r\n*.secret\r\n/top\nprivate/\n!private/open\nlogs/*.log\n!logs/ok.log\n\\#x\n",
		"sub/" + IgnoreFile: "local\n!b.secret\n",
		"file":              "",
	})
	checkIgnored(t, ws, map[string]bool{
		"a.secret": true, "sub/a.secret": true, "top": true, "sub/top": false, "private": true, "private/open": true,
		"logs/a.log": true, "logs/ok.log": false, "local": false, "sub/local": true, "sub/deep/local/x": true,
		"sub/b.secret": false, "#x": true, "file": false, "# what nobody reads": false, ".": false,
	})
}

func TestIgnoreFileIsReadEachTime(t *testing.T) {
	ws := ignoringTree(t, map[string]string{IgnoreFile: "a"})
	checkIgnored(t, ws, map[string]bool{"a": true, "b": false})
	if err := os.WriteFile(filepath.Join(ws.Roots()[0], IgnoreFile), []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	checkIgnored(t, ws, map[string]bool{"a": false, "b": true})
}

// Neither a link to an ignored file nor an ignored link hides it.
func TestIgnoredThroughLinks(t *testing.T) {
	ws := ignoringTree(t, map[string]string{IgnoreFile: "private/\nalias\n", "private/x": "", "plain": ""})
	root := ws.Roots()[0]
	for name, target := range map[string]string{"way": "private/x", "folder": "private", "alias": "plain", "sub": "/nowhere/private"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	checkIgnored(t, ws, map[string]bool{"way": true, "folder/x": true, "alias": true, "plain": false, "sub": false})
}

// What cannot be read may name anything.
func TestIgnoreFileThatCannotBeUsed(t *testing.T) {
	for name, make := range map[string]func(file string) error{
		"a folder":        func(file string) error { return os.Mkdir(file, 0o755) },
		"a pipe":          func(file string) error { return syscall.Mkfifo(file, 0o644) },
		"a dangling link": func(file string) error { return os.Symlink("missing", file) },
		"too long":        func(file string) error { return os.WriteFile(file, make([]byte, maxIgnoreFile+1), 0o644) },
		"a long line": func(file string) error {
			return os.WriteFile(file, []byte(strings.Repeat("x", maxIgnoreLine+1)), 0o644)
		},
		"many stars": func(file string) error { return os.WriteFile(file, []byte(strings.Repeat("*x", maxStars+1)), 0o644) },
	} {
		ws := ignoringTree(t, map[string]string{"sub/file": "", "other": ""})
		if err := make(filepath.Join(ws.Roots()[0], "sub", IgnoreFile)); err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		checkIgnored(t, ws, map[string]bool{"sub/file": true, "other": false})
	}
}

// The promise of the syntax: what git ignores by .gitignore is ignored by the
// same lines, and nothing else is.
func TestIgnoreFilesAreReadAsGitReadsThem(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	n := 60
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		n = 5000
	}
	for seed := range uint64(n) {
		if !sameAsGit(t, git, rand.New(rand.NewPCG(seed, 7))) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func sameAsGit(t *testing.T, git string, r *rand.Rand) bool {
	files := map[string]string{}
	for range 12 {
		files[randomPath(r)+"/f"] = ""
	}
	ws := ignoringTree(t, files)
	root := ws.Roots()[0]
	texts := map[string]string{}
	for _, dir := range []string{".", "a", "a/b"} {
		if dir != "." && (r.IntN(2) == 0 || os.MkdirAll(filepath.Join(root, dir), 0o755) != nil) {
			continue
		}
		texts[dir] = randomIgnore(r)
		for _, name := range []string{IgnoreFile, ".gitignore"} {
			if err := os.WriteFile(filepath.Join(root, dir, name), []byte(texts[dir]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var names []string
	for name := range files {
		for ; name != "."; name = filepath.Dir(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	theirs := gitIgnores(t, git, root, names)
	same := true
	for _, name := range names {
		p, err := ws.Resolve("./" + name)
		if err != nil {
			t.Fatal(err)
		}
		if (p.Ignored != "") != theirs[name] {
			t.Errorf("%q: git %v, ours %q, of %q", name, theirs[name], p.Ignored, texts)
			same = false
		}
	}
	return same
}

func gitIgnores(t *testing.T, git, root string, names []string) map[string]bool {
	t.Helper()
	run := func(in string, args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Stdin = root, strings.NewReader(in)
		cmd.Env = []string{"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	ignored := map[string]bool{}
	for _, name := range strings.Split(run(strings.Join(names, "\x00")+"\x00", "check-ignore", "-z", "--stdin", "--no-index"), "\x00") {
		ignored[name] = true
	}
	return ignored
}

func randomPath(r *rand.Rand) string {
	words := []string{"a", "b", "ab", "a b", "x.log", "é", "[", "!a", "#", "a-", "A", "-", "abc", `a\`}
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = words[r.IntN(len(words))]
	}
	return strings.Join(parts, "/")
}

func randomIgnore(r *rand.Rand) string {
	pieces := []string{
		"a", "b", "x", ".log", "*", "**", "?", "/", "/", "/**/", "**/", "/**", "!", "#", `\`, " ", `\ `, "[a-b]", "[!a]", "[^b]", "[]a]",
		"[[:alpha:]]", "[a", "[a-", "[-a]", `[\]]`, "é", "\xc3", "-", "\t", "[[:x:]]", "[[:alpha]",
	}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		if r.IntN(3) == 0 {
			b.WriteString("!")
		}
		for range 1 + r.IntN(4) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		b.WriteString([]string{"\n", "\r\n", "\n\n"}[r.IntN(3)])
	}
	return b.String()
}
