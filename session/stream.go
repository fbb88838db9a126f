package session

import (
	"log/slog"
	"sync"
	"time"
)

// stream numbers what happens in a session, hands it to the client and writes
// what must outlive the process to the log. Emit is called with mu held, so
// that numbers, log and client agree on the order; it must not block.
type stream struct {
	session string
	origin  *Origin // nil: it is a person's session
	emit    func(Event)
	now     func() time.Time
	redact  func(string) string // nil changes nothing
	errs    *slog.Logger

	mu   sync.Mutex // guards below
	seq  int64
	log  *logFile
	err  error // of the last append
	last StateChanged
}

// send emits events that the log does not need and returns the last number.
func (st *stream) send(bodies ...any) int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.sendLocked(bodies)
	return st.seq
}

func (st *stream) sendLocked(bodies []any) {
	for _, b := range bodies {
		st.seq++
		if st.emit != nil {
			st.emit(Event{Session: st.session, Seq: st.seq, Time: st.now(), Origin: st.origin, Body: redactedBody(b, st.redact)})
		}
	}
}

// keep emits events and appends a record under the last number.
func (st *stream) keep(r record, bodies ...any) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.keepLocked(r, bodies)
}

func (st *stream) keepLocked(r record, bodies []any) {
	st.logLocked(r, len(bodies))
	st.sendLocked(bodies)
}

// logLocked appends a record under the number that the last of its events is
// going to have.
func (st *stream) logLocked(r record, events int) {
	r.Seq, r.Time = st.seq+int64(events), st.now().UnixMilli()
	st.appendLocked(r)
}

func (st *stream) appendLocked(r record) {
	if st.err = st.log.append(redacted(r, st.redact)); st.err != nil {
		st.errs.Error("session log", "session", st.session, "err", st.err)
	}
}

// keepSynced is keep, with the log on the disk before the client hears of it.
func (st *stream) keepSynced(r record, bodies ...any) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.logLocked(r, len(bodies))
	st.log.sync()
	st.sendLocked(bodies)
}

// failure says why the last record could not be kept; nil when it was.
func (st *stream) failure() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.err
}

// newest is the number of the last event.
func (st *stream) newest() int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.seq
}

// state emits a change of state; the same state again is no news.
func (st *stream) state(next StateChanged) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if next.State == st.last.State && next.Detail == st.last.Detail && next.Attempt == st.last.Attempt {
		return
	}
	st.last = next
	st.sendLocked([]any{next})
}

func (st *stream) close() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log.close()
}

// recover appends records that an earlier run could not write. They have their
// numbers.
func (st *stream) recover(records []record) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, r := range records {
		st.appendLocked(r)
	}
}
