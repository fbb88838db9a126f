package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// restoring is a workspace with one file.
func restoring(t *testing.T) (w *Workspace, dir string, p Path) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if w, err = Open(Options{Roots: []string{dir}, Protected: []string{filepath.Join(dir, "own")}}); err != nil {
		t.Fatal(err)
	}
	if p, err = w.Resolve("a.txt"); err != nil {
		t.Fatal(err)
	}
	return w, dir, p
}

// A file that is made again has the mode that it had, whatever the umask.
func TestMadeWithAMode(t *testing.T) {
	w, dir, _ := restoring(t)
	for _, mode := range []os.FileMode{0o600, 0o755, 0o666} {
		p, err := w.Resolve("new" + mode.String())
		if err != nil {
			t.Fatal(err)
		}
		ch := Rewrite(Content{Path: p}, "new\n")
		ch.Mode = mode
		if out, err := w.Commit(context.Background(), ch, Acceptance{All: true}); err != nil || out.State != Applied {
			t.Fatalf("%+v, %v", out, err)
		}
		info, err := os.Stat(filepath.Join(dir, p.Rel))
		if err != nil || info.Mode() != mode {
			t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
		}
	}
}

func TestSetMode(t *testing.T) {
	w, dir, p := restoring(t)
	if err := w.SetMode(p, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	if mode, err := w.Mode(p); err != nil || mode != 0o755 {
		t.Errorf("%v, %v", mode, err)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	// A link that took the place of what was judged is not followed.
	if err := w.SetMode(Path{Abs: filepath.Join(dir, "link"), Rel: "link"}, 0o600); err == nil {
		t.Error("a link was followed")
	}
	if err := w.SetMode(Path{Abs: filepath.Join(dir, "own", "x"), Rel: "own/x"}, 0o600); err == nil {
		t.Error("the mode of a protected file may be changed")
	}
}

func TestRemoveEmpty(t *testing.T) {
	w, dir, _ := restoring(t)
	other := t.TempDir()
	for _, name := range []string{"empty", "full/x", "own"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"empty": true, "full": false, "own": false, "link": false, "a.txt": false, "": false, "none": false} {
		if got := w.RemoveEmpty(filepath.Join(dir, name)); got != want {
			t.Errorf("%q removed: %v", name, got)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// Where our own folders are to lie, no file is made that would be in their way.
func TestNoFileIsMadeWhereOwnFoldersAreToLie(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(Options{Roots: []string{dir}, Protected: []string{filepath.Join(dir, "state", "own")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "state/own", "state/own/x"} {
		p, err := w.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		p.Protected, p.Holds = "", false // whoever made the change forgot
		_, err = w.Commit(context.Background(), Rewrite(Content{Path: p}, "x"), Acceptance{All: true})
		if f, ok := err.(*FileError); !ok || f.Kind != Protected {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "state")); !os.IsNotExist(err) {
		t.Errorf("something was made: %v", err)
	}
}
