package shell

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// sequence follows escape sequences byte by byte. It forgives what terminals do
// not: an unfinished one ends with its line, and a stray ESC swallows nothing.
// A terminal would lose the rest of the output in such a title.
type sequence struct {
	state seqState

	csi    bool // else two bytes or more behind ESC
	prefix byte // '?' and its like, 0 if none
	inter  byte // the last intermediate byte, 0 if none
	final  byte
	args   [maxArgs]int // 0 where missing
	n      int          // the argument that is being read
}

const (
	maxArgs = 16
	maxArg  = 9999 // larger than any screen
)

type seqState uint8

const (
	inText      seqState = iota
	afterEsc             // after ESC
	inShort              // ESC and intermediate bytes: one final byte is missing
	inControl            // CSI: up to a final byte
	inString             // OSC, DCS, SOS, PM, APC: up to BEL or ST
	inStringEsc          // ESC within a string: '\' ends it
)

// meaning is what a byte is to the stream.
type meaning uint8

const (
	isNothing meaning = iota // part of a sequence, or NUL
	isText                   // itself: text or a control character
	isWhole                  // the end of a sequence that says something
)

// next takes one byte of valid UTF-8, of a character beyond ASCII the first.
func (s *sequence) next(b byte) meaning {
	switch s.state {
	case inText:
		return s.outside(b)
	case afterEsc:
		return s.afterEscape(b)
	case inShort:
		return s.part(b, 0x30)
	case inControl:
		return s.part(b, 0x40)
	case inStringEsc:
		if b != '\\' {
			return s.afterEscape(b)
		}
		s.state = inText
	case inString:
		return s.inTheString(b)
	}
	return isNothing
}

func (s *sequence) outside(b byte) meaning {
	switch b {
	case esc:
		s.state = afterEsc
		return isNothing
	case 0:
		return isNothing
	}
	return isText
}

func (s *sequence) afterEscape(b byte) meaning {
	s.csi, s.prefix, s.inter, s.n, s.args = false, 0, 0, 0, [maxArgs]int{}
	switch {
	case b == '[':
		s.state, s.csi = inControl, true
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		s.state = inString
	case b >= 0x20 && b < 0x30:
		s.state, s.inter = inShort, b
	default:
		return s.part(b, 0x30)
	}
	return isNothing
}

// part ends a sequence at a byte from first to '~'. A byte that cannot be part
// of one ends it too and is text.
func (s *sequence) part(b, first byte) meaning {
	switch {
	case b == esc:
		s.state = afterEsc
	case b >= first && b <= '~':
		s.state, s.final = inText, b
		return isWhole
	case b >= 0x20 && b < first:
		s.argument(b)
	case b == 0:
	default:
		s.state = inText
		if b != can && b != sub {
			return isText
		}
	}
	return isNothing
}

func (s *sequence) argument(b byte) {
	switch {
	case b >= '0' && b <= '9':
		if s.n < maxArgs {
			s.args[s.n] = min(s.args[s.n]*10+int(b-'0'), maxArg)
		}
	case b == ';' || b == ':':
		s.n = min(s.n+1, maxArgs)
	case b >= '<':
		s.prefix = b
	default:
		s.inter = b
	}
}

// inTheString also ends at a line end: an unfinished title must not hide the rest
// of the output.
func (s *sequence) inTheString(b byte) meaning {
	switch b {
	case esc:
		s.state = inStringEsc
	case bel, can, sub:
		s.state = inText
	case '\n', '\r':
		s.state = inText
		return isText
	}
	return isNothing
}

// count is argument i where none, like 0, means one.
func (s *sequence) count(i int) int { return max(s.args[i], 1) }
