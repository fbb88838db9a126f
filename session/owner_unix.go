//go:build unix

package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
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
