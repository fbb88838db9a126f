package shell

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// row is one row of a terminal, or a line of a pipe, by columns. A column holds
// a character or one of the values below.
type row struct {
	cells []rune
	marks []string // characters with marks on them; a cell of markBase-i has marks[i]
	// edited says that something was overwritten. Blanks at its end were then
	// most likely meant to erase, and are no text.
	edited bool
	// goesOn says that it was broken at the right edge and goes on in the next.
	goesOn bool
	told   told
}

const (
	wideRest rune = -1 // the right half of the character before it
	tabRest  rune = -2 // skipped by the TAB before it
	markBase rune = -3
)

// maxMarks bounds what combining characters pile up on one column, in bytes.
const maxMarks = 32

func (r *row) reset() {
	r.cells, r.marks = r.cells[:0], r.marks[:0]
	r.edited, r.goesOn, r.told = false, false, told{}
}

// plain puts printable ASCII at x.
func (r *row) plain(x int, p []byte) {
	r.clearFor(x, len(p))
	cells := r.cells[x : x+len(p)]
	for i, b := range p {
		cells[i] = rune(b)
	}
}

// put puts one character at x that fills width columns; the others of them get
// the value rest.
func (r *row) put(x int, c rune, width int, rest rune) {
	r.clearFor(x, width)
	r.cells[x] = c
	for i := x + 1; i < x+width; i++ {
		r.cells[i] = rest
	}
}

// clearFor makes n columns from x ready to be written.
func (r *row) clearFor(x, n int) {
	if x < len(r.cells) {
		r.edited = true
		r.split(x)
		r.split(x + n)
	}
	r.extend(x)
	for len(r.cells) < x+n {
		r.cells = append(r.cells, ' ')
	}
}

// extend fills up to x with blanks that nobody wrote.
func (r *row) extend(x int) {
	for len(r.cells) < x {
		r.cells = append(r.cells, ' ')
	}
}

// split makes blanks of a character or TAB that lies on both sides of x.
func (r *row) split(x int) {
	if x <= 0 || x >= len(r.cells) || !isRest(r.cells[x]) {
		return
	}
	for i := x; i < len(r.cells) && isRest(r.cells[i]); i++ {
		r.cells[i] = ' '
	}
	for x--; isRest(r.cells[x]); x-- {
		r.cells[x] = ' '
	}
	r.cells[x] = ' '
}

// flatten makes blanks of the TABs from x on, which are about to move.
func (r *row) flatten(x int) {
	for i := x; i < len(r.cells); i++ {
		if r.cells[i] == '\t' || r.cells[i] == tabRest {
			r.cells[i] = ' '
		}
	}
}

func isRest(c rune) bool { return c == wideRest || c == tabRest }

// erase makes n columns from x blank.
func (r *row) erase(x, n int) {
	if x >= len(r.cells) || n <= 0 {
		return
	}
	r.edited = true
	r.split(x)
	r.split(x + n)
	if x+n >= len(r.cells) {
		r.cells, r.goesOn = r.cells[:x], false
		return
	}
	for i := x; i < x+n; i++ {
		r.cells[i] = ' '
	}
}

// insert moves what stands from x on n columns to the right, up to width.
func (r *row) insert(x, n, width int) {
	if x >= len(r.cells) {
		return
	}
	r.edited, r.goesOn = true, false
	r.split(x)
	r.flatten(x)
	rest := append([]rune(nil), r.cells[x:]...)
	r.cells = r.cells[:x]
	r.extend(min(x+n, width))
	r.cells = append(r.cells, rest...)
	r.split(width)
	r.cells = r.cells[:min(len(r.cells), width)]
}

// remove takes n columns at x out.
func (r *row) remove(x, n int) {
	if x >= len(r.cells) {
		return
	}
	r.edited, r.goesOn = true, false
	r.split(x)
	r.split(x + n)
	r.flatten(x)
	r.cells = append(r.cells[:x], r.cells[min(x+n, len(r.cells)):]...)
}

// mark adds a character of no width to the one that stands before x.
func (r *row) mark(x int, c rune) {
	for x--; x > 0 && x < len(r.cells) && isRest(r.cells[x]); {
		x--
	}
	if x < 0 || x >= len(r.cells) {
		return
	}
	base := r.cells[x]
	if base > markBase {
		r.roomForMarks()
		r.marks = append(r.marks, string(base)+string(c))
		r.cells[x] = markBase - rune(len(r.marks)-1)
		return
	}
	if s := &r.marks[markBase-base]; len(*s) < maxMarks {
		*s += string(c)
	}
}

// roomForMarks drops marks that were overwritten once they outnumber the columns.
func (r *row) roomForMarks() {
	if len(r.marks) <= 2*len(r.cells) {
		return
	}
	var kept []string
	for i, c := range r.cells {
		if c <= markBase {
			kept = append(kept, r.marks[markBase-c])
			r.cells[i] = markBase - rune(len(kept)-1)
		}
	}
	r.marks = kept
}

// appendText adds the row's text to b.
func (r *row) appendText(b []byte) []byte {
	cells := r.cells
	if r.edited && !r.goesOn {
		cells = cells[:r.inked()]
	}
	for _, c := range cells {
		switch {
		case c >= 0 && c < utf8.RuneSelf:
			b = append(b, byte(c))
		case c >= 0:
			b = utf8.AppendRune(b, c)
		case c <= markBase:
			b = append(b, r.marks[markBase-c]...)
		}
	}
	return b
}

// inked is the column behind the last character that is no blank.
func (r *row) inked() int {
	n := len(r.cells)
	for n > 0 && (r.cells[n-1] == ' ' || r.cells[n-1] == '\t' || r.cells[n-1] == tabRest) {
		n--
	}
	return n
}

// widths counts columns as most terminals do: emoji as wide, symbols whose
// width depends on the language as narrow.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// widthOf is how many columns a character fills: 0, 1 or 2.
func widthOf(c rune) int {
	if c < 0x300 && c >= 0x20 {
		return 1
	}
	return widths.RuneWidth(c)
}
