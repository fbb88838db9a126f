package mirror

import "strings"

// Locator finds the positions of ascending offsets in a text that is not
// edited, at the cost of one pass. Not safe for concurrent use.
type Locator struct {
	text string
	enc  Encoding
	at   int // the beginning of a line
	line int
}

// NewLocator begins at the start of text.
func NewLocator(text string, enc Encoding) *Locator { return &Locator{text: text, enc: enc} }

// Position is where offset lies. It must not be before the line of the offset
// asked for last.
func (l *Locator) Position(offset int) Position {
	head := l.text[l.at:offset]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		l.advance(i + 1)
	}
	if rest := l.text[l.at:offset]; strings.IndexByte(rest, '\r') >= 0 {
		l.lone(offset)
	}
	return Position{Line: uint32(l.line), Character: uint32(l.enc.Units(l.text[l.at:offset]))}
}

// advance goes over n bytes that end with \n. Texts without \r are the rule
// and are counted fast.
func (l *Locator) advance(n int) {
	s := l.text[l.at : l.at+n]
	l.line += strings.Count(s, "\n")
	if strings.IndexByte(s, '\r') >= 0 {
		l.line += strings.Count(s, "\r") - strings.Count(s, "\r\n")
	}
	l.at += n
}

// lone goes over line ends that are a single \r. One right before offset may
// be half of a \r\n: between the two there is no position.
func (l *Locator) lone(offset int) {
	for {
		i := strings.IndexByte(l.text[l.at:offset], '\r')
		if i < 0 {
			return
		}
		next := l.at + i + 1
		if next < len(l.text) && l.text[next] == '\n' {
			return
		}
		l.at, l.line = next, l.line+1
	}
}
