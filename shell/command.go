package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// command is one Process of a Local. Three goroutines serve it: read, sole owner
// of the output; wait, which sees the leader and then the survivors out; and
// quiet, which looks whether a silent command waits for typing.
type command struct {
	runner  *Local
	id      string
	spec    Spec
	ends    ends
	held    holder
	release func() // what the confinement keeps for it; may be nil
	started time.Time
	ring    Ring
	sieve   sieve // between the reader and the ring
	keys    keyboard
	quiet   *waitWatch

	seen    chan struct{} // read has put into the ring what the leader wrote
	last    chan struct{} // tells read that nobody can write any more
	drained chan struct{} // read has ended
	done    chan struct{}
	gone    chan struct{}

	mu      sync.Mutex // guards below
	status  Status
	changed chan struct{} // closed and replaced at each change of status
	over    bool          // wait has ended

	cols, rows uint16 // of the terminal
}

func newCommand(l *Local, id string, s Spec, e ends, held holder) *command {
	c := &command{
		runner: l, id: id, spec: s, ends: e, held: held, started: time.Now(),
		keys: keyboard{to: e.in, patience: typingLimit},
		seen: make(chan struct{}), last: make(chan struct{}), drained: make(chan struct{}),
		done: make(chan struct{}), gone: make(chan struct{}), changed: make(chan struct{}),
	}
	if s.TTY {
		c.cols, c.rows = s.Cols, s.Rows
	}
	c.sieve.secrets, c.sieve.to = l.opts.Secrets, c.take
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

// The read buffer begins small, since most commands print little, and doubles
// while reads fill it.
const (
	minRead = 8 << 10
	maxRead = 256 << 10
)

// read moves output into the ring until every writer is gone. A deadline that
// wait sets makes it take what was written before that, and then go on, or end
// if that was the last. A terminal says EIO at its end, a pipe EOF; any other
// error is no reason to try again either.
func (c *command) read() {
	defer close(c.drained)
	defer c.sieve.release()
	buf := make([]byte, minRead)
	for {
		n, err := c.ends.out.Read(buf)
		c.sieve.write(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if c.readRest() {
				return
			}
			continue
		}
		if err != nil || n == 0 {
			return
		}
		if n == len(buf) && n < maxRead {
			buf = make([]byte, 2*n)
		}
	}
}

func (c *command) take(p []byte) {
	if len(p) == 0 {
		return
	}
	if c.spec.Tap != nil {
		c.spec.Tap(p)
	}
	c.ring.Append(p)
	c.quiet.heard()
}

func (c *command) tellWaiting(waiting bool) {
	c.change(func(s *Status) { s.Waiting = waiting && !s.Done })
}

// readRest takes the bytes that lie in the kernel when the drain is over: on a
// busy machine they may be the leader's own, and a writer that goes on cannot
// make them more. It reports true when nobody can write any more.
func (c *command) readRest() bool {
	c.ends.out.SetReadDeadline(time.Now().Add(drainTime))
	rest := make([]byte, unread(c.ends.out))
	n, _ := io.ReadFull(c.ends.out, rest)
	c.sieve.write(rest[:n])
	c.sieve.release()
	select {
	case <-c.last:
		return true
	default:
	}
	c.ends.out.SetReadDeadline(time.Time{})
	close(c.seen)
	return false
}

// wait sees the leader out and announces its exit, and then the survivors. It
// ends when no process of the command is left.
func (c *command) wait() {
	exit := <-c.held.left()
	limit := time.Now().Add(drainTime)
	c.ends.out.SetReadDeadline(limit)
	select {
	case <-c.seen:
	case <-c.drained:
	}
	left := !c.goneBy(limit)
	if left {
		list, more := c.held.survivors()
		c.change(func(s *Status) { *s = Status{Done: true, Exit: exit, Survivors: list, More: more} })
		close(c.done)
		c.attend()
	}
	c.drain()
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

// drain ends the reader: whatever keeps the output open now is not the
// command's.
func (c *command) drain() {
	close(c.last)
	c.ends.out.SetReadDeadline(time.Now().Add(drainTime))
	<-c.drained
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
