package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
)

// large is a text of 100,000 lines and about 5 MB.
func large() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %06d of a file that is about as wide as code\n", i)
	}
	return b.String()
}

func benchContent(b *testing.B) (*workspace.Workspace, workspace.Content) {
	b.Helper()
	root := b.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f"), []byte(large()), 0o644); err != nil {
		b.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Roots: []string{root}})
	if err != nil {
		b.Fatal(err)
	}
	w.SkipSync()
	p, _ := w.Resolve("f")
	c, err := w.Read(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	return w, c
}

func editsOf(c workspace.Content, old, new string) []workspace.Edit {
	spans, _ := workspace.Find(c.Text, old)
	edits := make([]workspace.Edit, 0, len(spans))
	for _, s := range spans {
		edits = append(edits, workspace.Edit{Start: s.Start, End: s.End, New: new})
	}
	return edits
}

func BenchmarkRead(b *testing.B) {
	w, c := benchContent(b)
	for b.Loop() {
		if _, err := w.Read(context.Background(), c.Path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplaceOne(b *testing.B) {
	_, c := benchContent(b)
	for b.Loop() {
		workspace.Replace(c, editsOf(c, "line 050000", "LINE 050000"))
	}
}

func BenchmarkReplace5000(b *testing.B) {
	_, c := benchContent(b)
	for b.Loop() {
		workspace.Replace(c, editsOf(c, "0 of", "0 OF")[:5000])
	}
}

func BenchmarkFindFolded(b *testing.B) {
	_, c := benchContent(b)
	text := strings.ReplaceAll(c.Text, "\n", "\r\n")
	for b.Loop() {
		if spans, _ := workspace.Find(text, "code\nline 050000"); len(spans) != 1 {
			b.Fatal("not found")
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	_, c := benchContent(b)
	for b.Loop() {
		workspace.Nearest(c.Text, "LINE that is not there\n   at all")
	}
}

func BenchmarkRewrite(b *testing.B) {
	_, c := benchContent(b)
	for name, text := range map[string]string{
		"one":       strings.Replace(c.Text, "line 050000", "LINE", 1),
		"5000":      strings.Replace(c.Text, "0 of", "0 OF", 5000),
		"unrelated": strings.ReplaceAll(c.Text, "line 0", "LINE 1"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				workspace.Rewrite(c, text)
			}
		})
	}
}

func BenchmarkUnified(b *testing.B) {
	_, c := benchContent(b)
	ch := workspace.Replace(c, editsOf(c, "0 of", "0 OF")[:5000])
	for b.Loop() {
		ch.Unified(workspace.DiffOptions{MaxHunks: 5, MaxLine: 2000})
	}
}

func BenchmarkRebase5000(b *testing.B) {
	_, c := benchContent(b)
	ch := workspace.Replace(c, editsOf(c, "0 of", "0 OF")[:5000])
	now := c
	now.Text = "first\n" + c.Text
	for b.Loop() {
		if _, ok := workspace.Rebase(ch, now); !ok {
			b.Fatal("stale")
		}
	}
}

// BenchmarkEdit is a whole edit but for the fsync: read, match, plan, commit.
func BenchmarkEdit(b *testing.B) {
	w, c := benchContent(b)
	n := 0
	for b.Loop() {
		now, err := w.Read(context.Background(), c.Path)
		if err != nil {
			b.Fatal(err)
		}
		n++
		line := fmt.Sprintf("line %06d", n)
		out, err := w.Commit(context.Background(), workspace.Replace(now, editsOf(now, line, "LINE"+line[4:])), all)
		if err != nil || out.State != workspace.Applied {
			b.Fatal(out.State, err)
		}
	}
}

func BenchmarkCommitOne(b *testing.B)  { benchCommit(b, "line 050000", "LINE 050000", 1) }
func BenchmarkCommit5000(b *testing.B) { benchCommit(b, "5 of a file", "5 OF A FILE", 5000) }

// benchCommit carries a change out and takes it back, in turn; planning either
// does not count.
func benchCommit(b *testing.B, old, new string, places int) {
	w, c := benchContent(b)
	for b.Loop() {
		b.StopTimer()
		now, err := w.Read(context.Background(), c.Path)
		if err != nil {
			b.Fatal(err)
		}
		plan := workspace.Replace(now, editsOf(now, old, new)[:places])
		b.StartTimer()
		out, err := w.Commit(context.Background(), plan, all)
		if err != nil || out.State != workspace.Applied {
			b.Fatal(out.State, err)
		}
		old, new = new, old
	}
}
