package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	if err := checkChoice(hunkIDs(standing(ch)), p); err != nil {
		return nil, err
	}
	done, err := sess.Resolve(ctx, ch.ID, session.Verdict{
		Accept: session.Choice{All: p.Accept.All, Hunks: p.Accept.IDs},
		Reject: session.Choice{All: p.Reject.All, Hunks: p.Reject.IDs},
		Text:   p.Text, Comment: p.Comment,
	})
	if err != nil {
		return nil, err
	}
	r := resolution(ch, done)
	return &r, nil
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

// resolution tells which hunks stand in the end: of what was shown, or of a
// person's own text.
func resolution(before session.Change, done session.Resolution) protocol.ChangeResolveResult {
	after := done.Change
	r := protocol.ChangeResolveResult{State: protocol.ChangeState(after.State), Why: whyStuck(done.Stuck)}
	var stand []string
	if after.Done != nil {
		stand = hunkIDs(*after.Done)
	}
	if done.Own && after.State != session.ChangeStale {
		r.Applied = stand
		return r
	}
	for _, id := range hunkIDs(standing(before)) {
		stuck := slices.ContainsFunc(done.Stuck, func(s workspace.Stuck) bool { return s.Hunk == id })
		switch {
		case stuck || after.State == session.ChangeStale:
			r.Stale = append(r.Stale, id)
		case slices.Contains(stand, id):
			r.Applied = append(r.Applied, id)
		default:
			r.Rejected = append(r.Rejected, id)
		}
	}
	return r
}

// whyStuck gives the reasons, a line for each hunk.
func whyStuck(list []workspace.Stuck) string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = s.Hunk + ": " + s.Why
	}
	return strings.Join(lines, "\n")
}
