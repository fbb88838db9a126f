package tools

import (
	"context"
	"fmt"
	"time"

	"drawbridge/shell"
)

const (
	killGrace = 150 * time.Millisecond
	// killWait ends before a call that ignores its context is abandoned.
	killWait = 1500 * time.Millisecond
)

// execution is a planned command.
type execution struct {
	env         Env
	script, dir string
	window      time.Duration
	background  bool // from the start
	hold        hold
	// alone says that nothing of it is held: the call waits for its end, and with it
	// all that it started is ended.
	alone bool
	// mute says that nobody types but a person in a terminal: its input is closed.
	mute bool
	// told describes its end; nil is commandEnd.result.
	told func(e commandEnd, output string) Result
	// around adds to how it is started; nil adds nothing. whole adds to what was
	// taken of it once it has ended, before the last of that is passed on.
	around func(s *shell.Spec)
	whole  func(t *take)
	gap    string // see take
}

// holds says that the session keeps what outlives the call.
func (x execution) holds() bool { return x.env.Commands != nil && !x.alone }

func (x execution) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	if x.env.Commands.over() {
		return Result{}, errDisposed
	}
	if err := x.hold.still(x.env); err != nil {
		return Result{}, err
	}
	notes := personNotes(ok, x.script, "command")
	if ok.Script != nil {
		x.script = *ok.Script
	}
	res, err := x.start(ctx, out)
	res.Note = lines(notes, res.Note)
	return res, err
}

var errDisposed = Failf("The session is disposed: its commands are gone and no more can be started.")

func (x execution) start(ctx context.Context, out Output) (Result, error) {
	spec := x.spec(ctx)
	if x.around != nil {
		x.around(&spec)
	}
	taken := newTake(spec, x.env.Limits.MaxOutput)
	taken.gap = x.gap
	defer taken.release()
	spec.Tap = taken.tap
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	p, err := x.env.Shell.Start(spec)
	if err != nil {
		if ctx.Err() != nil { // a session that closes starts nothing: the call ends for its cause
			return Result{}, context.Cause(ctx)
		}
		if refusal := x.hold.refused(err, x.env.Offers); refusal != nil {
			return Result{}, refusal
		}
		return Result{Status: Failed, Note: spawnNote(err, x.script)}, nil
	}
	taken.text.follow(p)
	if x.mute && !spec.TTY {
		_ = p.CloseInput() // of a command that is gone there is none
	}
	out.Terminal(p)
	if x.background {
		return x.leave(ctx, p, out)
	}
	res, err := x.await(ctx, p, taken, out)
	res.capture = taken.release()
	return res, err
}

func (x execution) spec(ctx context.Context) shell.Spec {
	s := shell.Spec{Script: x.script, Dir: x.dir, TTY: x.env.TTY, Cols: x.env.Cols, Rows: x.env.Rows, Confinement: x.hold.by}
	if s.TTY && (s.Cols == 0 || s.Rows == 0) {
		s.Cols, s.Rows = 120, 30
	}
	if x.env.Environ != nil {
		s.Env = x.env.Environ(ctx, s.TTY)
	}
	return s
}

// await passes text on until the command ends, its window does, or the call
// does. A command whose call ends is killed at once, with all it started.
// Where nothing is held there is no window.
func (x execution) await(ctx context.Context, p shell.Process, taken *take, out Output) (Result, error) {
	began := time.Now()
	var over <-chan time.Time
	if x.holds() {
		timer := time.NewTimer(x.window)
		defer timer.Stop()
		over = timer.C
	}
	quiet := time.NewTimer(quietAfter)
	defer quiet.Stop()
	status, changed := p.Status()
	for {
		if x.holds() && stuck(p, status) {
			return x.yield(ctx, p, taken, out, time.Since(began))
		}
		select {
		case <-taken.wake:
			taken.forward(out)
			quiet.Reset(quietAfter)
		case <-quiet.C:
			taken.glance(out)
		case <-p.Done():
			return x.ended(ctx, p, taken, out)
		case <-changed:
			status, changed = p.Status()
		case <-over:
			return x.yield(ctx, p, taken, out, x.window)
		case <-ctx.Done():
			note := kill(ctx, p)
			x.complete(taken)
			taken.finish(out)
			return Result{Note: note}, context.Cause(ctx)
		}
	}
}

// stuck says that the model alone can make the command go on: it waits for
// typing, and no person has a terminal to type into.
func stuck(p shell.Process, s shell.Status) bool { return s.Waiting && !s.Done && !p.Spec().TTY }

// ended closes a command whose leader has exited. What lives on is held for the
// model, or ended where nothing is held.
func (x execution) ended(ctx context.Context, p shell.Process, taken *take, out Output) (Result, error) {
	end := endOf(p, x.env)
	if end.left > 0 && !x.holds() {
		_ = kill(ctx, p) // what cannot be killed is the runner's to report
		end.killed, end.left = end.left, 0
	}
	x.complete(taken)
	if end.left == 0 {
		taken.finish(out)
		return x.result(end, taken.recent()), nil
	}
	err := x.keep(ctx, &held{process: p, unread: taken.handOver(p, out), told: true}, out)
	return x.result(end, taken.recent()), err
}

func (x execution) complete(t *take) {
	if x.whole != nil {
		x.whole(t)
	}
}

func (x execution) result(end commandEnd, output string) Result {
	if x.told != nil {
		return x.told(end, output)
	}
	return end.result(output)
}

// yield leaves a command running that is waited for no longer.
func (x execution) yield(ctx context.Context, p shell.Process, taken *take, out Output, waited time.Duration) (Result, error) {
	err := x.keep(ctx, &held{process: p, unread: taken.handOver(p, out)}, out)
	status, _ := p.Status()
	return Result{ProcessID: p.ID(), Note: yieldNote(p, status, waited)}, err
}

// leave starts a command in the background.
func (x execution) leave(ctx context.Context, p shell.Process, out Output) (Result, error) {
	err := x.keep(ctx, &held{process: p, unread: newUnread(p), background: true}, out)
	return Result{ProcessID: p.ID(), Note: backgroundNote(p)}, err
}

func (x execution) keep(ctx context.Context, h *held, out Output) error {
	h.call, h.title, h.redact = out.Call(), CommandTitle(x.script), out.Redact
	if x.env.Commands.add(h) {
		return nil
	}
	kill(ctx, h.process)
	return errDisposed
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
