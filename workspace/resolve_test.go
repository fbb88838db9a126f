package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
)

func (f *fixture) link(target, name string) {
	f.Helper()
	if err := os.Symlink(target, f.abs(name)); err != nil {
		f.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, want workspace.Kind) {
	t.Helper()
	var fe *workspace.FileError
	if !errors.As(err, &fe) || fe.Kind != want {
		t.Errorf("error %v, want one of kind %q", err, want)
	}
}

func TestResolve(t *testing.T) {
	f := newFixture(t)
	outside, _ := filepath.EvalSymlinks(t.TempDir())
	t.Setenv("HOME", outside)
	f.write("dir/a.txt", "")
	f.link("dir", "d")
	f.link(f.abs("dir"), "abs")
	f.link("d/a.txt", "chain")
	f.link(outside+"/there", "dangling")
	f.link("dangling/below", "through")
	f.link("dir/../nope/x", "missing")
	f.link(outside, "out")
	for _, x := range []struct {
		name, abs, rel string
		inside         bool
	}{
		{"dir/a.txt", f.abs("dir/a.txt"), "dir/a.txt", true},
		{"./dir//a.txt", f.abs("dir/a.txt"), "dir/a.txt", true},
		{".", f.root, ".", true},
		{f.root, f.root, ".", true},
		{"d/a.txt", f.abs("dir/a.txt"), "dir/a.txt", true},
		{"abs/new/deep", f.abs("dir/new/deep"), "dir/new/deep", true},
		{"chain", f.abs("dir/a.txt"), "dir/a.txt", true},
		{"chain/below-a-file", f.abs("dir/a.txt/below-a-file"), "dir/a.txt/below-a-file", true},
		{"missing", f.abs("nope/x"), "nope/x", true},
		{"dangling", outside + "/there", outside + "/there", false},
		{"through", outside + "/there/below", outside + "/there/below", false},
		{"out/x", outside + "/x", outside + "/x", false},
		{"../" + filepath.Base(f.root) + "-sibling/x", f.root + "-sibling/x", f.root + "-sibling/x", false},
		{"dir/../../x", filepath.Dir(f.root) + "/x", filepath.Dir(f.root) + "/x", false},
		{"/", "/", "/", false},
		{"~/x", outside + "/x", outside + "/x", false},
		{"~", outside, outside, false},
		{"~x", f.abs("~x"), "~x", true},
		{"file://" + f.root + "/a%20b", f.abs("a b"), "a b", true},
		{"file://localhost" + f.root + "/d/a.txt", f.abs("dir/a.txt"), "dir/a.txt", true},
	} {
		p := f.resolve(x.name)
		if p.Abs != x.abs || p.Rel != x.rel || p.Inside != x.inside {
			t.Errorf("%s: %+v, want abs %s, rel %s, inside %v", x.name, p, x.abs, x.rel, x.inside)
		}
	}
	if p := f.resolve("d/a.txt"); p.Lexical != f.abs("d/a.txt") {
		t.Errorf("lexical %s", p.Lexical)
	}
}

func TestResolveRefuses(t *testing.T) {
	f := newFixture(t)
	f.link("loop2", "loop1")
	f.link("loop1", "loop2")
	for name, want := range map[string]workspace.Kind{
		"":                       workspace.BadName,
		"a\x00b":                 workspace.BadName,
		"file:///a%00b":          workspace.BadName,
		"file://elsewhere/a":     workspace.BadName,
		"file:relative":          workspace.BadName,
		"loop1":                  workspace.Loop,
		"loop1/x":                workspace.Loop,
		strings.Repeat("x", 300): workspace.BadName,
	} {
		_, err := f.ws.Resolve(name)
		wantKind(t, err, want)
	}
}

func TestFortyLinksAreFollowedAndNoMore(t *testing.T) {
	f := newFixture(t)
	f.link("end", "l1")
	for i := 2; i <= 41; i++ {
		f.link("l"+itoa(i-1), "l"+itoa(i))
	}
	if p := f.resolve("l40"); p.Rel != "end" {
		t.Errorf("forty links lead to %s", p.Rel)
	}
	_, err := f.ws.Resolve("l41")
	wantKind(t, err, workspace.Loop)
}

func TestSeveralRoots(t *testing.T) {
	a, _ := filepath.EvalSymlinks(t.TempDir())
	b, _ := filepath.EvalSymlinks(t.TempDir())
	nested := filepath.Join(a, "nested")
	if err := os.Mkdir(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Roots: []string{a, b, nested}})
	if err != nil {
		t.Fatal(err)
	}
	for name, rel := range map[string]string{"x": "x", b + "/x": "x", nested + "/x": "x", "nested/x": "x"} {
		if p, _ := w.Resolve(name); p.Rel != rel || !p.Inside {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if got := w.Roots(); len(got) != 3 || got[0] != a {
		t.Errorf("roots %v", got)
	}
}

func TestOpenRefusesBadRoots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, roots := range [][]string{nil, {"relative"}, {file}, {file + "-missing"}} {
		if _, err := workspace.Open(workspace.Options{Roots: roots}); err == nil {
			t.Errorf("roots %q were taken", roots)
		}
	}
}

func TestProtectedPaths(t *testing.T) {
	root, _ := filepath.EvalSymlinks(t.TempDir())
	state := filepath.Join(root, "state")
	w, err := workspace.Open(workspace.Options{Roots: []string{root}, Protected: []string{state}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(state, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"state": true, "state/x": true, "link/x": true, "stateful": false, "x": false} {
		p, err := w.Resolve(name)
		if err != nil || (p.Protected != "") != want {
			t.Errorf("%s: protected %q, %v", name, p.Protected, err)
		}
	}
	p, _ := w.Resolve("link/x")
	_, err = w.Read(t.Context(), p)
	wantKind(t, err, workspace.Protected)
	_, err = w.Stat(p)
	wantKind(t, err, workspace.Protected)
	p.Protected = "" // as a forgetful caller would
	_, err = w.Commit(t.Context(), workspace.Rewrite(workspace.Content{Path: p}, "x"), all)
	wantKind(t, err, workspace.Protected)
}
