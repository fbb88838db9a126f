package tools

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"time"

	"drawbridge/workspace"
)

const (
	defaultYield = 60 * time.Second
	minYield     = 250 * time.Millisecond
	// yieldMargin is how long before the time limit a command is left running
	// at the latest.
	yieldMargin = time.Second

	maxTitle = 120
)

// execCommand runs a shell command and waits for it in the foreground for a
// while.
type execCommand struct{}

func (execCommand) Spec() Spec {
	return Spec{
		Name: "exec_command", Description: description(execCommandPage), Schema: schema(execCommandSchema),
		Access: Execute, Limits: Limits{Timeout: commandTimeout, MaxOutput: maxOutput},
	}
}

// Plan names no paths: commands of one directory may run side by side.
func (execCommand) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parseCommand(env, raw)
	if err != nil {
		return Plan{}, err
	}
	x, err := planExecution(env, a)
	if err != nil {
		return Plan{}, err
	}
	return x.plan(x.run, 0), nil
}

// parseCommand is parse for a tool that runs commands.
func parseCommand(env Env, raw json.RawMessage) (arguments, error) {
	if env.Shell == nil {
		return nil, Failf("There is no shell to run commands with.")
	}
	return parse(raw)
}

// plan has the shell made ready meanwhile. A limit of 0 is the tool's own.
func (x execution) plan(run func(context.Context, Accepted, Output) (Result, error), limit time.Duration) Plan {
	x.env.Shell.Ready()
	return Plan{Title: CommandTitle(x.script), Access: Execute, Timeout: limit, Run: run, Command: &Command{
		Script: x.script, Dir: x.dir, Sandbox: x.hold.name(), Escalation: x.hold.escalation, Background: x.background,
	}}
}

func planExecution(env Env, a arguments) (execution, error) {
	// What the model could do nothing with ends with its call, and nobody but a person
	// types into it.
	alone := !env.Offers.keepsCommands()
	x := execution{env: env, alone: alone, mute: alone}
	var err error
	if x.script, err = a.script("cmd"); err != nil {
		return x, err
	}
	if x.dir, err = workdir(env, a); err != nil {
		return x, err
	}
	if x.window, err = window(env, a, defaultYield); err != nil {
		return x, err
	}
	if x.background, err = a.flag("run_in_background"); err != nil {
		return x, err
	}
	if x.background && !x.holds() {
		return x, Failf("Commands cannot be left in the background here. Run it without run_in_background.")
	}
	x.hold, err = planHold(env, a)
	return x, err
}

// script is a required command line.
func (a arguments) script(name string) (string, error) {
	script, err := a.filled(name)
	switch {
	case err != nil:
		return "", err
	case strings.ContainsRune(script, 0):
		return "", Failf("Invalid argument %s: a command line cannot contain a NUL character.", name)
	case runtime.GOOS == "linux" && len(script) > maxScript:
		return "", Failf("Invalid argument %s: %s.", name, tooLong(script))
	}
	return script, nil
}

// workdir is the directory to run in. That it is missing is found out here,
// before anyone is asked.
func workdir(env Env, a arguments) (string, error) {
	name := "."
	if a.has("workdir") {
		given, err := a.text("workdir")
		if err != nil {
			return "", err
		}
		if given != "" {
			name = given
		}
	}
	p, err := env.Workspace.Resolve(name)
	if err != nil {
		return "", fileFailure(name, err)
	}
	info, err := env.Workspace.Stat(workspace.Path{Abs: p.Abs, Rel: p.Rel})
	switch {
	case err != nil:
		return "", Failf("[spawn error: workdir %q: %s]", name, err)
	case !info.Exists:
		return "", Failf("[spawn error: workdir %q does not exist]%s", name, withLine(env.Workspace.Hint(p)))
	case !info.Dir:
		return "", Failf("[spawn error: workdir %q is not a directory]", name)
	}
	return p.Abs, nil
}

// window is how long a call waits for its command.
func window(env Env, a arguments, absent time.Duration) (time.Duration, error) {
	ms, err := a.number("yield_time_ms", int(absent.Milliseconds()))
	return yieldWindow(ms, env.Limits.Timeout), err
}

// yieldWindow is never less than minYield, and else so that the call returns
// before its time limit.
func yieldWindow(yieldMS int, timeout time.Duration) time.Duration {
	d := time.Duration(yieldMS) * time.Millisecond
	if timeout > 0 {
		d = min(d, timeout-yieldMargin)
	}
	return max(d, minYield)
}

// CommandTitle is a command in one line, for people.
func CommandTitle(script string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(script), "\n")
	cut := head(strings.TrimSpace(line), maxTitle-1)
	if cut != strings.TrimSpace(line) || strings.TrimSpace(rest) != "" {
		cut += "…"
	}
	return cut
}
