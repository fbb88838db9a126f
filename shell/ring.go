package shell

import (
	"context"
	"sync"
)

// RingSize is how many of the newest bytes of a command are kept for readers.
const RingSize = 1 << 20

// Ring keeps the newest bytes of an endless stream under absolute offsets.
// The writer never waits for a reader: what a slow reader lost is visible as a
// difference of offsets. Safe for concurrent use.
type Ring struct {
	mu     sync.Mutex // guards below
	buf    []byte
	end    int64 // bytes ever written
	closed bool
	wake   chan struct{} // closed and replaced on every change; nil when nobody waits
}

// Append adds p. Appending to a closed ring is ignored.
func (r *Ring) Append(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(p) == 0 {
		return
	}
	r.storeLocked(p)
	r.end += int64(len(p))
	r.wakeLocked()
}

func (r *Ring) storeLocked(p []byte) {
	if len(p) > RingSize {
		p = p[len(p)-RingSize:]
	}
	// The buffer grows to twice the kept size and is then shifted down, so a
	// byte is moved once for each RingSize written.
	if len(r.buf)+len(p) > 2*RingSize {
		keep := RingSize - len(p)
		n := copy(r.buf, r.buf[len(r.buf)-keep:])
		r.buf = r.buf[:n]
	}
	r.buf = append(r.buf, p...)
}

func (r *Ring) wakeLocked() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// Close marks the end of the stream.
func (r *Ring) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.wakeLocked()
}

// Chunk is a piece of a stream. Offset is where Data begins; it is beyond what
// was asked for when older bytes are gone. End is how much was ever written.
type Chunk struct {
	Offset int64
	Data   []byte // a copy
	End    int64
	EOF    bool // the stream is closed and Data reaches its end
}

// Read returns up to limit bytes from offset on without waiting.
func (r *Ring) Read(offset int64, limit int) Chunk {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := min(len(r.buf), RingSize)
	first := r.end - int64(kept)
	offset = min(max(offset, first), r.end)
	tail := r.buf[len(r.buf)-int(r.end-offset):]
	if len(tail) > limit {
		tail = tail[:limit]
	}
	data := append([]byte(nil), tail...)
	return Chunk{Offset: offset, Data: data, End: r.end,
		EOF: r.closed && offset+int64(len(data)) == r.end}
}

// Wait returns when bytes beyond offset exist, the stream is closed, or ctx is
// done (then with its error).
func (r *Ring) Wait(ctx context.Context, offset int64) error {
	for {
		ready, wake := r.ready(offset)
		if ready {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Ring) ready(offset int64) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end > offset || r.closed {
		return true, nil
	}
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	return false, r.wake
}

// End is how many bytes were ever written.
func (r *Ring) End() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}
