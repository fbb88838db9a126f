package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
	"pgregory.net/rapid"
)

// fixture is a workspace over a temporary directory, with an editor that has
// nothing open yet.
type fixture struct {
	*testing.T
	root   string
	ws     *workspace.Workspace
	editor *workspacetest.Editor
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, root: root, editor: workspacetest.NewEditor()}
	f.ws, err = workspace.Open(workspace.Options{Roots: []string{root}, Editor: f.editor})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) abs(name string) string { return filepath.Join(f.root, name) }

func (f *fixture) write(name, text string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(f.abs(name)), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(f.abs(name), []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) wantFile(name, text string) {
	f.Helper()
	got, err := os.ReadFile(f.abs(name))
	if err != nil {
		f.Fatal(err)
	}
	if string(got) != text {
		f.Errorf("%s holds %q, want %q", name, got, text)
	}
}

// wantNames checks all names in a directory, so that no temporary file is left.
func (f *fixture) wantNames(dir string, names ...string) {
	f.Helper()
	list, err := os.ReadDir(f.abs(dir))
	if err != nil {
		f.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		f.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

func (f *fixture) resolve(name string) workspace.Path {
	f.Helper()
	p, err := f.ws.Resolve(name)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

func (f *fixture) read(name string) workspace.Content {
	f.Helper()
	c, err := f.ws.Read(context.Background(), f.resolve(name))
	if err != nil {
		f.Fatal(err)
	}
	return c
}

// plan replaces each occurrence of old in the file by new.
func (f *fixture) plan(name, old, new string) workspace.Change {
	f.Helper()
	c := f.read(name)
	spans, _ := workspace.Find(c.Text, old)
	if len(spans) == 0 {
		f.Fatalf("%q is not in %s", old, name)
	}
	var edits []workspace.Edit
	for _, s := range spans {
		edits = append(edits, workspace.Edit{Start: s.Start, End: s.End, New: workspace.AdaptEOL(c.Text, s, new)})
	}
	return workspace.Replace(c, edits)
}

func (f *fixture) commit(c workspace.Change, a workspace.Acceptance) workspace.Outcome {
	f.Helper()
	out, err := f.ws.Commit(context.Background(), c, a)
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func (f *fixture) wantState(out workspace.Outcome, want workspace.State) {
	f.Helper()
	if out.State != want {
		f.Errorf("state %q (%s), want %q", out.State, out.Why, want)
	}
}

var all = workspace.Acceptance{All: true}

func only(ids ...string) workspace.Acceptance { return workspace.Acceptance{Hunks: ids} }

func content(text string) workspace.Content {
	return workspace.Content{Path: workspace.Path{Rel: "f.txt"}, Exists: true, Text: text, Base: workspace.Sum(text)}
}

// anyText draws texts that are short of distinct lines, so that diffs are
// ambiguous, with every sort of line end.
func anyText() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "\t{", "}", "é😀", "\xff\xfe", "\r", "x y"})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 14).Draw(t, "lines") {
			b.WriteString(line.Draw(t, "line") + end.Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "unfinished") {
			b.WriteString(line.Draw(t, "last"))
		}
		return b.String()
	})
}

// anyEdits draws edits of a text that do not overlap.
func anyEdits(t *rapid.T, text string) []workspace.Edit {
	var edits []workspace.Edit
	at := 0
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		start := rapid.IntRange(at, len(text)).Draw(t, "start")
		end := rapid.IntRange(start, min(len(text), start+9)).Draw(t, "end")
		edits = append(edits, workspace.Edit{Start: start, End: end, New: anyText().Draw(t, "new")})
		at = end
	}
	return edits
}

// anyChange draws a change of either sort.
func anyChange(t *rapid.T) workspace.Change {
	c := content(anyText().Draw(t, "old"))
	if rapid.Bool().Draw(t, "rewrite") {
		return workspace.Rewrite(c, anyText().Draw(t, "text"))
	}
	return workspace.Replace(c, anyEdits(t, c.Text))
}

// spliced applies edits the simple way.
func spliced(text string, edits []workspace.Edit) string {
	for i := len(edits) - 1; i >= 0; i-- {
		text = text[:edits[i].Start] + edits[i].New + text[edits[i].End:]
	}
	return text
}
