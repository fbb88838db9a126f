package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// checkEdit replaces every place where old is found.
func checkEdit(t *testing.T, text, old, new, want string) {
	t.Helper()
	if got := edited(text, old, new); got != want {
		t.Errorf("%q with %q for %q: %q, want %q", text, new, old, got, want)
	}
}

func edited(text, old, new string) string {
	spans, _ := workspace.Find(text, old)
	var edits []workspace.Edit
	for _, s := range spans {
		edits = append(edits, workspace.Edit{Start: s.Start, End: s.End, New: workspace.AdaptEOL(text, s, new)})
	}
	return workspace.Replace(content(text), edits).New
}

func TestEditKeepsEveryOtherByte(t *testing.T) {
	checkEdit(t, "a\r\nb\nc\rX\n", "b", "B", "a\r\nB\nc\rX\n")
	checkEdit(t, "const x=1\n// caf\xe9\n", "x=1", "x=2", "const x=2\n// caf\xe9\n")
	checkEdit(t, "\xff\x00\xfe b \xff", "b", "$1 & \\0", "\xff\x00\xfe $1 & \\0 \xff")
	checkEdit(t, "aaa", "aa", "x", "xa") // not overlapping, from the left
}

func TestLineEndsOfNewLines(t *testing.T) {
	crlf := "a\r\nb\r\nc\r\n"
	checkEdit(t, crlf, "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\nc\r\n")
	checkEdit(t, crlf, "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n")
	checkEdit(t, crlf, "b\nc", "x", "a\r\nx\r\n")
	checkEdit(t, crlf, "\nb", "", "a\r\nc\r\n")
	checkEdit(t, crlf, "a\r\nb\r\n", "a\nb\n", "a\nb\nc\r\n") // ends spelled out on purpose
	checkEdit(t, "a\nb\n", "a\nb", "a\r\nb", "a\r\nb\n")
	checkEdit(t, "a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\n") // the buffer's own ends
	checkEdit(t, "a\nb\r\nc\n", "a\nb\nc", "a\nx\nc", "a\nx\r\nc\n")
	checkEdit(t, "a\r\nb", "b", "b\nc", "a\r\nb\r\nc") // the end before the last line
	checkEdit(t, "a", "a", "b\nc", "b\nc")
	checkEdit(t, "a\r\r\nb\r\n", "\nb\n", "\nx\n", "a\r\r\nx\r\n") // a lone \r is data
}

func TestByteOrderMarkStays(t *testing.T) {
	checkEdit(t, "\uFEFFhello\nx\n", "hello", "bye", "\uFEFFbye\nx\n")
	checkEdit(t, "\uFEFFhello\nx\n", "\uFEFFhello", "bye", "\uFEFFbye\nx\n")
	checkEdit(t, "\uFEFFhello\nx\n", "\uFEFFhello", "\uFEFFbye", "\uFEFFbye\nx\n")
	checkEdit(t, "hello\nx\n", "\uFEFFhello", "\uFEFFbye", "bye\nx\n")
	checkEdit(t, "\uFEFFa\r\nb\r\n", "\uFEFFa\nb", "c\nd", "\uFEFFc\r\nd\r\n")
	checkEdit(t, "x\uFEFFhello", "\uFEFFhello", "y", "xy") // elsewhere it is a character
	checkEdit(t, "hello", "\uFEFF", "x", "hello")
}

func TestExactMatchesGoBeforeFolded(t *testing.T) {
	spans, folded := workspace.Find("a\r\nb\na\nb\n", "a\nb\n")
	if len(spans) != 1 || spans[0].Start != 5 || folded {
		t.Errorf("%v, folded %v", spans, folded)
	}
}

// The folded view finds what is found after folding everything, and at the
// places that fold to it.
func TestFoldedSpans(t *testing.T) {
	fold := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		lines := strings.SplitAfter(fold(text), "\n")
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		old := strings.Join(lines[from:rapid.IntRange(from, len(lines)).Draw(t, "to")], "")
		spans, folded := workspace.Find(text, old)
		if old == "" || strings.Contains(old, "\r\n") { // of a \r\r\n
			return
		}
		if len(spans) == 0 {
			t.Fatalf("%q not found in %q", old, text)
		}
		for i, s := range spans {
			if fold(text[s.Start:s.End]) != old {
				t.Fatalf("span %v of %q is %q, want what folds to %q", s, text, text[s.Start:s.End], old)
			}
			if i > 0 && s.Start < spans[i-1].End {
				t.Fatalf("spans overlap: %v", spans)
			}
		}
		if folded && len(spans) != strings.Count(fold(text), old) {
			t.Fatalf("%d spans, want %d", len(spans), strings.Count(fold(text), old))
		}
	})
}

func TestKeepBOM(t *testing.T) {
	for _, x := range [][3]string{{"\uFEFFa", "b", "\uFEFFb"}, {"\uFEFFa", "\uFEFFb", "\uFEFFb"}, {"a", "b", "b"}} {
		if got := workspace.KeepBOM(x[0], x[1]); got != x[2] {
			t.Errorf("KeepBOM(%q, %q) = %q", x[0], x[1], got)
		}
	}
}

func checkNearest(t *testing.T, text, old string, want ...string) {
	t.Helper()
	got := workspace.Nearest(text, old).Text
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("nearest of %q: %q does not say %q", old, got, w)
		}
	}
	if len(want) == 0 && got != "" {
		t.Errorf("nearest of %q: %q, want nothing", old, got)
	}
}

func TestNearest(t *testing.T) {
	code := "package p\n\nfunc f() {\n\tif x {\n\t\treturn \"a\"\n\t}\n}\n"
	checkNearest(t, code, "    if x {\n        return \"a\"\n    }", "Lines 4-6", "indentation (file: 1 tab; given: 4 spaces)", `line 4 of the file: "\tif x {"`)
	checkNearest(t, code, "\t\treturn \u201Ca\u201D", "Line 5", "quotes")
	checkNearest(t, code, "func f()  {", "Line 3", "blanks within the line")
	checkNearest(t, code, "func F() {", "Line 3", "letter case")
	checkNearest(t, code, "func f() { \n\tif x {", "Lines 3-4", "trailing blanks")
	checkNearest(t, "a\r\nbcd\r\n", "a\r\nbcd\n\n", "line ends at the beginning or the end")
	checkNearest(t, code, "package p\nfunc f() {", "line breaks or blank lines")
	checkNearest(t, code, "func f() {\n\tif y {\n\t\treturn \"a\"\n", "Lines 3-5", "2 of 3 lines", `"\tif x {"`)
	checkNearest(t, code, "func g() {", "Line 3 is similar")
	checkNearest(t, code, "nothing like it at all")
	checkNearest(t, code, "nothing like it\n}") // a brace is everywhere
	checkNearest(t, code, " \n")
	checkNearest(t, "", "abc")
}

func TestNearestTellsAtMostThreeAndBriefly(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "\tcall(%s)\n", strings.Repeat("x", 300+i%2))
	}
	got := workspace.Nearest(b.String(), "  call("+strings.Repeat("x", 300)+")").Text
	if n := strings.Count(got, "would match"); n != 3 || len(got) > 1500 {
		t.Errorf("%d places in %d bytes:\n%s", n, len(got), got)
	}
}
