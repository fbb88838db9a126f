package shell

import "slices"

// page is the view of a terminal: the rows that its cursor can reach. What
// leaves them at the top is settled.
type page struct {
	cols, height int
	rows         []*row // from the top; those that are missing are blank
	cursor
	saved       cursor
	top, bottom int // the rows that scroll; bottom is the first below them
	noWrap      bool
	origin      bool  // positions count from top
	over        *page // the alternate screen while it is shown; nil: it is not
	fleeting    bool  // this is one: what leaves it is gone
	last        rune  // for REP; 0: none
	spare       *row

	teller
	text []byte // scratch
}

// cursor is where the next character goes. pending: it stands behind the last
// column, and only a character makes that a new row.
type cursor struct {
	x, y    int
	pending bool
}

const (
	unknownRows = 200
	maxRows     = 500
	unknownCols = 4096
	minSize     = 2 // in both directions: a wide character, a row to scroll to
	tabStop     = 8
)

func (p *page) resize(cols, rows int) {
	if cols <= 0 {
		cols = unknownCols
	}
	if rows <= 0 {
		rows = unknownRows
	}
	p.cols, p.height = min(max(cols, minSize), unknownCols), min(max(rows, minSize), maxRows)
	if over := p.y - p.height + 1; over > 0 {
		p.settle(over)
		p.y -= over
	}
	p.crop(p.height)
	p.top, p.bottom = 0, p.height
	p.x, p.pending = min(p.x, p.cols-1), p.pending && p.x >= p.cols-1
	if p.over != nil {
		p.over.resize(cols, rows)
	}
}

// lines implements view: in a terminal every line is drawn.
func (p *page) lines([]byte) int { return 0 }

func (p *page) plain(s []byte) {
	if p.over != nil {
		p.over.plain(s)
		return
	}
	p.last = rune(s[len(s)-1])
	for len(s) > 0 {
		p.wrap()
		n := min(len(s), p.cols-p.x)
		p.row(p.y).plain(p.x, s[:n])
		p.advance(n)
		s = s[n:]
	}
}

func (p *page) draw(r rune) {
	if p.over != nil {
		p.over.draw(r)
		return
	}
	switch {
	case r == '\n' || r == '\v' || r == '\f':
		p.lineFeed()
	case r == '\r':
		p.x, p.pending = 0, false
	case r == '\b':
		p.move(-1, 0)
	case r == '\t':
		p.tab()
	case r < 0x20 || r >= 0x7f && r < 0xa0: // bells and the like
	default:
		p.print(r, widthOf(r))
	}
}

func (p *page) print(r rune, width int) {
	if width == 0 {
		p.mark(r)
		return
	}
	p.wrap()
	if width > p.cols-p.x {
		if p.noWrap {
			return
		}
		p.breakRow(p.cols - 1) // the last column stays free
	}
	p.row(p.y).put(p.x, r, width, wideRest)
	p.advance(width)
	p.last = r
}

func (p *page) mark(r rune) {
	x := p.x
	if p.pending {
		x++
	}
	if p.y < len(p.rows) {
		p.rows[p.y].mark(x, r)
	}
}

func (p *page) advance(n int) {
	p.x += n
	if p.x >= p.cols {
		p.x, p.pending = p.cols-1, !p.noWrap
	}
}

// wrap goes to the next row when the cursor stands behind this one.
func (p *page) wrap() {
	if p.pending {
		p.breakRow(p.cols)
	}
}

// breakRow lets the line go on in the next row if this one is full.
func (p *page) breakRow(full int) {
	from := p.row(p.y)
	p.lineFeed()
	p.x = 0
	from.goesOn = len(from.cells) >= full
}

// tab skips to the next stop. At the end of a row it is text, as it was written.
func (p *page) tab() {
	to := min(p.x-p.x%tabStop+tabStop, p.cols-1)
	if r := p.row(p.y); p.x >= len(r.cells) && to > p.x {
		r.put(p.x, '\t', to-p.x, tabRest)
	}
	p.x = to
}

func (p *page) lineFeed() {
	p.pending = false
	switch {
	case p.y == p.bottom-1:
		p.scrollUp(1)
	case p.y < p.height-1:
		p.y++
	}
	p.row(p.y)
}

// reverseFeed is a line feed upwards.
func (p *page) reverseFeed() {
	if p.y == p.top {
		p.shiftDown(p.top, 1)
	} else if p.y > 0 {
		p.y--
	}
}

// move moves the cursor as far as the edges, or those of the rows that scroll.
func (p *page) move(dx, dy int) {
	low, high := 0, p.height-1
	if p.y >= p.top {
		low = p.top
	}
	if p.y < p.bottom {
		high = p.bottom - 1
	}
	p.moveTo(p.x+dx, min(max(p.y+dy, low), high))
}

func (p *page) moveTo(x, y int) {
	p.x, p.y = min(max(x, 0), p.cols-1), min(max(y, 0), p.height-1)
	p.pending = false
}

