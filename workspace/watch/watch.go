// Package watch looks after the disk below a workspace's roots: which files
// came, went, were written or got another name while a command ran, and when a
// single file changes. It compares what the system tells of files, never their
// texts, and refuses to know who changed them.
//
// A Watcher has two goroutines: one takes the system's events from its first use
// until Close, one walks the roots once, after Start. Close waits for both.
package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// maxFiles bounds the files that are known by what the system says of them.
	maxFiles = 200_000
	// maxTouched bounds the paths that a Window remembers.
	maxTouched = 20_000
	// pulseLimit is how long a Window waits for events that are on their way.
	pulseLimit = 100 * time.Millisecond
)

// ignored are folders that are not looked into, and links to them: they change
// in thousands and are nobody's text.
var ignored = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true, "node_modules": true}

// Watcher watches the roots of a workspace. Nothing is watched before the first
// use. Safe for concurrent use.
type Watcher struct {
	roots []string
	limit int // of folders

	start sync.Once
	stop  chan struct{}
	wg    sync.WaitGroup
	// beating holds a token while an event of our own is waited for.
	beating chan struct{}
	// patience is how long that event is waited for.
	patience time.Duration

	mu      sync.Mutex // guards below
	fs      *fsnotify.Watcher
	failed  bool // the system gives no watcher
	closed  bool
	walked  chan struct{} // closed when the roots have been walked
	partial bool
	dirs    map[string]bool
	files   map[string]File
	windows map[*Window]bool
	follows map[string][]chan struct{}
	singles map[string]int // folders that are watched for one of their files only
	pulse   *os.File       // of our own; nil until there is one
	due     chan struct{}  // closed at its next event; nil when that is not waited for
}

// File is what the system says of a file. The zero File is not there.
type File struct {
	Exists   bool
	Size     int64
	Modified int64 // nanoseconds
	Device   uint64
	Inode    uint64
	Mode     os.FileMode
}

// New makes a Watcher of roots, absolute paths of folders.
func New(roots []string) *Watcher {
	return &Watcher{
		roots: roots, limit: maxFolders, stop: make(chan struct{}), walked: make(chan struct{}),
		dirs: map[string]bool{}, files: map[string]File{}, windows: map[*Window]bool{},
		follows: map[string][]chan struct{}{}, singles: map[string]int{}, beating: make(chan struct{}, 1),
		patience: pulseLimit,
	}
}

// Start begins to walk the roots in the background. Further calls do nothing.
func (w *Watcher) Start() {
	w.start.Do(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.openLocked() {
			w.wg.Go(w.walk)
		}
	})
}

// openLocked is false when there is nothing to watch with.
func (w *Watcher) openLocked() bool {
	if w.fs != nil || w.failed || w.closed {
		return w.fs != nil && !w.closed
	}
	fs, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		w.failed, w.partial = true, true
		return false
	}
	w.fs = fs
	w.wg.Go(func() { w.run(fs) })
	return true
}

// Close ends the watching and waits for it.
func (w *Watcher) Close() {
	w.mu.Lock()
	fs, pulse, first := w.fs, w.pulse, !w.closed
	w.closed = true
	w.mu.Unlock()
	if !first {
		w.wg.Wait()
		return
	}
	close(w.stop)
	if fs != nil {
		_ = fs.Close() // what it says of a folder that is gone helps nobody
	}
	w.wg.Wait()
	if pulse != nil {
		pulse.Close()
		os.Remove(pulse.Name()) // it may be gone
	}
}

// Walked is closed when all that can be watched is.
func (w *Watcher) Walked() <-chan struct{} { return w.walked }

// run takes events until fs is closed.
func (w *Watcher) run(fs *fsnotify.Watcher) {
	for fs.Events != nil {
		select {
		case e, ok := <-fs.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				w.heardMode(e.Name)
			} else {
				w.heard(e.Name)
			}
		case err, ok := <-fs.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.lost()
			}
		}
	}
}

// lost notes that events were.
func (w *Watcher) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for win := range w.windows {
		win.partial = true
	}
	for _, all := range w.follows {
		for _, ch := range all {
			nudge(ch)
		}
	}
}

func (w *Watcher) heard(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pulse != nil && name == w.pulse.Name() {
		if w.due != nil {
			close(w.due)
			w.due = nil
		}
		return
	}
	for _, ch := range w.follows[name] {
		nudge(ch)
	}
	if w.dirs[filepath.Dir(name)] && !ignored[filepath.Base(name)] {
		w.takeLocked(name, Stat(name))
	} else if w.dirs[name] && !Stat(name).Exists { // a root
		w.dropLocked(name)
	}
}

// heardMode takes over what became of a file's mode. The same event tells of new
// times and of names that it has elsewhere: that is not a change of the file, and
// one of its bytes has an event of its own.
func (w *Watcher) heardMode(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before := w.files[name]; before.Exists {
		if now := Stat(name); before.SameBytes(now) {
			w.touchLocked(name, now)
		}
	}
}

func nudge(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it has one that it has not seen yet
	}
}

