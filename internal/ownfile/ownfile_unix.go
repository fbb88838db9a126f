//go:build unix

// Package ownfile changes small private files of the program's own that several
// processes share: one at a time, and whole. It knows nothing of what they hold.
package ownfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockWait is how long another process may have a lock.
const lockWait = 5 * time.Second

// Lock takes the lock of a file, which is made when it is not there. It ends with
// release, or with the process however that ends. It waits for lockWait, then is
// an error.
func Lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; time.Sleep(lockWait / 500) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Since(began) > lockWait {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// Replace puts a private file in place whole, and synced. After an error the old
// one stands.
func Replace(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = cmp.Or(err, tmp.Sync())
	if err = cmp.Or(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
