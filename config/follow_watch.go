package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// calm is how long events are gathered before the file is looked at.
const calm = 50 * time.Millisecond

// Watch calls look when the settings may have changed, until ctx ends; look says
// when to look again, 0 being no need to. A folder that comes, goes and comes again,
// and the one that a link leads to, are watched as well. Where the system cannot
// tell, that is an error; whoever needs to be certain looks by themselves.
func (f *Follower) Watch(ctx context.Context, look func() (again time.Duration)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	t := timer{time.NewTimer(0), true}
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			t.set = false
			follow(w, FileOf(f.dirs))
			if again := look(); again > 0 {
				t.Reset(again)
			}
		case _, open := <-w.Events:
			if !open {
				return nil
			}
			t.soon()
		case err, open := <-w.Errors:
			if !open {
				return nil
			}
			return err
		}
	}
}

// timer is one that events cannot put off: what is written all the time is looked
// at all the same.
type timer struct {
	*time.Timer
	set bool // it will go off within calm
}

func (t *timer) soon() {
	if !t.set {
		t.set = true
		t.Reset(calm)
	}
}

// follow has the folders watched in which a change of the file shows. One that is
// there already is added again: it may be another of the same name by now.
func follow(w *fsnotify.Watcher, file string) {
	for range 3 { // one may come or go meanwhile
		folders := foldersOf(file)
		for _, old := range w.WatchList() {
			if !slices.Contains(folders, old) {
				_ = w.Remove(old) // it may be gone by itself
			}
		}
		for _, dir := range folders {
			_ = w.Add(dir) // whoever may not look into it looks when a turn begins
		}
		if slices.Equal(folders, foldersOf(file)) {
			return
		}
	}
}

// foldersOf are the file's own folder, the one above, and the one of the file that
// a link leads to; for one that is not there, the nearest above it.
func foldersOf(file string) []string {
	own := filepath.Dir(file)
	folders := []string{standing(own), standing(filepath.Dir(own))}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	return folders
}

// standing is the nearest folder above that is there.
func standing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
