package bridge

import (
	"cmp"
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
	result := &protocol.ChangeShowResult{Change: s.toChange(ch), Diff: ch.Summary.Diff}
	if ch.Gone {
		return result, nil
	}
	shown := standing(ch)
	result.Diff = diff(shown)
	var why string
	result.Hunks, why = s.shownHunks(ch, result.Diff)
	result.Change.Why = cmp.Or(why, result.Change.Why)
	all := hunksLength(result.Hunks) + jsonLength(result.Diff) + jsonLength(shown.Old) + jsonLength(shown.New)
	if !p.Texts || !s.fitsFrame(all) {
		return result, nil
	}
	if shown.Kind != workspace.Create {
		result.OldText = &shown.Old
	}
	if shown.Kind != workspace.Delete {
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
	case p.Accept.All && !p.Reject.IsZero() || p.Reject.All && !p.Accept.IsZero():
		return invalid("a hunk is both accepted and rejected")
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	for i, id := range named {
		switch {
		case !known[id]:
			return invalid(fmt.Sprintf("the change has no hunk %q", id))
		case i > 0 && named[i-1] == id && slices.Contains(p.Accept.IDs, id) && slices.Contains(p.Reject.IDs, id):
			return invalid(fmt.Sprintf("hunk %q is both accepted and rejected", id))
		case i > 0 && named[i-1] == id:
			return invalid(fmt.Sprintf("hunk %q is named twice", id))
		}
	}
	return nil
}

// resolution tells which hunks stand in the end: of what was shown, or of a
// person's own text.
func resolution(before session.Change, done session.Resolution) protocol.ChangeResolveResult {
	after := done.Change
	r := protocol.ChangeResolveResult{State: protocol.ChangeState(after.State), Why: whyStuck(done.Stuck, before)}
	var stand []string
	if after.Done != nil {
		stand = hunkIDs(*after.Done)
	}
	if done.Own && after.State != session.ChangeStale {
		r.Applied = stand
		return r
	}
	stands, stuck := setOf(stand), map[string]bool{}
	for _, s := range done.Stuck {
		stuck[s.Hunk] = true
	}
	for _, id := range hunkIDs(standing(before)) {
		switch {
		case stuck[id] || after.State == session.ChangeStale:
			r.Stale = append(r.Stale, id)
		case stands[id]:
			r.Applied = append(r.Applied, id)
		default:
			r.Rejected = append(r.Rejected, id)
		}
	}
	return r
}

// whyStuck gives the reasons, a line for each hunk. A change of one piece needs no
// name for it.
func whyStuck(list []workspace.Stuck, of session.Change) string {
	if c := standing(of); len(list) == 1 && len(c.Hunks) == 0 {
		return list[0].Why
	}
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = s.Hunk + ": " + s.Why
	}
	return strings.Join(lines, "\n")
}
