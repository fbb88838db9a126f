package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drawbridge/checkpoint"
)

// StoredKind is a kind of what sessions leave on the disk.
type StoredKind string

const (
	StoredTemporary   StoredKind = "temporary"   // what commands left in the session's folder for temporary files
	StoredOutputs     StoredKind = "outputs"     // long output of tools
	StoredCheckpoints StoredKind = "checkpoints" // what files held
	StoredChanges     StoredKind = "changes"     // the texts of changes
	StoredSessions    StoredKind = "sessions"    // the log with its head, and what else is in the session's folder
)

// StoredKinds are all kinds, first what is missed least.
var StoredKinds = []StoredKind{StoredTemporary, StoredOutputs, StoredCheckpoints, StoredChanges, StoredSessions}

// Stored is what one session has on the disk.
type Stored struct {
	ID, Title string
	Updated   time.Time
	Open      bool // in some process
	// Bytes are by kind. What checkpoints have in common with those of another
	// session counts for both.
	Bytes map[StoredKind]int64
}

// Storage is what all sessions of a state folder have on the disk. It needs no
// Host and is safe beside any number of processes that have one.
type Storage struct{ state string }

// OpenStorage looks after a state folder.
func OpenStorage(state string) Storage { return Storage{state} }

func (st Storage) store() *checkpoint.Store {
	return checkpoint.Open(filepath.Join(st.state, "checkpoints"))
}

func (st Storage) dir(id string) string     { return filepath.Join(st.state, "sessions", id) }
func (st Storage) logPath(id string) string { return filepath.Join(st.dir(id), logName) }

// path is where a session keeps what is of a kind.
func (st Storage) path(id string, kind StoredKind) string {
	switch kind {
	case StoredTemporary:
		return filepath.Join(st.state, "scratch", id, "tmp")
	case StoredOutputs:
		return filepath.Join(st.state, "scratch", id, "truncated-tool-output")
	case StoredChanges:
		return filepath.Join(st.dir(id), "changes")
	}
	return st.dir(id)
}

// Sessions lists what each session has, the one that was changed longest ago
// first. total are the bytes of the checkpoints of all together.
func (st Storage) Sessions() (list []Stored, checkpoints int64, err error) {
	for _, id := range st.ids() {
		list = append(list, st.session(id))
	}
	slices.SortFunc(list, func(a, b Stored) int {
		return cmp.Or(a.Updated.Compare(b.Updated), strings.Compare(a.ID, b.ID))
	})
	checkpoints, err = st.store().Usage()
	return list, checkpoints, err
}

// ids are those of all sessions, of calls of single tools, which have no log but
// leave long output, and of heads whose log is gone.
func (st Storage) ids() []string {
	var ids []string
	for _, below := range []string{"sessions", "scratch"} {
		entries, _ := os.ReadDir(filepath.Join(st.state, below))
		for _, e := range entries {
			if e.IsDir() {
				ids = append(ids, e.Name())
			}
		}
	}
	heads, _ := os.ReadDir(headsDir(st.state))
	for _, e := range heads {
		if e.Type().IsRegular() {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (st Storage) session(id string) Stored {
	s := Stored{ID: id, Open: isOpen(st.dir(id)), Bytes: map[StoredKind]int64{}}
	for _, kind := range StoredKinds {
		if kind == StoredCheckpoints {
			s.Bytes[kind] = st.store().Named(filepath.Join(st.dir(id), "checkpoints.jsonl"))
			continue
		}
		size, newest := measure(st.path(id, kind))
		s.Bytes[kind] = size
		if newest.After(s.Updated) && kind != StoredSessions {
			s.Updated = newest
		}
	}
	s.Bytes[StoredSessions] -= s.Bytes[StoredChanges] // which lie in the session's folder
	if head, err := os.Stat(headPath(st.state, id)); err == nil {
		s.Bytes[StoredSessions] += head.Size()
		if head.ModTime().After(s.Updated) {
			s.Updated = head.ModTime()
		}
	}
	var info Info
	if raw, err := os.ReadFile(filepath.Join(st.dir(id), "info.json")); err == nil && json.Unmarshal(raw, &info) == nil {
		s.Title, s.Updated = info.Title, info.Updated
	}
	if log, err := os.Stat(st.logPath(id)); err == nil && log.ModTime().After(s.Updated) {
		s.Updated = log.ModTime()
	}
	return s
}

// measure is the size of a folder, and when a file in it was last changed.
func measure(dir string) (bytes int64, newest time.Time) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what cannot be looked at is not counted
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
			if info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
		return nil
	})
	return bytes, newest
}

