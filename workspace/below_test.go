package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBelowFindsWhatNobodyShouldRead(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", ".env", "deep/er/x.key", ".git/x.key", "ig/.drawbridgeignore", "ig/!first", "ig/b", "clean/a.go", "many/.drawbridgeignore"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("b\n!first\n\\!first\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../deep", filepath.Join(dir, "clean/link")); err != nil {
		t.Fatal(err)
	}
	for i := range maxBelowIgnored + 1 {
		if err := os.Mkdir(filepath.Join(dir, "many", fmt.Sprint(i+1)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	secret := func(path string) string {
		if base := filepath.Base(path); base == ".env" || strings.HasSuffix(base, ".key") {
			return "secret"
		}
		return ""
	}
	for folder, want := range map[string][]string{
		"clean": nil, "none": nil, "a.go": nil, "deep": {"er/x.key"}, "ig": {"!first", "b"}, "deep/er": {"x.key"},
	} {
		got, ok := w.Below(filepath.Join(dir, folder), secret)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("below %s: %q %v, wanted %q", folder, got, ok, want)
		}
	}
	if _, ok := w.Below(filepath.Join(dir, "many"), secret); ok {
		t.Error("more files than are looked at hold nothing")
	}
}
