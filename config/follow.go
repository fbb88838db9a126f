package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// settled is how long the file must have rested before what it says counts: what
	// is read while it is written is what nobody wrote.
	settled = time.Second
	// settledLess is the same where the file is gone, or where less stands in it than
	// before: so begins a file that is being written anew.
	settledLess = 3 * time.Second
	// settledOpen is the same while a program has the file open to write.
	settledOpen = 10 * time.Second
)

// Follower looks after the user's settings file while the program runs. Safe for
// concurrent use.
type Follower struct {
	// Now tells the time; nil is time.Now. Not to be changed once Look was called.
	Now func() time.Time
	// Check finds what else is wrong with the file; nil finds nothing. Not to be changed
	// once Look was called.
	Check Check
	dirs  Dirs

	mu    sync.Mutex // guards below
	seen  string     // the content that was taken over or refused last
	had   Config     // the settings that were taken over last
	next  string     // what stands for a file that does not rest yet
	since time.Time  // when it was first seen as it is
}

// Follow begins with the settings that the caller has read and goes by.
func Follow(d Dirs, read Config) *Follower {
	return &Follower{dirs: d, seen: read.Content, had: read}
}

// Look reads the settings again if their file holds something else than at the
// last look, and has rested; changed says so. A file with a fault is an error, as of
// Load. Where it has not rested yet, again says when to look again; 0: there is no
// need to.
func (f *Follower) Look() (c Config, changed bool, again time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	file := lookAt(FileOf(f.dirs))
	if file.content() == f.seen {
		f.next = ""
		return Config{}, false, 0, nil
	}
	f.notice(file, now)
	rested, limit := now.Sub(f.since), settled
	if file.written {
		limit = settledOpen
	}
	if rested < limit {
		return Config{}, false, limit - rested, nil
	}
	if c, err = file.load(f.dirs, f.checks()); err == nil && rested < settledLess && lacks(f.had, c) {
		return Config{}, false, settledLess - rested, nil
	}
	f.seen, f.next = file.content(), ""
	if err == nil {
		f.had = c
	}
	return c, true, 0, err
}

func (f *Follower) checks() []Check {
	if f.Check == nil {
		return nil
	}
	return []Check{f.Check}
}

func (f *Follower) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}

// notice remembers since when the file is as it is. Its own times count where they
// can be true, so that a change of long ago counts at the first look.
func (f *Follower) notice(file settingsFile, now time.Time) {
	if stamp := file.stamp(); stamp != f.next {
		f.next, f.since = stamp, now
		if !file.changed.IsZero() && file.changed.Before(now) {
			f.since = file.changed
		}
	}
}

// settingsFile is the file as it was found once.
type settingsFile struct {
	path    string
	text    []byte
	mode    fs.FileMode
	err     error
	changed time.Time // when it was changed last; zero where that is not known
	written bool      // somebody has it open to write
}

// lookAt reads the file. Its times are those after it was read: had it been written
// meanwhile, they would be of now.
func lookAt(path string) settingsFile {
	file := settingsFile{path: path}
	file.text, file.mode, file.written, file.err = readSettings(path)
	info, err := os.Stat(path)
	if err != nil {
		info, err = os.Stat(filepath.Dir(path))
	}
	if err == nil {
		file.changed = changedAt(info)
	}
	return file
}

// content stands for what the file holds, as far as Load goes by it; "" is no file.
func (s settingsFile) content() string {
	switch {
	case errors.Is(s.err, fs.ErrNotExist):
		return ""
	case s.err != nil:
		return "fault: " + s.err.Error()
	}
	return s.mode.String() + digest(s.text)
}

// stamp stands for the file as it is, and when it became so.
func (s settingsFile) stamp() string { return s.content() + s.changed.String() }

// load is Load of what was found, and of nothing that came later.
func (s settingsFile) load(d Dirs, checks []Check) (Config, error) {
	switch {
	case errors.Is(s.err, fs.ErrNotExist):
		return Default(), nil
	case s.err != nil:
		return Config{}, fmt.Errorf("read settings: %w", s.err)
	}
	c, err := s.fill(d, checks)
	if err != nil {
		return Config{}, err
	}
	return c, nil
}

// fill reads what it can. With an error c is half-filled: it must not count.
func (s settingsFile) fill(d Dirs, checks []Check) (c Config, err error) {
	c, err = fill(d, s.path, s.text, checks)
	c.Content = s.content()
	c.Warnings = append(c.Warnings, c.exposed(s.mode)...)
	return c, err
}

// lacks says that settings were taken out, a part of what is restricted above all.
func lacks(before, after Config) bool {
	for path := range before.Set {
		if _, still := after.Set[path]; !still {
			return true
		}
	}
	a, b := before.Approval, after.Approval
	return len(b.Rules) < len(a.Rules) || len(b.Tools) < len(a.Tools) || len(b.Denials.Rules) < len(a.Denials.Rules)
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
