// Package shell runs commands for tools: in a pty that a person shares, or
// over pipes. It knows nothing of tools, sessions or editors.
//
// A command is over when its leader has exited: whatever it left behind, also
// in sessions of its own, is ended. The bridge therefore adopts orphans, and
// its children outside its own session are taken for such: no other package may
// start a child with Setsid. GuardMain does the same for a bridge that is killed.
//
// Each process has two goroutines: a reader (sole owner of the output) and a
// waiter (reaps the leader, drains, announces the exit), and one for each kill
// under way. Runner.Close waits for all of them and for its own (see Local).
package shell

import (
	"context"
	"time"
)

// Spec says what to run. It is complete: nothing is inherited from the bridge
// but what is named here.
type Spec struct {
	// Script is given to the shell (see Shell). Shell and its arguments come
	// from the Runner's options.
	Script string
	Dir    string   // absolute
	Env    []string // complete environment; see Environ
	// TTY runs the command in a pty of Cols×Rows; else pipes with a stdin pipe,
	// stdout and stderr in one stream in arrival order.
	TTY        bool
	Cols, Rows uint16
	// Tap sees every byte of output, in order, on the reader's goroutine
	// before any subscriber is woken. It must not block. May be nil.
	Tap func(p []byte)
}

// Exit says how a command ended. The zero value is an ordinary exit 0.
type Exit struct {
	Code   int
	Signal string // "SIGTERM"…; "" unless the leader died of a signal
	// Survivors are processes of the command that were still alive after its
	// leader had gone and were ended by us.
	Survivors int
}

// Runner starts commands and knows those that run. Safe for concurrent use.
type Runner interface {
	// Start runs spec. A command that cannot be started is a *SpawnError.
	Start(spec Spec) (Process, error)
	// Get finds a started command by id, running or exited.
	Get(id string) (Process, bool)
	// List returns the known commands, oldest first.
	List() []Process
	// Forget drops an exited command.
	Forget(id string)
	// Close kills what runs and waits until it is gone or ctx is done.
	// Later Starts fail.
	Close(ctx context.Context) error
}

// Process is one command: a leader and whatever it started. Safe for
// concurrent use.
type Process interface {
	ID() string // "proc-" and 8 hex digits
	Spec() Spec
	Started() time.Time
	// Output holds the newest bytes under absolute offsets; it is closed after
	// the last byte.
	Output() *Ring
	// Write types text; to a closed stdin it is ignored.
	Write(text string) error
	CloseInput() error
	Resize(cols, rows uint16) error
	// Interrupt sends SIGINT to the foreground process group.
	Interrupt() error
	// Kill sends SIGTERM to the whole tree and SIGKILL after the grace, and
	// returns when it is gone or ctx is done.
	Kill(ctx context.Context, grace time.Duration) error
	// Done is closed when the leader has exited, the short drain is over and
	// Output is complete.
	Done() <-chan struct{}
	Exit() Exit // valid after Done
}

// SpawnError is a command that could not be started.
type SpawnError struct {
	Dir string
	Err error
}

func (e *SpawnError) Error() string { return "start command in " + e.Dir + ": " + e.Err.Error() }
func (e *SpawnError) Unwrap() error { return e.Err }
