package shell

import (
	"bytes"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// members lists the living processes of the command.
func (c *claim) members() []proc {
	if c.isOver() {
		return nil
	}
	t := newTable()
	if !t.usable() {
		return c.groupMembers()
	}
	var all []proc
	for _, p := range t.ownChildren() {
		if !c.owns(p) {
			continue
		}
		all = t.subtree(all, p)
	}
	c.remember(all)
	return all
}

// owns decides whether a child of the bridge belongs to the command.
func (c *claim) owns(p proc) bool {
	if p.identity == c.leader && !c.isReaped() {
		return true
	}
	if p.sid == ownSession || !kin.adopted(p) || p.state == 'Z' {
		return false
	}
	if p.sid == c.leader.pid || p.pgrp == c.leader.pid || c.wasSeen(p.identity) {
		return true
	}
	env := environOf(p.pid)
	return hasMark(env, c.mark) || !bytes.Contains(env, []byte(markName+"=")) && c.inherits(p)
}

// inherits takes a nameless orphan if it may come from a command at all.
func (c *claim) inherits(p proc) bool { return kin.heir(c) && p.start >= kin.began() }

var ownSession, _ = unix.Getsid(0)

// subtree appends p and its descendants, without the dead.
func (t table) subtree(all []proc, p proc) []proc {
	if p.state != 'Z' {
		all = append(all, p)
	}
	for _, kid := range t.children(p.pid) {
		all = t.subtree(all, kid)
	}
	return all
}

// signal reaches the process only if the pid still is its own.
func (p proc) signal(sig syscall.Signal) {
	if now, ok := statProc(p.pid); ok && now.identity == p.identity {
		syscall.Kill(p.pid, sig)
	}
}

// reapOrphans waits for the dead children that nobody else will wait for, one
// pid at a time: a wait for any child would take os/exec's.
func reapOrphans() {
	for _, p := range newTable().ownChildren() {
		if p.state == 'Z' && p.sid != ownSession {
			kin.adopted(p)
		}
	}
}

// adoptOrphans makes processes whose parents die children of the bridge.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitExit returns when the child has exited, leaving it to be waited for.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// notifyOrphans asks for a word whenever a child dies.
func notifyOrphans(ch chan os.Signal) { signal.Notify(ch, syscall.SIGCHLD) }

func ignoreOrphans(ch chan os.Signal) { signal.Stop(ch) }
