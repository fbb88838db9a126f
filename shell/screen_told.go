package shell

import "bytes"

// told is what was returned of a line that may still change. Of a line that
// was told either a line end was returned behind it, or it is the teller's open
// one.
type told struct {
	was   bool
	ended bool
	rest  bool // its beginning has settled
	text  string
}

// teller collects the text that is returned. It knows where that ends, so that
// a line which changed is told again on a line of its own.
type teller struct {
	out  []byte
	open *told // the line that the returned text ends within; nil at a beginning
}

// line tells a line as it stands. end is its line end, or "" while there is
// none. The caller keeps the text in l as long as the line may change.
func (t *teller) line(l *told, text []byte, end string) {
	switch {
	case t.open == l && l.was && bytes.HasPrefix(text, []byte(l.text)):
		t.out = append(t.out, text[len(l.text):]...)
	case l.was && l.ended && string(text) == l.text:
		return
	case l.was && len(text) == 0: // it was cleared: there is nothing to tell
		t.endOpen()
		l.ended = true
		return
	case len(text) == 0 && end == "":
		return
	default:
		t.endOpen()
		t.out = append(t.out, text...)
	}
	t.end(l, end)
}

func (t *teller) end(l *told, end string) {
	t.out = append(t.out, end...)
	l.was, l.ended, t.open = true, end != "", nil
	if !l.ended {
		t.open = l
	}
}

// head tells the beginning of a line whose rest may still change, which is next
// from now on. whole is the line with its rest.
func (t *teller) head(l, next *told, text []byte, whole func() []byte) {
	known := 0 // how much of text was returned
	if l.was && l.text != "" {
		all := string(whole())
		if len(all) >= len(l.text) && all[:len(l.text)] == l.text && (t.open == l || all == l.text) {
			known = min(len(l.text), len(text))
		}
	}
	if l.was && l.ended && known > 0 {
		*next = told{was: true, ended: true, rest: true, text: l.text[known:]}
		return
	}
	if t.open != l || known == 0 && l.text != "" {
		t.endOpen()
	}
	t.out = append(t.out, text[known:]...)
	*next = told{was: true, rest: true}
	if known > 0 {
		next.text = l.text[known:]
	}
	t.open = next
}

// endOpen begins a new line in the returned text.
func (t *teller) endOpen() {
	if t.open != nil {
		t.out = append(t.out, '\n')
		t.open.ended = true
		t.open = nil
	}
}

// separate makes a line of its own of one whose beginning has settled.
func (t *teller) separate(l *told) {
	if !l.rest {
		return
	}
	if t.open == l {
		t.endOpen()
	}
	*l = told{}
}

// forget is told of a line that is no more.
func (t *teller) forget(l *told) {
	if t.open == l {
		t.open = &told{was: true}
	}
}

func (t *teller) take() string {
	s := string(t.out)
	t.out = t.out[:0]
	return s
}
