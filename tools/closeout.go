package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"
)

// ErrInterrupted is the cause to cancel a call's context with when the user
// breaks it off.
var ErrInterrupted = errors.New("interrupted by the user")

// ErrTimeout is the cause that a running tool sees when its time is up.
var ErrTimeout = errors.New("tool timeout")

// abandonAfter is how long a tool may ignore the end of its context before its
// call is closed out without it.
const abandonAfter = 2 * time.Second

// CarryOut carries out one call and closes it out: limits, markers, archive and
// the decision how it ended are here and in no tool. It always returns exactly
// one Outcome, whatever run does, and makes all callbacks on the caller's
// goroutine.
//
// How a call ended is decided by the first that holds: ctx was cancelled, the
// time limit was reached, run returned an error or panicked, run's own report.
func CarryOut(ctx context.Context, call Call, run func(ctx context.Context, out Output) (Result, error)) Outcome {
	memory.begin()
	defer memory.end()
	began := time.Now()
	runCtx, clock := startClock(ctx, call.Limits.Timeout)
	defer clock.stop()
	out := newOutput(call)
	out.clock = clock
	end := out.pump(runCtx, start(runCtx, out, run))
	c := closing{call: call, out: out, end: end, took: time.Since(began)}
	// From here on a late cancel changes nothing: writing the archive must not
	// turn a finished call into an aborted one.
	c.judge(ctx, runCtx)
	c.redact()
	o := c.outcome()
	c.letGo()
	return o
}

// ending is how run came back.
type ending struct {
	result    Result
	err       error
	panicked  bool
	abandoned bool // it did not come back
}

// start runs the tool on its own goroutine, which ends with run. The channel
// has room, so that an abandoned tool can still end.
func start(ctx context.Context, out *output, run func(context.Context, Output) (Result, error)) <-chan ending {
	done := make(chan ending, 1)
	go func() {
		end := ending{err: errors.New("the tool ended without a result"), panicked: true}
		defer func() {
			if p := recover(); p != nil {
				end.err = &panicError{value: p, stack: debug.Stack()}
			}
			done <- end
		}()
		res, err := run(ctx, out)
		end = ending{result: res, err: err}
	}()
	return done
}

// panicError is a bug of ours. The stack is for the log, not for the model.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprint(e.value) }

// Stack returns where it happened.
func (e *panicError) Stack() string { return string(e.stack) }

// closing turns an ending into an Outcome.
type closing struct {
	call   Call
	out    *output
	end    ending
	took   time.Duration
	status Status
	marker []string // lines that say how the call ended
	fault  error
}

func (c *closing) judge(ctx, runCtx context.Context) {
	c.status = c.end.result.Status
	if c.status == "" {
		c.status = Completed
	}
	switch {
	case ctx.Err() != nil:
		c.status = Aborted
		c.marker = []string{"[interrupted: tool aborted by user]", c.interruption(context.Cause(ctx))}
	case errors.Is(context.Cause(runCtx), ErrTimeout):
		c.status = Failed
		c.marker = []string{c.call.Style.timedOut(c.call.Limits.Timeout)}
	case c.end.err != nil:
		c.status = Failed
		c.marker = []string{errorLine(c.end.err)}
	}
	c.fault = c.blame(context.Cause(runCtx))
	if c.end.abandoned {
		c.marker = append(c.marker, "(the tool did not stop; what it still does is unknown)")
	}
}

// interruption tells the model that the tool did run, how long, and what broke
// it off when it was not the user.
func (c *closing) interruption(cause error) string {
	line := fmt.Sprintf("(interrupted after %.1f s", c.took.Seconds())
	if cause != nil && !errors.Is(cause, ErrInterrupted) && !errors.Is(cause, context.Canceled) {
		line += ": " + cause.Error()
	}
	return line + ")"
}

func errorLine(err error) string {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Text
	}
	return "[tool error] " + err.Error()
}

