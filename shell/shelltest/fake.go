// Package shelltest holds what tests of commands share: the contract every
// shell.Runner passes (Run), and Fake, a Runner that plays a script with
// channels and timers only, so that it works in virtual time where a real
// process would stop the clock. It knows no tool and no editor.
//
// Each command of a Fake has one goroutine, its player, which ends when the
// command is gone; Fake.Close ends and waits for all.
package shelltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/shell"
)

// Step scripts one command.
type Step struct {
	Match string // part of the script it stands for; "" is any
	// Repeat lets the step serve more than one command.
	Repeat bool
	// Err makes the start fail.
	Err error
	Out []Piece
	// WaitInput holds the exit until something is typed or the input is closed;
	// then After passes.
	WaitInput bool
	Waiting   bool // as Piece.Waiting, for what comes before the exit
	After     time.Duration
	Exit      shell.Exit
	// Deaf commands, and their survivors, ignore SIGINT and SIGTERM.
	Deaf bool
	// Survivors are the command lines of what the leader leaves behind. They
	// write Later and then live for LiveFor, with zero until they are killed.
	Survivors []string
	Later     []Piece
	LiveFor   time.Duration
}

// Piece is output that comes some time after the piece before it.
type Piece struct {
	Text string
	// Do is what the command does before it writes Text, in the directory it runs
	// in. May be nil.
	Do        func(dir string)
	After     time.Duration
	WaitInput bool // After begins when something is typed or the input is closed
	// Waiting shows the command as waiting for typing, from half a second of
	// silence on until the input that WaitInput asks for.
	Waiting bool
}

// Fake is a Runner that plays Steps: a command gets the first unused step whose
// Match its script contains. The zero Fake can start nothing.
type Fake struct {
	Steps []Step // set before the first start

	mu       sync.Mutex // guards below
	closed   bool
	used     map[int]bool
	started  []*Command
	forgot   map[string]bool
	players  sync.WaitGroup
	attempts []shell.Spec
}

var _ shell.Runner = (*Fake)(nil)

// Ready implements shell.Runner.
func (f *Fake) Ready() {}

// Start implements shell.Runner.
func (f *Fake) Start(s shell.Spec) (shell.Process, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempts = append(f.attempts, s)
	step, err := f.nextLocked(s.Script)
	if err != nil {
		return nil, &shell.SpawnError{Dir: s.Dir, Err: err}
	}
	c := &Command{
		id: fmt.Sprintf("proc-%08x", len(f.started)+1), spec: s, step: step, started: time.Now(),
		events: make(chan event), done: make(chan struct{}), gone: make(chan struct{}),
		changed: make(chan struct{}),
	}
	f.started = append(f.started, c)
	f.players.Go(c.play)
	return c, nil
}

func (f *Fake) nextLocked(script string) (Step, error) {
	if f.closed {
		return Step{}, shell.ErrClosed
	}
	for i, s := range f.Steps {
		if f.used[i] || !strings.Contains(script, s.Match) {
			continue
		}
		if f.used == nil {
			f.used = map[int]bool{}
		}
		f.used[i] = !s.Repeat
		return s, s.Err
	}
	return Step{}, fmt.Errorf("no scripted command is left for %q", script)
}

// Specs are those of all starts so far, failed ones too.
func (f *Fake) Specs() []shell.Spec {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.attempts)
}

// Commands are those started so far, forgotten ones too.
func (f *Fake) Commands() []*Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.started)
}

// Get implements shell.Runner.
func (f *Fake) Get(id string) (shell.Process, bool) {
	for _, p := range f.List() {
		if p.ID() == id {
			return p, true
		}
	}
	return nil, false
}

// List implements shell.Runner.
func (f *Fake) List() []shell.Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []shell.Process
	for _, c := range f.started {
		if !f.forgot[c.id] {
			list = append(list, c)
		}
	}
	return list
}

// Forget implements shell.Runner.
func (f *Fake) Forget(id string) {
	p, ok := f.Get(id)
	if !ok || !p.(*Command).over() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.forgot == nil {
		f.forgot = map[string]bool{}
	}
	f.forgot[id] = true
}

// Close implements shell.Runner.
func (f *Fake) Close(ctx context.Context) error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	for _, c := range f.Commands() {
		if err := c.Kill(ctx, closeGrace); err != nil {
			return err
		}
	}
	f.players.Wait()
	return nil
}

const closeGrace = 200 * time.Millisecond
