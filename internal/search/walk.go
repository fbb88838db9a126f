package search

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// kind is what a name in a folder stands for.
type kind int

const (
	other kind = iota // a link, a pipe
	file
	folder
)

// entry is a name in a folder.
type entry struct {
	name string
	kind kind
}

// walk goes through all folders below a root, with several goroutines and in no
// order. It holds the names of the folders that are begun.
type walk struct {
	root string
	// keep leaves out what it does not want to be told of; nil keeps all.
	keep func(path string, folder bool) bool
	// enter says whether to look into a folder; nil looks into all.
	enter func(path string) bool
	// each is given what is kept, from several goroutines. Its error ends the walk.
	each func(path string, k kind) error
	// missed is told of folders that cannot be read, leftOut of what is not kept.
	missed, leftOut func(path string)

	mu    sync.Mutex // guards below
	more  *sync.Cond
	tasks []task // the last one comes first, so that what is begun is ended
	busy  int
	err   error
}

// task is a folder to list or, if it has entries, some of those to go through.
type task struct {
	dir     string // "" is the root
	entries []entry
}

// taskEntries is how many entries of one folder a goroutine takes for itself.
const taskEntries = 256

// run returns when the walk is over. A root that cannot be listed is an error.
func (w *walk) run(ctx context.Context) error {
	w.more = sync.NewCond(&w.mu)
	defer context.AfterFunc(ctx, func() { w.fail(ctx.Err()) })()
	top, err := list(w.root)
	if err != nil && len(top) == 0 {
		return err
	}
	if err != nil {
		w.missed("./")
	}
	w.put("", top)
	var all sync.WaitGroup
	for range workers() {
		all.Go(w.work)
	}
	all.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *walk) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.more.Broadcast()
}

// put adds the entries of a folder, in parts.
func (w *walk) put(dir string, entries []entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(entries) > 0 {
		n := min(len(entries), taskEntries)
		w.tasks = append(w.tasks, task{dir, entries[:n]})
		entries = entries[n:]
		w.more.Signal()
	}
}

// work takes tasks until there are none and nobody is left who could add some.
func (w *walk) work() {
	for {
		t, ok := w.take()
		if !ok {
			return
		}
		err := w.do(t)
		w.mu.Lock()
		w.busy--
		if err != nil && w.err == nil {
			w.err = err
		}
		if w.busy == 0 && len(w.tasks) == 0 || w.err != nil {
			w.more.Broadcast()
		}
		w.mu.Unlock()
	}
}

func (w *walk) take() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) == 0 && w.busy > 0 && w.err == nil {
		w.more.Wait()
	}
	if len(w.tasks) == 0 || w.err != nil {
		return task{}, false
	}
	last := len(w.tasks) - 1
	t := w.tasks[last]
	w.tasks[last] = task{}
	w.tasks = w.tasks[:last]
	w.busy++
	return t, true
}

func (w *walk) do(t task) error {
	for _, e := range t.entries {
		path := e.name
		if t.dir != "" {
			path = t.dir + "/" + e.name
		}
		if w.keep != nil && !w.keep(path, e.kind == folder) {
			w.leftOut(shown(path, e.kind))
			continue
		}
		if w.each != nil {
			if err := w.each(path, e.kind); err != nil {
				return err
			}
		}
		if e.kind == folder && (w.enter == nil || w.enter(path)) {
			w.below(path)
		}
	}
	return nil
}

func (w *walk) below(dir string) {
	entries, err := list(filepath.Join(w.root, dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.missed(dir + "/")
	}
	w.put(dir, entries)
}

func shown(path string, k kind) string {
	if k == folder {
		return strings.TrimSuffix(path, "/") + "/"
	}
	return path
}
