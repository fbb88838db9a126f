package tools

import (
	"context"
	"encoding/json"
	"math"
	"time"
)

// runSubagent has another model work on a task, and waits for it for a while.
type runSubagent struct{}

func (runSubagent) Spec() Spec {
	return Spec{
		Name: "run_subagent", Description: description(runSubagentPage), Schema: schema(runSubagentSchema),
		Access: Read, Limits: Limits{Timeout: subagentTimeout, MaxOutput: maxOutput},
	}
}

// Plan has nobody asked: whatever the subagent does is decided by itself.
func (runSubagent) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	r := subagentRun{env: env}
	if err := r.read(a); err != nil {
		return Plan{}, err
	}
	if env.Subagents == nil {
		return Plan{}, errNoSubagents
	}
	if err := env.Subagents.Check(r.start); err != nil {
		return Plan{}, err
	}
	return Plan{Title: "Subagent: " + r.start.Title, Access: Read, Own: true, Run: r.run}, nil
}

// subagentRun is a planned run_subagent.
type subagentRun struct {
	env    Env
	start  SubagentStart
	window time.Duration // how long is waited for the answer
}

func (r *subagentRun) read(a arguments) error {
	var err error
	if r.start.Prompt, err = a.filled("prompt"); err != nil {
		return err
	}
	if id, _ := a.text("agent_id"); !a.blank("agent_id") && id != "current" {
		return Failf("Invalid argument agent_id: %s is not known; leave it out or name \"current\".", a.shown("agent_id"))
	}
	if err := r.readModel(a); err != nil {
		return err
	}
	if r.start.Thinking, err = a.thinking(); err != nil {
		return err
	}
	if r.start.Background, err = a.flag("run_in_background"); err != nil {
		return err
	}
	r.start.Title = subagentTitle(a)
	if r.window, err = window(r.env, a, subagentYield); r.env.Offers.keepsSubagents() {
		return err
	}
	r.window = math.MaxInt64 // one that the model could not reach is waited for, and ends with the call
	if err == nil && r.start.Background {
		err = Failf("Subagents cannot be left in the background here. Run it without run_in_background. No subagent was started.")
	}
	return err
}

func (r *subagentRun) readModel(a arguments) error {
	named, provided := !a.blank("model_id"), !a.blank("provider")
	switch {
	case named && !provided:
		return Failf("Missing required argument: provider. model_id and provider go together; leave both out to use the model of this session. No subagent was started.")
	case provided && !named:
		return Failf("Missing required argument: model_id. model_id and provider go together; leave both out to use the model of this session. No subagent was started.")
	case !named:
		return nil
	}
	var err error
	if r.start.Model, err = a.text("model_id"); err != nil {
		return err
	}
	r.start.Provider, err = a.text("provider")
	return err
}

// run starts the subagent. One whose start is broken off is ended.
func (r subagentRun) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	r.start.Call = out.Call()
	a, err := r.env.Subagents.Start(r.start)
	if err != nil {
		return Result{}, err
	}
	notes := personNotes(ok, "", "")
	if r.start.Background {
		return Result{Note: lines(notes, "[running in the background; subagent_id: "+a.ID()+"]\n"+
			"You are told when it has answered. Until then input_subagent reads what it says, and kill_subagent ends it.")}, nil
	}
	defer a.Attend(out.Call(), "Subagent: "+a.Title())()
	res, err := attending{of: a, out: out, window: r.window, offers: r.env.Offers}.follow(ctx)
	if err != nil {
		endSubagent(ctx, a)
	}
	res.Note = lines(notes, res.Note)
	return res, err
}

// endSubagent ends a subagent with the call that waits for it, for the reason for
// which that ends.
func endSubagent(ctx context.Context, a Subagent) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
	defer cancel()
	_ = a.End(bounded, context.Cause(ctx)) // one that takes longer ends without being waited for
}
