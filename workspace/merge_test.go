package workspace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"nobody else", "a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n"},
		{"only others", "a\nb\n", "A\nb\n", "a\nb\n", "A\nb\n"},
		{"the same twice", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n"},
		{"apart", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"},
		{"one of two is the same", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n"},
		{"below what goes", "a\nx\nb\n", "a\nx\ny\nb\n", "a\nb\n", "a\ny\nb\n"},
		{"above what goes", "a\nx\nb\n", "a\ny\nx\nb\n", "a\nb\n", "a\ny\nb\n"},
		{"put in before a line that changes", "a\nb\nc\n", "a\nb\nB2\n", "a\ny\nb\nc\n", "a\ny\nb\nB2\n"},
		{"put in before the very line", "a\nb\nc\n", "a\nB\nc\n", "a\ny\nb\nc\n", "a\ny\nB\nc\n"},
		{"the other way round", "a\nb\nc\n", "a\ny\nb\nc\n", "a\nB\nc\n", "a\ny\nB\nc\n"},
		{"line ends stay", "a\r\nb\r\nc\n", "a\r\nb\r\nC\n", "A\r\nb\r\nc\n", "A\r\nb\r\nC\n"},
		{"no last end", "a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nD"},
		{"bytes of any kind", "a\xff\nb\nc\x00\n", "a\xff\nb\nC\x00\n", "A\xfe\nb\nc\x00\n", "A\xfe\nb\nC\x00\n"},
		{"from nothing", "", "a\n", "", "a\n"},
	} {
		got, conflicts := Merge(c.base, c.ours, c.theirs)
		if len(conflicts) != 0 || got != c.want {
			t.Errorf("%s: %q with conflicts %v, want %q", c.name, got, conflicts, c.want)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs string
		want                     []Lines
	}{
		{"the same line", "a\nb\nc\n", "a\nB\nc\n", "a\nbb\nc\n", []Lines{{2, 2}}},
		{"changed and taken away", "a\nb\nc\n", "a\nB\nc\n", "a\nc\n", []Lines{{2, 2}}},
		{"put in at one place", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n", []Lines{{2, 2}}},
		{"put into what goes", "a\nb\nc\nd\n", "a\nb\nx\nc\nd\n", "a\nd\n", []Lines{{2, 4}}},
		{"a line without its end meets another", "a\nb\n", "a\nb", "a\nb\nc\n", []Lines{{2, 2}}},
		{"two places", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "1\nb\nc\nd\n5\n", []Lines{{1, 1}, {5, 5}}},
		{"below others that are apart", "a\nb\nc\nd\n", "0\n1\na\nb\nC\nC2\nd\n", "a\nb\nc2\nd\n", []Lines{{5, 6}}},
		{"taken away by ours", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", []Lines{{2, 1}}},
	} {
		text, got := Merge(c.base, c.ours, c.theirs)
		if !slices.Equal(got, c.want) || text != "" {
			t.Errorf("%s: conflicts %v, want %v; text %q", c.name, got, c.want, text)
		}
	}
}

// lineLists draws the lines of a text, each of a few so that texts share many.
func lineLists(t *rapid.T, name string) []string {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "\n", "c\r\n", "{\n", "}\n", "é\xff\n", "x\ry\n"})
	return rapid.SliceOfN(line, 0, 30).Draw(t, name)
}

func TestMergeWithNobodyElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, theirs := strings.Join(lineLists(t, "base"), ""), strings.Join(lineLists(t, "theirs"), "")
		cut := rapid.IntRange(0, 1).Draw(t, "cut")
		theirs = theirs[:max(0, len(theirs)-cut)]
		if got, n := Merge(base, base, theirs); len(n) != 0 || got != theirs {
			t.Fatalf("%q with conflicts %v", got, n)
		}
		if got, n := Merge(base, theirs, base); len(n) != 0 || got != theirs {
			t.Fatalf("the other way: %q with conflicts %v", got, n)
		}
		if got, n := Merge(base, theirs, theirs); len(n) != 0 || got != theirs {
			t.Fatalf("both: %q with conflicts %v", got, n)
		}
	})
}

// What is put in or taken away either side of a line that is the only one of
// its kind is done, both; and so it is whichever side is asked first.
func TestMergeApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, tail := lineLists(t, "head"), lineLists(t, "tail")
		newHead, newTail := lineLists(t, "new head"), lineLists(t, "new tail")
		join := func(head, tail []string) string {
			return strings.Join(slices.Concat(head, []string{"only\n", "these\n", "two\n"}, tail), "")
		}
		base := join(head, tail)
		ours, theirs, want := join(newHead, tail), join(head, newTail), join(newHead, newTail)
		if got, n := Merge(base, ours, theirs); len(n) != 0 || got != want {
			t.Fatalf("%q with conflicts %v, want %q", got, n, want)
		}
		if got, n := Merge(base, theirs, ours); len(n) != 0 || got != want {
			t.Fatalf("the other way: %q with conflicts %v, want %q", got, n, want)
		}
	})
}

// Sides may be exchanged, whatever they are.
func TestMergeIsEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := strings.Join(lineLists(t, "base"), ""), strings.Join(lineLists(t, "a"), ""), strings.Join(lineLists(t, "b"), "")
		one, n := Merge(base, a, b)
		two, m := Merge(base, b, a)
		if one != two || len(n) != len(m) {
			t.Fatalf("%q (%v) and %q (%v)", one, n, two, m)
		}
	})
}

func TestSpell(t *testing.T) {
	for _, c := range []struct{ text, like, want string }{
		{"a\nb\n", "x\r\ny\r\n", "a\r\nb\r\n"},
		{"a\r\nb\r\n", "x\ny\n", "a\nb\n"},
		{"a\n", "\uFEFFx\r\n", "\uFEFFa\r\n"},
		{"\uFEFFa\n", "x\n", "a\n"},
		{"a\nb\r\n", "x\r\ny\n", "a\nb\r\n"},
	} {
		if got := Spell(c.text, c.like); got != c.want {
			t.Errorf("%q like %q: %q, want %q", c.text, c.like, got, c.want)
		}
		if !SameText(c.text, c.want) {
			t.Errorf("%q and %q differ", c.text, c.want)
		}
	}
	if SameText("a\nb", "a\nb\n") {
		t.Error("a last line end does not count")
	}
}
