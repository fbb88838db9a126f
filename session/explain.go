package session

import (
	"context"

	"drawbridge/approval"
	"drawbridge/model"
)

// Explain says how a call of a tool would be decided now, and names the effect.
// Nothing is asked, carried out or recorded. Why the call cannot be planned is
// an error.
func (s *Session) Explain(ctx context.Context, name, args string) (e approval.Explanation, title string, err error) {
	c := &call{model: model.Call{Name: name, Args: args}}
	if s.planFirst(ctx, c, ""); c.planErr != nil {
		return e, "", c.planErr
	}
	return s.gate.Explain(s.request(c)), c.plan.Title, nil
}

// ExplainCommand says how a command line would be decided now, in the session's
// folder and held as commands are. Nothing is asked, run or recorded.
func (s *Session) ExplainCommand(line string) approval.Explanation {
	cmd := approval.Command{Text: line, Dir: s.Info().Dir, Shell: commandShell(s.Info().Roots)}
	if s.env.Confine != nil {
		held, err := s.env.Confine()
		// What should be held and cannot be would not run at all.
		cmd.Unconfined = held == nil && err == nil
	}
	return s.gate.Explain(approval.Request{Tool: "exec_command", Title: line, Access: approval.Execute, Command: &cmd})
}
