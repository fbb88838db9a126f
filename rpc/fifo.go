package rpc

// fifo is a queue in one slice. It does not bound itself: its owner counts
// messages and bytes before pushing.
type fifo[T any] struct {
	items []T
	head  int // items before head are taken, and zeroed
}

func (q *fifo[T]) push(v T) { q.items = append(q.items, v) }

func (q *fifo[T]) waiting() []T { return q.items[q.head:] }

// pop takes the first item; there must be one. The slot is zeroed, so that a
// giant frame's memory goes with the frame.
func (q *fifo[T]) pop() T {
	var none T
	v := q.items[q.head]
	q.items[q.head] = none
	q.head++
	switch {
	case q.head == len(q.items):
		q.keep(q.items[:0])
	case q.head >= 64 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.keep(q.items[:n])
	}
	return v
}

// keep replaces what is waiting, giving up the slice a long backlog left.
func (q *fifo[T]) keep(items []T) {
	q.items, q.head = items, 0
	if len(items) == 0 && cap(items) > 4096 {
		q.items = nil
	}
}
