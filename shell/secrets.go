package shell

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Secrets are values that must not show in what commands write. The zero value
// holds none, and so does nil. Safe for concurrent use.
type Secrets struct {
	mu  sync.Mutex // held while values are added
	now atomic.Pointer[needles]
}

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// minSecret is how long a value must be, in bytes: shorter ones are words that
// stand anywhere.
const minSecret = 8

// Add makes values secret from now on. Those shorter than eight bytes are not
// added. A value of several lines is known as a terminal shows it, too, and by
// each of its lines that nothing else has.
func (s *Secrets) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var known [][]byte
	if n := s.now.Load(); n != nil {
		known = slices.Clone(n.values)
	}
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		known = append(known, []byte(v))
		if lines := strings.ReplaceAll(v, "\n", "\r\n"); lines != v {
			known = append(known, []byte(lines))
		}
		for _, part := range secretParts(v) {
			known = append(known, []byte(part))
		}
	}
	s.now.Store(newNeedles(known))
}

// Text returns text with Redacted in place of each secret.
func (s *Secrets) Text(text string) string {
	n := s.needles()
	if n == nil {
		return text
	}
	out, rest := n.sift([]byte(text), isLast)
	return string(out) + string(rest)
}

func (s *Secrets) needles() *needles {
	if s == nil {
		return nil
	}
	return s.now.Load()
}

// needles are known secrets, prepared for the search. Immutable.
type needles struct {
	values [][]byte // the longest first
	// skip tells by two bytes how far on the next place is at which a secret may
	// begin that has them as its seventh and eighth. Most of a text is skipped.
	skip [1 << 16]uint8
}

// newNeedles is nil for no values.
func newNeedles(values [][]byte) *needles {
	if len(values) == 0 {
		return nil
	}
	slices.SortFunc(values, func(a, b []byte) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), bytes.Compare(a, b))
	})
	n := &needles{values: slices.CompactFunc(values, bytes.Equal)}
	for i := range n.skip {
		n.skip[i] = minSecret - 1
	}
	for _, v := range n.values {
		for i := range minSecret - 1 {
			two := pair(v[i:])
			n.skip[two] = min(n.skip[two], uint8(minSecret-2-i))
		}
	}
	return n
}

func pair(p []byte) uint16 { return uint16(p[0])<<8 | uint16(p[1]) }

// finality says whether more of a stream may come.
type finality bool

const (
	isLast  finality = true
	mayGoOn finality = false
)

// sift returns p with secrets replaced, as far as it is certain, and the end of
// p that may be the beginning of a secret. Both may share p's memory.
func (n *needles) sift(p []byte, end finality) (out, held []byte) {
	from := 0 // what is before it is in out, if anything was replaced
	for i := n.next(p, 0); i < len(p); i = n.next(p, i) {
		switch size := n.match(p[i:], end); {
		case size > len(p)-i: // it may go on
			return join(out, p[from:i]), p[i:]
		case size > 0:
			out = append(append(out, p[from:i]...), Redacted...)
			i += size
			from = i
		default:
			i++
		}
	}
	return join(out, p[from:]), nil
}

// next is the next place from i on at which a secret may begin.
func (n *needles) next(p []byte, i int) int {
	for i+minSecret <= len(p) {
		step := n.skip[pair(p[i+minSecret-2:i+minSecret])]
		if step == 0 {
			return i
		}
		i += int(step)
	}
	return i
}

func join(out, rest []byte) []byte {
	if out == nil {
		return rest
	}
	return append(out, rest...)
}

// match returns the length of the secret that p begins with, 0 if there is
// none, and one more than there is of p if that may become one. The longest
// secret counts.
func (n *needles) match(p []byte, end finality) int {
	for _, v := range n.values {
		switch {
		case len(p) >= len(v):
			if bytes.HasPrefix(p, v) {
				return len(v)
			}
		case end == mayGoOn && bytes.HasPrefix(v, p):
			return len(p) + 1
		}
	}
	return 0
}

// sieve replaces secrets in a stream on its way to the reader's hands. What may
// be the beginning of one waits for its rest, but not longer than a pause: a
// prompt must show. One that a program writes with a pause within it is missed
// here, and found where its text is read.
type sieve struct {
	secrets *Secrets
	to      func(p []byte) // called by one goroutine at a time; keeps nothing

	mu    sync.Mutex // guards below, and the order of calls
	held  []byte
	timer *time.Timer
}

const sievePause = 20 * time.Millisecond

func (s *sieve) write(p []byte) {
	n := s.secrets.needles()
	if n == nil {
		s.to(p)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 {
		p = append(s.held, p...)
	}
	out, held := n.sift(p, mayGoOn)
	s.held = bytes.Clone(held)
	if len(out) > 0 {
		s.to(out)
	}
	s.wakeLocked()
}

// wakeLocked lets what is held go after a pause.
func (s *sieve) wakeLocked() {
	switch {
	case len(s.held) == 0:
		if s.timer != nil {
			s.timer.Stop()
		}
	case s.timer == nil:
		s.timer = time.AfterFunc(sievePause, s.release)
	default:
		s.timer.Reset(sievePause)
	}
}

// release passes on what is held. It ends the stream, or a pause in it.
func (s *sieve) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	if len(s.held) > 0 {
		s.to(s.held)
		s.held = nil
	}
}
