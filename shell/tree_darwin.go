package shell

import (
	"os"
	"syscall"
	"unsafe"
)

// members is the leader's process group as one entry: without a list of
// processes that is all that can be told.
func (c *claim) members() []proc {
	if c.isOver() {
		return nil
	}
	return c.groupMembers()
}

func (p proc) signal(sig syscall.Signal) { syscall.Kill(p.pid, sig) }

func statProc(pid int) (proc, bool) { return proc{identity: identity{pid: pid}}, true }

func (p proc) String() string { return "process group" }

func reapOrphans() {}

func adoptOrphans() error { return nil }

// awaitExit returns when the child has exited, leaving it to be waited for.
func awaitExit(pid int) {
	const byPid = 1
	var info [16]uint64 // larger than a siginfo_t, which is of no interest
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPid, uintptr(pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// notifyOrphans does nothing: only Linux gives orphans to the bridge.
func notifyOrphans(chan os.Signal) {}

func ignoreOrphans(chan os.Signal) {}
