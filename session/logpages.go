package session

import (
	"bufio"
	"bytes"
	"io"
)

// A log is read by two at a time: one reads lines and makes records of them, the
// other follows the chain and takes the records in. They hand each other pages.

const (
	pageBytes = 64 << 10 // of lines of a page; the last goes beyond
	pageCount = 4
)

// pages are those of a log under way. Whoever takes one from full gives it back
// to free; full is closed behind the last.
type pages struct {
	full, free chan *page
	stopped    chan struct{}
}

// page is lines that stand behind one another, and the error that came then:
// io.EOF at the end.
type page struct {
	text  []byte // of the lines
	lines []pageLine
	err   error
}

// pageLine is a line with its end if it has one, or a further piece of one.
type pageLine struct {
	raw    []byte
	rest   bool
	record record
	ok     bool // it is a record
}

// turnPages begins to read a log in a goroutine, which ends with the log or when
// stop is called.
func turnPages(log io.Reader) pages {
	p := pages{full: make(chan *page, pageCount), free: make(chan *page, pageCount), stopped: make(chan struct{})}
	for range pageCount {
		p.free <- &page{}
	}
	go p.write(&lineReader{in: bufio.NewReaderSize(log, 256<<10), most: maxRecord})
	return p
}

func (p pages) stop() { close(p.stopped) }

func (p pages) write(in *lineReader) {
	defer close(p.full)
	for {
		select {
		case one := <-p.free:
			one.fill(in)
			end := one.err != nil
			p.full <- one // has room for all there are
			if end {
				return
			}
		case <-p.stopped:
			return
		}
	}
}

// fill reads lines until there are enough.
func (p *page) fill(in *lineReader) {
	if cap(p.text) > 4*pageBytes { // of a line that was long
		p.text = nil
	}
	p.text, p.lines, p.err = p.text[:0], p.lines[:0], nil
	for n := 0; n < pageBytes && p.err == nil; {
		var line []byte
		line, p.err = in.next()
		if len(line) > 0 {
			p.add(line, in.rest)
		}
		n += len(line)
	}
}

func (p *page) add(line []byte, rest bool) {
	from := len(p.text)
	p.text = append(p.text, line...)
	l := pageLine{raw: p.text[from:], rest: rest}
	if !rest {
		l.record, l.ok = readRecord(withoutLink(line))
	}
	p.lines = append(p.lines, l)
}

// withoutLink is a line as it was before its link was put behind it. It writes
// over the line.
func withoutLink(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	open, _, ok := unseal(line)
	if !ok {
		return line
	}
	line[len(open)] = '}'
	return line[:len(open)+1]
}

// take has the chain take in the line, and f the record. It says how many lines
// were skipped: 1 for one that is no record and not blank.
func (l *pageLine) take(check *chainCheck, f func(record)) (skipped int) {
	if l.rest {
		check.more(l.raw)
		return 0
	}
	check.take(l.raw, func(line []byte) chainFacts {
		switch {
		case l.ok:
			f(l.record)
		case len(bytes.TrimSpace(line)) > 0:
			skipped = 1
		}
		return l.record.facts()
	})
	return skipped
}
