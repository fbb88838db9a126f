package bridge

import (
	"context"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

func (s *Server) listSubagents(_ context.Context, p *protocol.SessionParams) (*protocol.SubagentListResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	result := &protocol.SubagentListResult{}
	for _, a := range sess.Subagents() {
		result.Subagents = append(result.Subagents, toSubagent(a))
	}
	return result, nil
}

func (s *Server) killSubagent(ctx context.Context, p *protocol.SubagentParams) (*protocol.Empty, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	return &protocol.Empty{}, sess.KillSubagent(ctx, p.SubagentID)
}

// closable refuses to close the session of a subagent that lives: its parent's
// model works with it.
func (s *Server) closable(i session.Info) error {
	if i.Origin == nil {
		return nil
	}
	parent, err := s.session(i.Origin.Session)
	if err != nil {
		return nil
	}
	for _, a := range parent.Subagents() {
		if a.Session == i.ID {
			return &session.Error{
				Kind: "invalid", Message: "session " + i.ID + " is a subagent's that lives",
				Hint: "it is closed with session " + i.Origin.Session + "; subagent/kill ends the subagent",
			}
		}
	}
	return nil
}

// withSubagents adds to sessions, unless one alone was asked for, those of their
// subagents that live.
func (s *Server) withSubagents(list []*session.Session, only string) []*session.Session {
	if only != "" {
		return list
	}
	var all []*session.Session
	for _, sess := range list {
		all = append(all, sess)
		for _, a := range sess.Subagents() {
			if child, err := s.session(a.Session); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
