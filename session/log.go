package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"drawbridge/model"
	"drawbridge/tools"
)

// record is a line of a session's log. Type says which fields count. The log
// is append-only; a session is what its records say in order.
type record struct {
	Seq  int64  `json:"seq"`
	Time int64  `json:"time"` // unix milliseconds
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

// logFile is the append end of a log. Each record is one write. The zero
// logFile is closed; that of an ephemeral session keeps nothing.
type logFile struct {
	f       *os.File
	nothing bool
	torn    bool // the last write broke off
}

// openLog opens a log for appending. A last line that a crash tore is ended,
// so that the next record starts on a line of its own.
func openLog(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open session log: %w", err)
	}
	if err := heal(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("heal session log: %w", err)
	}
	return &logFile{f: f}, nil
}

func heal(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, st.Size()-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = f.Write([]byte{'\n'})
	return err
}

func (l *logFile) append(r record) error {
	if l.nothing {
		return nil
	}
	if l.f == nil {
		return errors.New("the log is closed")
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.f.Write(line)
	l.torn = err != nil
	return err
}

// sync is best effort: a file system that cannot sync still has the bytes.
func (l *logFile) sync() {
	if l.f != nil {
		_ = l.f.Sync()
	}
}

func (l *logFile) close() {
	if l.f != nil {
		l.f.Close()
		l.f = nil
	}
}

// readLog calls f for each record of a log. Lines that are no record are
// skipped and counted: a torn one must not hide what follows.
func readLog(path string, f func(record)) (skipped int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 256<<10)
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var r record
			if json.Unmarshal(line, &r) == nil && r.Type != "" {
				f(r)
			} else {
				skipped++
			}
		}
		if errors.Is(err, io.EOF) {
			return skipped, nil
		}
		if err != nil {
			return skipped, err
		}
	}
}
