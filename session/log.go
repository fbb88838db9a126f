package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"drawbridge/model"
	"drawbridge/tools"
)

// record is a line of a session's log. Type says which fields count. The log
// is append-only; a session is what its records say in order.
//
// Behind the members below stands chain, the record's link: the hash of the link
// before it and of all bytes of the record but that member.
type record struct {
	Seq  int64  `json:"seq"`
	N    int64  `json:"n,omitempty"` // of the records of the chain, from 1
	Time int64  `json:"time"`        // unix milliseconds
	Type string `json:"type"`
	Turn string `json:"turn,omitempty"`
	Call string `json:"call,omitempty"`

	Info   *Info   `json:"info,omitempty"`   // session, configure
	Blocks []Block `json:"blocks,omitempty"` // turn, steer
	// Background turns were begun by the end of a command. Of a background
	// command the model was promised to be told the end.
	Background bool `json:"background,omitempty"` // turn, opened
	// Notices are ends of background commands: those that wait to be told
	// (ended), those that the model was told of (notified), and those that a call
	// has told instead (told).
	Notices []Notice `json:"notices,omitempty"`
	// Remarks are words to the model that wait (remark) and that it was told
	// (notified).
	Remarks []string `json:"remarks,omitempty"`
	// Continues and Replaces name turns, Nudge is what the model is told when
	// one is taken up.
	Continues string `json:"continues,omitempty"` // turn
	Replaces  string `json:"replaces,omitempty"`
	Nudge     string `json:"nudge,omitempty"`

	Parts []model.Part `json:"parts,omitempty"` // message
	Usage *model.Usage `json:"usage,omitempty"`
	// TextSeq and ThoughtSeq are the numbers of the message's last chunks.
	TextSeq    int64 `json:"textSeq,omitempty"`
	ThoughtSeq int64 `json:"thoughtSeq,omitempty"`
	// Cut says that the answer broke off: of its parts the model gets the text.
	Cut bool `json:"cut,omitempty"`

	ID     string         `json:"id,omitempty"`   // started: the call's id in the message; asked: the question's
	Name   string         `json:"name,omitempty"` // started, approval
	Title  string         `json:"title,omitempty"`
	Access tools.Access   `json:"access,omitempty"`
	Result *model.Result  `json:"result,omitempty"` // call
	Done   *CallCompleted `json:"done,omitempty"`

	Decision *decisionRecord   `json:"decision,omitempty"` // approval
	Resolved *ApprovalResolved `json:"resolved,omitempty"`
	Change   *changeRecord     `json:"change,omitempty"`

	Opened   *TerminalOpened  `json:"opened,omitempty"`
	Updated  *TerminalUpdated `json:"updated,omitempty"`
	Terminal *TerminalClosed  `json:"terminal,omitempty"`

	End *TurnCompleted `json:"end,omitempty"`

	Gap     *gapRecord     `json:"gap,omitempty"`
	Skipped *skippedRecord `json:"skipped,omitempty"` // any
}

const (
	recSession   = "session"
	recConfigure = "configure"
	recTurn      = "turn"
	recSteer     = "steer"
	recEnded     = "ended"
	recNotified  = "notified"
	recTold      = "told"
	recRemark    = "remark"
	recMessage   = "message"
	recStarted   = "started"
	recCall      = "call"
	recAsked     = "asked"
	recRetitled  = "retitled"
	recApproval  = "approval"
	recResolved  = "resolved"
	recChange    = "change"
	recOpened    = "opened"
	recUpdated   = "updated"
	recTerminal  = "terminal"
	recEnd       = "end"
	recGap       = "gap"
)

// decisionRecord is who decided about an effect, and how it was derived.
type decisionRecord struct {
	Allowed bool   `json:"allowed"`
	By      string `json:"by"`
	Cause   string `json:"cause,omitempty"`
	Comment string `json:"comment,omitempty"`
	Scope   string `json:"scope,omitempty"`
	// Command, Hunks and Text say what was allowed where that is not all that
	// the digest names: another command, some hunks, the hash of another text.
	Command    string   `json:"command,omitempty"`
	Hunks      []string `json:"hunks,omitempty"`
	Text       string   `json:"text,omitempty"`
	Digest     string   `json:"digest"`
	Derivation []string `json:"derivation,omitempty"`
}

type changeRecord struct {
	ID        string      `json:"id"`
	State     ChangeState `json:"state"`
	Edited    bool        `json:"edited,omitempty"`
	Why       string      `json:"why,omitempty"`
	Back      []string    `json:"back,omitempty"` // hunks taken back since it was applied
	Kept      []string    `json:"kept,omitempty"` // hunks that a person said shall stand
	ByCommand bool        `json:"byCommand,omitempty"`
	// Texts is which of the change's texts it is of: each text of a person's own is
	// another.
	Texts   int           `json:"texts,omitempty"`
	Summary ChangeSummary `json:"summary"`
}

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

// readLog calls f for each record of a log, and follows its chain. Lines that
// are no record are skipped and counted: a torn one must not hide what follows.
func readLog(path string, check *chainCheck, f func(record)) (skipped int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	err = eachLine(file, check, func(line []byte) chainFacts {
		if len(bytes.TrimSpace(line)) == 0 {
			return chainFacts{}
		}
		var r record
		if json.Unmarshal(line, &r) != nil || r.Type == "" {
			skipped++
			return chainFacts{}
		}
		f(r)
		return chainFacts{N: r.N, Time: r.Time, Skipped: r.Skipped, Gap: r.Gap}
	})
	return skipped, err
}

// maxRecord is the length of a line that may be a record.
const maxRecord = 256 << 20

// eachLine calls f for each line of a log and hands it on to check. Of what is
// too long to be a record only the beginning is seen by f.
func eachLine(file io.Reader, check *chainCheck, f func(line []byte) chainFacts) error {
	in := bufio.NewReaderSize(file, 256<<10)
	for {
		line, long, err := nextLine(in)
		if len(line) > 0 {
			check.take(line, f(line))
		}
		for long && err == nil {
			line, err = in.ReadSlice('\n')
			long = errors.Is(err, bufio.ErrBufferFull)
			if long {
				err = nil
			}
			if len(line) > 0 {
				check.more(line)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// nextLine reads a line with its end, or the beginning of one that is too long.
func nextLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, false, err
		}
		if len(line) >= maxRecord {
			return line, true, nil
		}
	}
}
