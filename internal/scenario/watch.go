package scenario

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drawbridge/session"
	"drawbridge/workspace/watch"
)

// watchers are the runner's own: the system's events would come from outside the
// virtual time. A window looks at the whole workspace, which is small; that a
// file changed is told by whoever changes it.
type watchers struct {
	mu      sync.Mutex // guards below
	follows map[string][]chan struct{}
}

// open makes the watcher of a session.
func (ws *watchers) open(roots []string) session.Watcher { return &watcher{all: ws, roots: roots} }

// changed tells that somebody changed a file.
func (ws *watchers) changed(path string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, ch := range ws.follows[path] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

type watcher struct {
	all   *watchers
	roots []string
}

func (w *watcher) Start() {}
func (w *watcher) Close() {}

func (w *watcher) Follow(path string) (<-chan struct{}, func()) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	ch := make(chan struct{}, 1)
	if w.all.follows == nil {
		w.all.follows = map[string][]chan struct{}{}
	}
	w.all.follows[path] = append(w.all.follows[path], ch)
	return ch, func() {
		w.all.mu.Lock()
		defer w.all.mu.Unlock()
		w.all.follows[path] = slices.DeleteFunc(w.all.follows[path], func(c chan struct{}) bool { return c == ch })
	}
}

func (w *watcher) Begin() session.Window { return &window{roots: w.roots, before: look(w.roots)} }

type window struct {
	roots  []string
	before map[string]watch.File
}

func (w *window) Close() {}

func (w *window) Differences(context.Context) (list []watch.Difference, partial bool) {
	now := look(w.roots)
	for path, was := range w.before {
		if now[path] != was {
			list = append(list, watch.Difference{Path: path, Before: was, After: now[path]})
		}
	}
	for path, is := range now {
		if !w.before[path].Exists {
			list = append(list, watch.Difference{Path: path, After: is})
		}
	}
	slices.SortFunc(list, func(a, b watch.Difference) int { return strings.Compare(a.Path, b.Path) })
	w.before = now
	return list, false
}

// look is what there is below roots.
func look(roots []string) map[string]watch.File {
	all := map[string]watch.File{}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what goes meanwhile is not there
			if err != nil || d.IsDir() {
				return nil
			}
			all[path] = watch.Stat(path)
			return nil
		})
	}
	return all
}
