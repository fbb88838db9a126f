package workspace

import (
	"fmt"
	"slices"
	"strings"
)

// Select returns the content with what was accepted, and nothing else, done.
// Rejecting all gives Old byte for byte. An id that the change does not have is
// an error: the answer was given to another proposal.
func (c Change) Select(a Acceptance) (text string, applied, rejected []string, err error) {
	want, rejected, err := c.accept(a)
	if err != nil {
		return "", nil, nil, err
	}
	if a.Text == nil {
		return want.New, want.ids(), rejected, nil
	}
	applied, rejected = c.standing(want)
	return want.New, applied, rejected, nil
}

// accept returns the change with only the accepted hunks. With a person's own
// text it is that text's change, whose hunks are its own.
func (c Change) accept(a Acceptance) (want Change, rejected []string, err error) {
	switch {
	case a.Text != nil:
		want, err = c.retold(*a.Text)
		return want, nil, err
	case a.All:
		return c, nil, nil
	}
	kept, rejected, err := c.pick(a.Hunks)
	if err != nil {
		return Change{}, nil, err
	}
	return c.with(kept), rejected, nil
}

// Narrow returns the change with only the named hunks.
func (c Change) Narrow(ids []string) (Change, error) {
	kept, _, err := c.pick(ids)
	if err != nil {
		return Change{}, err
	}
	return c.with(kept), nil
}

// pick splits the hunks by ids.
func (c Change) pick(ids []string) (kept []patch, rest []string, err error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	for _, p := range c.patches() {
		if !wanted[p.id] {
			rest = append(rest, p.id)
			continue
		}
		kept = append(kept, p)
		delete(wanted, p.id)
	}
	if len(wanted) > 0 {
		return nil, nil, fmt.Errorf("change of %s has no hunk %s", c.Path.Rel, anyOf(wanted))
	}
	return kept, rest, nil
}

func anyOf(set map[string]bool) string {
	var ids []string
	for id := range set {
		ids = append(ids, fmt.Sprintf("%q", id))
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}

// with returns the change reduced to some of its hunks.
func (c Change) with(kept []patch) Change {
	if len(kept) == len(c.Hunks) {
		return c
	}
	if c.Kind == Delete { // part of the text goes, the file stays
		c.Kind = Modify
	}
	return c.patched(kept)
}

// retold is the change that a person's own text makes. What an editor does not
// show stays as the proposal had it.
func (c Change) retold(text string) (Change, error) {
	text, err := returned(c.Old, c.New, text)
	if err != nil {
		return Change{}, err
	}
	if text == c.New && c.Kind != Delete {
		return c, nil
	}
	kind := c.Kind
	if kind == Delete {
		kind = Modify
	}
	c.Kind, c.New = kind, text
	patches := differences(c.Old, text)
	c.Hunks = number(c.Old, patches)
	return c.spelledOut(patches), nil
}

// standing sorts c's hunks by whether want, another change of the same text,
// does the same there.
func (c Change) standing(want Change) (applied, rejected []string) {
	done := make(map[patch]bool, len(want.Hunks))
	for _, p := range want.patches() {
		done[p.bare()] = true
	}
	for _, p := range c.patches() {
		id := p.id
		if done[p.bare()] {
			applied = append(applied, id)
		} else {
			rejected = append(rejected, id)
		}
	}
	return applied, rejected
}

// bare is what a patch does, whoever planned it.
func (p patch) bare() patch { return patch{start: p.start, end: p.end, text: p.text} }

func (c Change) ids() []string {
	var ids []string
	for _, h := range c.Hunks {
		ids = append(ids, h.ID)
	}
	return ids
}

// Reverse returns the change that takes hunks back, from New; nil takes all
// back. Ids that the change does not have are passed over. The hunks keep their
// ids.
func (c Change) Reverse(hunkIDs []string) Change {
	back := c.reverse(hunkIDs)
	if c.Kind != Delete {
		back.Base = Sum(c.After())
	}
	return back
}

// reverse is Reverse without a base.
func (c Change) reverse(hunkIDs []string) Change {
	all := hunkIDs == nil
	chosen := setOf(hunkIDs)
	var patches []patch
	raw := c.rawBefore()
	for _, h := range c.Hunks {
		if all || chosen[h.ID] {
			p := patch{id: h.ID, start: h.NewStart, end: h.NewEnd, text: c.Old[h.OldStart:h.OldEnd]}
			p.raw, p.spelled = raw.piece(h.OldStart, h.OldEnd)
			patches = append(patches, p)
		}
	}
	back := c
	back.Kind, back.Base, back.origin = Modify, Hash{}, restored
	switch {
	case c.Kind == Create && (all || len(patches) > 0):
		back.Kind = Delete
	case c.Kind == Delete:
		back.Kind = Create
	}
	back.Old, back.Raw = c.New, c.newRaw
	return back.patched(patches)
}
