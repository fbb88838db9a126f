// Package headless is an editor without a screen: it speaks the native wire
// to a bridge as any editor does, shows a turn on a terminal or as lines of
// JSON, and answers questions for a person or for nobody. It knows the wire
// only, never what is behind it.
//
// Goroutines: those of its connection, one that reads what the person types (it
// ends with the input), one per open question, and one that tells a new
// terminal its size.
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
)

// Options of one run.
type Options struct {
	Prompt string
	// Dir is the absolute workspace folder.
	Dir    string
	Model  string
	Mode   protocol.Mode
	Preset protocol.Preset
	// Profile counts for a new session only.
	Profile protocol.Profile
	// Session names a session to go on with; Continue takes the newest of Dir.
	Session  string
	Continue bool
	// MaxTime cancels the turn; 0 is no limit.
	MaxTime time.Duration
	// Person answers questions; nil when nobody is there.
	Person Person
	// Terminals asks for commands in ptys, which the person may type into.
	Terminals bool
	View      View
	Version   string
}

// Person answers questions. The zero answer is none. The person is shown text,
// when it is their turn to be: several questions may be open.
type Person interface {
	Answer(ctx context.Context, q protocol.ApprovalRequestParams, text string) protocol.ApprovalAnswer
}

// View shows what happens. Its methods are called one at a time, in the order
// of the wire.
type View interface {
	Event(method string, params json.RawMessage)
	// Continued is the first call when a session is gone on with.
	Continued(c Continued)
	// Question is a question as the person is to read it. It shows nothing.
	Question(q protocol.ApprovalRequestParams) string
	// Asked and Answered enclose the time that a question is open.
	Asked(q protocol.ApprovalRequestParams)
	Answered(q protocol.ApprovalRequestParams, a protocol.ApprovalAnswer)
	// Untrusted says that settings of the workspace do not count.
	Untrusted(r protocol.TrustRequired)
	// Waiting says that the turn is over and so many subagents work on.
	Waiting(subagents int)
	// Typed says that the person types into a command's terminal.
	Typed(terminal string)
	// Ended is the last call.
	Ended(end Ending)
}

// Continued is a session that a run goes on with.
type Continued struct {
	Session string           `json:"sessionId"`
	Title   string           `json:"title"`
	Mode    protocol.Mode    `json:"mode"`
	Profile protocol.Profile `json:"profile"`
	// Lowered is the mode that was not taken over.
	Lowered protocol.Mode `json:"lowered,omitempty"`
}

// Ending is how a run ended.
type Ending struct {
	Session string              `json:"sessionId,omitempty"`
	Turn    string              `json:"turnId,omitempty"`
	Stop    protocol.StopReason `json:"stopReason"`
	Cause   string              `json:"cause,omitempty"`
	Hint    string              `json:"hint,omitempty"`
	Usage   protocol.Usage      `json:"usage"`
	// TimedOut says that MaxTime ran out.
	TimedOut bool `json:"timedOut,omitempty"`
	// Stopped are the titles of the commands that ran on in the background, or had
	// left processes behind, and ended with the run.
	Stopped []string `json:"stopped,omitempty"`

	kind protocol.ErrorKind
}

// Exit codes of a run; they are part of the command's interface.
const (
	ExitDone        = 0   // the model ended its turn
	ExitError       = 1   // something broke; the last line says what
	ExitUsage       = 2   // the command line or the settings are wrong
	ExitLimit       = 3   // a limit of steps, time or tokens was reached
	ExitRefusal     = 4   // the model's service declined to answer
	ExitInterrupted = 5   // the bridge ended first; --continue takes the turn up
	ExitCancelled   = 130 // the person cancelled
)

// Code is the exit code of an ending.
func (e Ending) Code() int {
	if e.TimedOut {
		return ExitLimit
	}
	switch e.Stop {
	case protocol.StopEndTurn:
		return ExitDone
	case protocol.StopMaxTokens, protocol.StopMaxSteps:
		return ExitLimit
	case protocol.StopRefusal:
		return ExitRefusal
	case protocol.StopInterrupted:
		return ExitInterrupted
	case protocol.StopCancelled:
		return ExitCancelled
	}
	return ExitError
}

