package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Stuck is a hunk that could not be taken back, and why, for a person.
type Stuck struct {
	Hunk string
	Why  string
}

// TakeBack reverses hunks of a change that was applied; no ids are those of a
// change without hunks, such as an empty file that was made. later are changes of
// ours that were made to the file since, oldest first; others may have changed it
// too. Each hunk is taken back whose lines stand as the change left them, where it
// is beyond doubt which lines these are. The others are stuck. All that is taken
// back is one write, or one edit of the open document. What the Outcome says is of
// the reversed hunks, and it is Stale when all of them are stuck. Errors are those
// of Commit.
func (w *Workspace) TakeBack(ctx context.Context, c Change, ids []string, later ...Change) (Outcome, []Stuck, error) {
	if err := w.mayWrite(c.Path); err != nil {
		return Outcome{}, nil, err
	}
	back := c.Reverse(ids)
	job := commit{w: w, plan: back, want: back, apart: true, later: later}
	release, err := w.Lock(ctx, c.Path.Abs)
	if err != nil {
		return Outcome{}, nil, err
	}
	defer release()
	out, err := job.run(ctx)
	out.Applied = slices.DeleteFunc(out.Applied, job.isStuck)
	return out, job.stuck, err
}

func (j *commit) isStuck(id string) bool {
	return slices.ContainsFunc(j.stuck, func(s Stuck) bool { return s.Hunk == id })
}

// currentApart moves those hunks of want onto now that can be moved, each by
// itself: by way of the later changes that are known, and directly those of which
// that way does not tell.
func (j *commit) currentApart(want Change, now Content) (moved Change, why string) {
	if len(want.Hunks) == 0 || want.Kind != Modify { // a whole file, or nothing
		return j.currentWhole(want, now)
	}
	moved, gone := want.past(j.later)
	moved = rebaseApart(moved, now)
	if len(moved.Hunks)+len(gone) < len(want.Hunks) {
		moved = moved.joined(rebaseApart(want, now), gone)
	}
	j.stuck = nil
	for _, p := range want.patches() {
		placed := slices.ContainsFunc(moved.Hunks, func(h Hunk) bool { return h.ID == p.id })
		if !placed && (slices.Contains(gone, p.id) || !want.undone(p, now)) {
			j.stuck = append(j.stuck, Stuck{p.id, whyStuck(want.Old, now, p)})
		}
	}
	if len(j.stuck) == len(want.Hunks) {
		return want, j.stuck[0].Why
	}
	return moved, ""
}

// undone reports whether now holds already what p would put there: somebody has
// taken it back themselves.
func (c Change) undone(p patch, now Content) bool {
	_, ok := Rebase(c.Reverse([]string{p.id}), now)
	return ok
}

// currentWhole moves a change that is about a whole file.
func (j *commit) currentWhole(want Change, now Content) (moved Change, why string) {
	moved, ok := Rebase(want, now)
	if ok {
		return moved, ""
	}
	why = "the file exists again"
	if want.Kind != Create {
		why = whyStuck(want.Old, now, patch{end: len(want.Old)})
	}
	j.stuck = nil
	for _, h := range want.Hunks {
		j.stuck = append(j.stuck, Stuck{h.ID, why})
	}
	return want, why
}

