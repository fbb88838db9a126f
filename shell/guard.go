package shell

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guard is the bridge's side of a watcher process: the same program, started
// at the first command, that outlives the bridge for as long as it takes to end
// the commands it was told of. A bridge that is killed can do nothing itself.
// A process has one for all its runners: a watcher costs memory, and many at
// work at once would hinder one another.
//
// The watcher knows that the bridge is gone when the pipe between them ends.
type guard struct {
	mu     sync.Mutex // guards below; held over writes, so that lines keep their order
	users  int        // runners that are not closed
	log    *slog.Logger
	pipe   *os.File // nil: none is running
	failed bool     // it cannot be started: not tried again
	wards  map[*claim]struct{}
	ended  chan struct{} // closed when the newest watcher has ended
}

// theGuard watches over the commands of every runner of the process.
var theGuard guard

// join counts a runner in; the last one that leaves dismisses the watcher.
func (g *guard) join(log *slog.Logger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users++
	g.log = log
}

// guardName is argv[0] of a watcher.
const guardName = "drawbridge-guard"

// guardLinked is set by a program that can be a watcher. Starting any other
// one (a test binary, say) again would run it whole.
var guardLinked atomic.Bool

// GuardMain turns the process into a watcher if it was started as one, and
// then does not return. A program that runs commands calls it before all else.
func GuardMain() {
	guardLinked.Store(true)
	if len(os.Args) != 1 || os.Args[0] != guardName {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTSTP)
	debug.SetMemoryLimit(guardMemory)
	outlive(os.Stdin)
	unix.Exit(0) // at once: the runner waits, and there is nothing to flush
}

// guardMemory keeps a watcher small also among thousands of processes.
const guardMemory = 32 << 20

// tell puts a command under the watcher's care, starting it if need be.
func (g *guard) tell(c *claim) {
	if !guardLinked.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wards == nil {
		g.wards = map[*claim]struct{}{}
	}
	g.wards[c] = struct{}{}
	if g.pipe != nil {
		g.sendLocked(wardLine(c))
		return
	}
	if g.startLocked(); g.pipe == nil {
		return
	}
	for ward := range g.wards {
		g.sendLocked(wardLine(ward))
	}
}

// forget takes a command that is gone out of the watcher's care.
func (g *guard) forget(c *claim) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.wards, c)
	if g.pipe != nil {
		g.sendLocked(fmt.Sprintf("- %d\n", c.leader.pid))
	}
}

func wardLine(c *claim) string {
	return fmt.Sprintf("+ %d %d %s\n", c.leader.pid, c.leader.start, c.mark)
}

// guardPatience is how long a stopped watcher may hold up a command.
const guardPatience = 100 * time.Millisecond

func (g *guard) sendLocked(line string) {
	g.pipe.SetWriteDeadline(time.Now().Add(guardPatience))
	if _, err := io.WriteString(g.pipe, line); err != nil {
		g.log.Warn("the guard of commands does not listen", "err", err)
	}
}

// startLocked makes the pipe, which keeps what is told until the watcher is
// up. The first command does not wait for that.
func (g *guard) startLocked() {
	if g.failed {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		g.log.Warn("no guard of commands", "err", err)
		return
	}
	ended := make(chan struct{})
	g.pipe, g.ended = w, ended
	go func() { // ends with the watcher; leave waits for it
		defer close(ended)
		g.run(r, w)
	}()
}

// run starts the watcher and waits for its end: the pipe's, or a kill, after
// which the next command starts another.
func (g *guard) run(r, w *os.File) {
	p, err := forkGuard(r)
	r.Close()
	if err == nil {
		p.Wait()
		kin.waited(p.Pid)
	} else {
		g.log.Warn("no guard of commands", "err", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == w {
		g.pipe = nil
		w.Close()
	}
	g.failed = g.failed || err != nil
}

func forkGuard(stdin *os.File) (*os.Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		exe = "/proc/self/exe" // right even when the file was replaced by an update
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return kin.fork(exe, []string{guardName}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=1"},
		Files: []*os.File{stdin, null, null},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

// leave counts a runner out. The last one ends the watcher and waits for it.
func (g *guard) leave() {
	g.mu.Lock()
	g.users--
	ended := g.ended
	if g.users > 0 {
		ended = nil
	} else if g.pipe != nil {
		g.pipe.Close()
		g.pipe = nil
	}
	g.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// wards are the commands that a watcher was told of, by their leader's pid.
type wards map[int]ward

type ward struct {
	leader identity
	mark   string
}

// outlive is a watcher's life: it notes what it is told until the bridge is
// gone, and ends what is then left.
func outlive(told io.Reader) {
	w := wards{}
	for lines := bufio.NewScanner(told); lines.Scan(); {
		w.note(lines.Text())
	}
	if len(w) == 0 {
		return
	}
	// However the machine fares, a watcher does not stay.
	time.AfterFunc(guardLife, func() { unix.Exit(1) })
	w.end()
}

// guardLife bounds what a watcher does after the bridge's end.
const guardLife = 10 * time.Second

func (w wards) note(line string) {
	var next ward
	var pid int
	if n, _ := fmt.Sscanf(line, "+ %d %d %s", &next.leader.pid, &next.leader.start, &next.mark); n == 3 {
		w[next.leader.pid] = next
	} else if n, _ := fmt.Sscanf(line, "- %d", &pid); n == 1 {
		delete(w, pid)
	}
}

// orphanGrace is short: whoever would wait for a tidy end is dead.
const orphanGrace = 100 * time.Millisecond

// end is the ladder of claim.end for a watcher, which is nobody's parent.
func (w wards) end() {
	seen := map[identity]bool{}
	w.signal(seen, syscall.SIGTERM)
	w.signal(seen, syscall.SIGCONT)
	start := time.Now()
	for clean := 0; clean < 2 && time.Since(start) < killTime; {
		time.Sleep(maxPause / 2)
		sig := syscall.Signal(0)
		if time.Since(start) > orphanGrace {
			sig = syscall.SIGKILL
		}
		if w.signal(seen, sig) > 0 {
			clean = 0
		} else {
			clean++ // one look may miss a process that is just being born
		}
	}
}

// signal sends sig to all that is left of the commands and counts it.
func (w wards) signal(seen map[identity]bool, sig syscall.Signal) int {
	all := w.living(seen)
	for _, p := range all {
		if sig != 0 {
			p.signal(sig)
		}
	}
	return len(all)
}

// Rung says how surely commands are ended; a higher one includes the lower.
type Rung int

const (
	GroupRung Rung = iota // the process group: who leaves it escapes
	TreeRung              // everything a command started, while the bridge lives
	GuardRung             // also when the bridge itself is killed
)

func (r Rung) String() string {
	return [...]string{"process group", "process tree", "process tree and guard"}[r]
}

// CleanupRung is the rung that this process reaches on this machine.
func CleanupRung() Rung {
	switch {
	case !canListProcesses():
		return GroupRung
	case !guardLinked.Load():
		return TreeRung
	}
	return GuardRung
}