// takeLocked takes over what there is of a name now.
func (w *Watcher) takeLocked(name string, now File) {
	if w.dirs[name] && !now.Mode.IsDir() {
		w.dropLocked(name)
	}
	switch {
	case now.Mode.IsDir():
		w.touchLocked(name, File{}) // it may have been a file
		if !w.dirs[name] {
			w.addLocked(name, true)
		}
	default:
		w.touchLocked(name, now)
	}
}

// touchLocked notes a file as it is now; windows remember what it was.
func (w *Watcher) touchLocked(name string, now File) {
	before := w.files[name]
	if !before.Exists && !now.Exists {
		return
	}
	for win := range w.windows {
		win.touchLocked(name, before)
	}
	switch {
	case !now.Exists:
		delete(w.files, name)
	case before.Exists || len(w.files) < maxFiles:
		w.files[name] = now
	default:
		w.partial = true
	}
}

// dropLocked forgets a folder that is gone, with all that was in it.
func (w *Watcher) dropLocked(dir string) {
	inside := dir + string(filepath.Separator)
	for d := range w.dirs {
		if d == dir || strings.HasPrefix(d, inside) {
			delete(w.dirs, d)
			_ = w.fs.Remove(d) // it may be gone by itself
		}
	}
	for name := range w.files {
		if strings.HasPrefix(name, inside) {
			w.touchLocked(name, File{})
		}
	}
}

// walk watches the roots and what is below them.
func (w *Watcher) walk() {
	defer close(w.walked)
	queue := append([]string(nil), w.roots...)
	for len(queue) > 0 {
		select {
		case <-w.stop:
			return
		default:
		}
		w.mu.Lock()
		below := w.oneLocked(queue[0], false)
		w.mu.Unlock()
		queue = append(queue[1:], below...)
	}
}

// addLocked watches a folder that came while the others were watched, and all
// below it. What is in it came too.
func (w *Watcher) addLocked(dir string, came bool) {
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		queue = append(queue, w.oneLocked(queue[0], came)...)
	}
}

// oneLocked watches one folder and returns those in it. First it is watched,
// then read: what comes in between is seen by either.
func (w *Watcher) oneLocked(dir string, came bool) (below []string) {
	if w.closed || w.dirs[dir] {
		return nil
	}
	if len(w.dirs) >= w.limit || w.fs.Add(dir) != nil {
		w.partial = true // what cannot be watched is not: no watches left, no rights
		return nil
	}
	w.dirs[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.partial = true
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case ignored[e.Name()]:
		case e.IsDir():
			below = append(below, name)
		case came:
			w.touchLocked(name, Stat(name))
		case len(w.files) < maxFiles:
			w.files[name] = Stat(name)
		default:
			w.partial = true
		}
	}
	return below
}

// Follow tells when a file changes, comes or goes, until stop. Several changes
// may be told as one. It costs no walk.
func (w *Watcher) Follow(path string) (changed <-chan struct{}, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := make(chan struct{}, 1)
	dir := filepath.Dir(path)
	if !w.openLocked() || !w.dirs[dir] && w.singles[dir] == 0 && w.fs.Add(dir) != nil {
		return ch, func() {}
	}
	w.singles[dir]++
	w.follows[path] = append(w.follows[path], ch)
	return ch, sync.OnceFunc(func() { w.unfollow(path, ch) })
}

func (w *Watcher) unfollow(path string, ch chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var left []chan struct{}
	for _, other := range w.follows[path] {
		if other != ch {
			left = append(left, other)
		}
	}
	if w.follows[path] = left; left == nil {
		delete(w.follows, path)
	}
	dir := filepath.Dir(path)
	if w.singles[dir]--; w.singles[dir] > 0 {
		return
	}
	delete(w.singles, dir)
	if !w.dirs[dir] && !w.closed {
		_ = w.fs.Remove(dir) // it may be gone
	}
}

// settle returns when the events of all that has been done by now are in, or
// after the patience for that, or when ctx ends: events come in order, and the last is one
// of our own. It is false when that was not seen.
func (w *Watcher) settle(ctx context.Context) bool {
	select {
	case w.beating <- struct{}{}:
		defer func() { <-w.beating }()
	case <-ctx.Done():
		return false
	}
	pulse, beat := w.beat()
	if beat == nil {
		return false
	}
	if _, err := pulse.WriteAt([]byte{0}, 0); err != nil {
		return false
	}
	timer := time.NewTimer(w.patience)
	defer timer.Stop()
	select {
	case <-beat:
		return true
	case <-timer.C:
	case <-ctx.Done():
	case <-w.stop:
	}
	return false
}

// beat is a file to be written, and what tells that it was. The file is made at
// the first beat.
func (w *Watcher) beat() (pulse *os.File, beat chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.openLocked() {
		return nil, nil
	}
	if w.pulse == nil {
		f, err := os.CreateTemp("", "drawbridge-pulse-")
		if err != nil {
			return nil, nil
		}
		if w.fs.Add(f.Name()) != nil {
			f.Close()
			os.Remove(f.Name())
			return nil, nil
		}
		if watchesUnnamed {
			os.Remove(f.Name())
		}
		w.pulse = f
	}
	w.due = make(chan struct{})
	return w.pulse, w.due
}