// blame picks out what is worth a look by us: not what the model can mend, and
// not the echo of the cancellation itself.
func (c *closing) blame(cause error) error {
	err := c.end.err
	var failure *Failure
	switch {
	case c.end.abandoned:
		return fmt.Errorf("call %s: %s ignored the end of its context for %s", c.call.ID, c.call.Name, abandonAfter)
	case err == nil || errors.As(err, &failure):
		return nil
	case cause != nil && (errors.Is(err, cause) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return nil
	}
	return fmt.Errorf("call %s: %s: %w", c.call.ID, c.call.Name, err)
}

// redact takes secrets out of what is said besides the body.
func (c *closing) redact() {
	c.end.result.Note = c.out.Redact(c.end.result.Note)
	for i, m := range c.marker {
		c.marker[i] = c.out.Redact(m)
	}
}

// outcome puts the text together and streams what is added to the body, as if
// it came behind it.
func (c *closing) outcome() Outcome {
	res := c.end.result
	o := Outcome{
		Status: c.status, Duration: c.took, Err: c.fault, Note: res.Note,
		Change: res.Outcome, ProcessID: res.ProcessID,
	}
	ending := append([]string{res.Note}, c.marker...)
	body := c.body(&o, &ending)
	for _, line := range ending {
		c.out.line(line)
	}
	parts := append([]string{body}, ending...)
	if c.call.Style.First {
		parts = append(ending, body)
	}
	if o.Text = onLines(parts...); o.Text == "" {
		o.Text = c.call.Style.empty()
		c.out.emit(o.Text)
	}
	if c.status == Completed {
		o.Images = res.Images
	}
	return o
}

// body is the output as it is told of: what the tool itself has lost of it, what
// stays of it, and that it was truncated. A note about its archive comes first of
// what follows.
func (c *closing) body(o *Outcome, ending *[]string) string {
	kept := c.kept()
	body := c.out.body(kept)
	room := c.room(*ending)
	if !c.out.truncated() && c.call.Style.size(body) <= room {
		return onLines(c.end.result.lead, body)
	}
	if kept == nil {
		kept = c.out.whole()
	}
	loss, note := c.archive(kept)
	o.Archive = loss.File
	marker := c.call.Style.cut(loss)
	c.out.emit(marker)
	*ending = append([]string{note}, *ending...)
	body = c.call.Style.head(body, room-c.call.Style.size(marker))
	return onLines(c.end.result.lead, body) + marker
}

// room is how much the body may count besides what is never cut.
func (c *closing) room(ending []string) int {
	style, limit := c.call.Style, c.call.Limits.MaxOutput
	if !style.Inside || limit <= 0 {
		return math.MaxInt
	}
	for _, line := range append([]string{c.end.result.lead}, ending...) {
		if line != "" {
			limit -= style.size(line) + 1
		}
	}
	return limit
}

// onLines joins what is not empty; each part begins on a line of its own.
func onLines(parts ...string) string {
	var b strings.Builder
	last := ""
	for _, p := range parts {
		if p == "" {
			continue
		}
		if last != "" && !strings.HasSuffix(last, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(p)
		last = p
	}
	return b.String()
}

// letGo forgets the output that was kept in case of need.
func (c *closing) letGo() {
	for _, kept := range []*capture{c.end.result.capture, c.out.excess} {
		if kept != nil {
			kept.drop()
		}
	}
}

// kept is what holds more of the output than was shown, nil if nothing does.
func (c *closing) kept() *capture {
	kept := c.end.result.capture
	if kept == nil {
		kept = c.out.excess
	}
	if kept != nil {
		kept.noNUL = c.call.Style.NoNUL
	}
	return kept
}

// archive keeps the whole output of a truncated call. A failure is told but
// changes nothing of how the call ended.
func (c *closing) archive(kept *capture) (loss Loss, note string) {
	loss.Limit = c.call.Limits.MaxOutput
	if kept == nil || c.call.ArchiveDir == "" || c.call.Style.NoArchive {
		return loss, ""
	}
	kept.redact = c.call.Redact
	path, whole, err := kept.save(c.call.ArchiveDir, c.call.Name, c.call.ID)
	if err != nil {
		code := errorCode(err)
		if c.call.Warn != nil {
			c.call.Warn(c.call.Name + ": output archive failed: " + code)
		}
		return loss, c.call.Style.archiveNote("[output archive failed: " + code + "]")
	}
	loss.File, loss.Gap = path, !whole
	if loss.Gap {
		return loss, c.call.Style.archiveNote("[output archived (4 MiB limit; head and tail kept): " + path + "]")
	}
	return loss, c.call.Style.archiveNote("[output archived: " + path + "]")
}
