package rpc

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

const (
	// A write carries as many frames as fit. It is also what a control message
	// may have to wait for.
	writeChunk = 64 << 10

	// An output message waits while so much output is queued before it.
	outputLimit = 256 << 10
)

// outbox is the queue between everybody and the writer. It has two lanes:
// control is written first and never makes its sender wait; output makes its
// senders wait. A stream ties the two together where order counts: a control
// message behind a stream takes the stream's queued output along.
type outbox struct {
	w            io.Writer
	trace        func(dir string, body []byte)
	failed       func(error) // called once, by the writer
	controlLimit int64
	wake         chan struct{} // holds one token when there may be work

	mu           sync.Mutex
	control      fifo[frame]
	output       fifo[frame]
	writing      []frame // taken out, not yet on the wire
	controlBytes int64
	outputBytes  int64
	seq          uint64        // of the last frame queued, in either lane
	err          error         // why nothing is taken any more
	progress     chan struct{} // closed after the next write; nil while nobody waits
}

func newOutbox(w io.Writer, controlLimit int64) *outbox {
	return &outbox{w: w, controlLimit: controlLimit, wake: make(chan struct{}, 1)}
}

// sendControl never waits. Past the limit the peer is given up: it has stopped
// reading, and to drop a message silently would be a lie.
func (o *outbox) sendControl(f frame, behind string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	if o.controlBytes > o.controlLimit {
		return fmt.Errorf("%w: %d bytes are waiting", ErrNotReading, o.controlBytes)
	}
	if behind != "" {
		o.promoteLocked(behind)
	}
	o.seq++
	f.seq = o.seq
	o.control.push(f)
	o.controlBytes += int64(len(f.wire))
	o.signal()
	return nil
}

// promoteLocked moves a stream's output to the end of the control lane.
func (o *outbox) promoteLocked(stream string) {
	o.output.keep(slices.DeleteFunc(o.output.waiting(), func(f frame) bool {
		if f.stream != stream {
			return false
		}
		o.control.push(f)
		o.outputBytes -= int64(len(f.wire))
		o.controlBytes += int64(len(f.wire))
		return true
	}))
	o.progressLocked()
}

// sendOutput waits, as long as ctx lives, for its turn in the output lane.
func (o *outbox) sendOutput(ctx context.Context, f frame) error {
	for {
		retry, err := o.tryOutput(f)
		if retry == nil {
			return err
		}
		select {
		case <-retry:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryOutput queues f, or returns what to wait for before trying again. One
// frame always fits into an empty lane, however large.
func (o *outbox) tryOutput(f frame) (retry <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return nil, o.err
	case o.outputBytes > 0 && o.outputBytes+int64(len(f.wire)) > outputLimit:
		return o.waitLocked(), nil
	}
	o.seq++
	f.seq = o.seq
	o.output.push(f)
	o.outputBytes += int64(len(f.wire))
	o.signal()
	return nil, nil
}

// flush waits until everything queued so far is written.
func (o *outbox) flush(ctx context.Context) error {
	o.mu.Lock()
	upTo := o.seq
	o.mu.Unlock()
	for {
		more, err := o.unwritten(upTo)
		if more == nil {
			return err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unwritten looks for frames up to a number, or returns what to wait for. The
// lanes are searched and not compared by their heads: a promoted stream's
// frames stand out of order.
func (o *outbox) unwritten(upTo uint64) (more <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil && o.err != ErrClosed {
		return nil, o.err
	}
	early := func(f frame) bool { return f.seq <= upTo }
	for _, lane := range [][]frame{o.writing, o.control.waiting(), o.output.waiting()} {
		if slices.ContainsFunc(lane, early) {
			return o.waitLocked(), nil
		}
	}
	return nil, nil
}

// close takes no more frames; the writer ends when it has written the rest.
func (o *outbox) close(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.progressLocked()
	o.signal()
}

// run is the writer goroutine.
func (o *outbox) run() {
	chunk := make([]byte, 0, writeChunk)
	for {
		frames, open := o.take()
		if frames == nil && !open {
			return
		}
		if frames == nil {
			<-o.wake // a token may be stale; take looks again
			continue
		}
		if err := o.write(chunk, frames); err != nil {
			o.abandon(fmt.Errorf("write: %w", err))
			return
		}
		o.wrote()
	}
}

// take moves the next frames to o.writing: at least one if there is one, and
// what else fits into a write. Output goes only when no control waits.
func (o *outbox) take() (frames []frame, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	size := o.takeLocked(&o.control, &o.controlBytes, 0)
	if len(o.control.waiting()) == 0 {
		o.takeLocked(&o.output, &o.outputBytes, size)
	}
	if len(o.writing) == 0 {
		return nil, o.err == nil
	}
	return o.writing, true
}

// takeLocked moves frames from lane to o.writing, which holds size bytes,
// until a write is full.
func (o *outbox) takeLocked(lane *fifo[frame], bytes *int64, size int) int {
	for len(lane.waiting()) > 0 {
		n := len(lane.waiting()[0].wire)
		if size > 0 && size+n > writeChunk {
			break
		}
		o.writing = append(o.writing, lane.pop())
		*bytes -= int64(n)
		size += n
	}
	return size
}

func (o *outbox) write(chunk []byte, frames []frame) error {
	if o.trace != nil {
		for _, f := range frames {
			o.trace("send", f.body)
		}
	}
	if len(frames) == 1 { // and a giant one is not copied
		_, err := o.w.Write(frames[0].wire)
		return err
	}
	for _, f := range frames {
		chunk = append(chunk, f.wire...)
	}
	_, err := o.w.Write(chunk)
	return err
}

// wrote forgets what is on the wire, and its memory.
func (o *outbox) wrote() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.writing)
	o.writing = o.writing[:0]
	o.progressLocked()
}

// abandon gives up after a failed write: nothing queued will be read, and a
// second try would only fail again, as fast as the machine can. The failure is
// a better reason than a Close that came before it.
func (o *outbox) abandon(err error) {
	o.mu.Lock()
	if o.err == nil || o.err == ErrClosed {
		o.err = err
	}
	o.control, o.output = fifo[frame]{}, fifo[frame]{}
	o.controlBytes, o.outputBytes = 0, 0
	o.progressLocked()
	o.mu.Unlock()
	o.failed(err)
}

// signal wakes the writer. A token that is already there will do.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// waitLocked returns a channel that is closed when frames have left a lane.
func (o *outbox) waitLocked() <-chan struct{} {
	if o.progress == nil {
		o.progress = make(chan struct{})
	}
	return o.progress
}

func (o *outbox) progressLocked() {
	if o.progress != nil {
		close(o.progress)
		o.progress = nil
	}
}
