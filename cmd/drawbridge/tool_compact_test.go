package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A workspace in whose place something else was put is no place to write to.
//
// Cases: L-WRITE-06
func TestAnotherWorkspaceInItsPlaceIsOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, other := filepath.Join(dir, "ws"), filepath.Join(dir, "other")
	for _, made := range []string{root, other} {
		if err := os.Mkdir(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := benchWith(t, t.TempDir(), root, "--profile", "compact", "--preset", "workspace-write")
	wantResult(t, b.call("write", object{"path": "a", "content": "x"}), "completed", `Wrote "a".`)
	if err := os.Rename(root, root+"-before"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, root); err != nil {
		t.Fatal(err)
	}
	wantResult(t, b.call("write", object{"path": "b", "content": "x"}), "aborted", "outside the workspace")
	wantResult(t, b.call("edit", object{"path": "../ws-before/a", "edits": []object{{"oldText": "x", "newText": "y"}}}), "aborted", "outside the workspace")
	if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
		t.Errorf("%v was written, %v", left, err)
	}
	if got, err := os.ReadFile(root + "-before/a"); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
