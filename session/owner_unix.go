//go:build unix

package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// owner is the hold of one process on a session's folder. It is a file lock,
// so it ends with the process however that ends.
type owner struct{ f *os.File }

// own takes the folder, or says who has it.
func own(dir string) (*owner, error) {
	f, err := os.OpenFile(filepath.Join(dir, "owner"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open session owner file: %w", err)
	}
	err = lockOwner(f)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		return nil, busy(f, filepath.Base(dir))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock session: %w", err)
	}
	// What the file says is for people and for the error text; the lock counts.
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(fmt.Sprintf("pid %d\n", os.Getpid())), 0)
	return &owner{f: f}, nil
}

// ownerGrace is how long the lock of a process that is gone is waited for. What
// it was about to run has the lock too until it does run, or is dead as well.
const ownerGrace = time.Second

// lockOwner takes the lock, or fails with EWOULDBLOCK: at once while the process
// lives that the file names.
func lockOwner(f *os.File) error {
	for began := time.Now(); ; time.Sleep(ownerGrace / 100) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || !ownerGone(f) || time.Since(began) > ownerGrace {
			return err
		}
	}
}

// ownerGone says that there is no process any more of the id in the file.
func ownerGone(f *os.File) bool {
	var pid int
	_, err := fmt.Fscanf(io.NewSectionReader(f, 0, 64), "pid %d", &pid)
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func busy(f *os.File, id string) error {
	who := make([]byte, 64)
	n, _ := f.ReadAt(who, 0)
	return &Error{Kind: "sessionBusy", Message: "session " + id + " is open in another process (" +
		strings.TrimSpace(string(who[:n])) + ")", Hint: "close it there, or start a new session"}
}

func (o *owner) release() {
	if o != nil && o.f != nil {
		o.f.Close()
		o.f = nil
	}
}
