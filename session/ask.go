package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sort"
	"strconv"
	"sync"

	"drawbridge/approval"
	"drawbridge/tools"
)

// errSuperseded withdraws a question whose change no longer fits the document.
var errSuperseded = errors.New("the document changed")

// granted withdraws a question that a new grant covers.
type granted struct{ decision approval.Decision }

func (granted) Error() string { return "covered by a new grant" }

// question is an open question. It ends once: by an answer, or by withdraw.
type question struct {
	approval Approval // guarded by the desk's mu
	request  approval.Request
	withdraw context.CancelCauseFunc
	// answers receives an answer that came by change/resolve instead of the
	// client's own reply.
	answers chan approval.Answer
}

// desk holds the open questions of a session.
type desk struct {
	mu   sync.Mutex // guards below
	n    int
	open map[string]*question
}

// newDesk counts on from n: an answer that is late by a whole process must not
// meet another question of its name.
func newDesk(n int) *desk { return &desk{n: n, open: map[string]*question{}} }

func (d *desk) nextID() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	return "a" + strconv.Itoa(d.n)
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

func (d *desk) some() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open) > 0
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

// Approvals lists the questions that wait for an answer, oldest first.
func (s *Session) Approvals() []Approval {
	var open []Approval
	for _, q := range s.desk.all() {
		open = append(open, s.desk.shown(q))
	}
	return open
}

