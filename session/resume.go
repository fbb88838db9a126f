package session

import (
	"encoding/json"
	"io"
	"math"
	"os"
)

// resume finds out where the chain of a log goes on that has just been opened.
// As a rule its end is what the head says, and nothing else is read; gap says
// what was found where it is not.
func (l *logFile) resume(id string) (gap *gapRecord, err error) {
	st, err := l.f.Stat()
	if err != nil {
		return nil, err
	}
	h, herr := readHead(l.head.path)
	if isMissing(herr) && st.Size() == 0 {
		l.end = mark{link: l.first}
		return nil, nil
	}
	if herr == nil && h.of == l.first && !h.writing && st.Size() == h.at.size && endsWith(l.f, h.at) {
		l.end = h.at
		return nil, nil
	}
	check := newChainCheck(id)
	if err := checkLog(wholeFile(l.f), check); err != nil {
		return nil, err
	}
	before := check.findings
	check.finish(h, herr, id)
	l.end, l.stray, l.open = check.end, check.stray, check.unended
	if check.findings == before {
		return nil, nil
	}
	if herr == nil && h.of == l.first {
		l.end = goesOn(h, check.end)
	}
	l.end.size = check.size - l.stray.n
	if l.open && l.stray.n > 0 {
		l.end.size-- // which a line end that is missing was counted for
	}
	return &gapRecord{Found: check.last, From: l.end.link.String()}, nil
}

// wholeFile reads a file from its beginning, wherever that is being written.
func wholeFile(f io.ReaderAt) io.Reader { return io.NewSectionReader(f, 0, math.MaxInt64) }

// checkLog follows the chain of a log.
func checkLog(log io.Reader, check *chainCheck) error {
	return eachLine(log, check, func(line []byte) (facts chainFacts) {
		if json.Unmarshal(line, &facts) != nil {
			return chainFacts{}
		}
		return facts
	})
}

// goesOn is where the chain of a log goes on that does not end as its head says.
func goesOn(h head, end mark) mark {
	if h.writing && end.link != h.at.link {
		return h.before
	}
	return h.at
}

// endsWith says that the last record of a log is the one at a mark.
func endsWith(f *os.File, at mark) bool {
	tail := make([]byte, sealSize+2) // and the byte before it
	if at.size < int64(len(tail)) {
		return false
	}
	if _, err := f.ReadAt(tail, at.size-int64(len(tail))); err != nil {
		return false
	}
	_, l, ok := unseal(tail[:len(tail)-1])
	return ok && l == at.link && tail[len(tail)-1] == '\n'
}
