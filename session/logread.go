package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// readLog calls f for each record of a log, and follows its chain. Lines that
// are no record are skipped and counted: a torn one must not hide what follows.
func readLog(path string, check *chainCheck, f func(record)) (skipped int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	pages := turnPages(file)
	defer pages.stop()
	for p := range pages.full {
		for i := range p.lines {
			skipped += p.lines[i].take(check, f)
		}
		if !errors.Is(p.err, io.EOF) {
			err = p.err
		}
		pages.free <- p
	}
	return skipped, err
}

// readRecord reads a line; false if it is no record.
func readRecord(line []byte) (r record, ok bool) {
	if len(bytes.TrimSpace(line)) == 0 || json.Unmarshal(line, &r) != nil || r.Type == "" {
		return record{}, false
	}
	return r, true
}

func (r record) facts() chainFacts {
	f := chainFacts{N: r.N, Time: r.Time, Skipped: r.Skipped, Gap: r.Gap}
	if r.Info != nil && r.Info.Chained {
		f.Info = &chainedInfo{Chained: true}
	}
	return f
}

// maxRecord is the length of a line that may be a record: a frame of the wire, each
// byte of it escaped.
const maxRecord = 512 << 20

// eachLine has check take each line of a log, read by f. Of what is too long to be
// a record f sees the beginning only. A line is gone when f returns.
func eachLine(file io.Reader, check *chainCheck, f func(line []byte) chainFacts) error {
	in := lineReader{in: bufio.NewReaderSize(file, 256<<10), most: maxRecord}
	return in.each(check, f)
}

// lineReader reads lines, and such as are too long in pieces.
type lineReader struct {
	in   *bufio.Reader
	most int    // bytes of a line that is held
	long []byte // of a line that is longer than the reader's buffer
	open bool   // the line goes on
	rest bool   // what was read last is the rest of a line
}

// each is eachLine of what is read.
func (r *lineReader) each(check *chainCheck, f func(line []byte) chainFacts) error {
	for {
		line, err := r.next()
		if len(line) > 0 && r.rest {
			check.more(line)
		} else if len(line) > 0 {
			check.take(line, f)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next is a line with its end, or a piece of one. It holds until the next call.
func (r *lineReader) next() ([]byte, error) {
	r.rest, r.open = r.open, false
	line, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	r.long = append(r.long[:0], line...)
	for len(r.long) < r.most {
		line, err = r.in.ReadSlice('\n')
		r.long = append(r.long, line...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
	r.open = true
	return r.long, nil
}
