package shelltest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"drawbridge/shell"
)

// Command is one started command of a Fake, with what was done to it.
type Command struct {
	id      string
	spec    shell.Spec
	step    Step
	started time.Time
	ring    shell.Ring
	events  chan event // to the player
	done    chan struct{}
	gone    chan struct{}
	shut    atomic.Bool // the input pipe, from outside
	exit    shell.Exit  // written before done is closed

	unread int              // player only: inputs that no WaitInput has used up
	ended  bool             // player only: the input is closed
	doom   <-chan time.Time // player only: when SIGKILL comes; nil is never

	mu      sync.Mutex // guards below
	typed   []string
	sizes   []Size
	status  shell.Status
	changed chan struct{} // closed and replaced at each change of status
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
func (c *Command) Gone() <-chan struct{} { return c.gone }

// Status implements shell.Process.
func (c *Command) Status() (shell.Status, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.Survivors = slices.Clone(s.Survivors)
	return s, c.changed
}

// change sets what Status tells and wakes whoever watches it.
func (c *Command) change(f func(s *shell.Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.status)
	close(c.changed)
	c.changed = make(chan struct{})
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

func (c *Command) over() bool {
	select {
	case <-c.gone:
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
	if c.shut.Load() || !c.send(event{text: text}) {
		return shell.ErrInputClosed
	}
	return nil
}

// CloseInput implements shell.Process.
func (c *Command) CloseInput() error {
	if !c.spec.TTY {
		c.shut.Store(true)
	}
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

// Size implements shell.Process.
func (c *Command) Size() (cols, rows uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.sizes) > 0:
		last := c.sizes[len(c.sizes)-1]
		return last.Cols, last.Rows
	case c.spec.TTY:
		return c.spec.Cols, c.spec.Rows
	}
	return 0, 0
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
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send is false when the command is gone.
func (c *Command) send(e event) bool {
	select {
	case c.events <- e:
		return true
	case <-c.gone:
		return false
	}
}

// play is the life of a command. It alone produces output, the exit and the end.
func (c *Command) play() {
	var left []shell.Survivor
	if c.perform() {
		c.exit = c.step.Exit
		left = c.survivors()
	}
	if len(left) == 0 {
		c.ring.Close()
	}
	c.change(func(s *shell.Status) { *s = shell.Status{Done: true, Exit: c.exit, Survivors: left} })
	close(c.done)
	if len(left) > 0 {
		c.survive()
		c.ring.Close()
		c.change(func(s *shell.Status) { s.Survivors, s.Waiting = nil, false })
	}
	close(c.gone)
}

// survivors are numbered from a thousand on.
func (c *Command) survivors() []shell.Survivor {
	var left []shell.Survivor
	for i, name := range c.step.Survivors {
		left = append(left, shell.Survivor{PID: 1000 + i, Name: name})
	}
	return left
}

// survive is what the survivors do until they end or are ended.
func (c *Command) survive() {
	for _, piece := range c.step.Later {
		if !c.wait(piece) {
			return
		}
		c.act(piece)
	}
	if c.step.LiveFor > 0 {
		c.sleep(c.step.LiveFor)
		return
	}
	c.linger(nil)
}

// perform reports whether the script was played to its end; else a signal has
// set the exit.
func (c *Command) perform() bool {
	for _, piece := range c.step.Out {
		if !c.wait(piece) {
			return false
		}
		c.act(piece)
	}
	return c.wait(Piece{After: c.step.After, WaitInput: c.step.WaitInput, Waiting: c.step.Waiting})
}

func (c *Command) act(piece Piece) {
	if piece.Do != nil {
		piece.Do(c.spec.Dir)
	}
	if piece.Text != "" || piece.Do == nil {
		c.print(piece.Text)
	}
}

func (c *Command) print(text string) {
	p := []byte(text)
	if c.spec.Tap != nil && len(p) > 0 {
		c.spec.Tap(p)
	}
	c.ring.Append(p)
}

// silence is how long a command says nothing before it counts as waiting.
const silence = 500 * time.Millisecond

// wait lets time pass before a piece, after an input if it asks for one, and
// takes what happens meanwhile. It is false when the command died of that.
func (c *Command) wait(p Piece) bool {
	if p.WaitInput && !c.listen(p.Waiting) {
		return false
	}
	return c.sleep(p.After)
}

// listen returns when something was typed or the input has ended.
func (c *Command) listen(waiting bool) bool {
	var silent <-chan time.Time
	if waiting {
		timer := time.NewTimer(silence)
		defer timer.Stop()
		silent = timer.C
	}
	for c.unread == 0 && !c.ended {
		select {
		case <-silent:
			c.change(func(s *shell.Status) { s.Waiting = true })
			defer c.change(func(s *shell.Status) { s.Waiting = false })
		case e := <-c.events:
			if !c.take(e) {
				return false
			}
		case <-c.doom:
			return c.die("SIGKILL")
		}
	}
	if !c.ended {
		c.unread--
	}
	return true
}

func (c *Command) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return c.linger(timer.C)
}

// linger takes what happens until a time; nil never comes.
func (c *Command) linger(until <-chan time.Time) bool {
	for {
		select {
		case <-until:
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
	if c.exited() {
		return false // a survivor, whose end nobody is told
	}
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
