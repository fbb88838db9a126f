package workspace_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/workspace"
)

func checkAdapted(t *testing.T, text, old, new, want string) {
	t.Helper()
	spans, _ := workspace.Find(text, old)
	if len(spans) != 1 {
		t.Fatalf("%q is %d times in %q", old, len(spans), text)
	}
	got := workspace.AdaptEOL(text, spans[0], new)
	if got = text[:spans[0].Start] + got + text[spans[0].End:]; got != want {
		t.Errorf("%q for %q in %q gives %q, want %q", new, old, text, got, want)
	}
}

func TestLinesOfAMixOfEndsKeepTheirOwn(t *testing.T) {
	checkAdapted(t, "a\r\nb\nc\n", "a\nb\n", "a\nb\n2\n", "a\r\nb\n2\nc\n")
	checkAdapted(t, "a\r\nb\nc\n", "a\nb\n", "a\n1\nb\n", "a\r\n1\r\nb\nc\n")
	checkAdapted(t, "a\r\nb\nc\n", "a\nb\n", "A\nB\n", "A\r\nB\nc\n")
	checkAdapted(t, "a\nb\r\nc\n", "a\nb\n", "b\n", "b\r\nc\n")
	checkAdapted(t, "a\nb\r\nc\n", "a\nb\nc", "0\na\nb\nc", "0\na\nb\r\nc\n")
	checkAdapted(t, "x a\r\nb\nc\n", "a\nb\nc", "a\nb\nd\ne", "x a\r\nb\nd\ne\n")
	checkAdapted(t, "a\r\nb\nc\n", "a\nb\n", "ab", "abc\n")
	checkAdapted(t, "a\r\nb\r\nc\n", "a\nb", "a\n1\nb", "a\r\n1\r\nb\r\nc\n")
}

func TestLinesAmongLoneCREndWithIt(t *testing.T) {
	checkAdapted(t, "a\rb\rc\r", "b", "b\nnew", "a\rb\rnew\rc\r")
	checkAdapted(t, "a\rb\rc\r", "b", "b\r\nnew", "a\rb\rnew\rc\r")
	checkAdapted(t, "a\rb\rc\r", "a", "0\na", "0\ra\rb\rc\r")
	checkAdapted(t, "a\rb\rc", "c", "c\nd\ne", "a\rb\rc\rd\re")
	checkAdapted(t, "a\rb\rc\r", "b\rc", "b\n\nc", "a\rb\r\rc\r")
	checkAdapted(t, "a\rb\rc\nd\n", "b", "b\nnew", "a\rb\rnew\rc\nd\n")
	checkAdapted(t, "z\r\na\rb\rc\nd\n", "b", "b\nnew", "z\r\na\rb\rnew\rc\nd\n")
	// What is spelled out, and what has other ends on one side, is as it was.
	checkAdapted(t, "a\rb\rc\r", "b", "b\rnew\nx", "a\rb\rnew\nx\rc\r")
	checkAdapted(t, "a\nb\rc\n", "b", "b\nnew", "a\nb\nnew\rc\n")
	checkAdapted(t, "a\rb\nc\n", "b", "b\nnew", "a\rb\nnew\nc\n")
	checkAdapted(t, "a\rb\r\nc\r\n", "b", "b\nnew", "a\rb\r\nnew\r\nc\r\n")
	checkAdapted(t, "a", "a", "a\nb", "a\nb")
}

func TestAdaptedEndsChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		to := rapid.IntRange(from, len(text)).Draw(t, "to")
		new := anyText().Draw(t, "new")
		span := workspace.Span{Start: from, End: to, Folded: rapid.Bool().Draw(t, "folded")}
		if got := workspace.AdaptEOL(text, span, new); ended(got) != ended(new) {
			t.Fatalf("%q became %q", new, got)
		}
		span.Folded = true
		old := text[from:to]
		if got := workspace.AdaptEOL(text, span, folded(old)); got != old && mixed(old) {
			t.Fatalf("%q came back as %q", old, got)
		}
	})
}

// mixed says that s has both kinds of line ends, and none that could be either.
func mixed(s string) bool {
	n := strings.Count(s, "\r\n")
	return n > 0 && n < strings.Count(s, "\n") && !strings.Contains(s, "\r\r\n")
}

var ends = regexp.MustCompile("\r*\n")

// folded has every line end alike, also one behind further \r.
func folded(s string) string { return ends.ReplaceAllString(s, "\n") }

// ended has lone \r as line ends, too.
func ended(s string) string { return strings.ReplaceAll(folded(s), "\r", "\n") }
