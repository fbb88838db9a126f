package workspace

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
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

const (
	// maxFolderWait is how long a write waits for another process: longer than any
	// of ours needs.
	maxFolderWait = 5 * time.Second
	// A lock that is held is asked for again after the first of these, and then
	// ever less often.
	folderPause, maxFolderPause = 500 * time.Microsecond, 20 * time.Millisecond
)

// folderTurn is the turn of one process among all those of this program that
// write into a folder: an advisory lock (flock) on the folder itself. It ends
// with the process, however that ends. The zero value holds none.
//
// It binds nobody else: editors, commands and other programs write whenever they
// like. It is also none where the file system has no such locks for folders
// (NFS), where the folder may not be listed, and when somebody has held it for
// longer than maxFolderWait: that is another program's lock, or a process of
// ours that was stopped. Writes then go on as they would for a foreign writer.
type folderTurn struct {
	folder *os.File // nil when there is no turn
}

// take waits for the turn in dir, unless it is held already. The only error is
// that of an ended ctx.
func (t *folderTurn) take(ctx context.Context, dir *os.Root) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	folder, err := dir.Open(".")
	if err != nil {
		return nil // it may be passed but not listed
	}
	if t.holds(folder) {
		folder.Close()
		return nil
	}
	t.end()
	t.folder = folder
	return t.wait(ctx)
}

// of is take by the folder's path.
func (t *folderTurn) of(ctx context.Context, path string) error {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil // as when it may not be listed; what is done there says more
	}
	defer dir.Close()
	return t.take(ctx, dir)
}

// holds reports whether the turn is one in folder: another one may be at its
// path by now.
func (t *folderTurn) holds(folder *os.File) bool {
	if t.folder == nil {
		return false
	}
	held, err := t.folder.Stat()
	if err != nil {
		return false
	}
	info, err := folder.Stat()
	return err == nil && os.SameFile(held, info)
}

func (t *folderTurn) wait(ctx context.Context) error {
	limit := time.Now().Add(maxFolderWait)
	for pause := folderPause; ; pause = min(2*pause, maxFolderPause) {
		err := syscall.Flock(int(t.folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		held := errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
		if !held || time.Now().After(limit) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// end gives the turn to the next.
func (t *folderTurn) end() {
	if t.folder != nil {
		t.folder.Close()
		t.folder = nil
	}
}
