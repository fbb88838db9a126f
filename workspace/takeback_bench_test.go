package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
)

// manyHunks is a change of every third line of a file, and one of the lines after
// those.
func manyHunks(b *testing.B, n int) (ws *workspace.Workspace, path string, first, second workspace.Change) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if ws, err = workspace.Open(workspace.Options{Roots: []string{dir}}); err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(dir, "a.txt")
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "x\nline %d\ny\n", i)
	}
	at, err := ws.Resolve(path)
	if err != nil {
		b.Fatal(err)
	}
	content := workspace.Content{Path: at, Exists: true, Text: text.String(), Base: workspace.Sum(text.String())}
	first = workspace.Rewrite(content, strings.ReplaceAll(content.Text, "\ny\n", "\nz\n"))
	second = workspace.Rewrite(first.Left(), strings.ReplaceAll(first.New, "x\nline", "q\nline"))
	return ws, path, first, second
}

// takenBack takes hunks of the first change back from what a file holds.
func takenBack(b *testing.B, ws *workspace.Workspace, path, now string, ids []string, first, second workspace.Change) {
	if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
		b.Fatal(err)
	}
	if _, _, err := ws.TakeBack(b.Context(), first, ids, nil, second); err != nil {
		b.Fatal(err)
	}
}

// What a take-back costs grows with the hunks of a change, not with their square:
// that of one of many, of all, and of all when somebody has changed them since.
func BenchmarkTakeBack(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		ws, path, first, second := manyHunks(b, n)
		changed := strings.ReplaceAll(second.New, "\nz\n", "\nw\n")
		for _, c := range []struct {
			name, now string
			ids       []string
		}{{"one", second.New, []string{"h500"}}, {"all", second.New, nil}, {"stuck", changed, nil}} {
			b.Run(fmt.Sprintf("%s-%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					takenBack(b, ws, path, c.now, c.ids, first, second)
				}
			})
		}
	}
}
