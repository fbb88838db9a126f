package bridge

import (
	"context"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

func (s *Server) resolveAll(ctx context.Context, p *protocol.ChangeResolveAllParams) (*protocol.ChangeResolveAllResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	verdict := session.Verdict{Reject: session.Choice{All: true}, Comment: p.Comment}
	if p.Accept {
		verdict.Accept, verdict.Reject = verdict.Reject, session.Choice{}
	}
	result := &protocol.ChangeResolveAllResult{}
	for _, one := range sess.ResolveAll(ctx, p.TurnID, verdict) {
		result.Changes = append(result.Changes, s.toSettled(one))
	}
	return result, nil
}

func (s *Server) toSettled(one session.Settled) protocol.ChangeSettled {
	row := protocol.ChangeSettled{ChangeID: one.ID, ChangeResolveResult: resolution(one.Before, one.Resolution)}
	row.Error, row.Why = row.Why, ""
	if one.Err != nil {
		row.Error = s.redacted(one.Err.Error())
	}
	return row
}
