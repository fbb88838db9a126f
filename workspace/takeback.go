package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Stuck is a hunk that could not be taken back, and why, for a person. By is the
// number, from 1, of the later change that is in its way; 0 if that is none of
// them.
type Stuck struct {
	Hunk string
	Why  string
	By   int
}

// TakeBack reverses hunks of a change that was applied; no ids are those of a
// change without hunks, such as an empty file that was made. later are changes of
// ours that were made to the file since, oldest first; others may have changed it
// too. Each hunk is taken back whose lines stand as the change left them, where it
// is beyond doubt which lines these are. The others are stuck. All that is taken
// back is one write, or one edit of the open document; keep, which may be nil, is
// called before each attempt at it, as in an Acceptance. What the Outcome says is
// of the reversed hunks, and it is Stale when all of them are stuck. Errors are
// those of Commit.
func (w *Workspace) TakeBack(ctx context.Context, c Change, ids []string, keep func(Content) error, later ...Change) (Outcome, []Stuck, error) {
	if err := w.mayWrite(c.Path); err != nil {
		return Outcome{}, nil, err
	}
	back := c.Reverse(ids)
	job := commit{w: w, plan: back, want: back, apart: true, later: later, keep: keep}
	release, err := w.Lock(ctx, c.Path.Abs)
	if err != nil {
		return Outcome{}, nil, err
	}
	defer release()
	out, err := job.run(ctx)
	stuck := map[string]bool{}
	for _, s := range job.stuck {
		stuck[s.Hunk] = true
	}
	out.Applied = slices.DeleteFunc(out.Applied, func(id string) bool { return stuck[id] })
	return out, job.stuck, err
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
	j.stuck = want.stuck(moved, gone, now)
	if len(j.stuck) == len(want.Hunks) {
		return want, j.stuck[0].Why
	}
	return moved, ""
}

// stuck are the hunks of c that were not placed in now, by way of moved, and that
// are not done already: somebody may have taken them back themselves. gone are
// the numbers of the later changes that are in the way of hunks.
func (c Change) stuck(moved Change, gone map[string]int, now Content) (list []Stuck) {
	if len(moved.Hunks) == len(c.Hunks) {
		return nil
	}
	placed := setOf(moved.ids())
	var rest []string
	for _, id := range c.ids() {
		if !placed[id] && gone[id] == 0 {
			rest = append(rest, id)
		}
	}
	done := c.done(rest, now)
	others := number(c.Old, differences(c.Old, now.Text))
	for _, p := range c.patches() {
		if !placed[p.id] && !done[p.id] {
			others = behind(others, p)
			list = append(list, Stuck{p.id, whyStuck(others, now, p), gone[p.id]})
		}
	}
	return list
}

// done are those of some hunks that now holds already what they would put there.
func (c Change) done(hunks []string, now Content) map[string]bool {
	done := map[string]bool{}
	if len(hunks) == 0 || !now.Exists {
		return done
	}
	back := c.Reverse(hunks)
	s := newSearch(back.Old, now.Text)
	for _, p := range back.patches() {
		_, ok := s.place(guardOf(back.Old, p, guarded))
		done[p.id] = ok || back.Old == now.Text
	}
	return done
}

// currentWhole moves a change that is about a whole file.
func (j *commit) currentWhole(want Change, now Content) (moved Change, why string) {
	moved, ok := Rebase(want, now)
	if ok {
		return moved, ""
	}
	why = "the file exists again"
	if want.Kind != Create {
		why = whyStuck(number(want.Old, differences(want.Old, now.Text)), now, patch{end: len(want.Old)})
	}
	j.stuck = nil
	for _, h := range want.Hunks {
		j.stuck = append(j.stuck, Stuck{Hunk: h.ID, Why: why})
	}
	return want, why
}

// joined adds the hunks of another change of the same text, but for those in not,
// where they are in the way of none.
func (c Change) joined(other Change, not map[string]int) Change {
	if c.Old != other.Old || len(c.Hunks) == 0 {
		c = other.patched(nil)
	}
	has := setOf(c.ids())
	patches, mine := c.patches(), c.patches()
	for _, p := range other.patches() {
		for len(mine) > 0 && mine[0].end <= p.start && !mine[0].meets(p) {
			mine = mine[1:]
		}
		if !has[p.id] && not[p.id] == 0 && (len(mine) == 0 || !mine[0].meets(p)) {
			patches = append(patches, p)
		}
	}
	slices.SortStableFunc(patches, func(a, b patch) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return c.patched(patches)
}

// meets says that two patches are about common lines, or put lines into the same
// place.
func (p patch) meets(o patch) bool {
	return p.start < o.end && o.start < p.end || p.start == o.start && p.end == p.start && o.end == o.start
}

// past carries a change beyond others that were made since to its text. Hunks that
// meet one of these are gone, by its number from 1; of those that are in neither it
// is not known.
func (c Change) past(later []Change) (moved Change, gone map[string]int) {
	gone = map[string]int{}
	for i, l := range later {
		if l.Kind != Modify {
			return c.patched(nil), gone
		}
		var met []string
		c = rebaseApart(c, l.before())
		c, met = c.beyond(l)
		for _, id := range met {
			gone[id] = i + 1
		}
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

// behind are the differences, in order, of which none ends before p begins.
func behind(others []Hunk, p patch) []Hunk {
	for len(others) > 0 && others[0].OldEnd < p.start {
		others = others[1:]
	}
	return others
}

// whyStuck says which lines of now others changed where p belongs: its own rather
// than those next to it. others are the differences from there on.
func whyStuck(others []Hunk, now Content, p patch) string {
	if !now.Exists {
		return "the file no longer exists"
	}
	var at *Hunk
	for i, h := range others {
		if h.OldStart > p.end {
			break
		}
		if at == nil || h.OldStart < p.end && p.start < h.OldEnd {
			if at = &others[i]; at.OldStart < p.end && p.start < at.OldEnd {
				break
			}
		}
	}
	switch {
	case at == nil:
		return "the file was changed since, and which lines are meant is not certain"
	case at.NewLines > 1:
		return fmt.Sprintf("lines %d-%d were changed since", at.NewLine, at.NewLine+at.NewLines-1)
	case at.NewLines == 1:
		return fmt.Sprintf("line %d was changed since", at.NewLine)
	}
	return fmt.Sprintf("lines were taken out before line %d since", at.NewLine)
}
