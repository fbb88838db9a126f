package shell

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"drawbridge/shell/procfs"
)

type (
	identity = procfs.Identity
	proc     = procfs.Proc
)

// claim is what is known of the processes of one command: the leader's group
// and session, those seen below it, and the mark in their environment. A
// process that left the group, the session and its parents is found again as
// an orphan that the bridge, as its subreaper, was given.
type claim struct {
	leader  identity
	session int    // the leader's, or its guard's
	mark    string // NAME=value

	mu     sync.Mutex            // guards below
	reaped bool                  // the leader's pid may name another process
	over   bool                  // nothing is left; members is empty for good
	seen   map[identity]struct{} // members when looked at before
}

// maxSeen bounds the memory of a command that forks for ever.
const maxSeen = 1 << 14

// markName carries a command's mark, so that an orphan tells whose it is.
const markName = "DRAWBRIDGE_COMMAND"

// signal sends sig to every process of the command. The processes are listed
// before the first is signalled, since a death takes links away.
func (c *claim) signal(sig syscall.Signal) {
	all := c.members()
	grouped := c.signalGroup(sig)
	for _, p := range all {
		if !grouped || p.PGrp != c.leader.PID {
			signalProc(p, sig)
		}
	}
}

// signalGroup reaches the leader's group at once while the leader's pid is
// certainly its own.
func (c *claim) signalGroup(sig syscall.Signal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.reaped && syscall.Kill(-c.leader.PID, sig) == nil
}

// interrupt reaches the leader's group, also after its leader if it still has a
// member.
func (c *claim) interrupt() {
	if c.signalGroup(syscall.SIGINT) {
		return
	}
	for _, p := range c.members() {
		if p.PGrp == c.leader.PID {
			syscall.Kill(-c.leader.PID, syscall.SIGINT)
			return
		}
	}
}

// reap waits for the exited leader under the lock that signalGroup takes, so
// that no signal goes to a pid used again.
func (c *claim) reap(leader *os.Process) (*os.ProcessState, error) {
	awaitExit(leader.Pid)
	c.mu.Lock()
	defer c.mu.Unlock()
	state, err := leader.Wait()
	c.reaped = true
	kin.waited(leader.Pid)
	return state, err
}

// gone reports whether neither the leader nor anything it started is left.
func (c *claim) gone() bool {
	c.mu.Lock()
	reaped := c.reaped
	c.mu.Unlock()
	return reaped && len(c.members()) == 0
}

// finish gives up the claim if nothing of it is left. It refuses when the last
// look was not yet as the heir of nameless orphans.
func (c *claim) finish() bool {
	heir := kin.heir(c)
	if !c.gone() || !kin.close(c, heir) {
		return false
	}
	c.abandon()
	return true
}

// abandon gives up the claim whatever is left of it.
func (c *claim) abandon() {
	kin.close(c, true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

func (c *claim) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

func (c *claim) isReaped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reaped
}

func (c *claim) wasSeen(id identity) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.seen[id]
	return ok
}

func (c *claim) remember(all []proc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) > maxSeen {
		c.seen = make(map[identity]struct{}, len(all))
	}
	for _, p := range all {
		c.seen[p.Identity] = struct{}{}
	}
}

// kin is the book of this process's own children. There is one because the
// kernel keeps one list of children a process, whatever number of runners.
var kin = lineage{owned: map[int]struct{}{}}

// lineage tells children that somebody waits for from orphans that were given
// to us. Other packages need not register theirs: a child in the bridge's own
// session is never touched, and no other package may start one outside it.
type lineage struct {
	// mu is held across a fork and its entry, so that whoever finds a child
	// that is not in owned knows that it was not forked here.
	mu     sync.Mutex // guards below
	owned  map[int]struct{}
	claims []*claim
	since  uint64 // start of the first claim since there was none
}

// fork starts a process of which the caller waits.
func (l *lineage) fork(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := os.StartProcess(path, argv, attr)
	if err == nil {
		l.owned[p.Pid] = struct{}{}
	}
	return p, err
}

// RunApart is cmd.Run for a program that leaves processes behind. In a session
// of its own those are told from other children of this process, and reaped.
func RunApart(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := kin.start(cmd); err != nil {
		return err
	}
	defer kin.waited(cmd.Process.Pid)
	return cmd.Wait()
}

func (l *lineage) start(cmd *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		l.owned[cmd.Process.Pid] = struct{}{}
	}
	return err
}

func (l *lineage) waited(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.owned, pid)
}

func (l *lineage) open(c *claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.claims) == 0 {
		l.since = c.leader.Start
	}
	l.claims = append(l.claims, c)
}

// close removes c, but not the last claim before it was looked at as the heir.
func (l *lineage) close(c *claim, lookedAsHeir bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.claims) == 1 && l.claims[0] == c && !lookedAsHeir {
		return false
	}
	l.claims = slices.DeleteFunc(l.claims, func(o *claim) bool { return o == c })
	return true
}

// adopted reports whether a child is one nobody here forked. When it is and it
// is dead, it is reaped.
func (l *lineage) adopted(p proc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.owned[p.PID]; ok {
		return false
	}
	if p.State == 'Z' {
		syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil)
	}
	return true
}

// heir reports whether c gets the orphans which nothing connects with a
// command. Only while one command is left is it known whose they are; among
// several they stay until the last of them ends.
func (l *lineage) heir(c *claim) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.claims) == 1 && l.claims[0] == c
}

// began is the start of the eldest command of the present unbroken row.
func (l *lineage) began() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since
}

// groupMembers stands in for a list of processes where there is none. A group
// keeps its number from being used again as long as it has a member.
func (c *claim) groupMembers() []proc {
	if syscall.Kill(-c.leader.PID, 0) != nil {
		return nil
	}
	return []proc{{Identity: identity{PID: -c.leader.PID}, PGrp: c.leader.PID}}
}
