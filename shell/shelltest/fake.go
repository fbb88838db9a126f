// Package shelltest holds what tests of commands share: the contract every
// shell.Runner passes (Run), and Fake, a Runner that plays a script with
// channels and timers only, so that it works in virtual time where a real
// process would stop the clock. It knows no tool and no editor.
//
// Each command of a Fake has one goroutine, its player, which ends with the
// command; Fake.Close ends and waits for all.
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
	After     time.Duration
	Exit      shell.Exit
	// Deaf commands ignore SIGINT and SIGTERM.
	Deaf bool
}

// Piece is output that comes some time after the piece before it.
type Piece struct {
	Text      string
	After     time.Duration
	WaitInput bool // After begins when something is typed or the input is closed
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
		events: make(chan event), done: make(chan struct{}),
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
	if !ok || !p.(*Command).exited() {
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

// Command is one started command of a Fake, with what was done to it.
type Command struct {
	id      string
	spec    shell.Spec
	step    Step
	started time.Time
	ring    shell.Ring
	events  chan event // to the player
	done    chan struct{}
	exit    shell.Exit // written before done is closed

	unread int              // player only: inputs that no WaitInput has used up
	ended  bool             // player only: the input is closed
	doom   <-chan time.Time // player only: when SIGKILL comes; nil is never

	mu    sync.Mutex // guards below
	typed []string
	sizes []Size
}

// Size is what a terminal was resized to.
type Size struct{ Cols, Rows uint16 }

// event is what happens to a command from outside.
type event struct {
	text     string
	closed   bool
	signal   string
	grace    time.Duration
	deadline bool // SIGKILL follows after grace
}

var _ shell.Process = (*Command)(nil)

func (c *Command) ID() string            { return c.id }
func (c *Command) Spec() shell.Spec      { return c.spec }
func (c *Command) Started() time.Time    { return c.started }
func (c *Command) Output() *shell.Ring   { return &c.ring }
func (c *Command) Done() <-chan struct{} { return c.done }

// Gone implements shell.Process.
func (c *Command) Gone() <-chan struct{} { return c.done }

// Status implements shell.Process.
func (c *Command) Status() (shell.Status, <-chan struct{}) {
	return shell.Status{Done: c.exited(), Exit: c.Exit()}, c.done
}

// Exit implements shell.Process.
func (c *Command) Exit() shell.Exit {
	if !c.exited() {
		return shell.Exit{}
	}
	return c.exit
}

func (c *Command) exited() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Typed is what was written to the command, one entry a Write.
func (c *Command) Typed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.typed)
}

// Sizes are those the terminal was resized to, in order.
func (c *Command) Sizes() []Size {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sizes)
}

// Write implements shell.Process. A terminal echoes.
func (c *Command) Write(text string) error {
	c.send(event{text: text})
	return nil
}

// CloseInput implements shell.Process.
func (c *Command) CloseInput() error {
	c.send(event{closed: true})
	return nil
}

// Resize implements shell.Process.
func (c *Command) Resize(cols, rows uint16) error {
	if c.spec.TTY && !c.exited() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sizes = append(c.sizes, Size{cols, rows})
	}
	return nil
}

// Interrupt implements shell.Process.
func (c *Command) Interrupt() error {
	c.send(event{signal: "SIGINT"})
	return nil
}

// Kill implements shell.Process.
func (c *Command) Kill(ctx context.Context, grace time.Duration) error {
	c.send(event{signal: "SIGTERM", grace: grace, deadline: true})
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Command) send(e event) {
	select {
	case c.events <- e:
	case <-c.done:
	}
}

// play is the life of a command. It alone produces output and the exit.
func (c *Command) play() {
	if c.perform() {
		c.exit = c.step.Exit
	}
	c.ring.Close()
	close(c.done)
}

// perform reports whether the script was played to its end; else a signal has
// set the exit.
func (c *Command) perform() bool {
	for _, piece := range c.step.Out {
		if !c.wait(piece.WaitInput, piece.After) {
			return false
		}
		c.print(piece.Text)
	}
	return c.wait(c.step.WaitInput, c.step.After)
}

func (c *Command) print(text string) {
	p := []byte(text)
	if c.spec.Tap != nil && len(p) > 0 {
		c.spec.Tap(p)
	}
	c.ring.Append(p)
}

// wait lets time pass, after an input if one is asked for, and takes what
// happens meanwhile. It is false when the command died of that.
func (c *Command) wait(input bool, d time.Duration) bool {
	for input && c.unread == 0 && !c.ended {
		select {
		case e := <-c.events:
			if !c.take(e) {
				return false
			}
		case <-c.doom:
			return c.die("SIGKILL")
		}
	}
	if input && !c.ended {
		c.unread--
	}
	return c.sleep(d)
}

func (c *Command) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case <-c.doom:
			return c.die("SIGKILL")
		case e := <-c.events:
			if !c.take(e) {
				return false
			}
		}
	}
}

// take is false when the command died of e.
func (c *Command) take(e event) bool {
	switch {
	case e.signal != "" && !c.step.Deaf:
		return c.die(e.signal)
	case e.deadline:
		c.doom = time.After(e.grace)
	case e.closed:
		c.ended = true
	case e.signal == "":
		c.hear(e.text)
	}
	return true
}

func (c *Command) die(signal string) bool {
	numbers := map[string]int{"SIGINT": 2, "SIGKILL": 9, "SIGTERM": 15}
	c.exit = shell.Exit{Code: 128 + numbers[signal], Signal: signal}
	return false
}

func (c *Command) hear(text string) {
	c.mu.Lock()
	c.typed = append(c.typed, text)
	c.mu.Unlock()
	c.unread++
	if c.spec.TTY {
		c.print(strings.ReplaceAll(text, "\n", "\r\n"))
	}
}