// Run speaks to the bridge at the other end of rwc until the turn has ended
// and the bridge is shut down. Ending ctx cancels the turn.
func Run(ctx context.Context, rwc io.ReadWriteCloser, o Options) Ending {
	e := connect(rwc, o)
	if t := e.keyboard(); t != nil {
		defer t.Close()
	}
	end := e.run(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	o.View.Ended(end)
	return end
}

func (e *editor) run(ctx context.Context) Ending {
	defer e.conn.Close(time.Second)
	end := Ending{Stop: protocol.StopError}
	if err := e.initialize(); err != nil {
		return end.broken(e.why(err))
	}
	id, err := e.openSession()
	if err != nil {
		return e.plainly(end.broken(err))
	}
	end.Session = id
	e.settleTrust(ctx)
	end = e.turn(ctx, end)
	end.Stopped = e.leftRunning()
	e.shutdown()
	return end
}

// broken says why a run could not come to its end.
func (end Ending) broken(err error) Ending {
	end.Stop, end.Cause = protocol.StopError, err.Error()
	var wire *rpc.Error
	if errors.As(err, &wire) {
		end.Hint, end.kind = wire.Hint, protocol.ErrorKind(wire.Kind)
	}
	return end
}

// plainly puts what a bridge tells programs into words of the command line.
func (e *editor) plainly(end Ending) Ending {
	switch end.kind {
	case protocol.ErrNotInterrupted:
		end.Cause = "the last turn of session " + end.Session + " came to its end; there is nothing to take up"
		end.Hint = "say how to go on: drawbridge run " + e.sameSession() + " PROMPT"
	case protocol.ErrUnknownSession:
		end.Cause = "there is no session " + e.o.Session
		end.Hint = "the last lines of a run name its session; --continue takes the newest of the workspace"
	}
	return end
}

// sameSession is the flag that names the session again.
func (e *editor) sameSession() string {
	if e.o.Session != "" {
		return "--session " + e.o.Session
	}
	return "--continue"
}

// takeUp is what to do about an interrupted turn.
const takeUp = "`drawbridge run --continue` takes the turn up"

// unanswered is the end of a turn whose request was refused, or whose bridge
// ended before it could say how the turn did.
func (end Ending) unanswered(err error) Ending {
	end = end.broken(err)
	var wire *rpc.Error
	if !errors.As(err, &wire) {
		end.Stop, end.Hint = protocol.StopInterrupted, takeUp
	}
	return end
}

// why prefers what ended the connection over what a call saw of it.
func (e *editor) why(err error) error {
	if gone := e.conn.Err(); gone != nil {
		return gone
	}
	return err
}

// turn sends the prompt and waits for its end.
func (e *editor) turn(ctx context.Context, end Ending) Ending {
	params := protocol.PromptParams{SessionID: end.Session, Content: protocol.List[protocol.Block]{protocol.TextBlock(e.o.Prompt)}}
	method := "session/prompt"
	if e.o.Prompt == "" {
		method = "session/continue"
	}
	ctx, cancel := limited(ctx, e.o.MaxTime)
	defer cancel()
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { e.cancelTurn(e.cancelOf(ctx, end.Session), over) })
	defer stop()
	defer close(over)
	var res protocol.PromptResult
	// The turn's own end is awaited, not ctx's: a cancelled turn still says
	// what became of its calls.
	if err := e.call(context.Background(), method, params, &res); err != nil {
		return e.plainly(end.unanswered(e.why(err)))
	}
	end.Turn, end.Stop, end.Cause, end.Hint, end.Usage = res.TurnID, res.StopReason, res.Cause, res.Hint, res.Usage
	if end.Stop == protocol.StopInterrupted && end.Hint == "" {
		end.Hint = takeUp
	}
	if end.Stop == protocol.StopEndTurn {
		end = e.awaitSubagents(ctx, end)
	}
	if errors.Is(context.Cause(ctx), errTime) {
		end.TimedOut, end.Cause = true, e.timeIsUp()
	}
	return end
}

// answerPause is how long the answer of a subagent has to begin a turn.
const answerPause = 300 * time.Millisecond

// awaitSubagents waits for those that work on in the background, and for the turns
// that their answers begin: with the run they would end, and what they were for would
// be lost. Commands in the background are not waited for: a server never ends.
func (e *editor) awaitSubagents(ctx context.Context, end Ending) Ending {
	e.mu.Lock()
	subagents, answered := len(e.working), e.answered
	if subagents > 0 {
		e.o.View.Waiting(subagents)
	}
	e.mu.Unlock()
	if subagents == 0 && !answered {
		return end
	}
	over := ctx.Done()
	for {
		var pause <-chan time.Time
		switch subagents, turning := e.busy(); {
		case !turning && over == nil:
			end.Stop, end.Cause = protocol.StopCancelled, "cancelled while subagents worked"
			return end
		case !turning && subagents == 0:
			pause = time.After(answerPause)
		}
		select {
		case <-e.moved:
			end = e.later(end)
		case <-pause:
			return end
		case <-over:
			over = nil
		case <-e.conn.Gone():
			return end.unanswered(e.why(io.ErrUnexpectedEOF))
		}
	}
}

// later takes over how a turn ended that nobody prompted.
func (e *editor) later(end Ending) Ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.last
	if e.turning || last.TurnID == "" || last.TurnID == end.Turn {
		return end
	}
	end.Turn, end.Stop, end.Cause, end.Hint = last.TurnID, last.StopReason, last.Cause, last.Hint
	end.Usage.InputTokens += last.Usage.InputTokens
	end.Usage.OutputTokens += last.Usage.OutputTokens
	return end
}

var errTime = errors.New("time limit")

func (e *editor) timeIsUp() string {
	return fmt.Sprintf("the time limit of %s was reached", e.o.MaxTime)
}

// cancelOf says what ends the turn: the person, or the limit.
func (e *editor) cancelOf(ctx context.Context, session string) protocol.CancelParams {
	p := protocol.CancelParams{SessionID: session}
	if errors.Is(context.Cause(ctx), errTime) {
		p.Cause = e.timeIsUp()
	}
	return p
}

func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, errTime)
}

// cancelPause is how long a cancellation may go without effect: one that is
// read before its prompt meets no turn.
const cancelPause = 200 * time.Millisecond

// cancelTurn cancels until the turn is over.
func (e *editor) cancelTurn(p protocol.CancelParams, over <-chan struct{}) {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	for ctx.Err() == nil {
		_ = e.call(ctx, "session/cancel", p, nil)
		select {
		case <-over:
			return
		case <-e.conn.Gone():
			return
		case <-time.After(cancelPause):
		}
	}
}
