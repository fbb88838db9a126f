package bridge

import (
	"context"

	"drawbridge/approval/rule"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

func (s *Server) listRules(_ context.Context, p *protocol.RulesListParams) (*protocol.RulesListResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	result := &protocol.RulesListResult{Rules: protocol.List[protocol.Rule]{}}
	for _, r := range sess.Rules() {
		result.Rules = append(result.Rules, protocol.Rule{
			Verdict: protocol.Verdict(r.Verdict), Rule: s.redacted(r.Text), Source: protocol.RuleSource(r.Source),
			Where: r.Where, Problem: s.redacted(r.Problem),
		})
	}
	return result, nil
}

// forgetRule takes a remembered yes back; what people wrote themselves is not
// touched.
func (s *Server) forgetRule(_ context.Context, p *protocol.RulesForgetParams) (*protocol.RulesForgetResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	forgotten := false
	switch source := rule.Source(p.Source); source {
	case rule.GrantSession:
		forgotten = sess.Forget(p.Rule)
	case rule.GrantWorkspace, rule.GrantUser:
		if s.o.Forget != nil {
			forgotten, err = s.o.Forget(sess.Info().Dir, source, p.Rule)
		}
	default:
		err = &session.Error{
			Kind: "invalid", Message: "only a remembered yes can be forgotten, not what comes from " + string(p.Source),
			Hint: "name grantSession, grantWorkspace or grantUser",
		}
	}
	if err != nil {
		return nil, err
	}
	if forgotten {
		sess.NoteForgotten(string(p.Source), p.Rule)
	}
	return &protocol.RulesForgetResult{Forgotten: forgotten}, nil
}
