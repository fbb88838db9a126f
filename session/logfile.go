package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// logName is the file of a log in its session's folder.
const logName = "log.jsonl"

// logFile is the append end of a log. Each record is one write, and so is each
// of the two of the head around it. The zero logFile is closed; that of an
// ephemeral session keeps nothing.
type logFile struct {
	f       *os.File
	head    headFile
	nothing bool
	first   link
	end     mark  // behind the last record
	stray   tally // what stands behind that and is no record
	open    bool  // the last line has no end
	doubt   bool  // a write broke off: stray and open are to be looked for
}

// openLog opens a log for appending, and finds out where its chain goes on. What
// a crash tore at its end is declared by the next record. A log that is not what
// its head knows gets a record that says so; found is what that says, "" else.
func openLog(path, head, id string) (l *logFile, found string, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("open session log: %w", err)
	}
	l = &logFile{f: f, head: headFile{path: head}, first: firstLink(id)}
	gap, err := l.resume(id)
	if err != nil {
		l.close()
		return nil, "", fmt.Errorf("look at session log: %w", err)
	}
	if gap == nil {
		return l, "", nil
	}
	// A disk that is full now is so for the next record too, which says it then.
	_ = l.append(record{Type: recGap, Time: time.Now().UnixMilli(), Gap: gap})
	return l, gap.Found, nil
}

// append writes a record. An error leaves it out of the chain, unless only what
// comes after the record itself has failed.
func (l *logFile) append(r record) error {
	if l.nothing {
		return nil
	}
	if l.f == nil {
		return errors.New("the log is closed")
	}
	if l.doubt {
		if err := l.look(); err != nil {
			return err
		}
	}
	var lead []byte // ends a line that was left open
	stray := l.stray
	if l.open {
		lead = []byte{'\n'}
		if stray.n > 0 {
			stray = stray.with(lead)
		}
	}
	r.N, r.Skipped = l.end.count+1, stray.declared()
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	body = body[:len(body)-1]
	next := l.end.link.next(body)
	line := append(seal(body, next), '\n')
	return l.write(lead, line, mark{count: r.N, size: l.end.size + stray.n + int64(len(line)), link: next})
}

// write puts a line into the log, and the head before and behind it.
func (l *logFile) write(lead, line []byte, at mark) error {
	if err := l.head.write(head{of: l.first, writing: true, at: at, before: l.end}); err != nil {
		return err
	}
	data := append(lead, line...)
	n, err := l.f.Write(data)
	if n < len(data)-1 {
		l.doubt = true
		return err
	}
	// The record is whole, with its line end or without.
	l.end, l.stray, l.open = at, tally{}, n < len(data)
	if l.open {
		return nil // the head goes on to say that it may be so
	}
	return l.head.write(head{of: l.first, at: at, before: at})
}

// look finds out what stands behind the last record after a write that broke
// off.
func (l *logFile) look() error {
	st, err := l.f.Stat()
	if err != nil {
		return err
	}
	var last tail
	l.stray = tally{}
	if _, err := io.Copy(io.MultiWriter(&l.stray, &last), io.NewSectionReader(l.f, l.end.size, st.Size())); err != nil {
		return err
	}
	l.open = st.Size() < l.end.size || last.byte != '\n' && l.stray.n > 0
	l.doubt = false
	return nil
}

// tail keeps the last byte that is written to it.
type tail struct{ byte byte }

func (t *tail) Write(p []byte) (int, error) {
	if len(p) > 0 {
		t.byte = p[len(p)-1]
	}
	return len(p), nil
}

// sync is best effort: a file system that cannot sync still has the bytes.
func (l *logFile) sync() {
	if l.f != nil {
		_ = l.f.Sync()
	}
}

func (l *logFile) close() {
	l.head.close()
	if l.f != nil {
		l.f.Close()
		l.f = nil
	}
}
