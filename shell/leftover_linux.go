package shell

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drawbridge/shell/guard"
	"drawbridge/shell/procfs"
)

// A bridge that is killed together with all its guards leaves its commands
// running. The next one finds them: a command's mark names its owner, and so
// does the name of its leaf.

// owner is a bridge that may be dead. A pid means something in its namespace
// only, and for ever only with the start.
type owner struct {
	id    identity
	space string // of pids
}

// thisOwner is this process.
func thisOwner() owner {
	self, _ := procfs.Stat(os.Getpid())
	return owner{id: self.Identity, space: pidSpace()}
}

func pidSpace() string {
	name, _ := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	return strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
}

func (o owner) String() string {
	return fmt.Sprintf("%d.%d.%s", o.id.PID, o.id.Start, o.space)
}

// ownerName is this process in the marks of its commands.
var ownerName = sync.OnceValue(func() string { return thisOwner().String() })

// parseOwner reads what String wrote.
func parseOwner(s string) (o owner, ok bool) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return o, false
	}
	pid, err1 := strconv.Atoi(parts[0])
	start, err2 := strconv.ParseUint(parts[1], 10, 64)
	o = owner{id: identity{PID: pid, Start: start}, space: parts[2]}
	return o, err1 == nil && err2 == nil && pid > 0 && o.space != ""
}

// dead is true of an owner that is certainly no more.
func (o owner) dead() bool {
	if o.space == "" || o.space != pidSpace() {
		return false // it may live where its pid is another's
	}
	now, ok := procfs.Stat(o.id.PID)
	return !ok || now.Identity != o.id || now.Dead()
}

// markOwner is the owner in the value of a mark: ID.TOKEN.OWNER.
func markOwner(value string) (owner, bool) {
	parts := strings.SplitN(value, ".", 3)
	if len(parts) != 3 {
		return owner{}, false
	}
	return parseOwner(parts[2])
}

// sweepLeftovers kills the commands of dead owners. It ends when there are none
// left, when stop is closed, or when it has tried for long enough.
func sweepLeftovers(stop <-chan struct{}, log *slog.Logger) {
	killed := map[identity]bool{}
	for end := time.Now().Add(killTime); time.Now().Before(end); {
		leaves, guards := sweepLeaves(), wakeGuards()
		left := leftovers()
		for _, p := range left {
			killed[p.Identity] = true
			signalProc(p, syscall.SIGKILL)
		}
		if leaves+guards+len(left) == 0 {
			break
		}
		select {
		case <-time.After(maxPause):
		case <-stop:
			return
		}
	}
	if len(killed) > 0 {
		log.Warn("ended what an earlier bridge left behind when it was killed", "processes", len(killed))
	}
}

// leftovers lists the living processes with the mark of a dead owner. This
// process and those above it are never among them.
func leftovers() []proc {
	spared := ancestors()
	var found []proc
	for _, p := range procfs.All() {
		if spared[p.PID] || p.Dead() {
			continue
		}
		o, ok := markOwner(procfs.Variable(procfs.Environ(p.PID), markName))
		if ok && o.dead() {
			found = append(found, p)
		}
	}
	return found
}

func ancestors() map[int]bool {
	all := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !all[pid]; {
		all[pid] = true
		p, _ := procfs.Stat(pid)
		pid = p.PPID
	}
	return all
}

// wakeGuards has the guards of dead owners go on if they were stopped, and
// counts them. They see what is left of their commands out, and end.
func wakeGuards() (n int) {
	for _, p := range procfs.All() {
		if p.Dead() {
			continue
		}
		if o, ok := parseOwner(guard.Owner(procfs.Args(p.PID))); !ok || !o.dead() {
			continue
		}
		n++
		if p.State == 'T' {
			signalProc(p, syscall.SIGCONT)
		}
	}
	return n
}

// sweepLeaves empties and removes the leaves of dead owners, and counts them.
func sweepLeaves() (n int) {
	base, err := leafBase()
	if err != nil {
		return 0
	}
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		o, ok := leafOwner(e.Name())
		if !ok || !o.dead() {
			continue
		}
		n++
		guard.KillLeaf(base + "/" + e.Name())
		unix.Rmdir(base + "/" + e.Name()) // in the next round, if not now
	}
	return n
}
