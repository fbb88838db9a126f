package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"drawbridge/shell"
	"drawbridge/workspace"
)

const (
	defaultYield = 60 * time.Second
	minYield     = 250 * time.Millisecond
	// yieldMargin is how long before the time limit a command is left running
	// at the latest.
	yieldMargin = time.Second

	killGrace = 150 * time.Millisecond
	// killWait ends before a call that ignores its context is abandoned.
	killWait = 1500 * time.Millisecond

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
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	script, err := a.filled("cmd")
	if err != nil {
		return Plan{}, err
	}
	if strings.ContainsRune(script, 0) {
		return Plan{}, Failf("Invalid argument cmd: a command line cannot contain a NUL character.")
	}
	dir, err := workdir(env, a)
	if err != nil {
		return Plan{}, err
	}
	yield, err := a.number("yield_time_ms", int(defaultYield.Milliseconds()))
	if err != nil {
		return Plan{}, err
	}
	if env.Shell == nil {
		return Plan{}, Failf("There is no shell to run commands with.")
	}
	run := execution{env: env, script: script, dir: dir, window: yieldWindow(yield, env.Limits.Timeout)}
	return Plan{Title: CommandTitle(script), Access: Execute, Command: &Command{Script: script, Dir: dir}, Run: run.run}, nil
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

// yieldWindow is how long a command is waited for: never less than minYield, and
// else so that the call returns before its time limit.
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

// execution is a planned command.
type execution struct {
	env         Env
	script, dir string
	window      time.Duration
}

func (x execution) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var notes []string
	if ok.Script != nil && *ok.Script != x.script {
		x.script = *ok.Script
		notes = append(notes, "[the user changed the command to: "+x.script+"]")
	}
	if ok.Comment != "" {
		notes = append(notes, "The user says: "+ok.Comment)
	}
	notes = append(notes, unsavedNote(ok.Unsaved))
	taken := newTake(x.env.TTY, x.env.Limits.MaxOutput)
	defer taken.stop()
	spec := x.spec(ctx, taken)
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	p, err := x.env.Shell.Start(spec)
	if err != nil {
		return Result{Status: Failed, Note: lines(append(notes, spawnNote(err))...)}, nil
	}
	out.Terminal(p)
	res, err := x.await(ctx, p, taken, out)
	res.Note = lines(append(notes, res.Note)...)
	res.capture = taken.stop()
	return res, err
}

func (x execution) spec(ctx context.Context, taken *take) shell.Spec {
	s := shell.Spec{
		Script: x.script, Dir: x.dir, TTY: x.env.TTY,
		Cols: x.env.Cols, Rows: x.env.Rows, Tap: taken.tap,
	}
	if s.TTY && (s.Cols == 0 || s.Rows == 0) {
		s.Cols, s.Rows = 120, 30
	}
	if x.env.Environ != nil {
		s.Env = x.env.Environ(ctx, s.TTY)
	}
	return s
}

// unsavedNote is for the person as well: it may be the reason why a test fails.
func unsavedNote(names []string) string {
	const most = 20
	if len(names) == 0 {
		return ""
	}
	list := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" (+%d more)", more)
	}
	return "[note: unsaved in the editor, the command found the text on the disk: " + list + "]"
}

func spawnNote(err error) string {
	if spawn, ok := errors.AsType[*shell.SpawnError](err); ok {
		err = spawn.Err
	}
	return "[spawn error: " + err.Error() + "]"
}

// await passes text on until the command ends, its window does, or the call
// does. A command whose call ends is killed at once, with all it started.
func (x execution) await(ctx context.Context, p shell.Process, taken *take, out Output) (Result, error) {
	timer := time.NewTimer(x.window)
	defer timer.Stop()
	for {
		select {
		case <-taken.wake:
			taken.forward(out)
		case <-p.Done():
			taken.finish(out)
			return exited(p.Exit()), nil
		case <-timer.C:
			taken.finish(out)
			return x.yielded(p), nil
		case <-ctx.Done():
			gone := kill(ctx, p)
			taken.finish(out)
			return Result{Note: gone}, context.Cause(ctx)
		}
	}
}

// kill returns a note when the command could not be ended in time.
func kill(ctx context.Context, p shell.Process) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
	defer cancel()
	if err := p.Kill(ctx, killGrace); err != nil {
		return fmt.Sprintf("[the command (%s) is being killed but is not gone yet]", p.ID())
	}
	return ""
}

func exited(e shell.Exit) Result {
	var res Result
	var notes []string
	switch {
	case e.Signal != "":
		res.Status = Failed
		notes = append(notes, fmt.Sprintf("[terminated by signal %s]", e.Signal))
	case e.Code != 0:
		res.Status = Failed
		notes = append(notes, fmt.Sprintf("[exit code: %d]", e.Code))
	}
	switch n := e.Survivors; {
	case n == 1:
		notes = append(notes, "[1 process that the command left behind in the background was ended with it]")
	case n > 1:
		notes = append(notes, fmt.Sprintf("[%d processes that the command left behind in the background were ended with it]", n))
	}
	res.Note = lines(notes...)
	return res
}

func (x execution) yielded(p shell.Process) Result {
	further := "is not part of this result"
	if x.env.TTY {
		further = "goes to the user's terminal"
	}
	return Result{ProcessID: p.ID(), Note: fmt.Sprintf(
		"[still running after %s; process_id: %s]\nThe command runs on in the background; its further output %s. Go on with other work, and do not start it a second time.",
		x.window, p.ID(), further)}
}

func lines(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
