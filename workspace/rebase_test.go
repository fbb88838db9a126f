package workspace_test

import (
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// checkRebase plans new from old, lets the file become now, and wants the
// rebased text, or a refusal if want is "stale".
func checkRebase(t *testing.T, old, new, now, want string) {
	t.Helper()
	c, ok := workspace.Rebase(workspace.Rewrite(content(old), new), content(now))
	got := "stale"
	if ok {
		got = c.New
	}
	if got != want {
		t.Errorf("%q -> %q onto %q: %q, want %q", old, new, now, got, want)
	}
}

func TestRebase(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	new := strings.Replace(old, "5\n", "five\n", 1)
	swap := func(s, a, b string) string { return strings.Replace(s, a, b, 1) }
	checkRebase(t, old, new, old, new)
	checkRebase(t, old, new, "0\n"+old, "0\n"+new)
	checkRebase(t, old, new, old+"10\n", new+"10\n")
	checkRebase(t, old, new, swap(old, "1\n", "one\nuno\n"), swap(new, "1\n", "one\nuno\n"))
	checkRebase(t, old, new, swap(old, "1\n", ""), swap(new, "1\n", ""))
	checkRebase(t, old, new, "0\n"+old+"10\n", "0\n"+new+"10\n") // between two changes
	checkRebase(t, old, new, swap(old, "5\n", "V\n"), "stale")
	checkRebase(t, old, new, swap(old, "2\n", "II\n"), "stale") // context
	checkRebase(t, old, new, swap(old, "8\n", ""), "stale")
	checkRebase(t, old, new, "", "stale")
	checkRebase(t, old, old+"end\n", old+"other\n", "stale") // both append
	checkRebase(t, old, "top\n"+old, "other\n"+old, "stale")
	checkRebase(t, "", "x\n", "y\n", "stale")
}

func TestRebaseRefusesWhereCopiesMakeItDoubtful(t *testing.T) {
	f := "func {\n a\n b\n c\n x\n a\n b\n c\n}\n"
	edited := strings.Replace(f, "x", "X", 1)
	// The first of two equal functions was to be changed, and one of them is
	// gone: nobody can say which.
	checkRebase(t, f+"\n"+f, edited+"\n"+f, f, "stale")
	checkRebase(t, f, edited, f+"\n"+f, "stale")
	// So it is between two changes.
	checkRebase(t, f+"\n"+f, edited+"\n"+f, "0\n"+f+"9\n", "stale")
	checkRebase(t, f, edited, "0\n"+f+"\n"+f+"9\n", "stale")
}

func TestRebaseMovesLinesAndOffsets(t *testing.T) {
	c, ok := workspace.Rebase(rewrite("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nV\n"), content("0\n1\n2\n3\n4\n5\n"))
	h := c.Hunks[0]
	if !ok || h.ID != "h1" || h.OldLine != 6 || c.Old[h.OldStart:h.OldEnd] != "5\n" || c.New[h.NewStart:h.NewEnd] != "V\n" {
		t.Errorf("%+v", h)
	}
	if c.Base != workspace.Sum(c.Old) {
		t.Error("the base is still the old one")
	}
}

func TestRebaseAgainstExistence(t *testing.T) {
	absent := workspace.Content{Path: workspace.Path{Rel: "f"}}
	create := workspace.Rewrite(absent, "x\n")
	if _, ok := workspace.Rebase(create, absent); !ok {
		t.Error("a creation is stale although nothing appeared")
	}
	if _, ok := workspace.Rebase(create, content("")); ok {
		t.Error("a creation was moved onto a file that appeared")
	}
	if _, ok := workspace.Rebase(rewrite("a\n", "b\n"), absent); ok {
		t.Error("a change was moved onto a file that is gone")
	}
	if _, ok := workspace.Rebase(workspace.Remove(content("a\n")), content("a\nb\n")); ok {
		t.Error("a removal was moved onto another content")
	}
}

// Two people edit lines of their own. If the lines are far enough apart both
// edits stand afterwards; if the user's lines are within reach the change is
// refused. It never ends in a third text.
func TestRebaseIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "{\n", "}\n", "\n"}), 1, 40).Draw(t, "lines")
		ours := rapid.IntRange(0, len(lines)-1).Draw(t, "ours")
		theirs := rapid.IntRange(0, len(lines)-1).Draw(t, "theirs")
		texts := func(edit map[int]string) string {
			var b strings.Builder
			for i, l := range lines {
				if s, ok := edit[i]; ok {
					l = s
				}
				b.WriteString(l)
			}
			return b.String()
		}
		mine, other := "mine\n", rapid.SampledFrom([]string{"", "user\n", "user\nmore\n"}).Draw(t, "other")
		c := rewrite(texts(nil), texts(map[int]string{ours: mine}))
		now := texts(map[int]string{theirs: other})
		got, ok := workspace.Rebase(c, content(now))
		distance := max(ours-theirs, theirs-ours)
		switch want := texts(map[int]string{ours: mine, theirs: other}); {
		case distance == 0 && ok:
			t.Fatalf("took %q over the user's %q", got.New, now)
		case distance > 0 && ok && other != "" && got.New != want:
			t.Fatalf("made %q, want %q", got.New, want)
		case 0 < distance && distance <= 3 && ok && other != "":
			t.Fatalf("took a change whose context the user changed: %q", now)
		}
	})
}
