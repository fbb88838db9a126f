package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// command is one Process of a Local. Two goroutines serve it: read, sole owner
// of the output, and wait, which sees the leader out.
type command struct {
	runner  *Local
	id      string
	spec    Spec
	ends    ends
	leader  *os.Process
	claim   *claim
	started time.Time
	ring    Ring
	keys    keyboard

	drained chan struct{} // read has put the last byte into the ring
	done    chan struct{}
	exit    Exit // written before done is closed

	mu   sync.Mutex // guards below
	over bool       // wait has ended
}

func newCommand(l *Local, id string, s Spec, e ends, leader *os.Process, mark string) *command {
	self, _ := statProc(leader.Pid) // it is not reaped: the start is its own
	c := &command{
		runner: l, id: id, spec: s, ends: e, leader: leader, started: time.Now(),
		claim:   &claim{leader: self.identity, mark: mark},
		keys:    keyboard{to: e.in, patience: typingLimit},
		drained: make(chan struct{}), done: make(chan struct{}),
	}
	c.claim.leader.pid = leader.Pid
	kin.open(c.claim)
	return c
}

func (c *command) ID() string            { return c.id }
func (c *command) Spec() Spec            { return c.spec }
func (c *command) Started() time.Time    { return c.started }
func (c *command) Output() *Ring         { return &c.ring }
func (c *command) Done() <-chan struct{} { return c.done }

// Gone implements Process.
func (c *command) Gone() <-chan struct{} { return c.done }

// Status implements Process.
func (c *command) Status() (Status, <-chan struct{}) {
	return Status{Done: c.exited(), Exit: c.Exit()}, c.done
}

// Exit implements Process. Before Done it is the zero Exit.
func (c *command) Exit() Exit {
	if !c.exited() {
		return Exit{}
	}
	return c.exit
}

func (c *command) exited() bool {
	select {
	case <-c.done:
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

// read moves output into the ring until every writer is gone or wait sets a
// deadline, and then takes what was written before that. A terminal says EIO
// at its end, a pipe EOF; any other error is no reason to try again either.
func (c *command) read() {
	defer close(c.drained)
	buf := make([]byte, minRead)
	for {
		n, err := c.ends.out.Read(buf)
		c.take(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.readRest()
			return
		}
		if err != nil {
			return
		}
		if n == len(buf) && n < maxRead {
			buf = make([]byte, 2*n)
		}
	}
}

func (c *command) take(p []byte) {
	if c.spec.Tap != nil && len(p) > 0 {
		c.spec.Tap(p)
	}
	c.ring.Append(p)
}

// readRest takes the bytes that lie in the kernel when the drain is over: on a
// busy machine they may be the command's own, and a writer that goes on cannot
// make them more.
func (c *command) readRest() {
	c.ends.out.SetReadDeadline(time.Now().Add(drainTime))
	rest := make([]byte, unread(c.ends.out))
	n, _ := io.ReadFull(c.ends.out, rest)
	c.take(rest[:n])
}

// wait sees the leader out, announces the exit, and ends what is left. It ends
// when no process of the command is.
func (c *command) wait() {
	state, err := c.claim.reap(c.leader)
	limit := time.Now().Add(drainTime)
	c.ends.out.SetReadDeadline(limit)
	<-c.drained
	c.exit = exitOf(state, err)
	c.exit.Survivors = c.claim.settle(limit)
	c.ring.Close()
	close(c.done)
	c.ends.closeOurs()
	c.sweep()
	c.runner.watch.forget(c.claim)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// sweep ends the survivors, and nameless orphans with the last command.
func (c *command) sweep() {
	for !c.claim.finish() {
		if err := c.claim.end(c.runner.opts.Grace); err != nil {
			c.runner.opts.Log.Warn("command left processes", "id", c.id, "err", err)
			c.claim.abandon()
			return
		}
	}
}

func exitOf(state *os.ProcessState, err error) Exit {
	if err != nil {
		return Exit{Code: -1} // somebody else has waited for our child
	}
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: status.ExitStatus()}
}

// Write implements Process.
func (c *command) Write(text string) error { return c.keys.write([]byte(text)) }

// CloseInput implements Process. In a terminal it types the end-of-file key,
// which ends the input at the beginning of a line.
func (c *command) CloseInput() error {
	if c.spec.TTY {
		return c.keys.write([]byte{eof})
	}
	c.ends.in.Close()
	return nil
}

const eof = 0x04 // ^D

// Resize implements Process. Pipes and an exited command have no size.
func (c *command) Resize(cols, rows uint16) error {
	if c.exited() {
		return nil
	}
	return ignoreClosed(c.ends.resize(cols, rows))
}

// Interrupt implements Process. Where no terminal says who is in the
// foreground, it is the leader's group.
func (c *command) Interrupt() error {
	if c.exited() {
		return nil
	}
	pgrp, err := c.ends.foreground()
	if err == nil && pgrp > 0 && pgrp != c.claim.leader.pid {
		return ignoreGone(syscall.Kill(-pgrp, syscall.SIGINT))
	}
	c.claim.signalGroup(syscall.SIGINT)
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
	case <-c.done:
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
	c.runner.wg.Go(func() { ended <- c.claim.end(grace) })
	return ended
}

// keyboard writes to a command's input. It has a lock so that the pieces of two
// writers do not mix.
type keyboard struct {
	to       *os.File
	patience time.Duration // with a command that leaves its full input unread

	mu sync.Mutex // guards the order of writes
}

const typingLimit = 2 * time.Second

func (k *keyboard) write(p []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.to.SetWriteDeadline(time.Now().Add(k.patience))
	n, err := k.to.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("write to command: it took %d of %d bytes and reads no more", n, len(p))
	}
	return ignoreClosed(err)
}

// ignoreClosed drops the errors of a stream whose other end is gone, or ours.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) {
		return nil
	}
	return err
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
