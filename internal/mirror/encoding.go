package mirror

import "unicode/utf8"

// Encoding is the unit in which an editor counts characters of a line. The
// zero value is UTF-16, which the language server protocol falls back to.
type Encoding int

const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// Position is a place in a text: lines and characters count from 0.
type Position struct{ Line, Character uint32 }

// Range is a part of a text; the end is exclusive.
type Range struct{ Start, End Position }

// Units is how many units of enc the string s takes.
func (enc Encoding) Units(s string) int {
	switch enc {
	case UTF8:
		return len(s)
	case UTF32:
		return utf8.RuneCountInString(s)
	default:
		return measure(s).utf16
	}
}

// width is how many units of enc a character of size bytes in UTF-8 takes.
func (enc Encoding) width(size int) int {
	switch {
	case enc == UTF8:
		return size
	case enc == UTF16 && size == 4:
		return 2
	default:
		return 1
	}
}

// walk goes over s for at most units of enc, but not over a line end, and says
// how far it came. A place inside a character is none: then inside is true.
func (enc Encoding) walk(s string, units int) (bytes, used int, inside bool) {
	for bytes < len(s) && used < units {
		c := s[bytes]
		if c == '\n' || c == '\r' {
			return bytes, used, false
		}
		size := 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(s[bytes:])
		}
		w := enc.width(size)
		if used+w > units {
			return bytes, used, true
		}
		bytes, used = bytes+size, used+w
	}
	return bytes, used, false
}

// measures of a string, all additive where no string begins with the \n of a
// \r\n that another ends in.
type measures struct {
	breaks int // line ends: \n, \r\n, lone \r
	utf16  int
	runes  int
}

func measure(s string) measures {
	var m measures
	wide := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n', c == '\r' && (i+1 == len(s) || s[i+1] != '\n'):
			m.breaks++
		case c >= 0xf0:
			wide++ // leads four bytes: two units of UTF-16
		}
		if c&0xc0 != 0x80 {
			m.runes++
		}
	}
	m.utf16 = m.runes + wide
	return m
}

func (m measures) units(enc Encoding, bytes int) int {
	switch enc {
	case UTF8:
		return bytes
	case UTF32:
		return m.runes
	default:
		return m.utf16
	}
}
