package tools

import (
	"fmt"
	"sync"

	"drawbridge/shell"
)

const forwardPiece = 64 << 10

// take receives a command's raw output on the goroutine that reads it, which
// must never wait, and makes text of as much as a model may read. The rest is
// only kept, for the archive.
type take struct {
	limit int           // characters that the model may read; 0 or less: all
	wake  chan struct{} // has room for one: there is output to forward
	text  *shell.Cleaner
	next  int64  // offset of the next byte to forward
	buf   []byte // made when first needed

	mu      sync.Mutex // guards below
	kept    *capture
	quiet   bool // nothing more is forwarded
	stopped bool
}

func newTake(tty bool, limit int) *take {
	clean := func() textStream { return &shell.Cleaner{TTY: tty} }
	return &take{limit: limit, wake: make(chan struct{}, 1), text: &shell.Cleaner{TTY: tty}, kept: &capture{clean: clean}}
}

func (t *take) tap(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	t.kept.write(p)
	if t.quiet {
		return
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// forward passes on what has come since. It stops for good once the model has
// as much as it may have and a little more, which marks the text as truncated.
func (t *take) forward(out Output) {
	if t.buf == nil {
		t.buf = make([]byte, forwardPiece)
	}
	for !t.enough(out) {
		from, n := t.kept.read(t.next, t.buf)
		if lost := from - t.next; lost > 0 {
			out.Write(fmt.Sprintf("\n[... %d bytes of earlier output dropped ...]\n", lost))
		}
		t.next = from + int64(n)
		if n == 0 {
			return
		}
		out.Write(t.text.Write(t.buf[:n]))
	}
}

func (t *take) enough(out Output) bool {
	if t.limit <= 0 || out.Len() <= t.limit {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.quiet = true
	return true
}

// finish forwards what is left and ends the text.
func (t *take) finish(out Output) {
	t.forward(out)
	if !t.enough(out) {
		out.Write(t.text.Flush())
	}
}

// stop ends the taking, though the command may run on, and hands over what was
// kept.
func (t *take) stop() *capture {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	return t.kept
}
