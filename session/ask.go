package session

import (
	"context"
	"errors"
	"time"

	"drawbridge/approval"
)

// What withdraws a question that is asked anew, under another name.
var (
	errSuperseded = errors.New("the document changed")
	errPreset     = errors.New("the preset changed")
)

// granted withdraws a question that a new grant covers.
type granted struct{ decision approval.Decision }

func (granted) Error() string { return "covered by a new grant" }

// decide brings the one decision about a call's plan. A question whose
// document, file or preset changed under it is asked anew from a new plan; where
// there can be none, the call's planErr says why.
func (s *Session) decide(t *running, c *call) approval.Decision {
	for {
		d, cause := s.decideOnce(t, c)
		var g granted
		switch {
		case errors.As(cause, &g):
			return g.decision
		case !errors.Is(cause, errSuperseded) && !errors.Is(cause, errPreset):
			s.sweep(d)
			return d
		}
		if c.plan.Change != nil {
			s.env.Reads.Planned(*c.plan.Change)
		}
		s.planCall(t.ctx, c)
		if c.planErr != nil {
			return approval.Decision{By: approval.ByCancel, Cause: cause.Error() + " while the question waited"}
		}
	}
}

// decideOnce asks the gate. cause says why an open question was withdrawn.
func (s *Session) decideOnce(t *running, c *call) (d approval.Decision, cause error) {
	ctx, withdraw := context.WithCancelCause(t.ctx)
	defer withdraw(nil)
	var asked *question
	req := s.request(c)
	d = s.gate.Decide(ctx, req, s.asker(c, req, withdraw, &asked))
	switch d.By {
	case approval.ByCancel:
		cause = context.Cause(ctx)
	case approval.BySuperseded:
		cause = errPreset
	}
	if asked != nil {
		s.resolved(c, asked, d, cause)
	}
	return d, cause
}

// resolved takes a question off the desk and announces how it ended.
func (s *Session) resolved(c *call, q *question, d approval.Decision, cause error) {
	s.desk.remove(q.approval.ID)
	s.workState(c.id, c.plan.Title)
	c.waited += s.host.now().Sub(q.approval.Asked)
	end := ApprovalResolved{
		Turn: c.turn, Call: c.id, Approval: q.approval.ID,
		Outcome: d.Outcome, By: string(d.By), Cause: d.Cause,
	}
	var g granted
	switch {
	case errors.As(cause, &g):
		end.Outcome, end.By, end.Cause = g.decision.Outcome, string(approval.ByGrant), g.decision.Cause
	case errors.Is(cause, errSuperseded), errors.Is(cause, errPreset):
		end.By, end.Cause = "superseded", cause.Error()
	case errors.Is(cause, errInterrupted):
		end.By, end.Cause = "closed", errInterrupted.Error()
	}
	s.out.keep(record{Type: recResolved, Turn: c.turn, Call: c.id, Resolved: &end}, end)
	s.under.refresh()
}

// asker returns how a question reaches the client, nil when nobody is there.
func (s *Session) asker(c *call, req approval.Request, withdraw context.CancelCauseFunc, asked **question) approval.Ask {
	if s.host.o.Ask == nil {
		return nil
	}
	return func(ctx context.Context, q approval.Question) (approval.Answer, error) {
		defer c.passOn()
		if *asked == nil {
			c.inTurn(ctx)
			*asked = s.raise(c, req, q, withdraw)
		}
		s.desk.reword(*asked, q)
		stop := s.watchQuestion(ctx, c, withdraw)
		defer stop()
		return s.put(ctx, c, *asked)
	}
}

// raise puts a new question on the desk. A grant may have come while it was on
// its way there, where nobody could see that it covers it.
func (s *Session) raise(c *call, req approval.Request, q approval.Question, withdraw context.CancelCauseFunc) *question {
	c.change = s.proposeChange(c)
	now := s.host.now()
	pending := &question{
		approval: Approval{
			ID: s.desk.nextID(), Session: s.id, Turn: c.turn, Call: c.id, Question: q,
			Plan: c.plan, Change: c.change, Origin: s.out.origin, Args: c.model.Args, Asked: now, Out: c.passOn,
		},
		request:  req,
		withdraw: withdraw,
		answers:  make(chan approval.Answer, 1),
		next:     now.Add(s.host.live().Remind),
	}
	s.ring(c, pending)
	s.under.refresh()
	if s.grants.Load() != c.grants {
		s.recheck(pending)
	}
	return pending
}

