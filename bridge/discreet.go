package bridge

import "drawbridge/shell"

// redacted is a text without known secrets.
func (s *Server) redacted(text string) string {
	if redact := s.o.Sessions.Redact; redact != nil {
		return redact(text)
	}
	return text
}

// secretSize is how long a secret may be, in bytes, that is known although a
// piece of output ends within it.
const secretSize = 8 << 10

// discreet is the output in [from, to) without secrets. One that the piece begins
// within is left out as far as it reaches into the piece, and one that it ends
// within is replaced whole: pieces that are read one after the other show each
// secret as replaced once, wherever they are cut. Offsets are those of the bytes
// as they were written. A nil redact changes nothing.
func discreet(ring *shell.Ring, from, to int64, redact func(string) string) string {
	wide := ring.Read(max(from-secretSize, 0), int(min(from, secretSize)+to-from+secretSize))
	text := string(wide.Data)
	a, b := int(max(from-wide.Offset, 0)), min(int(to-wide.Offset), len(text))
	if redact == nil || a >= b || redact(text) == text {
		return text[min(a, max(b, 0)):max(b, 0)]
	}
	begin, end := a, b
	for begin < b && within(text, begin, redact) {
		begin++
	}
	if begin == b { // all of it is the middle of one secret, or one begins in its last byte
		return ""
	}
	for end > begin && within(text, end, redact) {
		end--
	}
	shown := redact(text[begin:end])
	if end < b {
		shown += shell.Redacted
	}
	return shown
}

// within says that a cut at i goes through a secret.
func within(text string, i int, redact func(string) string) bool {
	near := text[max(i-secretSize, 0):min(i+secretSize, len(text))]
	at := i - max(i-secretSize, 0)
	return redact(near[:at])+redact(near[at:]) != redact(near)
}
