package headless

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Device is a person's terminal, as far as its modes go.
type Device interface {
	// Keys hands over what is typed key by key and unseen (true), or in lines
	// that are edited and seen (false).
	Keys(on bool)
	// Drop forgets what was typed and not read yet.
	Drop()
	Size() (cols, rows uint16)
	// Gone tells the end of a terminal from the end of input that a person
	// types.
	Gone() bool
}

// Terminal is a person at a terminal. One question is asked at a time, and what
// was typed before it was shown is no answer to it. What is typed while no
// question is open goes to the running command key by key, as in a terminal of
// its own, else to the model in lines.
type Terminal struct {
	out    io.Writer
	device Device // nil: lines only

	turn     chan struct{} // holds one token; who has it asks
	declined string        // the effect that got no answer; for who has the turn
	// rewritten is the rule that was last rewritten; for who has the turn.
	rewritten rewritten
	wake      chan struct{} // something was typed for the open question
	ended     chan struct{} // nothing more will be

	mu      sync.Mutex // guards below, and the device's mode
	listens bool       // a question is open
	running bool       // a command takes keys
	keys    bool       // what the device is set to
	closed  bool
	typed   typedFuncs
	lines   []reply
}

// typedFuncs take what is not for a question.
type typedFuncs struct {
	keys    func(text string) // to the command
	line    func(text string) // to whoever may care
	resized func()
}

// reply is a line that was typed to a question; at the end of input not ok.
type reply struct {
	text string
	ok   bool
}

// maxReplies bounds what is typed ahead within a question.
const maxReplies = 256

// NewTerminal reads from in until it ends; device is nil for what has no modes.
func NewTerminal(in io.Reader, out io.Writer, device Device) *Terminal {
	t := &Terminal{
		out: out, device: device, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		ended: make(chan struct{}),
	}
	go t.read(in) // ends with in
	return t
}

// Close gives the terminal its modes back, for good.
func (t *Terminal) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.switchLocked()
}

// Resized says that the device has another size.
func (t *Terminal) Resized() {
	t.mu.Lock()
	f := t.typed.resized
	t.mu.Unlock()
	if f != nil {
		f()
	}
}

func (t *Terminal) setTyped(f typedFuncs) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.typed = f
}

// setRunning says whether a command takes keys.
func (t *Terminal) setRunning(running bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = running
	t.switchLocked()
}

// switchLocked is the one place where the device's mode changes.
func (t *Terminal) switchLocked() {
	want := t.running && !t.listens && !t.closed
	if t.device == nil || want == t.keys {
		return
	}
	t.keys = want
	t.device.Keys(want)
}

// listen makes lines answers from now on; what was typed before is none.
func (t *Terminal) listen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listens, t.lines = true, nil
	t.switchLocked()
	if t.device != nil {
		t.device.Drop()
	}
}

func (t *Terminal) unlisten() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listens, t.lines = false, nil
	t.switchLocked()
}

// ask writes a prompt and waits for a line; ok is false when the question was
// withdrawn or the person gave no answer.
func (t *Terminal) ask(ctx context.Context, prompt string) (line string, ok bool) {
	fmt.Fprint(t.out, prompt)
	for {
		if r, some := t.reply(); some {
			if !r.ok {
				fmt.Fprintln(t.out, "(no answer)")
			}
			return strings.TrimSpace(r.text), r.ok
		}
		select {
		case <-t.wake:
		case <-t.ended:
			if r, some := t.reply(); some {
				return strings.TrimSpace(r.text), r.ok
			}
			fmt.Fprintln(t.out, "(no answer)")
			return "", false
		case <-ctx.Done():
			fmt.Fprintln(t.out, "(withdrawn)")
			return "", false
		}
	}
}

func (t *Terminal) reply() (r reply, some bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return reply{}, false
	}
	r = t.lines[0]
	t.lines = t.lines[1:]
	return r, true
}

func (t *Terminal) read(in io.Reader) {
	defer close(t.ended)
	defer t.restore()
	buf := make([]byte, 4<<10)
	var left []byte // begins a line or a character that is not whole yet
	for {
		n, err := in.Read(buf)
		left = t.take(append(left, buf[:n]...))
		switch {
		case err == nil:
		case t.device == nil || t.device.Gone():
			return
		default:
			t.heard(reply{})
		}
	}
}

// restore lets a fault be seen on a terminal in its usual mode.
func (t *Terminal) restore() {
	if fault := recover(); fault != nil {
		t.Close()
		panic(fault)
	}
}

// take hands on what was read and returns what is not whole yet.
func (t *Terminal) take(read []byte) (left []byte) {
	t.mu.Lock()
	keys, typed := t.keys, t.typed
	t.mu.Unlock()
	if keys {
		whole := wholeRunes(read)
		if typed.keys != nil && whole > 0 {
			typed.keys(string(read[:whole]))
		}
		return read[whole:]
	}
	for {
		line, rest, found := strings.Cut(string(read), "\n")
		if !found {
			return read
		}
		t.heard(reply{line, true})
		read = []byte(rest)
	}
}

// wholeRunes is how many bytes hold whole characters. What is no character
// counts as one.
func wholeRunes(b []byte) int {
	for i := max(0, len(b)-utf8.UTFMax+1); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			return i
		}
	}
	return len(b)
}

// heard takes a line, or the end of input that a person typed.
func (t *Terminal) heard(r reply) {
	t.mu.Lock()
	listens, line := t.listens, t.typed.line
	if listens && len(t.lines) < maxReplies {
		t.lines = append(t.lines, r)
	}
	t.mu.Unlock()
	switch {
	case listens:
		select {
		case t.wake <- struct{}{}:
		default: // it is awake already
		}
	case r.ok && line != nil:
		line(r.text)
	}
}
