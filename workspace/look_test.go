package workspace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"drawbridge/workspace"
)

// A look says of every file what Resolve says of it, one by one.
func TestALookSaysWhatResolveSays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".drawbridgeignore":     "secret*\n/top\nfolder/\n!secret-not\na/**/deep\n",
		"a/.drawbridgeignore":   "!secret-a\nown\n",
		"a/b/.drawbridgeignore": "own\n!own\n[\n",
		"bad/.drawbridgeignore": string(make([]byte, 300<<10)),
		"bad/x":                 "", "bad/y/z": "", "secret": "", "secret-not": "", "top": "", "a/top": "", "a/own": "", "a/secret-a": "",
		"a/secret-b": "", "a/b/own": "", "a/b/c/own": "", "a/b/c/deep": "", "folder/x": "", "folder/secret-not": "", "a/folder/y/z": "",
		"state/x": "", "state/sub/y": "", "rest/folder": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(workspace.Options{
		Roots: []string{dir, filepath.Join(dir, "a")}, Protected: []string{filepath.Join(dir, "state")},
	})
	if err != nil {
		t.Fatal(err)
	}
	look, seen, ignored := ws.Look(), 0, 0
	err = filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		want, err := ws.Resolve(path)
		if err != nil {
			return err
		}
		if got := look.Path(path, e.IsDir()); got != want {
			t.Errorf("%+v\nand not %+v", got, want)
		}
		seen++
		if want.Ignored != "" {
			ignored++
		}
		return nil
	})
	if err != nil || seen < 30 || ignored < 8 {
		t.Errorf("%d seen, %d ignored, %v", seen, ignored, err)
	}
}
