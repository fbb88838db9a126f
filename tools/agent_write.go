package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"drawbridge/workspace"
)

// agentWrite creates a file or replaces the whole content of one.
type agentWrite struct{}

func (agentWrite) Spec() Spec {
	return Spec{
		Name: "write", Description: description(agentWritePage), Schema: schema(agentWriteSchema),
		Access: Write, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentStyle,
	}
}

func (agentWrite) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	name, content, err := parseWrite(raw)
	if err != nil {
		return Plan{}, err
	}
	plan, err := planWrite(ctx, env, name, content, wroteWords{unchanged: agentWrote, done: func(e effect, o workspace.Outcome) string {
		return agentDone(func(o workspace.Outcome) string { return agentWrote(e.name, o.Change.Left()) })(e, o)
	}})
	if err != nil {
		if p, resolved := env.Workspace.Resolve(name); resolved == nil {
			if info, _ := env.Workspace.Stat(p); info.Exists && !info.Regular {
				return plan, agentFileFailure(name, &workspace.FileError{Kind: kindOf(info)})
			}
		}
	}
	return plan, err
}

// agentWrote counts the bytes that the file holds now.
func agentWrote(name string, c workspace.Content) string {
	return fmt.Sprintf("wrote %d bytes to %s", len(c.Bytes()), name)
}