// decide brings the one decision about a call's plan. A question whose
// document or file changed under it is asked anew from a new plan; where there
// can be none, the call's planErr says why.
func (s *Session) decide(t *running, c *call) approval.Decision {
	for {
		d, cause := s.decideOnce(t, c)
		var g granted
		switch {
		case errors.As(cause, &g):
			return g.decision
		case !errors.Is(cause, errSuperseded):
			s.sweep(d)
			return d
		}
		s.env.Reads.Planned(*c.plan.Change)
		s.planCall(t.ctx, c)
		if c.planErr != nil {
			return approval.Decision{By: approval.ByCancel, Cause: "the document changed while the question waited"}
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
	cause = context.Cause(ctx)
	if d.By == approval.ByPerson {
		cause = nil // the answer was first
	}
	if asked != nil {
		s.resolved(c, asked, d, cause)
	}
	return d, cause
}

// resolved takes a question off the desk and announces how it ended.
func (s *Session) resolved(c *call, q *question, d approval.Decision, cause error) {
	s.desk.remove(q.approval.ID)
	s.workState(c)
	c.waited += s.host.now().Sub(q.approval.Asked)
	end := ApprovalResolved{
		Turn: c.turn, Call: c.id, Approval: q.approval.ID,
		Outcome: d.Outcome, By: string(d.By), Cause: d.Cause,
	}
	var g granted
	switch {
	case errors.As(cause, &g):
		end.Outcome, end.By, end.Cause = g.decision.Outcome, string(approval.ByGrant), g.decision.Cause
	case errors.Is(cause, errSuperseded):
		end.By, end.Cause = "superseded", errSuperseded.Error()
	case errors.Is(cause, errInterrupted):
		end.By, end.Cause = "closed", errInterrupted.Error()
	}
	s.out.keep(record{Type: recResolved, Turn: c.turn, Call: c.id, Resolved: &end}, end)
}

// asker returns how a question reaches the client, nil when nobody is there.
func (s *Session) asker(c *call, req approval.Request, withdraw context.CancelCauseFunc, asked **question) approval.Ask {
	if s.host.o.Ask == nil {
		return nil
	}
	return func(ctx context.Context, q approval.Question) (approval.Answer, error) {
		if *asked == nil {
			*asked = s.raise(c, req, q, withdraw)
		}
		s.desk.reword(*asked, q)
		stop := s.watchQuestion(ctx, c, withdraw)
		defer stop()
		return s.put(ctx, *asked)
	}
}

// raise puts a new question on the desk.
func (s *Session) raise(c *call, req approval.Request, q approval.Question, withdraw context.CancelCauseFunc) *question {
	c.change = s.proposeChange(c)
	pending := &question{
		approval: Approval{
			ID: s.desk.nextID(), Session: s.id, Turn: c.turn, Call: c.id, Question: q,
			Plan: c.plan, Change: c.change, Args: c.model.Args, Asked: s.host.now(),
		},
		request:  req,
		withdraw: withdraw,
		answers:  make(chan approval.Answer, 1),
	}
	s.states.Lock()
	defer s.states.Unlock()
	s.desk.put(pending)
	s.out.keep(record{Type: recAsked, Turn: c.turn, Call: c.id, ID: pending.approval.ID})
	s.setState(StateChanged{State: StateApproval, Detail: c.plan.Title, Call: c.id})
	return pending
}

// put asks the client and waits for its answer, for one that comes by
// change/resolve, or for the end of ctx.
func (s *Session) put(ctx context.Context, q *question) (approval.Answer, error) {
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
	select {
	case r := <-replies:
		return r.a, r.err
	case a := <-q.answers:
		return a, nil
	case <-ctx.Done():
		return approval.Answer{}, ctx.Err()
	}
}

// sweep withdraws questions that the decision's grant covers now.
func (s *Session) sweep(d approval.Decision) {
	if d.Outcome != approval.Allowed || d.Scope != approval.Session {
		return
	}
	for _, q := range s.desk.all() {
		if covered, ok := s.gate.Covered(q.request); ok {
			q.withdraw(granted{covered})
		}
	}
}

// request describes a call's plan to the gate.
func (s *Session) request(c *call) approval.Request {
	c.digest = digest(c)
	req := approval.Request{Tool: c.model.Name, Title: c.plan.Title, Digest: c.digest, Access: approval.Execute}
	switch c.plan.Access {
	case tools.Read:
		req.Access = approval.Read
	case tools.Write:
		req.Access = approval.Write
	}
	for _, p := range c.plan.Paths {
		req.Paths = append(req.Paths, approval.Target{Abs: p.Abs, Lexical: p.Lexical, Inside: p.Inside, Protected: p.Protected})
	}
	req.Own = c.plan.Own
	if cmd := c.plan.Command; cmd != nil {
		req.Command = s.command(*cmd)
	}
	return req
}

// command describes a command, or what is typed into one. A running command is
// held by what it was started with, which may be less than the preset of now. To
// type into one that nothing holds is to leave the sandbox once more.
func (s *Session) command(cmd tools.Command) *approval.Command {
	out := &approval.Command{
		Text: cmd.Script, Dir: cmd.Dir, Escalation: cmd.Escalation,
		Unconfined: cmd.Sandbox == "" || cmd.Escalation != "", TypedInto: cmd.TypedInto, Process: cmd.Process,
	}
	if p, ok := s.sh.Get(cmd.Process); ok && cmd.TypedInto != "" {
		held := p.Spec().Confinement
		out.Unconfined = held == nil ||
			s.gate.Preset() == approval.PresetReadOnly && held.Preset() != string(approval.PresetReadOnly)
		if held == nil {
			out.Escalation = s.unheld(cmd.Process)
		}
	}
	return out
}

// unheld says why a running command has no sandbox though one of now would; ""
// where there is none to leave. One that was started under full access is no
// matter of a person's where nothing may be written.
func (s *Session) unheld(process string) string {
	if s.env.Confine == nil {
		return ""
	}
	if by, err := s.env.Confine(); by == nil && err == nil {
		return ""
	}
	if t := s.terminals.find(func(t *terminal) bool { return t.opened.ProcessID == process }); t != nil && t.escalation != "" {
		return t.escalation
	}
	if s.gate.Preset() == approval.PresetReadOnly {
		return ""
	}
	return "it was started without one"
}

// digest names what a question shows: the call, what would hold a command, and
// for a change the text it was planned from and what its hunks put there.
func digest(c *call) string {
	h := sha256.New()
	h.Write([]byte(c.model.Name + "\x00" + c.model.Args))
	if cmd := c.plan.Command; cmd != nil {
		h.Write([]byte("\x00" + cmd.Sandbox))
	}
	if ch := c.plan.Change; ch != nil {
		h.Write(ch.Base[:])
		for _, k := range ch.Hunks {
			h.Write([]byte(ch.New[k.NewStart:k.NewEnd]))
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// audit records a decision; there is one record per decision.
func (s *Session) audit(t *running, c *call, d approval.Decision) {
	r := &decisionRecord{
		Allowed: d.Outcome == approval.Allowed, By: string(d.By), Cause: d.Cause, Comment: d.Comment,
		Scope: string(d.Scope), Digest: c.digest, Derivation: d.Derivation, Hunks: d.Hunks,
	}
	if d.Command != nil {
		r.Command = *d.Command
	}
	if d.Text != nil {
		sum := sha256.Sum256([]byte(*d.Text))
		r.Text = hex.EncodeToString(sum[:])
	}
	s.out.keep(record{Type: recApproval, Turn: t.ID, Call: c.id, Name: c.model.Name, Decision: r})
}
