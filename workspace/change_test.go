package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

func checkHunks(t *testing.T, old string, edits []workspace.Edit, want ...string) {
	t.Helper()
	var got []string
	c := workspace.Replace(content(old), edits)
	for _, h := range c.Hunks {
		got = append(got, c.Old[h.OldStart:h.OldEnd]+">"+c.New[h.NewStart:h.NewEnd])
	}
	if !slices.Equal(got, want) {
		t.Errorf("edits %v of %q: hunks %q, want %q", edits, old, got, want)
	}
}

func TestHunksAreWholeLines(t *testing.T) {
	type edits = []workspace.Edit
	checkHunks(t, "a\nb\nc\n", edits{{2, 3, "B"}}, "b\n>B\n")
	checkHunks(t, "a\nb\nc\n", edits{{2, 4, "B\n"}}, "b\n>B\n")
	checkHunks(t, "a\nb\nc\n", edits{{2, 4, ""}}, "b\n>")
	checkHunks(t, "a\nb\nc\n", edits{{2, 2, "x\n"}}, ">x\n")
	checkHunks(t, "a\nb\nc\n", edits{{2, 4, "B"}}, "b\nc\n>Bc\n")  // joins the next line
	checkHunks(t, "a\nb\nc\n", edits{{3, 4, ""}}, "b\nc\n>bc\n")   // takes a line end away
	checkHunks(t, "a\nb", edits{{2, 3, ""}}, "b>")                 // the last line goes
	checkHunks(t, "a\nb", edits{{3, 3, "\n"}}, "b>b\n")            // gets its line end
	checkHunks(t, "", edits{{0, 0, "x"}}, ">x")                    // into an empty file
	checkHunks(t, "a\r\nb\nc\rX\n", edits{{3, 4, "B"}}, "b\n>B\n") // other ends stay
	checkHunks(t, "a\nb\n", edits{{0, 1, "a"}, {2, 3, "B"}}, "b\n>B\n")
	checkHunks(t, "foo foo\n", edits{{0, 3, "x"}, {4, 7, "y"}}, "foo foo\n>x y\n")
	checkHunks(t, "a\nb\nc\n", edits{{0, 1, "A"}, {2, 3, "B"}}, "a\nb\n>A\nB\n") // touching
	checkHunks(t, "a\nb\nc\n", edits{{4, 5, "C"}, {0, 1, "A"}}, "a\n>A\n", "c\n>C\n")
}

func TestLinesThatASpliceSharesAreContext(t *testing.T) {
	old := "1\n2\n3\n4\n5\n"
	checkHunks(t, old, []workspace.Edit{{0, len(old), "1\nx\n3\ny\n5\n"}}, "2\n>x\n", "4\n>y\n")
}

func TestOverlappingEditsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("overlapping edits were taken")
		}
	}()
	workspace.Replace(content("abc"), []workspace.Edit{{0, 2, ""}, {1, 3, ""}})
}

func TestReplaceSplicesBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := anyText().Draw(t, "old")
		edits := anyEdits(t, old)
		c := workspace.Replace(content(old), edits)
		if want := spliced(old, edits); c.New != want {
			t.Fatalf("new %q, want %q", c.New, want)
		}
	})
}

// Hunks tile both texts: between them the texts are the same, line numbers
// agree with the offsets, and no two hunks touch.
func TestHunksTileBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		atOld, atNew := 0, 0
		for i, h := range c.Hunks {
			if c.Old[atOld:h.OldStart] != c.New[atNew:h.NewStart] {
				t.Fatalf("text before %s differs: %q, %q", h.ID, c.Old[atOld:h.OldStart], c.New[atNew:h.NewStart])
			}
			if i > 0 && !strings.Contains(c.Old[atOld:h.OldStart], "\n") {
				t.Fatalf("%s touches the hunk before it", h.ID)
			}
			checkSide(t, c.Old, h.OldStart, h.OldEnd, h.OldLine, h.OldLines)
			checkSide(t, c.New, h.NewStart, h.NewEnd, h.NewLine, h.NewLines)
			atOld, atNew = h.OldEnd, h.NewEnd
		}
		if c.Old[atOld:] != c.New[atNew:] {
			t.Fatalf("text after the hunks differs: %q, %q", c.Old[atOld:], c.New[atNew:])
		}
	})
}

func checkSide(t *rapid.T, text string, start, end, line, lines int) {
	if start > 0 && text[start-1] != '\n' {
		t.Fatalf("a hunk begins within a line, at %d of %q", start, text)
	}
	if end < len(text) && end > 0 && text[end-1] != '\n' {
		t.Fatalf("a hunk ends within a line, at %d of %q", end, text)
	}
	if want := strings.Count(text[:start], "\n") + 1; line != want {
		t.Fatalf("line %d, want %d", line, want)
	}
	if want := len(strings.SplitAfter(strings.TrimSuffix(text[start:end], "\n"), "\n")); lines != want && start != end {
		t.Fatalf("%d lines, want %d", lines, want)
	}
}

func TestAnySubsetOfHunksApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		var ids []string
		var edits []workspace.Edit
		for _, h := range c.Hunks {
			if rapid.Bool().Draw(t, h.ID) {
				ids = append(ids, h.ID)
				edits = append(edits, workspace.Edit{Start: h.OldStart, End: h.OldEnd, New: c.New[h.NewStart:h.NewEnd]})
			}
		}
		text, applied, rejected, err := c.Select(workspace.Acceptance{Hunks: ids})
		if err != nil || text != spliced(c.Old, edits) {
			t.Fatalf("%v of %d hunks: %q, %v; want %q", ids, len(c.Hunks), text, err, spliced(c.Old, edits))
		}
		if !slices.Equal(applied, ids) || len(rejected) != len(c.Hunks)-len(ids) {
			t.Fatalf("applied %v, rejected %v", applied, rejected)
		}
	})
}

func TestRejectingAllGivesOldAndAcceptingAllNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		if text, _, _, err := c.Select(workspace.Acceptance{}); err != nil || text != c.Old {
			t.Fatalf("nothing accepted gives %q, %v", text, err)
		}
		if text, _, _, err := c.Select(all); err != nil || text != c.New {
			t.Fatalf("all accepted gives %q, %v", text, err)
		}
	})
}

func TestUnknownHunkIsAnError(t *testing.T) {
	c := workspace.Rewrite(content("a\n"), "b\n")
	_, _, _, err := c.Select(only("h1", "h9"))
	if err == nil || !strings.Contains(err.Error(), `"h9"`) || strings.Contains(err.Error(), `"h1"`) {
		t.Errorf("error %v, want one that names h9 only", err)
	}
}

func TestReversedHunksGiveOldBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		if back := c.Reverse(nil); back.Old != c.New || back.New != c.Old || back.Base != workspace.Sum(c.New) {
			t.Fatalf("all back: %q -> %q", back.Old, back.New)
		}
		var ids, kept []string
		for _, h := range c.Hunks {
			if rapid.Bool().Draw(t, h.ID) {
				ids = append(ids, h.ID)
			} else {
				kept = append(kept, h.ID)
			}
		}
		want, _, _, _ := c.Select(workspace.Acceptance{Hunks: kept})
		if back := c.Reverse(append([]string{}, ids...)); back.New != want {
			t.Fatalf("%v back: %q, want %q", ids, back.New, want)
		}
	})
}

func TestReversedKinds(t *testing.T) {
	absent := workspace.Content{Path: workspace.Path{Rel: "f"}}
	if k := workspace.Rewrite(absent, "x").Reverse(nil).Kind; k != workspace.Delete {
		t.Errorf("a creation taken back is a %q", k)
	}
	if k := workspace.Rewrite(absent, "").Reverse(nil).Kind; k != workspace.Delete {
		t.Errorf("the creation of an empty file taken back is a %q", k)
	}
	if k := workspace.Remove(content("x")).Reverse(nil).Kind; k != workspace.Create {
		t.Errorf("a removal taken back is a %q", k)
	}
}

func TestOwnTextSaysWhichHunksStand(t *testing.T) {
	c := workspace.Rewrite(content("1\n2\n3\n4\n5\n"), "1\nB\n3\nD\n5\n")
	text := "1\nB\n3\n4!\n5\n"
	got, applied, rejected, err := c.Select(workspace.Acceptance{Text: &text})
	if err != nil || got != text || !slices.Equal(applied, []string{"h1"}) || !slices.Equal(rejected, []string{"h2"}) {
		t.Errorf("%q, applied %v, rejected %v, %v", got, applied, rejected, err)
	}
}

func TestOwnTextKeepsHiddenMarks(t *testing.T) {
	c := workspace.Rewrite(content("\uFEFFa\r\nb\r\n"), "\uFEFFA\r\nb\r\n")
	text := "A!\nb\n" // as an editor hands it out that hides both
	got, _, _, _ := c.Select(workspace.Acceptance{Text: &text})
	if want := "\uFEFFA!\r\nb\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHugeRewriteIsOneHunk(t *testing.T) {
	old := strings.Repeat("a\nb\n", 5<<20)
	c := workspace.Rewrite(content(old), strings.Repeat("b\nc\n", 5<<20))
	if len(c.Hunks) != 1 {
		t.Errorf("%d hunks", len(c.Hunks))
	}
}
