package shell

import "unicode/utf8"

// Screen makes of a command's raw output what a person would see of it, as
// plain text for a model: what was overwritten is gone, so that a progress bar
// is its last state; colours, titles and other sequences are no text; invalid
// UTF-8 becomes U+FFFD and NUL nothing. Text that can no longer change is
// returned once, and only what still can is kept, in bounded memory.
//
// With a terminal it follows the cursor as a terminal of this size does. Rows
// that were only broken at the right edge are one line again, and blanks that
// nobody wrote are no text. What stands on the alternate screen, which
// full-screen programs use, is text only while it is shown: it is returned by
// Take and Flush, and those that leave it properly leave no trace. Without, line ends are as the program wrote them, a line is
// never broken, and a carriage return that ends no line begins it anew.
//
// However the stream is cut, the text is the same. Not safe for concurrent use.
type Screen struct {
	view view
	held []byte // the beginning of a character
	seq  sequence
}

// view is what the characters of a stream are drawn on.
type view interface {
	// plain draws printable ASCII.
	plain(p []byte)
	// draw takes any other character but ESC and NUL.
	draw(r rune)
	// obey carries a whole escape sequence out.
	obey(s *sequence)
	// lines returns the length of the beginning of p that it has drawn in a
	// quicker way than byte by byte.
	lines(p []byte) int
	// settled returns what is certain and was not returned yet.
	settled() string
	// all returns what was not returned yet, as it stands.
	all() string
}

// NewScreen makes a Screen of a terminal with cols columns, or of pipes. With
// no columns their number is unknown and no line is broken. The terminal has
// 200 rows until Resize says how many.
func NewScreen(tty bool, cols int) *Screen {
	if !tty {
		return &Screen{view: &flow{}}
	}
	p := &page{}
	p.resize(cols, 0)
	return &Screen{view: p}
}

// Resize follows a change of the terminal's size. A number that is not
// positive leaves that side unknown. Pipes have no size.
func (s *Screen) Resize(cols, rows int) {
	if p, ok := s.view.(*page); ok {
		p.resize(cols, rows)
	}
}

// Write takes output and returns, once, the text that nothing can change any
// more: in a terminal the rows that have left it, in pipes whole lines.
func (s *Screen) Write(p []byte) string {
	s.feed(p)
	return s.view.settled()
}

// Take returns all text that was not returned yet, lines that may still change
// as they stand now. A line that changes after it was taken is returned again,
// whole, by the next Take or Write; of one that was only added to they return
// the addition.
func (s *Screen) Take() string { return s.view.all() }

// Flush ends the stream and returns the rest of its text. An escape sequence
// that never ended is no text.
func (s *Screen) Flush() string {
	s.seq.state = inText
	for range s.held {
		s.view.draw(utf8.RuneError)
	}
	s.held = nil
	return s.view.all()
}

func (s *Screen) feed(p []byte) {
	if len(s.held) > 0 {
		p = append(s.held, p...)
		s.held = nil
	}
	p, rest := splitPartial(p)
	for len(p) > 0 {
		p = p[s.step(p):]
	}
	if len(rest) > 0 {
		s.held = append([]byte(nil), rest...)
	}
}

// step draws the beginning of p and returns its length.
func (s *Screen) step(p []byte) int {
	if s.seq.state == inText {
		if n := s.view.lines(p); n > 0 {
			return n
		}
		if n := printable(p); n > 0 {
			s.view.plain(p[:n])
			return n
		}
	}
	r, size := rune(p[0]), 1
	if r >= utf8.RuneSelf {
		r, size = utf8.DecodeRune(p)
	}
	switch s.seq.next(p[0]) {
	case isText:
		s.view.draw(r)
	case isWhole:
		s.view.obey(&s.seq)
	}
	return size
}

// printable is how many bytes p begins with that fill one column each.
func printable(p []byte) int {
	for i, b := range p {
		if b < 0x20 || b > 0x7e {
			return i
		}
	}
	return len(p)
}
