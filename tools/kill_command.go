package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// endGrace is what kill_command leaves a command from SIGTERM to SIGKILL.
const endGrace = time.Second

// killCommand ends a command that runs, or what one left behind.
type killCommand struct{}

func (killCommand) Spec() Spec {
	return Spec{
		Name: "kill_command", Description: description(killCommandPage), Schema: schema(killCommandSchema),
		Access: Read, Limits: Limits{Timeout: killTimeout, MaxOutput: maxOutput},
	}
}

// Plan asks nobody: it ends only what the session itself started.
func (killCommand) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	id, err := a.filled("process_id")
	if err != nil {
		return Plan{}, err
	}
	h, ok := env.Commands.get(id)
	if !ok {
		return Plan{}, unknownProcess(env.Commands, id)
	}
	run := func(ctx context.Context, ok Accepted, out Output) (Result, error) {
		h, found := env.Commands.get(id)
		if !found {
			return Result{}, unknownProcess(env.Commands, id)
		}
		res := endHeld(ctx, env.Commands, h, out)
		res.Note = lines(personNotes(ok, "", ""), res.Note)
		return res, nil
	}
	return Plan{Title: "End: " + h.title, Access: Read, Own: true, Run: run}, nil
}

// endHeld ends a command and takes what is unread of it. Its end is not
// reported again.
func endHeld(ctx context.Context, c *Commands, h *held, out Output) Result {
	c.disarm(h)
	before, _ := h.process.Status()
	left := len(before.Survivors) + before.More
	if before.Done && left == 0 {
		<-h.process.Done()
		out.Write(h.finish())
		c.remove(h)
		return Result{Note: "[it had already ended: " + exitDetail(h.process.Exit()) + "]"}
	}
	ctx, cancel := context.WithTimeout(ctx, endGrace+killWait)
	defer cancel()
	err := h.process.Kill(ctx, endGrace)
	if err != nil {
		out.Write(h.take())
		return Result{ProcessID: h.process.ID(), Note: fmt.Sprintf("[the command is being killed but is not gone yet; process_id: %s]", h.process.ID())}
	}
	out.Write(h.finish())
	c.remove(h)
	if before.Done {
		return Result{Note: fmt.Sprintf("[killed what the command had left behind: %s; the command itself had ended: %s]",
			processes(left), exitDetail(h.process.Exit()))}
	}
	return Result{Note: "[killed: " + exitDetail(h.process.Exit()) + "]"}
}
