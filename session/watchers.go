package session

import (
	"context"
	"strings"
	"sync"

	"drawbridge/workspace/watch"
)

// Watcher looks after the disk below the roots of a workspace. It begins with
// the first use and must not block. Safe for concurrent use.
type Watcher interface {
	// Start has all files watched, from some moment on.
	Start()
	// Follow tells when one file changes, until stop.
	Follow(path string) (changed <-chan struct{}, stop func())
	// Begin collects what becomes of files from now on.
	Begin() Window
	Close()
}

// Window collects what becomes of files; see watch.Window.
type Window interface {
	Differences(ctx context.Context) (list []watch.Difference, partial bool)
	Close()
}

// WatchDisk is the Watcher of a real disk.
func WatchDisk(roots []string) Watcher { return diskWatcher{watch.New(roots)} }

type diskWatcher struct{ *watch.Watcher }

func (w diskWatcher) Begin() Window { return w.Watcher.Begin() }

// noWatcher sees nothing.
type noWatcher struct{}

func (noWatcher) Start()                                  {}
func (noWatcher) Follow(string) (<-chan struct{}, func()) { return nil, func() {} }
func (noWatcher) Begin() Window                           { return noWindow{} }
func (noWatcher) Close()                                  {}

type noWindow struct{}

func (noWindow) Differences(context.Context) ([]watch.Difference, bool) { return nil, true }
func (noWindow) Close()                                                 {}

// watchers are those of a host: sessions of the same folders share one, because
// a system has only so many watches.
type watchers struct {
	open func(roots []string) Watcher // nil: nothing is watched

	mu   sync.Mutex // guards below
	list map[string]*sharedWatcher
}

type sharedWatcher struct {
	Watcher
	users int
}

// get returns the watcher of roots. Whoever gets it releases it once.
func (ws *watchers) get(roots []string) (w Watcher, release func()) {
	if ws.open == nil {
		return noWatcher{}, func() {}
	}
	key := strings.Join(roots, "\x00")
	ws.mu.Lock()
	defer ws.mu.Unlock()
	shared := ws.list[key]
	if shared == nil {
		if ws.list == nil {
			ws.list = map[string]*sharedWatcher{}
		}
		shared = &sharedWatcher{Watcher: ws.open(roots)}
		ws.list[key] = shared
	}
	shared.users++
	return shared, sync.OnceFunc(func() { ws.release(key, shared) })
}

func (ws *watchers) release(key string, shared *sharedWatcher) {
	ws.mu.Lock()
	shared.users--
	last := shared.users == 0
	if last {
		delete(ws.list, key)
	}
	ws.mu.Unlock()
	if last {
		shared.Close()
	}
}
