package config

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Follower looks after the user's settings file while the program runs. Safe for
// concurrent use.
type Follower struct {
	dirs Dirs

	mu   sync.Mutex // guards below
	seen string     // the content that was looked at last
}

// Follow begins with the file as it is now, which the caller has read.
func Follow(d Dirs) *Follower {
	f := &Follower{dirs: d}
	f.seen = f.content()
	return f
}

// content stands for what Load would find.
func (f *Follower) content() string {
	text, mode, err := readSettings(filepath.Join(f.dirs.Config, "config.yaml"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "none"
	case err != nil:
		return "fault: " + err.Error()
	}
	return mode.String() + digest(text)
}

// Look reads the settings again if their file holds something else than at the
// last look; changed says so. A file with a fault is an error, as of Load.
func (f *Follower) Look() (c Config, changed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.content()
	if now == f.seen {
		return Config{}, false, nil
	}
	f.seen = now
	c, err = Load(f.dirs)
	return c, true, err
}

// calm is how long the file must rest before it is looked at: editors write in
// several steps.
const calm = 50 * time.Millisecond

// Watch calls look when the settings may have changed, until ctx ends. Where the
// system cannot tell, or the folder is not there yet, nothing is called; whoever needs
// to be certain looks by themselves.
func (f *Follower) Watch(ctx context.Context, look func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(f.dirs.Config); err != nil {
		return err
	}
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-rest.C:
			look()
		case _, open := <-w.Events:
			if !open {
				return nil
			}
			rest.Reset(calm)
		case err, open := <-w.Errors:
			if !open {
				return nil
			}
			return err
		}
	}
}

// ProblemsOf lists the faults in an error of Load, one alone for an error of
// another kind.
func ProblemsOf(err error) []Problem {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []Problem
		for _, one := range many.Unwrap() {
			all = append(all, ProblemsOf(one)...)
		}
		return all
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return []Problem{*p}
	}
	return []Problem{{Text: err.Error()}}
}
