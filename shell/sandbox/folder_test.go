//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Within a folder that commands write, every name may be a link.
func TestNoFolderIsEnteredByALink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	os.MkdirAll(filepath.Join(other, "in"), 0o755)
	os.Symlink(other, filepath.Join(dir, "link"))
	for _, path := range []string{"link/x", "link/in/x", "../x", "."} {
		if f, err := openParent(dir, filepath.Join(dir, path)); err == nil {
			f.close()
			t.Errorf("%s: its folder is entered", path)
		}
	}
	if _, err := hold([]guarded{{path: filepath.Join(dir, "link/in/.vscode"), root: dir}}); err == nil || exists(filepath.Join(other, "in/.vscode")) {
		t.Errorf("a stand-in is made where a link leads (%v)", err)
	}
	left := filepath.Join(other, "in/.idea")
	os.Mkdir(left, 0o755)
	os.Chtimes(left, standInTime, standInTime)
	sweep(dir, []guarded{{path: filepath.Join(dir, "link/in/.idea")}})
	if !exists(left) {
		t.Error("a folder is removed where a link leads")
	}
}

func TestFilesOfGitAreReadWhenTheyArePlain(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(in("plain"), []byte("text"), 0o644)
	os.WriteFile(in("long"), []byte(strings.Repeat("x", maxText+1)), 0o644)
	os.Symlink("plain", in("link"))
	os.Symlink("/dev/zero", in("endless"))
	os.Mkdir(in("folder"), 0o755)
	if err := unix.Mkfifo(in("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for _, name := range []string{"plain", "long", "link", "endless", "folder", "pipe", "missing"} {
		read := make(chan string, 1)
		go func() { read <- f.text(name) }()
		select {
		case got := <-read:
			if want := map[string]string{"plain": "text"}[name]; got != want {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: it is waited for", name)
		}
	}
}
