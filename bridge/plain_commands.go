package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"drawbridge/bridge/lsp"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// reviewCommands are what clients without our review execute to answer.
func (s *Server) reviewCommands() map[string]lsp.Command {
	answer := func(how func(args []json.RawMessage, yes bool) (any, error), yes bool) lsp.Command {
		return func(_ context.Context, args []json.RawMessage) (any, error) { return how(args, yes) }
	}
	return map[string]lsp.Command{
		commandAccept: answer(s.review.one, true), commandReject: answer(s.review.one, false),
		commandAcceptAll: answer(s.review.many, true), commandRejectAll: answer(s.review.many, false),
		commandShowDiff: s.showDiffCommand,
		commandRestore:  s.restoreCommand,
	}
}

// decided is what an answering command answers.
type decided struct {
	// Decided is how many hunks it answers for, Open how many of the same changes
	// still wait.
	Decided int `json:"decided"`
	Open    int `json:"open"`
	// Message is what the person was told, if anything.
	Message string `json:"message,omitempty"`
}

// one answers for one hunk. A proposal is settled when the last of its hunks is
// answered.
func (r *plainReview) one(args []json.RawMessage, yes bool) (any, error) {
	var a hunkArg
	if len(args) != 1 || readExactly(args[0], &a) != nil || a.SessionID == "" || a.ChangeID == "" || a.HunkID == "" || a.Base == "" {
		return nil, invalid("want one object {sessionId, changeId, hunkId, base}, as a code action on a hunk has it")
	}
	r.mu.Lock()
	m := r.findLocked(a.SessionID, a.ChangeID)
	if m == nil || m.sent || m.base != a.Base || !slices.Contains(hunkIDs(m.shown), a.HunkID) {
		known := m != nil
		r.mu.Unlock()
		return r.nothing(known), nil
	}
	if !m.pending() {
		r.mu.Unlock()
		return r.send(m.verdict(yes, a.HunkID)), nil
	}
	m.verdicts[a.HunkID] = yes
	v := m.collectedLocked()
	open := len(m.shown.Hunks) - len(m.verdicts)
	r.mu.Unlock()
	if v == nil {
		r.s.face.Remark()
		return decided{Decided: 1, Open: open}, nil
	}
	return r.send(v), nil
}

// nothing tells the person that there was nothing to answer.
func (r *plainReview) nothing(moved bool) decided {
	d := decided{Message: "no pending hunk there"}
	if moved {
		d.Message = "that hunk is not what it was shown as any more; look again"
	}
	r.s.face.ShowMessage(lsp.Info, "Drawbridge: "+d.Message)
	return d
}

// verdict is an answer about some hunks of a change, and how many of the others
// it leaves open.
type verdict struct {
	params protocol.ChangeResolveParams
	hunks  int
	open   int
	answer bool // to a question
}

// verdict answers for hunks of a change that stands.
func (m *marked) verdict(yes bool, hunks ...string) *verdict {
	v := &verdict{params: m.params(), hunks: len(hunks), open: len(m.shown.Hunks) - len(hunks)}
	if yes {
		v.params.Accept.IDs = hunks
	} else {
		v.params.Reject.IDs = hunks
	}
	return v
}

func (m *marked) params() protocol.ChangeResolveParams {
	return protocol.ChangeResolveParams{SessionID: m.session, ChangeID: m.change, Base: m.base}
}

// collectedLocked is the answer to a proposal once all of its hunks are
// answered; it is given once.
func (m *marked) collectedLocked() *verdict {
	if m.sent || len(m.verdicts) < len(m.shown.Hunks) {
		return nil
	}
	m.sent = true
	v := &verdict{params: m.params(), hunks: len(m.shown.Hunks), answer: true}
	for _, h := range m.shown.Hunks {
		if m.verdicts[h.ID] {
			v.params.Accept.IDs = append(v.params.Accept.IDs, h.ID)
		} else {
			v.params.Reject.IDs = append(v.params.Reject.IDs, h.ID)
		}
	}
	return v
}

// many answers for all hunks that are open: of the changes that are named, else
// of a session, else all.
func (r *plainReview) many(args []json.RawMessage, yes bool) (any, error) {
	a, err := readMany(args)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(a.Changes, func(c hunkArg) bool { return c.HunkID != "" }) {
		return nil, invalid("changes names whole changes; " + commandAccept + " and " + commandReject + " take a hunkId")
	}
	r.mu.Lock()
	var list []*verdict
	stale := false
	for _, m := range slices.Backward(r.list) { // of what stands the newest lies on top
		switch named, fits := a.covers(m); {
		case !named || m.sent:
		case !fits:
			stale = true
		default:
			list = append(list, m.restLocked(yes))
		}
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return r.nothing(stale), nil
	}
	return r.send(list...), nil
}

