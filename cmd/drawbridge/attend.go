package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"drawbridge/bridge/headless"
)

// seat is where a person sits: who answers, and the terminal.
type seat struct {
	*headless.Terminal
	tty *tty
}

func newSeat(in *os.File, out io.Writer) *seat {
	t := openTTY(in)
	return &seat{headless.NewTerminal(in, out, t), t}
}

// attend hears signals until it is stopped. The first that asks for an end
// cancels; the second ends the process as usual, and leaves the terminal as it
// was found. A person's Ctrl-\ counts for two. p is nil where nobody sits.
func attend(cancel context.CancelFunc, p *seat) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	if p != nil {
		signal.Notify(signals, syscall.SIGTSTP, syscall.SIGWINCH)
	}
	survivePipes()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for asked := false; ; {
			select {
			case <-done:
				return
			case s := <-signals:
				asked = p.heed(s, cancel, asked) || asked
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		wg.Wait()
	}
}

// heed acts on a signal and says whether it asked for an end; asked, whether
// one did before.
func (p *seat) heed(s os.Signal, cancel context.CancelFunc, asked bool) bool {
	switch s {
	case syscall.SIGWINCH:
		go p.Resized() // ends with the bridge's answers
		return false
	case syscall.SIGTSTP:
		p.tty.pause()
		return false
	}
	cancel()
	if asked || s == syscall.SIGQUIT && p != nil {
		p.leave(s)
	}
	return true
}

// leave dies of a signal. Of SIGQUIT the runtime would not, but print all that
// it was doing: then it is an interrupt.
func (p *seat) leave(s os.Signal) {
	if p != nil {
		p.Close()
	}
	if s == syscall.SIGQUIT {
		s = os.Interrupt
	}
	signal.Reset(s)
	_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
}

// survivePipes makes a write to a reader that is gone an error to handle, not
// a death. Unlike a signal that is ignored, one that nobody listens for is not
// handed down to commands: theirs may die of it.
func survivePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// outlet is standard output. The first write that fails is remembered and
// called a break; there is no use in more.
type outlet struct {
	w      io.Writer
	broken func()

	mu  sync.Mutex // guards below; held over writes, so that lines stay whole
	err error
}

func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.err = err
		o.broken()
	}
	return n, err
}

func (o *outlet) fault() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
