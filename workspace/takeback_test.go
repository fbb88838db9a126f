package workspace_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// takeBack takes pieces of a change back and returns what the file holds then,
// with the hunks that are stuck.
func (f *fixture) takeBack(c workspace.Change, ids []string, later ...workspace.Change) (text string, stuck []workspace.Stuck) {
	f.Helper()
	_, stuck, err := f.ws.TakeBack(f.Context(), c, ids, nil, later...)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(f.abs("a.txt"))
	if err != nil {
		f.Fatal(err)
	}
	return string(raw), stuck
}

// done rewrites the file as an agent would.
func (f *fixture) done(text string) workspace.Change {
	f.Helper()
	return f.commit(workspace.Rewrite(f.read("a.txt"), text), all).Change
}

func lines(words string) string { return strings.ReplaceAll(words, " ", "\n") + "\n" }

func TestTakeBack(t *testing.T) {
	for name, c := range map[string]struct {
		old, did, later, now string // words, one a line; nothing is no change
		ids                  []string
		want, stuck          string
	}{
		"all":                            {old: "a b c", did: "A b C", want: "a b c"},
		"one of two":                     {old: "a b c", did: "A b C", ids: []string{"h2"}, want: "A b c"},
		"next to others' lines":          {old: "a b c", did: "a B c", now: "1 B 3", want: "1 B 3", stuck: "h1: line 1 was changed since"},
		"known by itself":                {old: "a b c", did: "a distinctive c", now: "1 distinctive 3", want: "1 b 3"},
		"between later lines":            {old: "a b c", did: "a B c", later: "1 B 3", want: "1 b 3"},
		"under a later one":              {old: "a b c", did: "a B c", later: "a X c", want: "a X c", stuck: "h1: line 2 was changed since"},
		"lines that were taken out":      {old: "a b c d e f g", did: "a b c e f g", now: "0 a b c e f g", want: "0 a b c d e f g"},
		"taken out next to a later line": {old: "a b c", did: "a c", later: "a C", want: "a b C"},
		"later lines in its place":       {old: "a b c", did: "a c", later: "a x c", want: "a x c", stuck: "h1: line 2 was changed since"},
		"the others go back":             {old: "a b c d e f g h i", did: "A b c d e f g h I", now: "A b c d e f g h mine", want: "a b c d e f g h mine", stuck: "h2: line 9 was changed since"},
		"copied elsewhere":               {old: "a b c d e f g h i", did: "a b c d Distinctive f g h i", now: "x Distinctive b c d Distinctive f g h y", want: "x Distinctive b c d e f g h y"},
		"moved by those before":          {old: "a b c d e f g h i", did: "a b c d E f g h i", now: "1 2 3 a b c d E f g h i", want: "1 2 3 a b c d e f g h i"},
		"of the same text as another":    {old: "a b c", did: "x b x", now: "x b", want: "a b", stuck: "h2: lines were taken out before line 3 since"},
		"undone by somebody":             {old: "a b c", did: "a B c", now: "a b c", want: "a b c"},
		"one undone by somebody":         {old: "a b c d e f g h i", did: "A b c d e f g h I", now: "a b c d e f g h I", want: "a b c d e f g h i"},
		"undone with a later one":        {old: "a b c d e f g h i", did: "A b c d e f g h i", later: "A b c d e f g h I", now: "a b c d e f g h i", want: "a b c d e f g h i"},
		"taken out by a later one":       {old: "a b c", did: "a x b c", later: "a b c", want: "a b c", stuck: "h1: lines were taken out before line 2 since"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write("a.txt", lines(c.old))
			did := f.done(lines(c.did))
			var later []workspace.Change
			if c.later != "" {
				later = append(later, f.done(lines(c.later)))
			}
			if c.now != "" {
				f.write("a.txt", lines(c.now))
			}
			text, stuck := f.takeBack(did, c.ids, later...)
			var why []string
			for _, s := range stuck {
				why = append(why, s.Hunk+": "+s.Why)
			}
			if text != lines(c.want) || strings.Join(why, " ") != c.stuck {
				t.Errorf("%q, stuck %q", text, why)
			}
		})
	}
}

