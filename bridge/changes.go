package bridge

import (
	"context"
	"fmt"
	"slices"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/workspace"
)

func (s *Server) listChanges(_ context.Context, p *protocol.ChangeListParams) (*protocol.ChangeListResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	result := &protocol.ChangeListResult{}
	for _, ch := range sess.Changes() {
		if p.TurnID == "" || p.TurnID == ch.Turn {
			result.Changes = append(result.Changes, s.toChange(ch))
		}
	}
	return result, nil
}

func (s *Server) showChange(_ context.Context, p *protocol.ChangeShowParams) (*protocol.ChangeShowResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	ch, err := sess.Change(p.ChangeID)
	if err != nil {
		return nil, err
	}
	result := &protocol.ChangeShowResult{Change: s.toChange(ch), Hunks: s.hunks(ch), Diff: ch.Summary.Diff}
	if ch.Gone {
		return result, nil
	}
	shown := standing(ch)
	result.Diff = diff(shown)
	if p.Texts && shown.Kind != workspace.Create {
		result.OldText = &shown.Old
	}
	if p.Texts && shown.Kind != workspace.Delete {
		result.NewText = &shown.New
	}
	return result, nil
}

func (s *Server) resolveChange(ctx context.Context, p *protocol.ChangeResolveParams) (*protocol.ChangeResolveResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	ch, err := sess.Change(p.ChangeID)
	if err != nil {
		return nil, err
	}
	if p.Base != base(ch) {
		return nil, &session.Error{
			Kind: "stale", Message: "change " + ch.ID + " is no longer what was shown",
			Hint: "change/show has it as it is now",
		}
	}
	verdict, err := acceptance(ch, p)
	if err != nil {
		return nil, err
	}
	settled := s.awaitChange(p.SessionID, ch.ID)
	defer s.forgetWaiter(p.SessionID, ch.ID, settled)
	before := ch
	after, outcome, err := sess.Resolve(ctx, ch.ID, verdict, p.Comment)
	if err != nil {
		return nil, err
	}
	if before.State == session.ChangeProposed {
		if after, err = s.settled(ctx, sess, ch.ID, settled); err != nil {
			return nil, err
		}
	}
	return resolution(before, after, outcome), nil
}

// settled waits for a change that was just answered to be applied or refused.
func (s *Server) settled(ctx context.Context, sess *session.Session, id string, settled <-chan struct{}) (session.Change, error) {
	select {
	case <-settled:
		return sess.Change(id)
	case <-ctx.Done():
		return session.Change{}, context.Cause(ctx)
	}
}

// acceptance is what shall stand. Of a change that waits only what is accepted
// by name; of one that stands already all that is not rejected.
func acceptance(ch session.Change, p *protocol.ChangeResolveParams) (workspace.Acceptance, error) {
	ids := hunkIDs(standing(ch))
	if err := checkChoice(ids, p); err != nil {
		return workspace.Acceptance{}, err
	}
	switch {
	case p.Text != nil:
		return workspace.Acceptance{Text: p.Text}, nil
	case ch.State == session.ChangeProposed && p.Accept.All && p.Reject.IsZero():
		return workspace.Acceptance{All: true}, nil
	case ch.State == session.ChangeProposed:
		return workspace.Acceptance{Hunks: p.Accept.IDs}, nil
	case p.Reject.All:
		return workspace.Acceptance{}, nil
	case p.Reject.IsZero():
		return workspace.Acceptance{All: true}, nil
	}
	keep := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(p.Reject.IDs, id) })
	return workspace.Acceptance{Hunks: keep}, nil
}

// checkChoice refuses what cannot be meant.
func checkChoice(ids []string, p *protocol.ChangeResolveParams) error {
	named := slices.Concat(p.Accept.IDs, p.Reject.IDs)
	slices.Sort(named)
	switch {
	case p.Text != nil && !(p.Accept.IsZero() && p.Reject.IsZero()):
		return invalid("text stands instead of accept and reject, not beside them")
	case p.Text == nil && p.Accept.IsZero() && p.Reject.IsZero():
		return invalid("nothing to resolve: accept, reject and text are all missing")
	case p.Accept.All && !p.Reject.IsZero() || p.Reject.All && !p.Accept.IsZero(),
		len(slices.Compact(slices.Clone(named))) != len(named):
		return invalid("a hunk is both accepted and rejected")
	}
	for _, id := range named {
		if !slices.Contains(ids, id) {
			return invalid(fmt.Sprintf("the change has no hunk %q", id))
		}
	}
	return nil
}

// resolution tells which hunks stand in the end.
func resolution(before, after session.Change, o workspace.Outcome) *protocol.ChangeResolveResult {
	r := &protocol.ChangeResolveResult{State: protocol.ChangeState(after.State)}
	var stand []string
	if after.Done != nil {
		stand = hunkIDs(*after.Done)
	}
	for _, id := range hunkIDs(standing(before)) {
		switch {
		case slices.Contains(stand, id) && !(o.State == workspace.Stale && slices.Contains(o.Rejected, id)):
			r.Applied = append(r.Applied, id)
		case o.State == workspace.Stale || after.State == session.ChangeStale:
			r.Stale = append(r.Stale, id)
		default:
			r.Rejected = append(r.Rejected, id)
		}
	}
	return r
}

func changeKey(session, change string) string { return session + "/" + change }

// awaitChange returns a channel that is closed when the change is next updated.
func (s *Server) awaitChange(session, change string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := make(chan struct{})
	key := changeKey(session, change)
	s.waiters[key] = append(s.waiters[key], ch)
	return ch
}

func (s *Server) forgetWaiter(session, change string, gone chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := changeKey(session, change)
	s.waiters[key] = slices.DeleteFunc(s.waiters[key], func(ch chan struct{}) bool { return ch == gone })
	if len(s.waiters[key]) == 0 {
		delete(s.waiters, key)
	}
}

// changed wakes those who wait for a change to be settled.
func (s *Server) changed(session string, ch session.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := changeKey(session, ch.ID)
	for _, wait := range s.waiters[key] {
		close(wait)
	}
	delete(s.waiters, key)
}
