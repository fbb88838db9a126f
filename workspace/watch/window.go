package watch

import (
	"cmp"
	"context"
	"slices"
)

// Window collects which files are touched from its Begin on.
type Window struct {
	w       *Watcher
	before  map[string]File // guarded by w.mu; what was there when it was touched first
	partial bool            // guarded by w.mu
}

// Difference is what became of one file.
type Difference struct {
	Path          string
	Before, After File
}

// Begin opens a Window. Close it.
func (w *Watcher) Begin() *Window {
	win := &Window{w: w, before: map[string]File{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.walked:
	default:
		win.partial = true // what is not watched yet may change unseen
	}
	w.windows[win] = true
	return win
}

// Close ends the collecting.
func (win *Window) Close() {
	win.w.mu.Lock()
	defer win.w.mu.Unlock()
	delete(win.w.windows, win)
}

func (win *Window) touchLocked(name string, before File) {
	if _, known := win.before[name]; known {
		return
	}
	if len(win.before) >= maxTouched {
		win.partial = true
		return
	}
	win.before[name] = before
}

// Differences are the files that are not as they were when they were first
// touched, sorted by path, and the window begins anew: each is told once. Partial
// says that there may be others.
func (win *Window) Differences(ctx context.Context) (list []Difference, partial bool) {
	whole := win.w.settle(ctx)
	win.w.mu.Lock()
	before := win.before
	win.before = map[string]File{}
	partial = win.partial || win.w.partial || !whole
	win.w.mu.Unlock()
	for name, was := range before {
		now := Stat(name)
		if now.Mode.IsDir() {
			now = File{}
		}
		if now != was {
			list = append(list, Difference{name, was, now})
		}
	}
	slices.SortFunc(list, func(a, b Difference) int { return cmp.Compare(a.Path, b.Path) })
	return list, partial
}

// SameFile says that a file is another one under a new name: the system knows it
// by the same number, and it was not written. A number alone is given away again.
func (f File) SameFile(other File) bool { return f.Exists && f == other }

// SameBytes says that a file was not written, by what the system says of it; its
// mode may have changed.
func (f File) SameBytes(other File) bool {
	if f.Mode.Type() != other.Mode.Type() {
		return false
	}
	f.Mode = other.Mode
	return f.SameFile(other)
}
