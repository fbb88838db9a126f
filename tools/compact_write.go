package tools

import (
	"context"
	"encoding/json"
	"strconv"

	"drawbridge/workspace"
)

// compactWrite creates a file or replaces the whole content of one.
type compactWrite struct{}

func (compactWrite) Spec() Spec {
	return Spec{
		Name: "write", Description: description(compactWritePage), Schema: schema(compactWriteSchema),
		Access: Write, Limits: Limits{Timeout: fileTimeout, MaxOutput: compactOutput}, Style: compactFileStyle,
	}
}

func (compactWrite) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	name, err := a.filePath()
	if err != nil {
		return Plan{}, err
	}
	if err := namesFile(name); err != nil {
		return Plan{}, err
	}
	content, err := a.text("content")
	if err != nil {
		return Plan{}, err
	}
	why, err := justification(raw)
	if err != nil {
		return Plan{}, err
	}
	plan, err := planWrite(ctx, env, name, content, wroteWords{unchanged: compactUnchanged("Wrote"), done: compactDone("Wrote")})
	plan.Justification = why
	return plan, err
}

func compactUnchanged(verb string) func(name string, c workspace.Content) string {
	return func(name string, _ workspace.Content) string {
		return verb + " " + quotedName(name) + " (content unchanged)."
	}
}

func quotedName(name string) string { return strconv.Quote(name) }