func TestANewFileWithOthersWordsIsNotRemoved(t *testing.T) {
	f := newFixture(t)
	did := f.done("ours\n")
	f.write("a.txt", "ours\ntheirs\n")
	if text, stuck := f.takeBack(did, nil); text != "ours\ntheirs\n" || len(stuck) != 1 || stuck[0].Why != "line 2 was changed since" {
		t.Errorf("%q, stuck %v", text, stuck)
	}
}

func TestAnEmptyNewFileThatHasWordsByNowIsNotRemoved(t *testing.T) {
	f := newFixture(t)
	did := f.done("")
	f.write("a.txt", "theirs\n")
	out, _, err := f.ws.TakeBack(t.Context(), did, nil, nil)
	if err != nil || out.State != workspace.Stale || out.Why != "line 1 was changed since" {
		t.Errorf("%s (%s), %v", out.State, out.Why, err)
	}
	f.wantFile("a.txt", "theirs\n")
	f.write("a.txt", "")
	if out, _, err := f.ws.TakeBack(t.Context(), did, nil, nil); err != nil || out.State != workspace.Applied {
		t.Errorf("%s (%s), %v", out.State, out.Why, err)
	}
	f.wantNames(".")
}

// mark is a line that is known whatever it says.
type mark struct {
	id   int
	text string
}

// story is a file whose lines are known, and what was done to it.
type story struct {
	*rapid.T
	f       *fixture
	now     []mark
	made    int
	changes []workspace.Change
	put     map[string][]mark // by change and hunk: what it put, and what it took
	took    map[string][]mark
}

func (s *story) text() string {
	var b strings.Builder
	for _, m := range s.now {
		b.WriteString(m.text)
	}
	return b.String()
}

func (s *story) marks(text string) []mark {
	var list []mark
	for l := range strings.Lines(text) {
		s.made++
		list = append(list, mark{s.made, l})
	}
	return list
}

// splice draws an edit of a few lines.
func (s *story) splice() (from, to int, text string) {
	from = rapid.IntRange(0, len(s.now)).Draw(s.T, "from")
	to = rapid.IntRange(from, min(len(s.now), from+3)).Draw(s.T, "to")
	for range rapid.IntRange(0, 3).Draw(s.T, "new") {
		text += rapid.SampledFrom([]string{"a\n", "b\n", "}\n", "\n", "some words\n", "other words\n"}).Draw(s.T, "line")
	}
	return from, to, text
}

// change has the agent edit the file.
func (s *story) change() {
	from, to, text := s.splice()
	start, end := 0, 0
	for i, m := range s.now[:to] {
		if i < from {
			start += len(m.text)
		}
		end += len(m.text)
	}
	if s.text()[start:end] == text {
		return
	}
	out := s.f.commit(workspace.Replace(s.f.read("a.txt"), []workspace.Edit{{Start: start, End: end, New: text}}), all)
	c, key := out.Change, len(s.changes)
	for i := len(c.Hunks) - 1; i >= 0; i-- {
		h := c.Hunks[i]
		id, at := fmt.Sprint(key, h.ID), h.OldLine-1
		s.took[id] = slices.Clone(s.now[at : at+h.OldLines])
		s.put[id] = s.marks(c.New[h.NewStart:h.NewEnd])
		s.now = slices.Replace(s.now, at, at+h.OldLines, s.put[id]...)
	}
	s.changes = append(s.changes, c)
}

// expect is the text without a hunk; ok is false when its lines do not stand
// together any more, or when it put none.
func (s *story) expect(id string) (text string, ok bool) {
	put := s.put[id]
	if len(put) == 0 {
		return "", false
	}
	at := slices.Index(s.now, put[0])
	if at < 0 || at+len(put) > len(s.now) || !slices.Equal(s.now[at:at+len(put)], put) {
		return "", false
	}
	old := s.now
	s.now = slices.Concat(old[:at], s.took[id], old[at+len(put):])
	text = s.text()
	s.now = old
	return text, true
}

