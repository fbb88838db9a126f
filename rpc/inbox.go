package rpc

import "sync"

const (
	// Deep enough that a cancellation is seen behind a burst of keystrokes.
	inboxMessages = 1024

	// Frames near the limit are queued one at a time.
	inboxBytes = 16 << 20
)

// inbox is the queue between the reader and the dispatcher. When it is full
// the reader waits, and with it, in the end, the peer; the end of the input is
// then seen late, too.
type inbox struct {
	mu     sync.Mutex
	filled sync.Cond
	freed  sync.Cond
	queue  fifo[message]
	bytes  int
	closed bool
}

// newInbox ties both conditions to the one mutex.
func newInbox() *inbox {
	b := &inbox{}
	b.filled.L, b.freed.L = &b.mu, &b.mu
	return b
}

// push waits for room; one message always fits, however large. It reports
// false when the queue was closed instead.
func (b *inbox) push(m message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.fullLocked(m.size) {
		b.freed.Wait()
	}
	if b.closed {
		return false
	}
	b.queue.push(m)
	b.bytes += m.size
	b.filled.Signal()
	return true
}

func (b *inbox) fullLocked(size int) bool {
	n := len(b.queue.waiting())
	return n > 0 && (n >= inboxMessages || b.bytes+size > inboxBytes)
}

// pop waits for the next message. It reports false once the queue is closed
// and what it held is served.
func (b *inbox) pop() (message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue.waiting()) == 0 {
		if b.closed {
			return message{}, false
		}
		b.filled.Wait()
	}
	m := b.queue.pop()
	b.bytes -= m.size
	b.freed.Signal()
	return m, true
}

// close lets pop drain the queue and push no more into it.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.filled.Broadcast()
	b.freed.Broadcast()
}
