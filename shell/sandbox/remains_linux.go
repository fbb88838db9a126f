package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drawbridge/shell/procfs"
)

// Adopt makes this process the parent of what is orphaned below it, so that
// EndBelow finds all that a program of a Bare launch left.
func Adopt() error {
	return os.NewSyscallError("adopt orphans", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// Bound has a child end with the thread that starts it.
func Bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// endTime bounds EndBelow. Nothing but a kernel that does not let go of a
// process takes that long.
const endTime = 5 * time.Second

// EndBelow kills everything below this process and waits for it. The caller has
// no further use of any child. An error names what is still there.
func EndBelow() error {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		left := slices.Concat(procfs.NewTable().Below(os.Getpid())...)
		for _, p := range left {
			p.Signal(syscall.SIGSTOP) // so that nobody starts others while the rest is killed
		}
		for _, p := range left {
			p.Signal(syscall.SIGKILL)
		}
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if errors.Is(err, syscall.ECHILD) {
				return nil
			}
			if pid <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		if time.Since(began) > endTime {
			return fmt.Errorf("still there after SIGKILL: %d processes", len(left))
		}
	}
}
