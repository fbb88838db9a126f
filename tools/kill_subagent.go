package tools

import (
	"context"
	"encoding/json"
	"errors"
)

// errKilled is why a subagent ends that its model ends.
var errKilled = errors.New("ended by kill_subagent")

// killSubagent ends a subagent.
type killSubagent struct{}

func (killSubagent) Spec() Spec {
	return Spec{
		Name: "kill_subagent", Description: description(killSubagentPage), Schema: schema(killSubagentSchema),
		Access: Read, Limits: Limits{Timeout: killTimeout, MaxOutput: maxOutput},
	}
}

// Plan asks nobody: it ends only what the session itself started.
func (killSubagent) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	id, err := a.filled("subagent_id")
	if err != nil {
		return Plan{}, err
	}
	of, err := findSubagent(env, id)
	if err != nil {
		return Plan{}, err
	}
	run := func(ctx context.Context, ok Accepted, out Output) (Result, error) {
		of, err := findSubagent(env, id)
		if err != nil {
			return Result{}, err
		}
		res, err := killed(ctx, of, out)
		res.Note = lines(personNotes(ok, "", ""), res.Note)
		return res, err
	}
	return Plan{Title: "End: " + of.Title(), Access: Read, Own: true, Run: run}, nil
}

// killed ends a subagent and takes what is unread of it.
func killed(ctx context.Context, of Subagent, out Output) (Result, error) {
	before, _ := of.Status()
	if err := of.End(ctx, errKilled); err != nil {
		return Result{}, err
	}
	attending{of: of, out: out}.pass()
	if before.Running {
		return Result{Note: "[killed while it was running]"}, nil
	}
	return Result{Note: "[killed: it was idle]"}, nil
}
