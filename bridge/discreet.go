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

// discreet is data, the output of a ring from an offset on, without secrets. One that the piece begins
// within is left out as far as it reaches into the piece, and one that it ends
// within is replaced whole: pieces that are read one after the other show each
// secret as replaced once, wherever they are cut. Offsets are those of the bytes
// as they were written. A nil redact changes nothing.
func discreet(ring *shell.Ring, from int64, data []byte, redact func(string) string) string {
	if redact == nil {
		return string(data)
	}
	wide := ring.Read(max(from-secretSize, 0), int(min(from, secretSize))+len(data)+secretSize)
	text := string(wide.Data)
	a := int(from - wide.Offset)
	b := a + len(data)
	switch {
	case a < 0 || b > len(text): // what is around it is gone by now
		return redact(string(data))
	case redact(text) == text:
		return string(data)
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

// legible is output as a text.
func legible(output string) string {
	var cut shell.Cutter
	return cut.Write([]byte(output)) + cut.Flush()
}

// within says that a cut at i goes through a secret.
func within(text string, i int, redact func(string) string) bool {
	near := text[max(i-secretSize, 0):min(i+secretSize, len(text))]
	at := i - max(i-secretSize, 0)
	return redact(near[:at])+redact(near[at:]) != redact(near)
}
