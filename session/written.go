package session

import (
	"sync"

	"drawbridge/workspace"
)

// written knows which files the sessions of this process write, so that what one
// has made is not taken for what an editor made of another's question. The zero
// value is ready. Safe for concurrent use.
type written struct {
	mu   sync.Mutex // guards below
	n    int        // writes so far
	last map[string]lastWrites
	wait map[string]chan struct{}
}

// lastWrites are the numbers of the newest write of a path, by whom, and of the
// newest by anybody else.
type lastWrites struct {
	n, others int
	by        any
}

// now is a moment, for since.
func (w *written) now() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// note says that a path is about to be written by one, whom a pointer names.
func (w *written) note(path string, by any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = map[string]lastWrites{}
	}
	w.n++
	last := w.last[path]
	if last.by != by {
		last.others = last.n
	}
	w.last[path] = lastWrites{n: w.n, others: last.others, by: by}
}

// since says whether anybody but one has written a path since a moment.
func (w *written) since(path string, moment int, but any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.last[path]
	if last.by == but {
		return last.others > moment
	}
	return last.n > moment
}

// changed is closed when a path has been written next.
func (w *written) changed(path string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wait == nil {
		w.wait = map[string]chan struct{}{}
	}
	if w.wait[path] == nil {
		w.wait[path] = make(chan struct{})
	}
	return w.wait[path]
}

// tell wakes who waits for a path.
func (w *written) tell(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.wait[path]; c != nil {
		close(c)
		delete(w.wait, path)
	}
}

// noteWrite has a commit for one noted right before it writes.
func (h *Host) noteWrite(a *workspace.Acceptance, path string, by any) (done func()) {
	keep := a.Keep
	a.Keep = func(before workspace.Content) error {
		h.written.note(path, by)
		if keep == nil {
			return nil
		}
		return keep(before)
	}
	return func() { h.written.tell(path) }
}

// noteWrites has a call's write noted. What stands already by somebody else's is
// not taken for the call's own.
func (s *Session) noteWrites(c *call, a *workspace.Acceptance) (done func()) {
	if c.plan.Change == nil {
		return func() {}
	}
	a.Others = func() bool { return s.overwritten(c) }
	return s.host.noteWrite(a, c.plan.Change.Path.Abs, c)
}

// overwritten says that another call, or a person by a change, has written the
// file of a call since that was planned.
func (s *Session) overwritten(c *call) bool {
	return c.plan.Change != nil && s.host.written.since(c.plan.Change.Path.Abs, c.plannedAt, c)
}
