package session

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Verification is what a log was found to be.
type Verification struct {
	ID      string
	Records int64 // of the chain
	// Unchained are lines of a time before records were chained. What they said
	// then is not checked; that they are the same since is, once a record of the
	// chain follows.
	Unchained int64
	// Writing says that a record was being written when the log was left, or is
	// now: it may be there, or not, or in part.
	Writing bool
	Open    bool // in some process
	// Findings are where the log is not what was written, the first hundred. None
	// is a log that is whole.
	Findings []Finding
	// More is how many findings there are besides.
	More int
}

// verifyTries is how often a log that is being written is looked at again, and
// verifyPause how long it is left alone in between.
const (
	verifyTries = 50
	verifyPause = 10 * time.Millisecond
)

// Verify compares the log of a session with its chain and with its head. It
// writes nothing, holds one record at a time, and another process may have the
// session open: what it writes meanwhile is left out. An error says that there
// is no such session.
func (st Storage) Verify(id string) (Verification, error) {
	if !validID(id) {
		return Verification{}, unknown(id)
	}
	v := Verification{ID: id}
	for try := 1; ; try++ {
		done, err := st.verify(id, &v, try == verifyTries)
		if done || err != nil {
			return v, err
		}
		time.Sleep(verifyPause)
	}
}

// verify looks once. It is done unless the log was being written.
func (st Storage) verify(id string, v *Verification, last bool) (done bool, err error) {
	v.Open = isOpen(st.dir(id))
	h, herr := readHead(headPath(st.state, id))
	if v.Open && !last && (h.writing || herr != nil && !isMissing(herr)) {
		return false, nil
	}
	f, err := os.Open(st.logPath(id))
	if isMissing(err) {
		return true, st.noLog(id, v, herr)
	}
	if err == nil {
		defer f.Close()
		err = st.follow(f, v, h, herr)
	}
	if err == nil && v.Records == 0 && len(v.Findings) == 0 && !v.Writing && st.chained(id) {
		v.Findings = []Finding{{Kind: FoundLost, Text: "the log has no chained record: this session had them from its first one on"}}
	}
	if err != nil {
		v.Findings = []Finding{{Kind: FoundUnreadable, Text: "the log cannot be read: " + err.Error()}}
	}
	return true, nil
}

// follow follows the chain up to where the head says that it ends, and beyond if
// it still says so when there is more.
func (st Storage) follow(f *os.File, v *Verification, h head, herr error) error {
	check := newChainCheck(v.ID)
	whole := herr != nil || h.writing
	if !whole {
		if err := checkLog(io.NewSectionReader(f, 0, h.at.size), check); err != nil {
			return err
		}
		more, err := f.Stat()
		if err != nil {
			return err
		}
		now, nerr := readHead(headPath(st.state, v.ID)) // after the size was seen
		whole = more.Size() != h.at.size && nerr == nil && now == h
	}
	if whole {
		check = newChainCheck(v.ID)
		if err := checkLog(wholeFile(f), check); err != nil {
			return err
		}
	}
	check.finish(h, herr, v.ID)
	v.Records, v.Unchained, v.Writing = check.end.count, check.unchained, herr == nil && h.writing
	v.Findings, v.More = check.found, check.findings-len(check.found)
	return nil
}

// chained reports whether what is kept of a session beside its log says that each
// record was chained.
func (st Storage) chained(id string) bool {
	var info Info
	raw, err := os.ReadFile(filepath.Join(st.dir(id), "info.json"))
	return err == nil && json.Unmarshal(raw, &info) == nil && info.Chained
}

// noLog is about a session that has a head at most.
func (st Storage) noLog(id string, v *Verification, herr error) error {
	if isMissing(herr) {
		return unknown(id)
	}
	v.Findings = []Finding{{Kind: FoundLost, Text: "the log is gone: what is kept apart of where it ended is still there"}}
	return nil
}

// Recorded are the ids of the sessions that have a log, or whose log is gone
// though something says that there was one, the oldest first.
func (st Storage) Recorded() []string {
	var ids []string
	for _, id := range st.ids() {
		_, log := os.Stat(st.logPath(id))
		_, head := os.Stat(headPath(st.state, id))
		if log == nil || head == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
