package shell

// obey carries an escape sequence out. What only changes looks, or asks the
// terminal for an answer, is not text and does nothing.
func (p *page) obey(s *sequence) {
	switch {
	case s.prefix == '?' && (s.final == 'h' || s.final == 'l'):
		p.modes(s, s.final == 'h')
	case !s.csi && s.inter == 0 && s.final == 'c':
		p.reset()
	case p.over != nil:
		p.over.obey(s)
	case s.prefix != 0:
	case s.csi && s.inter == '!' && s.final == 'p':
		p.softReset()
	case s.inter != 0:
	case s.csi:
		p.control(s)
	default:
		p.short(s.final)
	}
}

// short is ESC and one letter.
func (p *page) short(final byte) {
	switch final {
	case '7':
		p.saved = p.cursor
	case '8':
		p.restore()
	case 'D':
		p.lineFeed()
	case 'E':
		p.lineFeed()
		p.x = 0
	case 'M':
		p.reverseFeed()
	}
}

func (p *page) control(s *sequence) {
	n := s.count(0)
	switch s.final {
	case 'A':
		p.move(0, -n)
	case 'B', 'e':
		p.move(0, n)
	case 'C', 'a':
		p.move(n, 0)
	case 'D':
		p.move(-n, 0)
	case 'E':
		p.move(-p.x, n)
	case 'F':
		p.move(-p.x, -n)
	case 'G', '`':
		p.moveTo(n-1, p.y)
	case 'H', 'f':
		p.place(s.count(1), n)
	case 'd':
		p.place(p.x+1, n)
	case 's':
		p.saved = p.cursor
	case 'u':
		p.restore()
	case 'r':
		p.region(n, s.args[1])
	default:
		p.change(s, n)
	}
}

// change is what alters text that stands.
func (p *page) change(s *sequence, n int) {
	switch s.final {
	case 'J':
		p.eraseDisplay(s.args[0])
	case 'K':
		p.eraseLine(s.args[0])
	case 'X':
		p.row(p.y).erase(p.x, n)
		p.emptied(p.y)
		p.pending = false
	case '@':
		p.row(p.y).insert(p.x, n, p.cols)
		p.pending = false
	case 'P':
		p.row(p.y).remove(p.x, n)
		p.emptied(p.y)
		p.pending = false
	case 'L':
		if p.scrolls() {
			p.shiftDown(p.y, n)
			p.moveTo(0, p.y)
		}
	case 'M':
		if p.scrolls() {
			p.shiftUp(p.y, n)
			p.moveTo(0, p.y)
		}
	case 'S':
		p.scrollUp(n)
	case 'T':
		p.shiftDown(p.top, n)
	case 'I':
		for range min(n, p.cols) {
			p.tab()
		}
	case 'Z':
		p.moveTo(((p.x+tabStop-1)/tabStop-n)*tabStop, p.y)
	case 'b':
		p.repeat(n)
	}
}

func (p *page) scrolls() bool { return p.y >= p.top && p.y < p.bottom }

func (p *page) restore() {
	p.cursor = p.saved
	p.moveTo(p.x, p.y)
}

// maxRepeat is wider than any terminal. It bounds what a few bytes can cost.
const maxRepeat = 512

// repeat draws the last character again.
func (p *page) repeat(n int) {
	if p.last == 0 {
		return
	}
	for range min(n, maxRepeat) {
		p.print(p.last, widthOf(p.last))
	}
}

// region sets the rows that scroll, as programs count.
func (p *page) region(top, bottom int) {
	if bottom <= 0 || bottom > p.height {
		bottom = p.height
	}
	if top >= bottom {
		return
	}
	p.top, p.bottom = top-1, bottom
	p.place(1, 1)
}

// eraseDisplay clears a part of the screen. A screen that is cleared whole is
// kept as what scrolled away: many terminals do, and a model would otherwise
// miss all that a program showed before.
func (p *page) eraseDisplay(part int) {
	switch part {
	case 0:
		p.eraseLine(0)
		p.crop(p.y + 1)
	case 1:
		for y := range min(p.y, len(p.rows)) {
			p.rows[y].erase(0, unknownCols)
			p.emptied(y)
		}
		p.eraseLine(1)
	case 2:
		p.settle(p.used(0))
		p.crop(0)
	}
}

func (p *page) eraseLine(part int) {
	r := p.row(p.y)
	switch part {
	case 0:
		r.erase(p.x, unknownCols)
		p.pending = false
	case 1:
		r.erase(0, p.x+1)
	case 2:
		r.erase(0, unknownCols)
	}
	p.emptied(p.y)
}

// emptied says that what stands above does not go on in row y if that has
// nothing any more.
func (p *page) emptied(y int) {
	if r := p.rows[y]; len(r.cells) == 0 {
		p.cut(y)
		p.separate(&r.told)
	}
}

func (p *page) modes(s *sequence, on bool) {
	for _, mode := range s.args[:min(s.n+1, maxArgs)] {
		switch mode {
		case 6, 7:
			p.mode(mode, on)
			if p.over != nil {
				p.over.mode(mode, on)
			}
		case 47, 1047, 1049:
			if on {
				p.enter(mode)
			} else {
				p.leave()
			}
		}
	}
}

// mode is one that both screens have in common.
func (p *page) mode(mode int, on bool) {
	if mode == 7 {
		p.noWrap = !on
		p.pending = p.pending && on
		return
	}
	p.origin = on
	if p.over == nil {
		p.place(1, 1)
	}
}

// enter shows the alternate screen, which is blank.
func (p *page) enter(mode int) {
	if p.over != nil {
		return
	}
	if mode == 1049 {
		p.saved = p.cursor
	}
	p.over = &page{
		cols: p.cols, height: p.height, bottom: p.height, cursor: p.cursor,
		noWrap: p.noWrap, origin: p.origin, fleeting: true,
	}
}

// leave drops the alternate screen. If it was told, what comes is a new line.
func (p *page) leave() {
	if p.over != nil && p.over.open != nil {
		p.open = &told{was: true}
	}
	p.over = nil
}

// reset is a new terminal below what was shown.
func (p *page) reset() {
	p.leave()
	p.softReset()
	p.eraseDisplay(2)
	p.cursor, p.last = cursor{}, 0
}

func (p *page) softReset() {
	p.saved = cursor{}
	p.top, p.bottom = 0, p.height
	p.noWrap, p.origin, p.pending = false, false, false
}