// place moves the cursor to a position as programs count, from 1.
func (p *page) place(col, line int) {
	y := line - 1
	if p.origin {
		y = min(y+p.top, p.bottom-1)
	}
	p.moveTo(col-1, y)
}

// row is row y of the screen, made when it is first needed.
func (p *page) row(y int) *row {
	for len(p.rows) <= y {
		p.rows = append(p.rows, p.fresh())
	}
	return p.rows[y]
}

func (p *page) fresh() *row {
	r := p.spare
	if r == nil {
		return &row{}
	}
	p.spare = nil
	r.reset()
	return r
}

// crop drops all rows from n on.
func (p *page) crop(n int) {
	if n >= len(p.rows) {
		return
	}
	for _, r := range p.rows[n:] {
		p.forget(&r.told)
	}
	p.rows = p.rows[:n]
	p.cut(n)
}

// cut says that the row above y does not go on in it.
func (p *page) cut(y int) {
	if y > 0 && y <= len(p.rows) {
		p.rows[y-1].goesOn = false
	}
}

// scrollUp moves the rows that scroll up by n. What leaves at the top of the
// screen is settled; a region below its top loses it.
func (p *page) scrollUp(n int) {
	if p.top > 0 {
		p.shiftUp(p.top, n)
		return
	}
	n = min(n, p.bottom)
	p.row(n - 1)
	p.settle(n)
	p.blanks(p.bottom-n, n)
}

// shiftUp takes n rows out from y on, within those that scroll.
func (p *page) shiftUp(y, n int) {
	n = min(n, p.bottom-y)
	p.turn(y, n)
	p.clear(p.bottom-n, n)
	p.cut(y)
}

// shiftDown puts n blank rows in at y, within those that scroll.
func (p *page) shiftDown(y, n int) {
	n = min(n, p.bottom-y)
	p.turn(y, p.bottom-y-n)
	p.clear(y, n)
	p.cut(p.bottom)
}

// turn moves the first n rows from y on behind the others that scroll.
func (p *page) turn(y, n int) {
	p.row(p.bottom - 1)
	rows := p.rows[y:p.bottom]
	slices.Reverse(rows[:n])
	slices.Reverse(rows[n:])
	slices.Reverse(rows)
}

// clear makes n rows from y on new ones.
func (p *page) clear(y, n int) {
	for _, r := range p.rows[y : y+n] {
		p.forget(&r.told)
		r.reset()
	}
	p.cut(y)
}

// blanks puts n blank rows in at y, unless nothing stands below.
func (p *page) blanks(y, n int) {
	p.cut(y)
	for range n {
		if y < len(p.rows) {
			p.rows = slices.Insert(p.rows, y, p.fresh())
		}
	}
}

// settle tells the first n rows and drops them.
func (p *page) settle(n int) {
	if p.fleeting {
		p.drop(n)
		return
	}
	for n > 0 {
		end := p.lineEnd(0)
		first := p.rows[0]
		p.text = p.appendRows(p.text[:0], 0, min(end, n))
		if end <= n {
			p.line(&first.told, p.text, "\n")
		} else {
			p.head(&first.told, &p.rows[n].told, p.text, func() []byte { return p.appendRows(nil, 0, end) })
		}
		done := min(end, n)
		p.spare, p.rows[0] = first, nil
		p.rows = p.rows[done:]
		n -= done
	}
}

func (p *page) drop(n int) {
	n = min(n, len(p.rows))
	for _, r := range p.rows[:n] {
		p.forget(&r.told)
	}
	p.rows = slices.Delete(p.rows, 0, n)
}

// lineEnd is the row behind the line that begins in row y.
func (p *page) lineEnd(y int) int {
	for y < len(p.rows)-1 && p.rows[y].goesOn {
		y++
	}
	return y + 1
}

// appendRows adds the text of a line. A row that it goes on in has something,
// or it would not be one.
func (p *page) appendRows(b []byte, from, to int) []byte {
	for i, r := range p.rows[from:to] {
		n := len(b)
		if b = r.appendText(b); len(b) == n && (i > 0 || r.told.rest) {
			b = append(b, ' ')
		}
	}
	return b
}

// used is how many rows are text: blank ones below the cursor are not.
func (p *page) used(from int) int {
	n := len(p.rows)
	for n > from && len(p.rows[n-1].appendText(nil)) == 0 {
		n--
	}
	return n
}

func (p *page) settled() string { return p.take() }

func (p *page) all() string {
	n := p.used(p.y + 1)
	for y := 0; y < n; {
		end := p.lineEnd(y)
		l := &p.rows[y].told
		p.text = p.appendRows(p.text[:0], y, min(end, n))
		p.line(l, p.text, lineFeedIf(end < n))
		l.text = string(p.text)
		y = end
	}
	if p.over != nil {
		if text := p.over.all(); text != "" {
			p.endOpen()
			p.out = append(p.out, text...)
		}
	}
	return p.take()
}

func lineFeedIf(more bool) string {
	if more {
		return "\n"
	}
	return ""
}