// Pruning says what to remove of sessions that no process has open.
type Pruning struct {
	// Ages are by kind how long ago a session was changed, or a checkpoint was
	// made, of which the kind is removed. Kinds that are not in it stay.
	Ages map[StoredKind]time.Duration
	// Kinds may be removed until all there is fits into Bytes, the oldest first
	// and kind by kind; below 0 is no limit.
	Kinds []StoredKind
	Bytes int64
	// CheckpointBytes bound the checkpoints alone; 0 does not.
	CheckpointBytes int64
	// DryRun removes nothing and says what would go.
	DryRun bool
	Now    time.Time
}

// Removed is what was removed of a session; of checkpoints, Session is "".
type Removed struct {
	Session string
	Kind    StoredKind
	Bytes   int64
}

// pruner is one Prune under way.
type pruner struct {
	st   Storage
	p    Pruning
	list []Stored
	left int64 // bytes of all
	done []Removed
	errs []error
}

// Prune removes what is too old or too much. What a process has open stays. What
// could not be removed is in the error; the rest is done all the same.
func (st Storage) Prune(p Pruning) ([]Removed, error) {
	list, checkpoints, err := st.Sessions()
	if err != nil {
		return nil, err
	}
	job := &pruner{st: st, p: p, list: list, left: checkpoints}
	for _, s := range list {
		for kind, n := range s.Bytes {
			if kind != StoredCheckpoints {
				job.left += n
			}
		}
	}
	for _, kind := range StoredKinds {
		if age, ok := p.Ages[kind]; ok {
			job.byAge(kind, p.Now.Add(-age))
		}
	}
	if p.CheckpointBytes > 0 {
		job.checkpoints(checkpoint.Limits{Bytes: p.CheckpointBytes})
	}
	for _, kind := range StoredKinds {
		if slices.Contains(p.Kinds, kind) && p.Bytes >= 0 {
			job.bySize(kind)
		}
	}
	return job.done, errors.Join(job.errs...)
}

func (j *pruner) byAge(kind StoredKind, before time.Time) {
	if kind == StoredCheckpoints {
		j.checkpoints(checkpoint.Limits{Bytes: -1, Before: before})
		return
	}
	for _, s := range j.list {
		if s.Updated.Before(before) {
			j.remove(s, kind)
		}
	}
}

func (j *pruner) bySize(kind StoredKind) {
	if kind == StoredCheckpoints {
		if usage, err := j.st.store().Usage(); err == nil && j.left > j.p.Bytes {
			j.checkpoints(checkpoint.Limits{Bytes: max(0, usage-(j.left-j.p.Bytes))})
		}
		return
	}
	for _, s := range j.list {
		if j.left > j.p.Bytes {
			j.remove(s, kind)
		}
	}
}

func (j *pruner) checkpoints(l checkpoint.Limits) {
	l.DryRun = j.p.DryRun
	pruned, err := j.st.store().Prune(closedOwners(j.st.state), l)
	if err != nil {
		j.errs = append(j.errs, err)
	}
	if pruned.Bytes > 0 {
		j.done = append(j.done, Removed{Kind: StoredCheckpoints, Bytes: pruned.Bytes})
		j.left -= pruned.Bytes
	}
}

// quiet is how long nothing must have happened to what no lock says is unused.
const quiet = 24 * time.Hour

// remove removes a kind of a session, which nobody can open meanwhile.
func (j *pruner) remove(s Stored, kind StoredKind) {
	if s.Open || s.Bytes[kind] == 0 {
		return
	}
	if !j.p.DryRun {
		release, ok := j.hold(s)
		if !ok {
			return
		}
		defer release()
		if err := j.clear(s.ID, kind); err != nil {
			j.errs = append(j.errs, err)
			return
		}
	}
	j.done = append(j.done, Removed{Session: s.ID, Kind: kind, Bytes: s.Bytes[kind]})
	j.left -= s.Bytes[kind]
	s.Bytes[kind] = 0
}

// hold takes a session. What has no session's folder is left of a single tool's
// call, which holds nothing while it runs.
func (j *pruner) hold(s Stored) (release func(), ok bool) {
	if _, err := os.Stat(j.st.dir(s.ID)); errors.Is(err, fs.ErrNotExist) {
		return func() {}, j.p.Now.Sub(s.Updated) > quiet
	}
	hold, err := own(j.st.dir(s.ID))
	if err != nil {
		return nil, false
	}
	return hold.release, true
}

func (j *pruner) clear(id string, kind StoredKind) error {
	path := j.st.path(id, kind)
	err := os.RemoveAll(path)
	if err != nil && kind == StoredTemporary {
		err = forceRemove(path)
	}
	if kind == StoredTemporary || kind == StoredOutputs {
		_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
	}
	if kind == StoredSessions && err == nil {
		// Last: what is cut off before shows as a log that is gone.
		if err = os.Remove(headPath(j.st.state, id)); isMissing(err) {
			err = nil
		}
	}
	return err
}
