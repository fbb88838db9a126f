package shell

import (
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

func signalProc(p proc, sig syscall.Signal) { syscall.Kill(p.PID, sig) }

func label(proc) string { return "process group" }

func canListProcesses() bool { return false }

func nameOf(proc) string { return "process group" }

func identityOf(pid int) identity { return identity{PID: pid} }

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
