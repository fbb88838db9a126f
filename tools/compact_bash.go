package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// compactBash runs one shell command to its end, and ends what it started.
type compactBash struct{}

func (compactBash) Spec() Spec {
	return Spec{
		Name: "bash", Description: description(compactBashPage), Schema: schema(compactBashSchema),
		Access: Execute, Limits: Limits{MaxOutput: compactOutput}, Style: compactBashStyle,
	}
}

func (compactBash) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parseCommand(env, raw)
	if err != nil {
		return Plan{}, err
	}
	timeout, err := a.seconds("timeout")
	if err != nil {
		return Plan{}, err
	}
	env.TTY = false // nobody types
	x := execution{env: env, alone: true, mute: true, told: compactEnd}
	if x.script, err = a.script("command"); err != nil {
		return Plan{}, err
	}
	if x.dir, err = workdir(env, nil); err != nil {
		return Plan{}, err
	}
	if x.hold, err = planHold(env, a); err != nil {
		return Plan{}, err
	}
	return x.plan(x.run, timeout), nil
}

// shortest is the shortest time limit; the longest is what a Duration holds.
const shortest = 10 * time.Millisecond

// seconds is an optional time limit; 0 is none.
func (a arguments) seconds(name string) (time.Duration, error) {
	if !a.has(name) {
		return 0, nil
	}
	digits := strings.Trim(string(a[name]), `" `)
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= shortest.Seconds()) {
		return 0, Failf("Invalid timeout: expected a number of seconds, at least %g, got %s", shortest.Seconds(), a.shown(name))
	}
	return time.Duration(min(n*float64(time.Second), math.MaxInt64/2)), nil
}

// compactEnd tells how a command ended.
func compactEnd(e commandEnd, output string) Result {
	res := Result{Note: lines(e.stopped, e.survivorsNote())}
	if !e.failed() {
		return res
	}
	said := fmt.Sprintf("Command exited with code %d.", e.exit.Code)
	if e.exit.Signal != "" {
		said = "Command was terminated by signal " + e.exit.Signal + "."
	}
	return Result{Status: Failed, Note: lines(said, res.Note, e.heldHint(), e.denied(output))}
}

// heldHint says what held a command that failed: it may be why.
func (e commandEnd) heldHint() string {
	by := e.process.Spec().Confinement
	if by == nil {
		return ""
	}
	return fmt.Sprintf("It ran in the sandbox of preset %s, and is not run again by itself.", by.Preset())
}
