package shell

import (
	"bytes"
	"unicode/utf8"
)

// flow is the view of a pipe: one line that is being written. A CR is known for
// a part of the line end, or not, by what follows it.
type flow struct {
	row row
	x   int
	cr  bool
	teller
	text []byte // scratch
}

// maxLine bounds the line that is kept, in columns. What goes beyond settles.
const maxLine = 64 << 10

// lines takes whole lines of plain text over as they are.
func (f *flow) lines(p []byte) int {
	if f.cr || len(f.row.cells) > 0 || f.row.told.was {
		return 0
	}
	n := bytes.LastIndexByte(p[:plainLines(p)], '\n') + 1
	if n > 0 {
		f.out = append(f.out, p[:n]...)
	}
	return n
}

// plainLines is how much p begins with of which each byte stands for itself.
func plainLines(p []byte) int {
	for i := 0; i < len(p); {
		switch b := p[i]; {
		case b >= 0x20 && b < 0x7f, b == '\n', b == '\t':
			i++
		case b == '\r' && i+1 < len(p) && p[i+1] == '\n':
			i += 2
		case b >= 0xc3: // C2 may begin a C1 control
			r, n := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return len(p)
}

func (f *flow) plain(p []byte) {
	f.rewind()
	for len(p) > 0 {
		n := min(len(p), maxLine-f.x)
		f.row.plain(f.x, p[:n])
		f.moveTo(f.x + n)
		p = p[n:]
	}
}

func (f *flow) draw(r rune) {
	switch {
	case r == '\n':
		f.endLine()
	case r == '\r':
		f.rewind()
		f.cr = true
	case r == '\b':
		f.rewind()
		f.x = max(f.x-1, 0)
	case r == '\t' || r == '\v' || r == '\f':
		f.put(r, 1)
	case r < 0x20 || r >= 0x7f && r < 0xa0: // bells and the like
	case widthOf(r) == 0:
		f.rewind()
		f.row.mark(f.x, r)
	default:
		f.put(r, widthOf(r))
	}
}

func (f *flow) put(r rune, width int) {
	f.rewind()
	f.row.put(f.x, r, width, wideRest)
	f.moveTo(f.x + width)
}

// rewind goes back to the beginning of the line when a CR did not end it.
func (f *flow) rewind() {
	if f.cr {
		f.cr, f.x = false, 0
	}
}

func (f *flow) moveTo(x int) {
	f.x = x
	if x < maxLine {
		return
	}
	f.row.goesOn = true
	var next told
	f.head(&f.row.told, &next, f.row.appendText(f.text[:0]), func() []byte { return f.row.appendText(nil) })
	f.row.reset()
	f.row.told, f.x = next, 0
	if f.open == &next {
		f.open = &f.row.told
	}
}

func (f *flow) endLine() {
	end := "\n"
	if f.cr {
		end = "\r\n"
	}
	f.text = f.row.appendText(f.text[:0])
	f.line(&f.row.told, f.text, end)
	f.row.reset()
	f.x, f.cr = 0, false
}

// obey lets a program clear its line; other sequences mean nothing in a pipe.
func (f *flow) obey(s *sequence) {
	if !s.csi || s.prefix != 0 || s.final != 'K' {
		return
	}
	f.rewind()
	switch s.args[0] {
	case 0:
		f.row.erase(f.x, maxLine)
	case 1:
		f.row.erase(0, f.x+1)
	case 2:
		f.row.erase(0, maxLine)
	}
}

func (f *flow) settled() string { return f.take() }

func (f *flow) all() string {
	f.text = f.row.appendText(f.text[:0])
	f.line(&f.row.told, f.text, "")
	f.row.told.text = string(f.text)
	return f.take()
}
