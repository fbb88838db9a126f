package search

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Some file systems do not tell what a name stands for; the file does.
func TestKindsThatAreNotTold(t *testing.T) {
	dir := plant(t, map[string]string{"file": "", "folder/x": ""})
	must(t, os.Symlink("folder", filepath.Join(dir, "link")))
	for name, want := range map[string]kind{"file": file, "folder": folder, "link": other, "gone": other} {
		if got := direntKindOf(dir, name, syscall.DT_UNKNOWN); got != want {
			t.Errorf("%s is %d, not %d", name, got, want)
		}
	}
}
