// Package shell runs commands for tools: in a pty that a person shares, or
// over pipes. It knows nothing of tools, sessions or editors.
//
// A command is done when its leader has exited. What the leader left behind
// lives on, is listed, and is ended by Kill or with the runner, also when it
// has a session of its own. Each command has a guard for that, a process between
// it and the bridge (see package guard and GuardMain). Should a guard be killed,
// its command's processes become the bridge's children, which is why no other
// package may start a child with Setsid but by RunApart, and are killed.
//
// Each process has a reader (sole owner of the output), a waiter (drains,
// announces the exit, lists survivors), one goroutine that looks whether it waits
// for typing, one that hears the guard, and one for each kill under way. Runner.Close waits for all of them, and with
// the last runner for those that the guards have in common.
package shell

import (
	"context"
	"errors"
	"os"
	"time"
)

// Spec says what to run. It is complete: nothing is inherited from the bridge
// but what is named here.
type Spec struct {
	// Script is given to the shell (see Shell). Shell and its arguments come
	// from the Runner's options.
	Script string
	// Shell is the path of the shell that runs it; "" is the Runner's. Args, where
	// there are any, are what it is started with in place of -c and Script.
	Shell string
	Args  []string
	Dir   string   // absolute
	Env   []string // complete environment; see Environ
	// TTY runs the command in a pty of Cols×Rows; else pipes with a stdin pipe,
	// stdout and stderr in one stream in arrival order.
	TTY        bool
	Cols, Rows uint16
	// Confinement holds the command; nil leaves it unconfined.
	Confinement Confinement
	// Tap sees every byte of output, in order, by one goroutine at a time and
	// before any subscriber is woken. It must not block. May be nil.
	Tap func(p []byte)
	// Pipes are further streams that the command writes to: its descriptors from 3
	// on.
	Pipes []Pipe
}

// Pipe is a stream of a command besides its output. What its processes write
// after Done is read as well, so that they need not wait.
type Pipe struct {
	// Tap sees every byte, as Spec.Tap does; the taps of different streams are
	// called at the same time.
	Tap func(p []byte)
	// Shown has the bytes in Output too, as they arrive, and known secrets replaced
	// in both; else nothing is.
	Shown bool
}

// Exit says how a command ended. The zero value is an ordinary exit 0.
type Exit struct {
	Code   int
	Signal string // "SIGTERM"…; "" unless the leader died of a signal
}

// Survivor is a process that a command's leader left behind.
type Survivor struct {
	PID  int    // as this machine counts, also of a process in a sandbox
	Name string // its command line, cut to one line; never empty
}

// Status is what can be seen of a command besides its output.
type Status struct {
	// Waiting says that the foreground process waits for typing: it is blocked
	// in a read of the terminal and has been silent for half a second.
	Waiting bool
	Done    bool
	Exit    Exit // valid when Done
	// Survivors are what is left of the command when Done, at most 64; none when
	// it is gone.
	Survivors []Survivor
	More      int // survivors that the list has no room for
}

// Launch is a program ready to be started.
type Launch struct {
	Path string
	Args []string // Args[0] is the program's name
	Env  []string
	Dir  string
	// Files are further descriptors of the program, from 3 on. They are closed
	// in the bridge once the program has started, or could not be.
	Files []*os.File
	// Inner says that Args run the command as process 1 of a PID namespace by way
	// of GuardInit, which alone sets it.
	Inner bool
	// Release is called once when nothing is left of the command, or it could
	// not be started. May be nil.
	Release func()

	report *os.File // the bridge's end of GuardInit's link; nil unless Inner
}

// Confinement is a sandbox for the commands of one preset and workspace. Safe
// for concurrent use.
type Confinement interface {
	// Backend names what holds a command: "bubblewrap", "landlock",
	// "sandbox-exec".
	Backend() string
	// Preset is what it enforces: "read-only" or "workspace-write".
	Preset() string
	// Wrap returns what to start instead of l. It probes the profile before the
	// first use, bounded to five seconds; a backend that does not hold is an
	// error, never an unconfined Launch.
	Wrap(l Launch) (Launch, error)
	// Denied explains, for the model, which of the confinement's limits a failed
	// command ran into as far as its output shows. It is zero when none is
	// recognised.
	Denied(output string, exit Exit) Denial
}

// Denial is what a confinement refused.
type Denial struct {
	Why     string // in sentences; "" is none
	ForGood string // what the user does to allow it for good, no sentence; "" if nothing does
}

// Runner starts commands and knows those that run. Safe for concurrent use.
type Runner interface {
	// Ready prepares for a start that is likely to come soon. It does not wait.
	Ready()
	// Start runs spec. A command that cannot be started is a *SpawnError.
	Start(spec Spec) (Process, error)
	// Get finds a started command by id, running or exited.
	Get(id string) (Process, bool)
	// List returns the known commands, oldest first.
	List() []Process
	// Forget drops a command that is gone.
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
	// Output holds the newest bytes under absolute offsets. It is closed after
	// the last byte, which survivors may write long after Done.
	Output() *Ring
	// Write types text. It is ErrInputClosed where nobody can read it any more:
	// the input is closed, at either end, or the command is gone.
	Write(text string) error
	CloseInput() error
	Resize(cols, rows uint16) error
	// Size is what the terminal was last resized to, or began with; 0, 0 of pipes.
	Size() (cols, rows uint16)
	// Interrupt sends SIGINT to the foreground process group.
	Interrupt() error
	// Kill sends SIGTERM to the whole tree, survivors too, and SIGKILL after
	// the grace, and returns when it is gone or ctx is done.
	Kill(ctx context.Context, grace time.Duration) error
	// Done is closed when the leader has exited and what it wrote is in Output.
	Done() <-chan struct{}
	Exit() Exit // valid after Done
	// Gone is closed when nothing is left of the command and Output is closed.
	Gone() <-chan struct{}
	// Status returns what is known now and a channel that is closed at the next
	// change of it.
	Status() (Status, <-chan struct{})
}

// ErrInputClosed is why nothing can be typed to a command: its input is closed.
var ErrInputClosed = errors.New("the command's input is closed")

// SpawnError is a command that could not be started.
type SpawnError struct {
	Dir string
	Err error
}

func (e *SpawnError) Error() string { return "start command in " + e.Dir + ": " + e.Err.Error() }
func (e *SpawnError) Unwrap() error { return e.Err }
