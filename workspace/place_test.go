package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A directory that was opened through a link put in the way does not pass,
// also if the link is gone again when it is looked at.
func TestAPlaceIsProvedByIdentity(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir/sub", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink("dir", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(link, "sub")} {
		w := &Workspace{roots: []string{root}}
		if _, err := w.openPlace(path, false); !errors.Is(err, errMoved) {
			t.Errorf("through a link: %v", err)
		}
	}
	dir, err := os.OpenRoot(filepath.Join(root, "elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	at := &place{dir: dir, path: filepath.Join(root, "dir")}
	defer at.close()
	if err := at.prove(); !errors.Is(err, errMoved) {
		t.Errorf("another directory: %v", err)
	}
}

func TestDirectoriesOfAFileThatDidNotComeAreTakenBack(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{}
	long := make([]byte, 300)
	for i := range long {
		long[i] = 'x'
	}
	c := Change{Kind: Create, New: "x", Path: Path{Abs: filepath.Join(root, "a", "b", string(long))}}
	if _, err := w.put(t.Context(), c, new(folderTurn)); err == nil {
		t.Fatal("a name of 300 bytes was created")
	}
	if list, _ := os.ReadDir(root); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// What changes between the plan's look and the rename is still seen.
func TestTheLastLookSeesAnotherContent(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "f")
	w := &Workspace{}
	c := Change{Kind: Modify, Old: "old", New: "new", Path: Path{Abs: file}}
	for name, now := range map[string]func() error{
		"same size":    func() error { return os.WriteFile(file, []byte("OLD"), 0o644) },
		"another size": func() error { return os.WriteFile(file, []byte("older"), 0o644) },
		"gone":         func() error { return os.Remove(file) },
	} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := now(); err != nil {
			t.Fatal(err)
		}
		var turn folderTurn
		if _, err := w.put(t.Context(), c, &turn); !errors.Is(err, errRaced) {
			t.Errorf("%s: replaced; %v", name, err)
		}
		turn.end()
		if list, _ := os.ReadDir(root); len(list) > 1 {
			t.Errorf("%s: left behind: %v", name, list)
		}
	}
}

func TestTempNamesFitAndAreHidden(t *testing.T) {
	long := make([]byte, 255)
	for i := range long {
		long[i] = 'n'
	}
	for _, base := range []string{"a.txt", string(long)} {
		if got := tempName(base); len(got) > 255 || got[0] != '.' || filepath.Ext(got) != ".tmp" {
			t.Errorf("%q", got)
		}
	}
}
