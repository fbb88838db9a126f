//go:build unix

package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A process that was killed may leave its lock for a moment with what it was
// about to run.
func TestASessionOfADeadProcessIsTakenOverInAMoment(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	dir, holder := locked(t, dead.Process.Pid)
	go func() {
		time.Sleep(50 * time.Millisecond)
		holder.Close()
	}()
	o, err := own(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.release()
}

func TestASessionOfALivingProcessIsBusyAtOnce(t *testing.T) {
	dir, holder := locked(t, os.Getpid())
	defer holder.Close()
	began := time.Now()
	if _, err := own(dir); err == nil {
		t.Fatal("two have it")
	}
	if took := time.Since(began); took >= ownerGrace {
		t.Errorf("that took %v", took)
	}
}

// locked is a session's folder whose lock is held in the name of a process.
func locked(t *testing.T, pid int) (dir string, holder *os.File) {
	t.Helper()
	dir = t.TempDir()
	name := filepath.Join(dir, "owner")
	if err := os.WriteFile(name, fmt.Appendf(nil, "pid %d\n", pid), 0o600); err != nil {
		t.Fatal(err)
	}
	holder, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(holder.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return dir, holder
}
