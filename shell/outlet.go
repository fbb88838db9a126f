package shell

import (
	"errors"
	"io"
	"os"
	"time"
)

// outlet is one of the pipes, or the terminal, that a command writes to.
type outlet struct {
	from  *os.File
	sieve sieve         // between the reader and whoever takes the bytes
	last  chan struct{} // the command's: nobody can write any more

	seen    chan struct{} // what the leader wrote was handed on
	drained chan struct{} // read has ended
}

// open adds a stream of the command. What is shown goes into the ring.
func (c *command) open(from *os.File, p Pipe) {
	s := &outlet{from: from, last: c.last, seen: make(chan struct{}), drained: make(chan struct{})}
	s.sieve.to = func(b []byte) {
		if len(b) > 0 && p.Tap != nil {
			p.Tap(b)
		}
	}
	if p.Shown {
		s.sieve.secrets = c.runner.opts.Secrets
		s.sieve.to = func(b []byte) { c.take(p.Tap, b) }
	}
	c.outlets = append(c.outlets, s)
}

func (c *command) take(tap func([]byte), p []byte) {
	if len(p) == 0 {
		return
	}
	if tap != nil {
		tap(p)
	}
	c.ring.Append(p)
	c.quiet.heard()
}

// The read buffer begins small, since most commands print little, and doubles
// while reads fill it.
const (
	minRead = 8 << 10
	maxRead = 256 << 10
)

// read hands output on until every writer is gone. A deadline that wait sets
// makes it take what was written before that, and then go on, or end if that was
// the last. A terminal says EIO at its end, a pipe EOF; any other error is no
// reason to try again either.
func (s *outlet) read() {
	defer close(s.drained)
	defer s.sieve.release()
	buf := make([]byte, minRead)
	for {
		n, err := s.from.Read(buf)
		s.sieve.write(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if s.readRest() {
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

// readRest takes the bytes that lie in the kernel when the drain is over: on a
// busy machine they may be the leader's own, and a writer that goes on cannot
// make them more. It reports true when nobody can write any more.
func (s *outlet) readRest() bool {
	s.from.SetReadDeadline(time.Now().Add(drainTime))
	rest := make([]byte, unread(s.from))
	n, _ := io.ReadFull(s.from, rest)
	s.sieve.write(rest[:n])
	s.sieve.release()
	select {
	case <-s.last:
		return true
	default:
	}
	s.from.SetReadDeadline(time.Time{})
	close(s.seen)
	return false
}

// beside is a pipe to be given to a command.
type beside struct{ from, to *os.File }

// openBeside makes the pipes. The command's ends are the launch's to close.
func openBeside(pipes []Pipe) (all []beside, err error) {
	for range pipes {
		from, to, err := os.Pipe()
		if err != nil {
			closeBeside(all)
			return nil, err
		}
		widen(from)
		all = append(all, beside{from, to})
	}
	return all, nil
}

func closeBeside(all []beside) {
	for _, p := range all {
		closeAll(p.from, p.to)
	}
}
