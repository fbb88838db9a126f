package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// linkPlace is a folder with a link .vscode to shared, which is kept.
func linkPlace(t *testing.T) (dir, link string, restore func()) {
	t.Helper()
	dir = t.TempDir()
	link = filepath.Join(dir, ".vscode")
	if err := os.Symlink("shared", link); err != nil {
		t.Fatal(err)
	}
	return dir, link, keepLinks([]keptLink{{dir, ".vscode", "shared"}})
}

func wantLink(t *testing.T, link string) {
	t.Helper()
	if target, _ := os.Readlink(link); target != "shared" {
		t.Errorf("the link is %q", target)
	}
}

func TestAReplacedLinkIsPutBack(t *testing.T) {
	_, link, restore := linkPlace(t)
	os.Remove(link)
	os.Mkdir(link, 0o755)
	restore()
	wantLink(t, link)
	if !exists(link + ".set-aside-1") {
		t.Error("what stood there is lost")
	}
}

func TestNamesForWhatIsSetAsideDoNotRunOut(t *testing.T) {
	dir, link, restore := linkPlace(t)
	for n := range 2 * asideTries {
		if err := os.WriteFile(fmt.Sprintf("%s.set-aside-%d", link, n+1), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(link)
	os.WriteFile(link, []byte("theirs"), 0o644)
	restore()
	wantLink(t, link)
	entries, _ := os.ReadDir(dir)
	kept := false
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		kept = kept || strings.HasPrefix(e.Name(), ".vscode.set-aside-") && string(text) == "theirs"
	}
	if !kept {
		t.Error("what stood there is lost")
	}
}

// The folder is the one that the link was in, whatever stands at its path now.
func TestALinkIsPutBackInItsOwnFolderAlone(t *testing.T) {
	dir, link, restore := linkPlace(t)
	other := t.TempDir()
	os.Mkdir(filepath.Join(other, ".vscode"), 0o755)
	os.Remove(link)
	os.Mkdir(link, 0o755)
	os.Rename(dir, dir+"-moved")
	t.Cleanup(func() { os.RemoveAll(dir + "-moved") })
	if err := os.Symlink(other, dir); err != nil {
		t.Fatal(err)
	}
	restore()
	if entries, _ := os.ReadDir(other); len(entries) != 1 || !entries[0].IsDir() {
		t.Errorf("something was changed where the path leads now: %v", entries)
	}
	wantLink(t, filepath.Join(dir+"-moved", ".vscode"))
}