// Whatever the agent did after a change, its hunks are taken back exactly where
// they are or not at all, though lines repeat themselves all over the file.
func TestTakeBackHitsItsOwnLinesOnly(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(r *rapid.T) {
		s := &story{T: r, f: f, put: map[string][]mark{}, took: map[string][]mark{}}
		start := ""
		for range rapid.IntRange(1, 12).Draw(r, "lines") {
			start += rapid.SampledFrom([]string{"a\n", "b\n", "}\n", "\n", "some words\n"}).Draw(r, "line")
		}
		f.write("a.txt", start)
		s.now = s.marks(start)
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			s.change()
		}
		if len(s.changes) == 0 {
			return
		}
		i := rapid.IntRange(0, len(s.changes)-1).Draw(r, "change")
		if len(s.changes[i].Hunks) == 0 {
			return
		}
		h := rapid.SampledFrom(s.changes[i].Hunks).Draw(r, "hunk")
		before := s.text()
		want, known := s.expect(fmt.Sprint(i, h.ID))
		got, stuck := f.takeBack(s.changes[i], []string{h.ID}, s.changes[i+1:]...)
		switch {
		case len(stuck) > 0 && got != before:
			r.Fatalf("stuck, and yet %q became %q", before, got)
		case len(stuck) > 0 && i == len(s.changes)-1:
			r.Fatalf("nothing came after it, but: %s", stuck[0].Why)
		case len(stuck) == 0 && known && got != want:
			r.Fatalf("%q became %q, want %q", before, got, want)
		case len(stuck) == 0 && !known && len(s.put[fmt.Sprint(i, h.ID)]) > 0 && got != before:
			r.Fatalf("%q became %q, though its lines do not stand", before, got)
		}
	})
}

// From the newest to the oldest everything goes back, byte for byte.
func TestTakingAllBackGivesTheOriginal(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(r *rapid.T) {
		original := strings.TrimPrefix(anyText().Draw(r, "original"), "\xff\xfe")
		f.write("a.txt", original)
		var changes []workspace.Change
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			now := f.read("a.txt")
			c := workspace.Replace(now, anyEdits(r, now.Text))
			if rapid.Bool().Draw(r, "rewrite") {
				c = workspace.Rewrite(now, anyText().Draw(r, "text"))
			}
			// Two bytes at the beginning would make it a file of another encoding.
			if c.Fault() == nil && !strings.HasPrefix(c.New, "\xff\xfe") {
				changes = append(changes, f.commit(c, all).Change)
			}
		}
		for i := len(changes) - 1; i >= 0; i-- {
			if len(changes[i].Hunks) == 0 {
				continue
			}
			if _, stuck := f.takeBack(changes[i], nil); len(stuck) > 0 {
				r.Fatalf("change %d: %v", i, stuck)
			}
		}
		f.wantFile("a.txt", original)
	})
}

// A hunk that is stuck tells of its own lines, not of those next to it, and by
// which later change.
func TestAStuckHunkNamesItsOwnLines(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", lines("a b c d e"))
	did := f.done(lines("a b C D e"))
	f.write("a.txt", lines("a near C own e"))
	_, stuck := f.takeBack(did, nil)
	if len(stuck) != 1 || stuck[0].Why != "line 4 was changed since" || stuck[0].By != 0 {
		t.Errorf("%+v", stuck)
	}
	f.write("a.txt", lines("a b c d e f"))
	did = f.done(lines("a b C d e f"))
	first, second := f.done(lines("a b C D e f")), f.done(lines("a b K D e F"))
	_, stuck = f.takeBack(did, nil, first, second)
	if len(stuck) != 1 || stuck[0].Why != "lines 3-4 were changed since" || stuck[0].By != 2 {
		t.Errorf("%+v", stuck)
	}
}
