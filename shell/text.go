package shell

import (
	"strings"
	"unicode/utf8"
)

// Cutter turns a byte stream that arrives in arbitrary pieces into valid UTF-8:
// each byte that can be part of no character becomes U+FFFD, and the beginning
// of a character waits for its rest. However the stream is cut, the pieces
// joined are the same text. The zero value is ready.
type Cutter struct {
	held [utf8.UTFMax]byte
	n    int
}

// Write returns the text that is certain after p.
func (c *Cutter) Write(p []byte) string {
	if c.n > 0 {
		p = append(c.held[:c.n:c.n], p...)
		c.n = 0
	}
	p, rest := splitPartial(p)
	c.n = copy(c.held[:], rest)
	return validText(p)
}

// Pending is how many bytes wait for the rest of their character. The text
// returned so far covers all bytes written but these.
func (c *Cutter) Pending() int { return c.n }

// Flush ends the stream: what still waits will never be a character.
func (c *Cutter) Flush() string {
	s := validText(c.held[:c.n])
	c.n = 0
	return s
}

// splitPartial cuts an incomplete character off the end of p.
func splitPartial(p []byte) (whole, rest []byte) {
	for i := len(p) - 1; i >= 0 && i > len(p)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(p[i]) {
			continue
		}
		if !utf8.FullRune(p[i:]) {
			return p[:i], p[i:]
		}
		break
	}
	return p, nil
}

func validText(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b strings.Builder
	b.Grow(len(p) + len(p)/8)
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		b.WriteRune(r) // RuneError is U+FFFD
		p = p[size:]
	}
	return b.String()
}

// Text is what a model reads of a command's output b; see Screen. How wide its
// terminal was is not known.
func Text(b []byte, tty bool) string {
	s := NewScreen(tty, 0)
	return s.Write(b) + s.Flush()
}
