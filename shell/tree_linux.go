package shell

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"drawbridge/shell/procfs"
)

// members lists the living processes of the command.
func (c *claim) members() []proc {
	if c.isOver() {
		return nil
	}
	t := procfs.NewTable()
	if !t.Usable() {
		return c.groupMembers()
	}
	var all []proc
	for _, p := range t.Children(os.Getpid()) {
		if !c.owns(p) {
			continue
		}
		all = t.Subtree(all, p)
	}
	c.remember(all)
	return all
}

// owns decides whether a child of the bridge belongs to the command.
func (c *claim) owns(p proc) bool {
	if p.Identity == c.leader && !c.isReaped() {
		return true
	}
	if p.Sid == ownSession || !kin.adopted(p) || p.Dead() {
		return false
	}
	if p.Sid == c.session || c.leader.PID > 0 && p.PGrp == c.leader.PID || c.wasSeen(p.Identity) {
		return true
	}
	mark := procfs.Variable(procfs.Environ(p.PID), markName)
	return markName+"="+mark == c.mark || mark == "" && c.inherits(p)
}

// inherits takes a nameless orphan if it may come from a command at all.
func (c *claim) inherits(p proc) bool { return kin.heir(c) && p.Start >= kin.began() }

var ownSession, _ = unix.Getsid(0)

func signalProc(p proc, sig syscall.Signal) { p.Signal(sig) }

func nameOf(p proc) string { return procfs.Name(p.PID) }

// identityOf is asked of a child that nobody has waited for: the start is its
// own.
func identityOf(pid int) identity {
	p, _ := procfs.Stat(pid)
	return identity{PID: pid, Start: p.Start}
}

// label names a process in an error.
func label(p proc) string { return procfs.Label(p.PID) }

func canListProcesses() bool { return procfs.NewTable().Usable() }

// adoptOrphans makes processes whose parents die children of the bridge.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitExit returns when the child has exited, leaving it to be waited for.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
