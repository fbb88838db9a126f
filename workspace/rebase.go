package workspace

import "strings"

const (
	// guarded is how many lines either side of a hunk must be untouched.
	guarded = 3
	// maxSought bounds the bytes that one Rebase looks through for blocks that
	// have moved. Beyond it the answer is no.
	maxSought = 256 << 20
)

// Rebase moves a change onto what the file holds now. It answers true only if
// the old lines of every hunk and three lines either side stand in now, in
// order, and it is beyond doubt which lines of now they are. Hunks keep their
// ids.
func Rebase(c Change, now Content) (Change, bool) {
	moved := c
	moved.Base, moved.Open, moved.Version = now.Base, now.Open, now.Version
	moved.Encoding, moved.Raw = now.Encoding, now.Raw
	switch {
	case c.Kind == Create && now.Exists && now.Text == "" && now.Open:
		moved.Kind = Modify // an empty buffer for a file to come
		return moved.patched(c.patches()), true
	case (c.Kind != Create) != now.Exists:
		return c, false
	case c.Old == now.Text && c.Raw == now.Raw && c.Encoding == now.Encoding && c.Open == now.Open || c.Kind == Create:
		moved.Encoding, moved.Raw = c.Encoding, c.Raw
		return moved, true
	case c.Old == now.Text:
		patches := c.patches()
		for i, p := range patches {
			patches[i] = c.spelledFor(now, p)
		}
		return moved.patched(patches), true
	case c.Kind != Modify:
		return c, false
	}
	s := newSearch(c.Old, now.Text)
	patches, at := []patch(nil), 0
	for _, g := range guards(c) {
		start, ok := s.place(g)
		if !ok || start < at {
			return c, false
		}
		at = start + g.end - g.start
		for _, p := range g.patches {
			p.start, p.end = p.start-g.start+start, p.end-g.start+start
			patches = append(patches, c.spelledFor(now, p))
		}
	}
	moved.Old = now.Text
	return moved.patched(patches), true
}

// guard is a block of old lines that must not have changed: one or more hunks
// with the lines around them. What a hunk puts before the first line or after
// the last, and a last line without its end, hold on to the beginning or end of
// the text: it must still be there.
type guard struct {
	start, end  int
	top, bottom bool
	patches     []patch
}

func guards(c Change) []guard {
	var out []guard
	for _, p := range c.patches() {
		g := guardOf(c.Old, p, guarded)
		if n := len(out); n > 0 && g.start < out[n-1].end {
			last := &out[n-1]
			last.end, last.bottom = max(last.end, g.end), last.bottom || g.bottom
			last.patches = append(last.patches, p)
			continue
		}
		out = append(out, g)
	}
	return out
}

// search finds blocks of old in now. Most lie in what both share at the
// beginning or at the end.
type search struct {
	old, now   string
	head, tail int
	sought     int // bytes looked through
}

func newSearch(old, now string) *search {
	head, tail := sharedLines(old, now)
	return &search{old: old, now: now, head: head, tail: tail}
}

func (s *search) place(g guard) (int, bool) {
	block := s.old[g.start:g.end]
	start, ok := s.find(g, block)
	if !ok || g.top && start != 0 || g.bottom && start+len(block) != len(s.now) {
		return 0, false
	}
	return start, true
}

func (s *search) find(g guard, block string) (int, bool) {
	switch {
	case block == "":
		return 0, false
	case g.end <= s.head:
		return g.start, s.alone(block)
	case g.start >= len(s.old)-s.tail:
		return g.start + len(s.now) - len(s.old), s.alone(block)
	}
	if s.sought += len(s.old) + len(s.now); s.sought > maxSought {
		return 0, false
	}
	if _, n := occurrences(s.old, block); n != 1 {
		return 0, false
	}
	start, n := occurrences(s.now, block)
	return start, n == 1
}

// alone reports whether no copy of block came or went. Copies that lie whole
// in the shared parts are in both texts, so only what reaches into the changed
// middle can make it doubtful which copy is meant.
func (s *search) alone(block string) bool {
	return s.absent(s.old, block) && s.absent(s.now, block)
}

func (s *search) absent(text, block string) bool {
	from := max(0, s.head-len(block)+1)
	to := min(len(text), len(text)-s.tail+len(block)-1)
	if from >= to {
		return true
	}
	if s.sought += to - from; s.sought > maxSought {
		return false
	}
	return !strings.Contains(text[from:to], block)
}

// occurrences counts, up to two, where block stands in text as whole lines,
// and returns the first place.
func occurrences(text, block string) (first, n int) {
	for at := 0; n < 2; {
		i := strings.Index(text[at:], block)
		if i < 0 {
			break
		}
		at += i
		if begins(text, at) && begins(block, len(block)) || at+len(block) == len(text) && begins(text, at) {
			if n++; n == 1 {
				first = at
			}
		}
		at = nextLine(text, at)
	}
	return first, n
}
