package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"drawbridge/checkpoint"
)

// DefaultCheckpointBytes are about how many bytes are kept of all sessions where
// nobody says otherwise.
const DefaultCheckpointBytes = 1 << 30

// tidying keeps at most one goroutine of a host at making room.
type tidying struct{ busy atomic.Bool }

// makeRoom removes the oldest checkpoints when much was added since it was last
// looked at. Beyond the limit by an eighth is what it can come to.
func (s *Session) makeRoom() {
	h := s.host
	limit := h.checkpointBytes()
	if h.kept.Added() < limit/8 || !h.tidying.busy.CompareAndSwap(false, true) {
		return
	}
	s.wg.Go(func() { // ends with the store's lock; a turn of the session runs
		defer h.tidying.busy.Store(false)
		if _, err := h.kept.Prune(h.owners(), checkpoint.Limits{Bytes: limit}); err != nil {
			h.o.Log.Warn("no room could be made for checkpoints", "err", err)
		}
	})
}

func (h *Host) checkpointBytes() int64 {
	if n := h.live().CheckpointBytes; n > 0 {
		return n
	}
	return DefaultCheckpointBytes
}

// owners are the sessions whose checkpoints the store has. Those of sessions
// that nobody has open go first, then those of the open ones of this process, but
// for their newest; what another process has open stays.
func (h *Host) owners() []checkpoint.Owner {
	owners := closedOwners(h.o.StateDir)
	for i, o := range owners {
		s, err := h.Get(filepath.Base(filepath.Dir(o.Journal)))
		if err != nil || s.keeper == nil {
			continue
		}
		owners[i] = checkpoint.Owner{Journal: o.Journal, Rank: 1, Spared: s.keeper.newest()}
	}
	return owners
}

// newest is the checkpoint that a running turn or rewind may add to.
func (k *keeper) newest() []string {
	j, err := k.open()
	if err != nil {
		return nil
	}
	all := j.Checkpoints()
	if len(all) == 0 {
		return nil
	}
	return []string{all[len(all)-1].ID}
}

// closedOwners are all sessions of a state folder, marked where one is open
// anywhere.
func closedOwners(state string) (owners []checkpoint.Owner) {
	dirs, _ := filepath.Glob(filepath.Join(state, "sessions", "*"))
	for _, dir := range dirs {
		owners = append(owners, checkpoint.Owner{Journal: filepath.Join(dir, "checkpoints.jsonl"), Open: isOpen(dir)})
	}
	return owners
}

// isOpen reports whether a process has a session's folder. What cannot be told
// counts as open.
func isOpen(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "owner"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
