//go:build !linux

package shell

import (
	"os"
	"syscall"
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

func awaitExit(int) {}

func notifyOrphans(chan os.Signal) {}

func ignoreOrphans(chan os.Signal) {}
