package bridge

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/internal/mirror"
	"drawbridge/workspace"
)

func planned(old, now string) workspace.Change {
	return workspace.Rewrite(workspace.Content{Exists: true, Text: old, Base: workspace.Sum(old)}, now)
}

// TestAMarkLiesWhereItsHunkStands holds for any text that a document went on to:
// what a mark covers is what its hunk is about, and the marks are in order.
func TestAMarkLiesWhereItsHunkStands(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "\n", "c\r\n", "é💡\n"})
		return strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		c := planned(text.Draw(t, "old"), text.Draw(t, "new"))
		now, at := text.Draw(t, "now"), 0
		for _, h := range place(c, now) {
			if h.start < at || h.end > len(now) || now[h.start:h.end] != h.old {
				t.Fatalf("hunk %s is marked at [%d,%d) of %q, and is about %q", h.id, h.start, h.end, now, h.old)
			}
			at = h.end
		}
	})
}

func TestAMarkMovesWithItsLines(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	c := planned(old, strings.NewReplacer("2\n", "two\n", "8\n", "8\neight\n").Replace(old))
	for name, test := range map[string]struct {
		now  string
		want string
	}{
		"as it was":               {old, "2-4 16-16"},
		"lines above":             {"0\n" + old, "4-6 18-18"},
		"the neighbour":           {strings.Replace(old, "1\n", "one\n", 1), "4-6 18-18"},
		"lines between":           {strings.Replace(old, "5\n", "", 1), "2-4 14-14"},
		"its own line":            {strings.Replace(old, "2\n", "zwei\n", 1), "19-19"},
		"its own line is gone":    {strings.Replace(old, "2\n", "", 1), "14-14"},
		"nothing of it is left":   {"", ""},
		"all lines but the first": {"1\nx\n", ""},
	} {
		var got []string
		for _, h := range place(c, test.now) {
			got = append(got, fmt.Sprintf("%d-%d", h.start, h.end))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: marks at %q, want %q", name, strings.Join(got, " "), test.want)
		}
	}
}

func TestWhatAHunkDoesInWords(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "a\n", "insert 1 line, “a”"},
		{"", "a\r\nb", "insert 2 lines, “a …”"},
		{"  x\n\ny\n", "", "delete 3 lines, “x …”"},
		{"x\n", "\ty\n", "replace 1 line by “y”"},
		{"x", "\x1b[31m\xff", "replace 1 line by “[31m�”"},
		{"x\n", strings.Repeat("é", 100), "replace 1 line by “" + strings.Repeat("é", 80) + " …”"},
	} {
		if got := deed(test.old, test.new, "insert", "delete", "replace"); got != test.want {
			t.Errorf("%q to %q: %s, want %s", test.old, test.new, got, test.want)
		}
	}
}

func TestACursorIsOnAHunk(t *testing.T) {
	span := func(a, b, c, d uint32) mirror.Range {
		return mirror.Range{Start: mirror.Position{Line: a, Character: b}, End: mirror.Position{Line: c, Character: d}}
	}
	for _, test := range []struct {
		mark, at mirror.Range
		want     bool
	}{
		{span(2, 0, 3, 5), span(2, 0, 2, 0), true},
		{span(2, 0, 3, 5), span(3, 9, 3, 9), true},
		{span(2, 0, 3, 5), span(4, 0, 4, 0), false},
		{span(2, 0, 3, 5), span(0, 0, 9, 0), true},
		{span(2, 0, 2, 0), span(1, 3, 1, 3), true}, // between two lines
		{span(2, 0, 2, 0), span(2, 0, 2, 0), true},
		{span(2, 0, 2, 0), span(3, 0, 3, 0), false},
		{span(0, 0, 0, 0), span(0, 0, 0, 0), true},
	} {
		if touches(test.mark, test.at) != test.want {
			t.Errorf("mark %v, cursor %v: want %v", test.mark, test.at, test.want)
		}
	}
}

func TestWordsToUsInComments(t *testing.T) {
	for text, want := range map[string]string{
		"// AI: add a test":          "add a test",
		"# AI:rename it  ":           "rename it",
		"/* AI: explain this */":     "explain this",
		"<!-- AI: shorten -->\r":     "shorten",
		"AI: first\nx\n-- AI: other": "first|other",
		"MAIN_AI: no":                "",
		"// AI:":                     "",
		"// ai: no":                  "",
	} {
		var said []string
		for _, match := range toUs.FindAllStringSubmatch(text, -1) {
			said = append(said, match[1])
		}
		if got := strings.Join(said, "|"); got != want {
			t.Errorf("%q says %q, want %q", text, got, want)
		}
	}
}
