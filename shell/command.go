package shell

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// command is one Process of a Local. These goroutines serve it: one for each
// stream, its sole reader; wait, which sees the leader and then the survivors
// out; and quiet, which looks whether a silent command waits for typing.
type command struct {
	runner  *Local
	id      string
	spec    Spec
	ends    ends
	held    holder
	release func() // what the confinement keeps for it; may be nil
	started time.Time
	ring    Ring
	outlets []*outlet // the output first
	keys    keyboard
	quiet   *waitWatch

	last chan struct{} // tells the readers that nobody can write any more
	done chan struct{}
	gone chan struct{}

	mu      sync.Mutex // guards below
	status  Status
	changed chan struct{} // closed and replaced at each change of status
	over    bool          // wait has ended

	cols, rows uint16 // of the terminal
}

func newCommand(l *Local, id string, s Spec, e ends, held holder, pipes []beside) *command {
	c := &command{
		runner: l, id: id, spec: s, ends: e, held: held, started: time.Now(),
		keys: keyboard{to: e.in, patience: typingLimit},
		last: make(chan struct{}), done: make(chan struct{}), gone: make(chan struct{}), changed: make(chan struct{}),
	}
	if s.TTY {
		c.cols, c.rows = s.Cols, s.Rows
	}
	c.open(e.out, Pipe{Tap: s.Tap, Shown: true})
	for i, p := range pipes {
		c.open(p.from, s.Pipes[i])
	}
	c.quiet = newWaitWatch(c.waitsForInput, c.tellWaiting)
	return c
}

func (c *command) ID() string            { return c.id }
func (c *command) Spec() Spec            { return c.spec }
func (c *command) Started() time.Time    { return c.started }
func (c *command) Output() *Ring         { return &c.ring }
func (c *command) Done() <-chan struct{} { return c.done }
func (c *command) Gone() <-chan struct{} { return c.gone }

// Status implements Process.
func (c *command) Status() (Status, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.Survivors = slices.Clone(s.Survivors)
	return s, c.changed
}

// change sets what Status tells, and wakes whoever watches it if that is new.
func (c *command) change(f func(s *Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.status
	f(&c.status)
	if old.Waiting == c.status.Waiting && old.Done == c.status.Done && old.More == c.status.More &&
		slices.Equal(old.Survivors, c.status.Survivors) {
		return
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// Exit implements Process. Before Done it is the zero Exit.
func (c *command) Exit() Exit {
	s, _ := c.Status()
	return s.Exit
}

func (c *command) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

func (c *command) tellWaiting(waiting bool) {
	c.change(func(s *Status) { s.Waiting = waiting && !s.Done })
}

// wait sees the leader out and announces its exit, and then the survivors. It
// ends when no process of the command is left.
func (c *command) wait() {
	exit := <-c.held.left()
	limit := time.Now().Add(drainTime)
	for _, s := range c.outlets {
		s.from.SetReadDeadline(limit)
	}
	for _, s := range c.outlets {
		select {
		case <-s.seen:
		case <-s.drained:
		}
	}
	left := !c.goneBy(limit)
	if left {
		list, more := c.held.survivors()
		c.change(func(s *Status) { *s = Status{Done: true, Exit: exit, Survivors: list, More: more} })
		close(c.done)
		c.attend()
	}
	c.drain()
	for _, s := range c.outlets {
		s.from.Close()
	}
	c.ends.closeOurs()
	if c.release != nil {
		c.release()
	}
	c.change(func(s *Status) { *s = Status{Done: true, Exit: exit} })
	close(c.gone)
	if !left {
		close(c.done)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// goneBy waits for processes that end with the leader but a little later, as
// the reader of a pipe does.
func (c *command) goneBy(limit time.Time) bool {
	select {
	case <-c.held.gone():
		return true
	case <-time.After(time.Until(limit)):
		return false
	}
}

// statusPause is how often a list of survivors is made anew.
const statusPause = time.Second

// attend keeps the list of survivors until there are none.
func (c *command) attend() {
	for {
		select {
		case <-c.held.gone():
			return
		case <-time.After(statusPause):
			list, more := c.held.survivors()
			c.change(func(s *Status) { s.Survivors, s.More = list, more })
		}
	}
}

// drain ends the readers: whatever keeps the output open now is not the
// command's.
func (c *command) drain() {
	close(c.last)
	limit := time.Now().Add(drainTime)
	for _, s := range c.outlets {
		s.from.SetReadDeadline(limit)
	}
	for _, s := range c.outlets {
		<-s.drained
	}
	c.ring.Close()
}

func exitOf(state *os.ProcessState, err error) Exit {
	if err != nil {
		return Exit{Code: -1} // somebody else has waited for our child
	}
	return exitOfStatus(state.Sys().(syscall.WaitStatus))
}

func exitOfStatus(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: status.ExitStatus()}
}

// Resize implements Process. Pipes and a command that is gone have no size.
func (c *command) Resize(cols, rows uint16) error {
	if c.isGone() || !c.spec.TTY {
		return nil
	}
	c.mu.Lock()
	c.cols, c.rows = cols, rows
	c.mu.Unlock()
	return ignoreClosed(c.ends.resize(cols, rows))
}

// Size implements Process.
func (c *command) Size() (cols, rows uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cols, c.rows
}

// Interrupt implements Process. Where no terminal says who is in the
// foreground, it is the leader's group.
func (c *command) Interrupt() error {
	if !c.isGone() && !c.ends.signal(unix.SIGINT) {
		c.held.interrupt()
	}
	return nil
}

// Kill implements Process. The ladder goes on when ctx is done first.
func (c *command) Kill(ctx context.Context, grace time.Duration) error {
	ended := c.startEnd(grace)
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("kill %s: %w", c.id, err)
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startEnd ends the command's processes on a goroutine that the runner waits
// for. While wait has not ended the runner's count is not zero, so it may grow.
func (c *command) startEnd(grace time.Duration) <-chan error {
	ended := make(chan error, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		ended <- nil
		return ended
	}
	c.runner.wg.Go(func() { ended <- c.held.end(grace) })
	return ended
}
