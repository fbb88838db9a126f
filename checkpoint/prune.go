package checkpoint

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Owner is a session whose journal names bytes of a store.
type Owner struct {
	Journal string // path of its file, which need not exist
	// Rank says whose checkpoints go first: those of the lowest.
	Rank int
	// Spared checkpoints never go; with Open none goes.
	Spared []string
	Open   bool
}

// Limits say what goes.
type Limits struct {
	// Bytes are what may stay; below 0 is no limit.
	Bytes int64
	// Before drops checkpoints that were begun before it; the zero time none.
	Before time.Time
	// DryRun removes nothing and says what would go.
	DryRun bool
}

// Pruned says what went.
type Pruned struct {
	Checkpoints int
	Objects     int
	Bytes       int64 // that went
	Left        int64 // bytes that stay
}

// dated is a checkpoint that may go.
type dated struct {
	rank int
	time time.Time
	sums []Sum
}

// Prune removes the bytes of the oldest checkpoints until the limits are kept,
// and all that no journal names. owners must be all there are. A checkpoint
// whose bytes another one names as well keeps them. It holds the store alone
// meanwhile: whoever wants to keep something waits.
func (s *Store) Prune(owners []Owner, l Limits) (Pruned, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return Pruned{}, nil
	}
	release, err := s.alone()
	if err != nil {
		return Pruned{}, err
	}
	defer release()
	sizes, scraps, err := s.walk()
	if err != nil {
		return Pruned{}, fmt.Errorf("look through the checkpoint store: %w", err)
	}
	old, uses, err := roll(owners)
	if err != nil {
		return Pruned{}, err
	}
	done := drop(old, uses, sizes, l)
	if l.DryRun {
		return done, nil
	}
	s.added.Store(0)
	for _, path := range scraps {
		os.Remove(path)
	}
	for sum := range sizes {
		if uses[sum] == 0 {
			err = errors.Join(err, os.Remove(s.path(sum)))
		}
	}
	return done, err
}

// Usage is how many bytes the store has.
func (s *Store) Usage() (bytes int64, err error) {
	sizes, _, err := s.walk()
	for _, n := range sizes {
		bytes += n
	}
	return bytes, err
}

// walk finds the objects, and the files that are none.
func (s *Store) walk() (sizes map[Sum]int64, scraps []string, err error) {
	sizes = map[Sum]int64{}
	err = filepath.WalkDir(s.objects(), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		var sum Sum
		name := filepath.Base(filepath.Dir(path)) + e.Name()
		if strings.HasSuffix(name, unfinished) || hex.DecodedLen(len(name)) != len(sum) || sum.UnmarshalText([]byte(name)) != nil {
			scraps = append(scraps, path)
			return nil
		}
		if info, err := e.Info(); err == nil {
			sizes[sum] = info.Size()
		}
		return nil
	})
	return sizes, scraps, err
}

// roll reads all journals: which checkpoints may go, first those that go first,
// and how often each object is named. A journal that cannot be read is an
// error: what it names is not known.
func roll(owners []Owner) (old []dated, uses map[Sum]int, err error) {
	uses = map[Sum]int{}
	for _, o := range owners {
		f, err := os.Open(o.Journal)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read the checkpoints of a session: %w", err)
		}
		j, _, err := readJournal(f)
		f.Close()
		if err != nil {
			return nil, nil, fmt.Errorf("read the checkpoints of a session: %w", err)
		}
		for _, c := range j.checkpoints {
			d := dated{rank: o.Rank, time: c.Time, sums: j.sums(c.ID)}
			for _, sum := range d.sums {
				uses[sum]++
			}
			if !o.Open && !slices.Contains(o.Spared, c.ID) {
				old = append(old, d)
			}
		}
	}
	slices.SortStableFunc(old, func(a, b dated) int { return cmp.Or(a.rank-b.rank, a.time.Compare(b.time)) })
	return old, uses, nil
}

// sums are the objects that a checkpoint names, once each.
func (j *journal) sums(id string) []Sum {
	var sums []Sum
	for _, s := range j.steps {
		if s.Checkpoint != id {
			continue
		}
		if s.Before.Exists {
			sums = append(sums, s.Before.object())
		}
		if s.After != nil && s.After.Exists {
			sums = append(sums, s.After.object())
		}
	}
	slices.SortFunc(sums, func(a, b Sum) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(sums)
}

// drop takes checkpoints off uses until the limits are kept.
func drop(old []dated, uses map[Sum]int, sizes map[Sum]int64, l Limits) Pruned {
	var p Pruned
	for sum, n := range sizes {
		if uses[sum] > 0 {
			p.Left += n
		} else {
			p.Objects++
			p.Bytes += n
		}
	}
	for _, d := range old {
		if !d.time.Before(l.Before) && (l.Bytes < 0 || p.Left <= l.Bytes) {
			continue
		}
		had := false
		for _, sum := range d.sums {
			size, there := sizes[sum]
			had = had || there
			if uses[sum]--; uses[sum] == 0 && there {
				p.Objects++
				p.Bytes += size
				p.Left -= size
			}
		}
		if had {
			p.Checkpoints++
		}
	}
	return p
}

// Named is how many bytes of the store a journal names, 0 when there is none.
func (s *Store) Named(journal string) (bytes int64) {
	f, err := os.Open(journal)
	if err != nil {
		return 0
	}
	defer f.Close()
	j, _, err := readJournal(f)
	if err != nil {
		return 0
	}
	sums := map[Sum]bool{}
	for _, c := range j.checkpoints {
		for _, sum := range j.sums(c.ID) {
			sums[sum] = true
		}
	}
	for sum := range sums {
		if info, err := os.Lstat(s.path(sum)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
