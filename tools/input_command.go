package tools

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"drawbridge/shell"
)

const (
	pollYield      = 5 * time.Second
	typeYield      = 250 * time.Millisecond
	interruptYield = 2 * time.Second
	// matchYield is how long is waited for a pattern when nothing else is said.
	matchYield = 30 * time.Second

	// ctrlC and ctrlD count only as all there is of chars.
	ctrlC = "\u0003"
	ctrlD = "\u0004"

	maxTyped = 40 // characters of what is typed that a title shows
)

// inputCommand reads on from a command that runs, and types into it.
type inputCommand struct{}

func (inputCommand) Spec() Spec {
	return Spec{
		Name: "input_command", Description: description(inputCommandPage), Schema: schema(inputCommandSchema),
		Access: Execute, Limits: Limits{Timeout: commandTimeout, MaxOutput: maxOutput},
	}
}

func (inputCommand) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	in := input{env: env}
	h, err := in.read(a)
	if err != nil {
		return Plan{}, err
	}
	return in.plan(h), nil
}

// input is a planned input_command.
type input struct {
	env    Env
	id     string
	chars  string
	window time.Duration
	want   *regexp.Regexp // nil: nothing special is waited for
}

func (in *input) read(a arguments) (*held, error) {
	var err error
	if in.id, err = a.filled("process_id"); err != nil {
		return nil, err
	}
	if a.has("chars") {
		if in.chars, err = a.text("chars"); err != nil {
			return nil, err
		}
	}
	if in.want, err = pattern(a); err != nil {
		return nil, err
	}
	if in.window, err = window(in.env, a, in.absent()); err != nil {
		return nil, err
	}
	if in.chars != ctrlC && strings.Contains(in.chars, ctrlC) {
		return nil, Failf("Nothing was typed: chars mixes U+0003 (Ctrl-C) with other text. Send \"\\u0003\" alone to interrupt the command, and the text in another call.")
	}
	h, ok := in.env.Commands.get(in.id)
	if !ok {
		return nil, unknownProcess(in.env.Commands, in.id)
	}
	return h, nil
}

func unknownProcess(c *Commands, id string) error {
	if fate := c.fate(id); fate != "" {
		return Failf("There is no command with process_id %q any more. %s", id, fate)
	}
	return Failf("There is no command with process_id %q. It may have exited and been cleared once its end was read.", id)
}

// absent is the window of a call that names none.
func (in *input) absent() time.Duration {
	switch {
	case in.want != nil:
		return matchYield
	case in.chars == "":
		return pollYield
	case in.chars == ctrlC:
		return interruptYield
	}
	return typeYield
}

// pattern is what is waited for; ^ and $ stand for the ends of each line.
func pattern(a arguments) (*regexp.Regexp, error) {
	if !a.has("wait_for") {
		return nil, nil
	}
	text, err := a.text("wait_for")
	if err != nil || text == "" {
		return nil, err
	}
	want, err := regexp.Compile("(?m)" + text)
	if err != nil {
		return nil, Failf("Invalid argument wait_for: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return want, nil
}

// plan of a call that types is a command: what is typed may be one. To read and
// to interrupt concern only what the session itself started, and so do keys for
// what is gone: nobody is asked about what reaches nobody.
func (in *input) plan(h *held) Plan {
	p := Plan{Access: Read, Own: true, Run: in.run}
	switch {
	case in.chars == "" || in.chars != ctrlC && h.gone():
		p.Title = "Read on: " + h.title
	case in.chars == ctrlC:
		p.Title = "Interrupt: " + h.title
	default:
		spec := h.process.Spec()
		p.Title = "Type " + typed(in.chars) + " into: " + h.title
		p.Access, p.Own = Execute, false
		p.Command = &Command{
			Script: in.chars, Dir: spec.Dir, Sandbox: sandboxName(spec.Confinement), TypedInto: h.title, Process: in.id,
		}
	}
	return p
}

// typed is a text as keys in one line.
func typed(chars string) string {
	cut := head(chars, maxTyped)
	quoted := strconv.Quote(cut)
	if cut != chars {
		return quoted[:len(quoted)-1] + "…\""
	}
	return quoted
}

func (in input) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	h, found := in.env.Commands.get(in.id)
	if !found {
		return Result{}, unknownProcess(in.env.Commands, in.id)
	}
	notes := personNotes(ok, in.chars, "input")
	if ok.Script != nil {
		in.chars = *ok.Script
	}
	defer in.env.Commands.attend(h)()
	f := newFollowing(in.env, h, out, in.want)
	if in.chars == "" {
		f.recall()
	} else {
		f.skip() // what came before the answer is not the answer
		if err := in.send(h.process); err != nil {
			res := f.refuse(err)
			res.Note = lines(notes, res.Note)
			return res, nil
		}
	}
	res, err := f.follow(ctx, in.window, in.chars == "")
	res.Note = lines(notes, res.Note)
	return res, err
}

// send types. The end of the input is a key of terminals only.
func (in input) send(p shell.Process) error {
	switch {
	case in.chars == ctrlC:
		return p.Interrupt()
	case in.chars == ctrlD && !p.Spec().TTY:
		return p.CloseInput()
	}
	return p.Write(in.chars)
}
