package tools

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"time"

	"drawbridge/shell"
)

const (
	forwardPiece = 64 << 10
	// quietAfter is after how much silence an unfinished line is passed on.
	quietAfter = 200 * time.Millisecond
	// recentBytes is how much of the end of an output is searched for why its
	// command failed.
	recentBytes = 64 << 10
)

// take receives a command's raw output on the goroutine that reads it, which
// must never wait, and makes text of as much as a model may read. The rest is
// only kept, for the archive.
type take struct {
	tty   bool
	limit int           // characters that the model may read; 0 or less: all
	wake  chan struct{} // has room for one: there is output to forward
	text  *view
	next  int64  // offset of the next byte to forward
	buf   []byte // made when first needed
	// rewound says that the unfinished line was begun anew: it is a display
	// that goes on changing.
	rewound bool
	lost    int64 // bytes that were dropped before they were forwarded, not told yet
	// gap is what is told of them; "" tells how many they were.
	gap string

	mu      sync.Mutex // guards below
	kept    *capture
	quiet   bool // nothing more is forwarded
	stopped bool
}

func newTake(s shell.Spec, limit int) *take {
	text := newView(s)
	clean := func() textStream { return text.fresh() }
	return &take{tty: s.TTY, limit: limit, wake: make(chan struct{}, 1), text: text, kept: &capture{clean: clean}}
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
		t.lost += from - t.next
		t.next = from + int64(n)
		if n == 0 {
			return
		}
		t.look(t.buf[:n])
		t.say(out, t.text.Write(t.buf[:n]))
	}
}

// say passes on text behind a line that tells of a gap. Gaps with nothing
// between are one.
func (t *take) say(out Output, text string) {
	if text == "" {
		return
	}
	t.tellLost(out)
	out.Write(text)
}

func (t *take) tellLost(out Output) {
	if t.lost > 0 {
		out.Write(cmp.Or(t.gap, fmt.Sprintf("\n[... %d bytes of earlier output dropped ...]\n", t.lost)))
		t.lost = 0
	}
}

func (t *take) look(p []byte) {
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		p, t.rewound = p[i+1:], false
	}
	t.rewound = t.rewound || bytes.IndexByte(p, '\r') >= 0
}

// glance passes on an unfinished line, such as a question, which may stand for
// long. In a terminal people see it anyway.
func (t *take) glance(out Output) {
	if !t.tty && !t.rewound && !t.enough(out) {
		t.say(out, t.text.Take())
	}
}

// enough says that the model has what it may have, and that there is enough
// behind it to see whether it ends within a secret.
func (t *take) enough(out Output) bool {
	if t.limit <= 0 || out.Len() <= t.limit+heldBack {
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
		t.say(out, t.text.Flush())
		t.tellLost(out)
	}
}

// handOver ends the taking of a command that goes on, with all that the model
// may read of it by now. What comes later is unread.
func (t *take) handOver(p shell.Process, out Output) *unread {
	t.stop()
	t.forward(out)
	rest := newUnread(p)
	if t.enough(out) {
		rest.next = t.kept.length() // the archive has what the model was not given
		return rest
	}
	t.say(out, t.text.Take())
	t.tellLost(out)
	rest.next, rest.screen = t.next, t.text
	return rest
}

// unended says that the output by now ends within a line. NUL is no text.
func (t *take) unended() bool {
	const most = 4 << 10 // a part of a chunk, so that one read has it
	for end := t.kept.length(); end > 0; {
		from := (end - 1) / most * most
		part := make([]byte, end-from)
		at, n := t.kept.read(from, part)
		if text := bytes.TrimRight(part[:n], "\x00"); at == from && len(text) > 0 {
			return text[len(text)-1] != '\n'
		}
		end = from
	}
	return false
}

// recent is the end of the output as text.
func (t *take) recent() string { return t.kept.end(recentBytes) }

// stop ends the taking, though the command may run on.
func (t *take) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
}

// release ends the taking and hands over what was kept. Nothing of it stays
// here: the command's tap lives as long as its process is known.
func (t *take) release() *capture {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	t.stopped, t.kept, t.buf, t.text = true, nil, nil, nil
	return kept
}
