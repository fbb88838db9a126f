package search

import (
	"cmp"
	"context"
	"strings"
	"sync"
)

// tellers have several files told of at a time, since a program finds lines faster
// than one goroutine reads them.
type tellers struct {
	ctx   context.Context
	s     *lineSearch
	lines chan fileLines
	all   sync.WaitGroup
	next  fileLines

	mu  sync.Mutex // guards below
	err error
}

// fileLines are places in one file, in order.
type fileLines struct {
	path  string
	lines []int
}

// maxFileLines bounds the places that are gathered of one file. Of one that has
// more, the beginning is read again.
const maxFileLines = 1 << 20

func newTellers(ctx context.Context, s *lineSearch) *tellers {
	t := &tellers{ctx: ctx, s: s, lines: make(chan fileLines, workers())}
	for range workers() {
		t.all.Go(t.work)
	}
	return t
}

// place takes a line that a program names.
func (t *tellers) place(name string, n int) error {
	name = strings.TrimPrefix(name, "./")
	if name != t.next.path || len(t.next.lines) >= maxFileLines {
		if err := t.flush(); err != nil {
			return err
		}
		t.next.path = name
	}
	t.next.lines = append(t.next.lines, n)
	return nil
}

func (t *tellers) flush() error {
	next := t.next
	t.next = fileLines{}
	if len(next.lines) == 0 {
		return nil
	}
	select {
	case t.lines <- next:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

// end waits until all is told.
func (t *tellers) end() error {
	err := t.flush()
	close(t.lines)
	t.all.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(err, t.err)
}

func (t *tellers) work() {
	for f := range t.lines {
		if err := t.tell(f); err != nil {
			t.mu.Lock()
			t.err = cmp.Or(t.err, err)
			t.mu.Unlock()
		}
	}
}

func (t *tellers) tell(f fileLines) error {
	if _, unsaved := t.s.q.Unsaved[f.path]; unsaved || !t.s.wanted(f.path) {
		return nil
	}
	q := t.s.ofFile(t.ctx, f.path)
	for _, n := range f.lines {
		if err := q.line(n); err != nil {
			return err
		}
	}
	return q.end()
}
