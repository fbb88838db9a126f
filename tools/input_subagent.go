package tools

import (
	"context"
	"encoding/json"
	"time"
)

// inputSubagent reads on from a subagent, or gives it a further prompt.
type inputSubagent struct{}

func (inputSubagent) Spec() Spec {
	return Spec{
		Name: "input_subagent", Description: description(inputSubagentPage), Schema: schema(inputSubagentSchema),
		Access: Read, Limits: Limits{Timeout: subagentTimeout, MaxOutput: maxOutput},
	}
}

func (inputSubagent) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	in := subagentInput{env: env}
	of, err := in.read(a)
	if err != nil {
		return Plan{}, err
	}
	title := "Read on: "
	if in.prompt != "" {
		title = "Ask on: "
	}
	return Plan{Title: title + of.Title(), Access: Read, Own: true, Run: in.run}, nil
}

// subagentInput is a planned input_subagent.
type subagentInput struct {
	env    Env
	id     string
	prompt string
	window time.Duration
}

func (in *subagentInput) read(a arguments) (Subagent, error) {
	var err error
	if in.id, err = a.filled("subagent_id"); err != nil {
		return nil, err
	}
	absent := subagentPollYield
	if !a.blank("prompt") {
		absent = subagentYield
		if in.prompt, err = a.text("prompt"); err != nil {
			return nil, err
		}
	}
	if in.window, err = window(in.env, a, absent); err != nil {
		return nil, err
	}
	return findSubagent(in.env, in.id)
}

func findSubagent(env Env, id string) (Subagent, error) {
	if env.Subagents == nil {
		return nil, errNoSubagents
	}
	of := env.Subagents.Find(id)
	if of == nil {
		return nil, unknownSubagent(env.Subagents, id)
	}
	return of, nil
}

// run leaves the subagent alone when it is broken off, but for what it was asked
// by this very call.
func (in subagentInput) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	of, err := findSubagent(in.env, in.id)
	if err != nil {
		return Result{}, err
	}
	if in.prompt != "" {
		if err := of.Prompt(in.prompt); err != nil {
			return Result{}, err
		}
	}
	defer of.Attend(out.Call(), "Subagent: "+of.Title())()
	res, err := attending{of: of, out: out, window: in.window, offers: in.env.Offers}.follow(ctx)
	if err != nil && in.prompt != "" {
		of.Stop(context.Cause(ctx))
		awaitIdle(of)
	}
	res.Note = lines(personNotes(ok, "", ""), res.Note)
	return res, err
}

// awaitIdle waits for the end of a turn that was stopped, bounded.
func awaitIdle(of Subagent) {
	limit := time.NewTimer(killWait)
	defer limit.Stop()
	for {
		status, changed := of.Status()
		if !status.Running {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			return
		}
	}
}
