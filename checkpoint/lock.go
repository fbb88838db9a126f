//go:build unix

package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// share holds the store against removals, alone against everything. Both end
// with the process, however that ends.
func (s *Store) share() (release func(), err error) { return s.lock(syscall.LOCK_SH) }
func (s *Store) alone() (release func(), err error) { return s.lock(syscall.LOCK_EX) }

func (s *Store) lock(how int) (release func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the checkpoint store: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the checkpoint store: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the checkpoint store: %w", err)
	}
	return func() { f.Close() }, nil
}
