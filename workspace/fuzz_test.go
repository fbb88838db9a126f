package workspace_test

import (
	"strings"
	"testing"

	"drawbridge/workspace"
)

// FuzzEdit finds, replaces, rewrites, takes subsets and takes back.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "B", uint64(1))
	f.Add("a\r\nb\r\nc", "a\nb", "x\ny\nz", uint64(0))
	f.Add("\uFEFFa\n\n\nb\r", "\n", "", uint64(5))
	f.Add("foo foo\nfoo\n\nfoo", "foo", "bar\nbaz", uint64(6))
	f.Add("\xff\x00\r\r\n", "\r", "\n", uint64(3))
	f.Fuzz(func(t *testing.T, text, old, new string, subset uint64) {
		spans, _ := workspace.Find(text, old)
		var edits []workspace.Edit
		for _, s := range spans {
			edits = append(edits, workspace.Edit{Start: s.Start, End: s.End, New: workspace.AdaptEOL(text, s, new)})
		}
		c := workspace.Replace(content(text), edits)
		if c.New != spliced(text, edits) {
			t.Fatalf("new %q", c.New)
		}
		checkChange(t, c, subset)
		checkChange(t, workspace.Rewrite(content(text), new), subset)
		if len(spans) == 0 {
			workspace.Nearest(text, old)
		}
	})
}

func checkChange(t *testing.T, c workspace.Change, subset uint64) {
	t.Helper()
	var ids []string
	var edits []workspace.Edit
	for i, h := range c.Hunks {
		if subset>>(i%64)&1 == 1 {
			ids = append(ids, h.ID)
			edits = append(edits, workspace.Edit{Start: h.OldStart, End: h.OldEnd, New: c.New[h.NewStart:h.NewEnd]})
		}
	}
	if got, _, _, err := c.Select(workspace.Acceptance{Hunks: ids}); err != nil || got != spliced(c.Old, edits) {
		t.Fatalf("subset %v of %q -> %q: %q, %v", ids, c.Old, c.New, got, err)
	}
	if got, _, _, _ := c.Select(all); got != c.New {
		t.Fatalf("all hunks of %q give %q, want %q", c.Old, got, c.New)
	}
	if back := c.Reverse(nil); back.New != c.Old {
		t.Fatalf("taken back: %q, want %q", back.New, c.Old)
	}
	plus, minus := c.Stat()
	text := "\n" + c.Unified(workspace.DiffOptions{Context: -1})
	if strings.Count(text, "\n+") != plus || strings.Count(text, "\n-") != minus {
		t.Fatalf("+%d −%d, but printed\n%s", plus, minus, text)
	}
}
