package shell

import "strings"

// Cleaner makes output readable as plain text: invalid UTF-8 becomes U+FFFD,
// NUL and terminal escape sequences are dropped. With TTY the CR that a terminal
// puts before each LF is taken back; without, line ends are as the program
// wrote them. Like Cutter it may be fed in any pieces.
type Cleaner struct {
	TTY bool

	cut   Cutter
	state escState
	cr    bool // a CR that may belong to a coming LF
}

// Write returns the text that is certain after p.
func (c *Cleaner) Write(p []byte) string { return c.filter(c.cut.Write(p)) }

// Flush ends the stream. An escape sequence that never ended is dropped.
func (c *Cleaner) Flush() string {
	s := c.filter(c.cut.Flush())
	if c.cr {
		s += "\r"
	}
	c.cr, c.state = false, ground
	return s
}

func (c *Cleaner) filter(s string) string {
	if c.state == ground && !c.cr && plainPrefix(s) == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		if n := plainPrefix(s); n > 0 && c.state == ground {
			c.emit(&b, s[:n])
			s = s[n:]
			continue
		}
		if c.state.next(s[0]) {
			c.emit(&b, s[:1])
		}
		s = s[1:]
	}
	return b.String()
}

// emit passes visible text on, folding CR LF as far as it is a terminal's.
func (c *Cleaner) emit(b *strings.Builder, s string) {
	if c.cr && s[0] != '\n' {
		b.WriteByte('\r')
	}
	c.cr = c.TTY && s == "\r"
	if !c.cr {
		b.WriteString(s)
	}
}

// plainPrefix is the length of the text before the next byte that may need care.
func plainPrefix(s string) int {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b == 0 || b == '\r' || b == esc {
			return i
		}
	}
	return len(s)
}

// escState is where a terminal's parser stands. Only the shape of sequences is
// followed, not their meaning.
type escState uint8

const (
	ground       escState = iota
	escape                // after ESC
	intermediate          // ESC and intermediate bytes: one final byte is missing
	csi                   // CSI: up to a final byte
	payload               // OSC, DCS, SOS, PM, APC: up to BEL or ST
	payloadEsc            // ESC within a payload: '\' ends it
)

// next takes one byte and reports whether it is text.
func (s *escState) next(b byte) bool {
	switch *s {
	case ground:
		if b == esc {
			*s = escape
		}
		return b != esc && b != 0
	case escape:
		return s.afterEscape(b)
	case intermediate:
		return s.sequence(b, 0x30)
	case csi:
		return s.sequence(b, 0x40)
	case payloadEsc:
		if b != '\\' {
			return s.afterEscape(b)
		}
		*s = ground
	case payload:
		return s.inPayload(b)
	}
	return false
}

func (s *escState) afterEscape(b byte) bool {
	switch {
	case b == '[':
		*s = csi
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		*s = payload
	case b >= 0x20 && b < 0x30:
		*s = intermediate
	default:
		return s.sequence(b, 0x30)
	}
	return false
}

// sequence ends at a byte from first to '~'. A byte that cannot be part of one
// ends it too and is text, so that a stray ESC swallows no line.
func (s *escState) sequence(b, first byte) bool {
	switch {
	case b == esc:
		*s = escape
	case b >= first && b <= '~':
		*s = ground
	case b >= 0x20 && b < first || b == 0:
	default:
		*s = ground
		return b != can && b != sub
	}
	return false
}

// inPayload also ends at a line end: an unfinished title must not hide the rest
// of the output.
func (s *escState) inPayload(b byte) bool {
	switch b {
	case esc:
		*s = payloadEsc
	case bel, can, sub:
		*s = ground
	case '\n', '\r':
		*s = ground
		return true
	}
	return false
}
