package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// steps are the system calls that can change what a directory holds, or when.
// close changes nothing on the disk: only the soak stops before it too.
var steps = map[uint64]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_WRITEV: "writev", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHOWN: "fchown",
	unix.SYS_FSETXATTR: "fsetxattr", unix.SYS_FREMOVEXATTR: "fremovexattr",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_CLOSE: "close",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat",
	unix.SYS_UNLINKAT: "unlinkat", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_OPENAT: "openat",
}

// stepper runs a program under ptrace and kills it right before its nth step,
// counted over all its threads from the first file that it makes and nobody
// else has.
type stepper struct {
	leader int
	began  bool
	killed bool
	names  []string // of the steps so far
}

// killBefore returns the names of the steps that were made, and whether the
// program was killed before it came to its end. The calling goroutine keeps its
// thread.
func killBefore(t *testing.T, n int, cmd *exec.Cmd) (done []string, killed bool) {
	t.Helper()
	runtime.LockOSThread() // ptrace belongs to the thread that started it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
			t.Skipf("skipped: this system allows no ptrace: %v", err)
		}
		t.Fatal(err)
	}
	s := &stepper{leader: cmd.Process.Pid}
	if _, err := s.wait(); err != nil {
		t.Fatal(err)
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(s.leader, options); err != nil {
		t.Fatal(err)
	}
	if err := unix.PtraceSyscall(s.leader, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.follow(n); err != nil {
		t.Fatal(err)
	}
	return s.names, s.killed
}

// stop is a thread that stands still, or is no more.
type stop struct {
	thread int
	status unix.WaitStatus
}

// wait waits for this thread's tracees alone. No other test may run beside: what
// it starts can be a child of the same thread.
func (s *stepper) wait() (stop, error) {
	for {
		var w stop
		id, err := unix.Wait4(-1, &w.status, unix.WALL|wnothread, nil)
		if err != unix.EINTR {
			w.thread = id
			return w, err
		}
	}
}

const wnothread = 0x20000000 // __WNOTHREAD

// follow lets the program run until it has ended by itself, or is killed.
func (s *stepper) follow(n int) error {
	for {
		at, err := s.wait()
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		if at.status.Exited() || at.status.Signaled() {
			if at.thread == s.leader {
				return nil
			}
			continue
		}
		signal := 0
		switch sig := at.status.StopSignal(); {
		case sig == unix.SIGTRAP|0x80:
			if !s.killed && s.step(at.thread) && len(s.names) == n {
				s.names, s.killed = s.names[:n-1], true
				_ = unix.Kill(s.leader, unix.SIGKILL)
				continue // killed where it stands: the call is not made
			}
		case sig == unix.SIGTRAP, sig == unix.SIGSTOP: // ptrace's own: a thread was made, begins
		default:
			signal = int(sig)
		}
		if err := unix.PtraceSyscall(at.thread, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("go on: %w", err)
		}
	}
}

// step notes the step that a thread is about to make, if it is at one.
func (s *stepper) step(thread int) bool {
	var info struct {
		op   uint8
		_    [3]uint8
		arch uint32
		_    [2]uint64 // where the thread is
		nr   uint64
		args [6]uint64
		_    [4]uint64
	}
	const getSyscallInfo, entering = 0x420e, 1
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || info.op != entering {
		return false
	}
	name, known := steps[info.nr]
	if !known || name == "close" && os.Getenv("DRAWBRIDGE_SOAK") == "" || name == "openat" && info.args[2]&unix.O_CREAT == 0 {
		return false
	}
	s.began = s.began || name == "openat" && info.args[2]&unix.O_EXCL != 0
	if s.began {
		s.names = append(s.names, name)
	}
	return s.began
}

// TestKilledBetweenAnyTwoStepsOfACommit kills the program before each step of a
// replacement and of a creation. The file is the old one or the new one, byte
// for byte, and the next commit is not in the way of what is left.
func TestKilledBetweenAnyTwoStepsOfACommit(t *testing.T) {
	for name, c := range map[string]struct {
		tool string
		args object
		// before and after are the bytes of a.txt; before is absent when "".
		before, after string
	}{
		"replaced": {
			"edit_file",
			object{"file_path": "dir/a.txt", "old_string": "middle", "new_string": "MIDDLE"},
			long("middle"), long("MIDDLE"),
		},
		"created": {"write_file", object{"file_path": "dir/a.txt", "content": long("new")}, "", long("new")},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			seen := map[string]int{}
			strays := 0
			for n, killed := 1, true; killed; n++ {
				w := newCrash(t, home, c.before)
				var done []string
				if done, killed = killBefore(t, n, w.command(c.tool, c.args)); killed {
					t.Logf("killed after %v", done)
				}
				now := w.check(c.before, c.after)
				seen[now]++
				strays += w.strays()
				if now == "new" && !placed(done) {
					t.Errorf("killed after %v: the file is the %s one", done, now)
				}
				w.goesOn(c.tool, c.args, c.before, c.after)
			}
			if seen["old"] < 4 || seen["new"] < 2 || strays < 2 {
				t.Errorf("the kills did not come between the steps: %v, %d strays", seen, strays)
			}
		})
	}
}

// placed says that the steps include the one that gives the new file its name.
func placed(done []string) bool {
	return slices.ContainsFunc(done, func(s string) bool { return strings.HasPrefix(s, "rename") || s == "linkat" })
}

// long is a file that is not written at once.
func long(word string) string {
	return strings.Repeat("a line before\r\n", 5_000) + word + "\n" + strings.Repeat("and one behind\n", 5_000)
}
