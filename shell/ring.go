package shell

import (
	"context"
	"sync"
)

// RingSize is how many of the newest bytes of a command are kept for readers.
const RingSize = 1 << 20

// firstRing is what the first byte costs; RingSize is firstRing doubled.
const firstRing = 4 << 10

// Ring keeps the newest bytes of an endless stream under absolute offsets.
// The writer never waits for a reader: what a slow reader lost is visible as a
// difference of offsets. Safe for concurrent use.
type Ring struct {
	mu     sync.Mutex // guards below
	buf    []byte     // the byte of offset o lies at o % len(buf)
	end    int64      // bytes ever written
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
	r.growLocked(len(p))
	r.storeLocked(p)
	r.wakeLocked()
}

// growLocked makes room for n more bytes up to RingSize. It grows only before
// the first wrap, when every offset is its own index, so a copy keeps the order.
func (r *Ring) growLocked(n int) {
	size := len(r.buf)
	if size == RingSize || r.end+int64(n) <= int64(size) {
		return
	}
	size = max(size, firstRing)
	for size < RingSize && r.end+int64(n) > int64(size) {
		size *= 2
	}
	grown := make([]byte, size)
	copy(grown, r.buf)
	r.buf = grown
}

func (r *Ring) storeLocked(p []byte) {
	r.end += int64(len(p))
	p = p[max(0, len(p)-len(r.buf)):]
	at := int((r.end - int64(len(p))) % int64(len(r.buf)))
	n := copy(r.buf[at:], p)
	copy(r.buf, p[n:])
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
	oldest := max(0, r.end-int64(len(r.buf)))
	offset = min(max(offset, oldest), r.end)
	data := r.copyLocked(offset, int(min(r.end-offset, int64(max(limit, 0)))))
	return Chunk{
		Offset: offset, Data: data, End: r.end,
		EOF: r.closed && offset+int64(len(data)) == r.end,
	}
}

func (r *Ring) copyLocked(offset int64, n int) []byte {
	if n == 0 {
		return nil
	}
	data := make([]byte, n)
	k := copy(data, r.buf[offset%int64(len(r.buf)):])
	copy(data[k:], r.buf)
	return data
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
