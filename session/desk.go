package session

import (
	"context"
	"sort"
	"strconv"
	"sync"
	"time"

	"drawbridge/approval"
)

// question is an open question. It ends once: by an answer, or by withdraw.
type question struct {
	approval Approval // guarded by the desk's mu
	request  approval.Request
	withdraw context.CancelCauseFunc
	// answers receives an answer that came by change/resolve instead of the
	// client's own reply.
	answers chan approval.Answer
	// reminded counts the reminders, next is when one is due. Both belong to the
	// goroutine that asks.
	reminded int
	next     time.Time
}

// desk holds the open questions of a session.
type desk struct {
	mark string // in which ids end

	mu   sync.Mutex // guards below
	n    int
	open map[string]*question
}

// newDesk counts on from n: an answer that is late by a whole process must not
// meet another question of its name.
func newDesk(n int, mark string) *desk { return &desk{n: n, mark: mark, open: map[string]*question{}} }

func (d *desk) nextID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	return "a" + strconv.Itoa(d.n) + d.mark
}

func (d *desk) put(q *question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[q.approval.ID] = q
}

func (d *desk) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
}

func (d *desk) some() bool { return d.count() > 0 }

func (d *desk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// reword takes over how a question is put this time.
func (d *desk) reword(q *question, as approval.Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q.approval.Question = as
}

// shown is the question as it is put to a client.
func (d *desk) shown(q *question) Approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	return q.approval
}

// all returns the open questions in the order of their calls.
func (d *desk) all() []*question {
	d.mu.Lock()
	defer d.mu.Unlock()
	qs := make([]*question, 0, len(d.open))
	for _, q := range d.open {
		qs = append(qs, q)
	}
	sort.Slice(qs, func(i, j int) bool {
		a, b := qs[i].approval, qs[j].approval
		return number(a.Call) < number(b.Call)
	})
	return qs
}

// Approvals lists the questions that wait for an answer, oldest first, and behind
// them those of the session's subagents.
func (s *Session) Approvals() []Approval {
	var open []Approval
	for _, q := range s.desk.all() {
		open = append(open, s.desk.shown(q))
	}
	for _, a := range s.subs.all() {
		open = append(open, a.child.Approvals()...)
	}
	return open
}