// readMany takes an argument to the letter: one that names something in vain,
// or nothing, must not be taken for all.
func readMany(args []json.RawMessage) (manyArg, error) {
	var a manyArg
	if len(args) == 0 {
		return a, nil
	}
	const want = "want no argument, for all that is open, or one object {sessionId} or {changes: [{sessionId, changeId, base}]}"
	if len(args) > 1 {
		return a, invalid(want)
	}
	if err := readExactly(args[0], &a); err != nil {
		return a, invalid(want + ": " + err.Error())
	}
	if (a.SessionID == "") == (a.Changes == nil) {
		return a, invalid(want)
	}
	return a, nil
}

// covers says whether a change is meant, and is still what was shown.
func (a manyArg) covers(m *marked) (named, fits bool) {
	if a.Changes == nil {
		named = a.SessionID == "" || a.SessionID == m.session
		return named, named
	}
	for _, c := range a.Changes {
		if c.SessionID == m.session && c.ChangeID == m.change {
			return true, c.Base == m.base
		}
	}
	return false, false
}

// restLocked answers for the hunks that nobody has answered for yet.
func (m *marked) restLocked(yes bool) *verdict {
	if !m.pending() {
		return m.verdict(yes, hunkIDs(m.shown)...)
	}
	for _, h := range m.shown.Hunks {
		if _, decided := m.verdicts[h.ID]; !decided {
			m.verdicts[h.ID] = yes
		}
	}
	if len(m.shown.Hunks) > 0 {
		return m.collectedLocked()
	}
	m.sent = true // an empty file that is to come, or to go
	v := &verdict{params: m.params(), hunks: 1, answer: true}
	v.params.Accept.All, v.params.Reject.All = yes, !yes
	return v
}

// send has answers take effect, and answers the command at once: an editor that
// waits for it may not tell us of its edits before.
func (r *plainReview) send(list ...*verdict) decided {
	var d decided
	for _, v := range list {
		d.Decided += v.hunks
		d.Open += v.open
	}
	r.s.face.Go(func(ctx context.Context) {
		if err := r.carryOut(ctx, list); err != nil && ctx.Err() == nil {
			r.s.face.ShowMessage(lsp.Warning, "Drawbridge: "+err.Error())
		}
	})
	return d
}

// carryOut settles changes one after the other, and says what could not be done.
func (r *plainReview) carryOut(ctx context.Context, list []*verdict) error {
	var trouble error
	for _, v := range list {
		result, err := r.s.resolveChange(ctx, &v.params)
		switch {
		case err != nil && v.answer && !r.s.asks(v.params.SessionID, v.params.ChangeID):
			// Another answer was faster: what is decided can be seen.
		case err != nil:
			r.unsent(v)
			trouble = errors.Join(trouble, r.s.wireError(err))
		case len(result.Stale) > 0:
			why := cmp.Or(result.Why, "their lines have changed since")
			trouble = errors.Join(trouble, fmt.Errorf("%d of %d hunks were left alone: %s", len(result.Stale), v.hunks, why))
		}
	}
	return trouble
}

// asks says that a question about a change is open.
func (s *Server) asks(id, change string) bool {
	sess, err := s.session(id)
	return err == nil && slices.ContainsFunc(sess.Approvals(), func(a session.Approval) bool { return a.Change == change })
}

// unsent opens a proposal again whose answer did not arrive.
func (r *plainReview) unsent(v *verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.findLocked(v.params.SessionID, v.params.ChangeID); m != nil && m.pending() {
		m.sent = false
	}
}

// rest is what a yes to the whole question means: to all hunks but those that
// were rejected one by one.
func (r *plainReview) rest(a session.Approval) (hunks []string, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.findLocked(a.Session, a.Change)
	if m == nil || m.approval != a.ID {
		return nil, true
	}
	for _, h := range m.shown.Hunks {
		if yes, decided := m.verdicts[h.ID]; yes || !decided {
			hunks = append(hunks, h.ID)
		}
	}
	return hunks, len(hunks) == len(m.shown.Hunks)
}