// ring lays a question on the desk and says what the session waits for.
func (s *Session) ring(c *call, q *question) {
	s.states.Lock()
	defer s.states.Unlock()
	s.desk.put(q)
	s.out.keep(record{Type: recAsked, Turn: c.turn, Call: c.id, ID: q.approval.ID})
	s.setState(StateChanged{State: StateApproval, Detail: c.plan.Title, Call: c.id})
}

// put asks the client and waits for its answer, for one that comes by
// change/resolve, or for the end of ctx. Meanwhile it reminds the client.
func (s *Session) put(ctx context.Context, c *call, q *question) (approval.Answer, error) {
	type reply struct {
		a   approval.Answer
		err error
	}
	actx, stop := context.WithCancel(ctx)
	defer stop()
	replies := make(chan reply, 1)
	go func() { // ends with the answer, or with actx
		a, err := s.host.o.Ask(actx, s.desk.shown(q))
		replies <- reply{a, err}
	}()
	remind := s.reminder(q)
	defer remind.Stop()
	for {
		select {
		case r := <-replies:
			return r.a, r.err
		case a := <-q.answers:
			return a, nil
		case <-ctx.Done():
			return approval.Answer{}, ctx.Err()
		case <-remind.C:
			s.remind(ctx, c, q)
			remind.Reset(q.next.Sub(s.host.now()))
		}
	}
}

// reminder runs until the next reminder is due; without any it never does.
func (s *Session) reminder(q *question) *time.Timer {
	t := time.NewTimer(q.next.Sub(s.host.now()))
	if s.host.live().Remind <= 0 {
		t.Stop()
	}
	return t
}

// remind tells the client that a question still waits, each time after twice as
// long.
func (s *Session) remind(ctx context.Context, c *call, q *question) {
	if ctx.Err() != nil {
		return
	}
	q.reminded++
	q.next = s.host.now().Add(s.host.live().Remind << min(q.reminded, 20))
	s.out.send(ApprovalReminder{
		Turn: c.turn, Call: c.id, Approval: q.approval.ID, Title: c.plan.Title,
		Asked: q.approval.Asked, Count: q.reminded,
	})
}

// sweep withdraws the questions that what a decision left behind covers now: in
// this session, and where it holds in others too, in all of them.
func (s *Session) sweep(d approval.Decision) {
	switch {
	case d.Outcome != approval.Allowed || d.By != approval.ByPerson:
	case d.Scope == approval.Session:
		for _, o := range s.family() {
			o.Recheck()
		}
	case d.Scope == approval.Workspace, d.Scope == approval.User:
		s.host.Recheck()
	}
}

// Recheck withdraws the open questions of all sessions that a rule or a
// remembered yes covers by now; their effects happen.
func (h *Host) Recheck() {
	h.mu.Lock()
	var all []*Session
	for _, s := range h.open {
		all = append(all, s)
	}
	h.mu.Unlock()
	for _, s := range all {
		s.Recheck()
	}
}

// Recheck is Host.Recheck for one session.
func (s *Session) Recheck() {
	s.grants.Add(1)
	for _, q := range s.desk.all() {
		s.recheck(q)
	}
}

func (s *Session) recheck(q *question) {
	if covered, ok := s.gate.Covered(q.request); ok {
		q.withdraw(granted{covered})
	}
}

// supersede withdraws all open questions: they are asked anew, as far as they
// still have to be.
func (s *Session) supersede(cause error) {
	for _, q := range s.desk.all() {
		q.withdraw(cause)
	}
}

// passOn lets the questions of later calls of the step be put.
func (c *call) passOn() { c.passed.Do(func() { close(c.passing) }) }

// inTurn waits until the questions of the earlier calls of the step are out, so
// that a person meets them in the order of the calls. One that waits for another
// call's effect first is not waited for.
func (c *call) inTurn(ctx context.Context) {
	for _, e := range c.earlier {
		select {
		case <-e.passing:
		case <-ctx.Done():
			return
		}
	}
}