// joined adds the hunks of another change of the same text, but for those in not,
// where they are in the way of none.
func (c Change) joined(other Change, not []string) Change {
	if c.Old != other.Old || len(c.Hunks) == 0 {
		c = other.patched(nil)
	}
	patches := c.patches()
	for _, p := range other.patches() {
		has := slices.ContainsFunc(patches, func(o patch) bool { return o.id == p.id })
		if !has && !slices.Contains(not, p.id) && !slices.ContainsFunc(patches, p.meets) {
			patches = append(patches, p)
		}
	}
	slices.SortFunc(patches, func(a, b patch) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return c.patched(patches)
}

// meets says that two patches are about common lines, or put lines into the same
// place.
func (p patch) meets(o patch) bool {
	return p.start < o.end && o.start < p.end || p.start == o.start && p.end == p.start && o.end == o.start
}

// past carries a change beyond others that were made since to its text. Hunks that
// meet one of these are gone; of those that are in neither it is not known.
func (c Change) past(later []Change) (moved Change, gone []string) {
	for _, l := range later {
		if l.Kind != Modify {
			return c.patched(nil), gone
		}
		before := Content{Path: l.Path, Exists: true, Text: l.Old, Base: l.Base, Open: l.Open, Version: l.Version, Encoding: l.Encoding, Raw: l.Raw}
		var met []string
		c = rebaseApart(c, before)
		c, met = c.beyond(l)
		gone = append(gone, met...)
	}
	return c, gone
}

// beyond makes a change of l.Old one of l.New, without the hunks that meet l's.
func (c Change) beyond(l Change) (moved Change, met []string) {
	var patches []patch
	grown, others := 0, l.patches()
	for _, p := range c.patches() {
		for len(others) > 0 && others[0].end <= p.start && !others[0].meets(p) {
			grown += len(others[0].text) - (others[0].end - others[0].start)
			others = others[1:]
		}
		if len(others) > 0 && others[0].meets(p) {
			met = append(met, p.id)
			continue
		}
		p.start, p.end = p.start+grown, p.end+grown
		patches = append(patches, p)
	}
	left := l.Left()
	c.Base, c.Open, c.Version = left.Base, left.Open, left.Version
	c.Old, c.Encoding, c.Raw = left.Text, left.Encoding, left.Raw
	return c.patched(patches), met
}

// rebaseApart is Rebase hunk by hunk, of a change that modifies: those of which it
// is not certain where they belong are left out.
func rebaseApart(c Change, now Content) Change {
	if moved, ok := Rebase(c, now); ok {
		return moved
	}
	var placed []patch
	s, at := newSearch(c.Old, now.Text), 0
	for _, p := range c.patches() {
		start, ok := s.placeAlone(c.Old, p)
		if !ok || start < at || !now.Exists {
			continue
		}
		at = start + p.end - p.start
		p.start, p.end = start, at
		placed = append(placed, c.spelledFor(now, p))
	}
	c.Base, c.Open, c.Version, c.Encoding, c.Raw = now.Base, now.Open, now.Version, now.Encoding, now.Raw
	c.Old = now.Text
	return c.patched(placed)
}

// placeAlone finds a hunk with as many lines around it as are untouched. Its own
// lines alone are enough where they lie in what both texts share, or say so much
// that no other lines are meant.
func (s *search) placeAlone(old string, p patch) (start int, ok bool) {
	for around := guarded; around >= 0; around-- {
		g := guardOf(old, p, around)
		block := old[g.start:g.end]
		shared := g.end <= s.head || g.start >= len(s.old)-s.tail
		if around == 0 && !shared && len(strings.Join(strings.Fields(block), "")) < telling {
			return 0, false
		}
		if start, ok := s.place(g); ok {
			return start + p.start - g.start, true
		}
	}
	return 0, false
}

// telling is how many characters lines must have to be known by themselves.
const telling = 8

func guardOf(old string, p patch, around int) guard {
	g := guard{start: backLines(old, p.start, around), end: skipLines(old, p.end, around), patches: []patch{p}}
	g.top = p.end == 0
	g.bottom = p.start == len(old) || !begins(p.text, len(p.text))
	return g
}

// whyStuck says which lines of now others changed where p belongs.
func whyStuck(old string, now Content, p patch) string {
	if !now.Exists {
		return "the file no longer exists"
	}
	for _, h := range number(old, differences(old, now.Text)) {
		switch {
		case h.OldEnd < p.start || h.OldStart > p.end:
		case h.NewLines > 1:
			return fmt.Sprintf("lines %d-%d were changed since", h.NewLine, h.NewLine+h.NewLines-1)
		case h.NewLines == 1:
			return fmt.Sprintf("line %d was changed since", h.NewLine)
		default:
			return fmt.Sprintf("lines were taken out before line %d since", h.NewLine)
		}
	}
	return "the file was changed since, and which lines are meant is not certain"
}
