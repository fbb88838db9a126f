package shell

import (
	"bytes"
	"strings"
	"sync/atomic"
	"time"
)

// waitWatch finds out whether a command waits for typing. It looks only while
// the command is silent, and ever less often, so that it costs nothing to a
// command that prints and next to nothing to one that sleeps.
type waitWatch struct {
	blocked func() bool // the foreground process is blocked in a read of the input
	tell    func(waiting bool)

	began time.Time
	last  atomic.Int64  // when something was written or typed, after began
	alert atomic.Bool   // somebody wants to know when something is
	stir  chan struct{} // has room for one
}

// A look is taken after a silence, and then after pauses that double.
const (
	silence      = 500 * time.Millisecond
	firstPause   = 250 * time.Millisecond
	longestPause = 2 * time.Second
)

func newWaitWatch(blocked func() bool, tell func(bool)) *waitWatch {
	return &waitWatch{blocked: blocked, tell: tell, began: time.Now(), stir: make(chan struct{}, 1)}
}

// heard is called when something is written or typed.
func (w *waitWatch) heard() {
	w.last.Store(int64(time.Since(w.began)))
	if w.alert.CompareAndSwap(true, false) {
		select {
		case w.stir <- struct{}{}:
		default:
		}
	}
}

// run looks until stop is closed.
func (w *waitWatch) run(stop <-chan struct{}) {
	pause, next := silence, firstPause
	for {
		select {
		case <-stop:
			return
		case <-w.stir:
			w.tell(false)
			pause, next = silence, firstPause
			continue
		case <-time.After(pause):
		}
		if quiet := time.Since(w.began) - time.Duration(w.last.Load()); quiet < silence {
			pause = silence - quiet
			continue
		}
		w.alert.Store(true) // before the look: output that overtakes it is heard of
		w.tell(w.blocked())
		pause, next = next, min(2*next, longestPause)
	}
}

// promptLength is how much of the end of the output may be a prompt, in bytes.
const promptLength = 4 << 10

// prompts says whether the cursor stands behind text, as it does behind a
// question. A server that also listens for keys leaves it on an empty line.
func prompts(r *Ring, tty bool) bool {
	text := Text(r.Read(r.End()-promptLength, promptLength).Data, tty)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) != ""
}

// onAlternate says whether the alternate screen is shown, by what is still known
// of the output.
func onAlternate(r *Ring) bool {
	const modes = "\x1b[?"
	data := r.Read(r.End()-RingSize, RingSize).Data
	for i := bytes.LastIndex(data, []byte(modes)); i >= 0; i = bytes.LastIndex(data[:i], []byte(modes)) {
		list := data[i+len(modes):]
		n := bytes.IndexFunc(list, func(r rune) bool { return (r < '0' || r > '9') && r != ';' })
		if n < 0 || list[n] != 'h' && list[n] != 'l' {
			continue
		}
		for mode := range bytes.SplitSeq(list[:n], []byte(";")) {
			switch string(mode) {
			case "47", "1047", "1049":
				return list[n] == 'h'
			}
		}
	}
	return false
}
