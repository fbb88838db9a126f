package workspace

import "slices"

// Stack is changes of ours to one file that stand on top of each other, oldest
// first. When something of one is taken out, those above it become what they
// would have been without it: so each leads on to the next for as long as nobody
// else changes the file, and it is known of every line where it is now. The zero
// Stack is empty. It is not safe for concurrent use.
type Stack struct {
	names   []string
	changes []Change
}

// Push puts a change that was made just now on top.
func (s *Stack) Push(name string, c Change) {
	s.names, s.changes = append(s.names, name), append(s.changes, c)
}

// On returns a change as it stands, and those above it.
func (s *Stack) On(name string) (c Change, above []Change, names []string, ok bool) {
	i := slices.Index(s.names, name)
	if i < 0 {
		return Change{}, nil, nil, false
	}
	return s.changes[i], s.changes[i+1:], s.names[i+1:], true
}

// Take takes hunks of a change out, which were taken back in the file; nil is all
// of it. A change of which nothing is left goes, and one that is not there is
// passed over.
func (s *Stack) Take(name string, hunks []string) {
	i := slices.Index(s.names, name)
	if i < 0 {
		return
	}
	gone := setOf(hunks)
	c, rest := s.changes[i], []string(nil)
	for _, id := range c.ids() {
		if hunks != nil && !gone[id] {
			rest = append(rest, id)
		}
	}
	if left, err := c.Narrow(rest); len(rest) > 0 && err == nil {
		s.changes[i] = left
		s.carry(i+1, c.Reverse(hunks))
		return
	}
	s.names, s.changes = slices.Delete(s.names, i, i+1), slices.Delete(s.changes, i, i+1)
	s.carry(i, c.Reverse(nil))
}

// Replace puts another change of the same text in the place of one, of which a
// person wrote in the file what they wanted instead.
func (s *Stack) Replace(name string, c Change) {
	i := slices.Index(s.names, name)
	if i < 0 {
		return
	}
	was := s.changes[i]
	if was.Old != c.Old || was.Kind != c.Kind { // something below it was taken out
		moved := rebaseApart(c, was.before())
		if len(moved.Hunks) < len(c.Hunks) || was.Kind != Modify || c.Kind != Modify {
			s.names, s.changes = slices.Delete(s.names, i, i+1), slices.Delete(s.changes, i, i+1)
			return
		}
		c = moved
	}
	s.changes[i] = c
	s.carry(i+1, Rewrite(was.Left(), c.New))
}

// carry makes the changes from i on what they would be, had c been made before
// them. What they do to the same lines stays, and nothing is known any more
// where it is not certain which lines are meant.
func (s *Stack) carry(i int, c Change) {
	for ; i < len(s.changes) && c.Kind == Modify && len(c.Hunks) > 0; i++ {
		above := s.changes[i]
		if above.Kind != Modify {
			return
		}
		c = rebaseApart(c, above.before())
		after, met := c.beyond(above)
		if len(met) > 0 {
			c = c.without(met)
		}
		under, clash := above.beyond(c)
		if len(clash) > 0 {
			return
		}
		s.changes[i], c = under, after
	}
}

// before is the content that the change starts from.
func (c Change) before() Content {
	return Content{
		Path: c.Path, Exists: c.Kind != Create, Text: c.Old, Base: c.Base, Open: c.Open,
		Version: c.Version, Encoding: c.Encoding, Raw: c.Raw,
	}
}

// without is the change without some of its hunks.
func (c Change) without(ids []string) Change {
	gone := setOf(ids)
	return c.patched(slices.DeleteFunc(c.patches(), func(p patch) bool { return gone[p.id] }))
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
