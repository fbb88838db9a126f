package workspace

import (
	"context"
	"sync"
)

// locks is one table for the process: two workspaces may share a root, and the
// file is the same one.
var locks pathLocks

// Lock takes the lock of a resolved path. Those who wait get it in the order
// they came; one whose ctx ends leaves the queue. Commit takes the same lock,
// so do not hold it over a Commit of that path.
func (w *Workspace) Lock(ctx context.Context, abs string) (release func(), err error) {
	return locks.acquire(ctx, abs)
}

// pathLocks are first-come-first-served locks by name. An entry exists while
// its lock is held; its queue is bounded by the callers that wait.
type pathLocks struct {
	mu   sync.Mutex // guards below
	held map[string][]chan struct{}
}

func (l *pathLocks) acquire(ctx context.Context, name string) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turn := l.enter(name)
	if turn == nil {
		return l.releaser(name), nil
	}
	select {
	case <-turn:
		return l.releaser(name), nil
	case <-ctx.Done():
		if !l.leave(name, turn) {
			l.release(name) // it was ours already: hand it on
		}
		return nil, ctx.Err()
	}
}

// enter takes the lock, or queues and returns the channel to wait on.
func (l *pathLocks) enter(name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue, held := l.held[name]
	if !held {
		if l.held == nil {
			l.held = make(map[string][]chan struct{})
		}
		l.held[name] = nil
		return nil
	}
	turn := make(chan struct{})
	l.held[name] = append(queue, turn)
	return turn
}

// leave reports whether turn was still waiting.
func (l *pathLocks) leave(name string, turn chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.held[name] {
		if other == turn {
			l.held[name] = append(l.held[name][:i], l.held[name][i+1:]...)
			return true
		}
	}
	return false
}

func (l *pathLocks) release(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.held[name]
	if len(queue) == 0 {
		delete(l.held, name)
		return
	}
	l.held[name] = queue[1:]
	close(queue[0])
}

// releaser returns a release that does nothing the second time.
func (l *pathLocks) releaser(name string) func() {
	var once sync.Once
	return func() { once.Do(func() { l.release(name) }) }
}
