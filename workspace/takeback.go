package workspace

import (
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
// change without hunks, such as an empty file that was made. Others may have
// changed the file since: each hunk is taken back whose lines stand as the
// change left them, where it is beyond doubt which lines these are. The others
// are stuck. All that is taken back is one write, or one edit of the open
// document. What the Outcome says is of the reversed hunks, and it is Stale when
// all of them are stuck. Errors are those of Commit.
func (w *Workspace) TakeBack(ctx context.Context, c Change, ids []string) (Outcome, []Stuck, error) {
	if err := w.mayWrite(c.Path); err != nil {
		return Outcome{}, nil, err
	}
	back := c.Reverse(ids)
	job := commit{w: w, plan: back, want: back, apart: true}
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
// itself.
func (j *commit) currentApart(want Change, now Content) (moved Change, why string) {
	moved, left := rebaseApart(want, now)
	j.stuck = nil
	for _, p := range left {
		j.stuck = append(j.stuck, Stuck{p.id, whyStuck(want.Old, now, p)})
	}
	if len(left) > 0 && len(left) == len(want.Hunks) {
		return want, j.stuck[0].Why
	}
	return moved, ""
}

// rebaseApart is Rebase hunk by hunk: those of which it is not certain where
// they belong are left.
func rebaseApart(c Change, now Content) (moved Change, left []patch) {
	if moved, ok := Rebase(c, now); ok {
		return moved, nil
	}
	if c.Kind != Modify || !now.Exists {
		return c, c.patches()
	}
	s := newSearch(c.Old, now.Text)
	var placed []patch
	at := 0
	for _, p := range c.patches() {
		start, ok := s.placeAlone(c.Old, p)
		if !ok || start < at {
			left = append(left, p)
			continue
		}
		at = start + p.end - p.start
		p.start, p.end = start, at
		placed = append(placed, c.spelledFor(now, p))
	}
	c.Base, c.Open, c.Version, c.Encoding, c.Raw = now.Base, now.Open, now.Version, now.Encoding, now.Raw
	c.Old = now.Text
	return c.patched(placed), left
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
