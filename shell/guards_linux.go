package shell

import (
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drawbridge/shell/guard"
	"drawbridge/shell/procfs"
)

// guardLinked is set by a program that can be a guard. Starting any other one
// (a test binary, say) again would run it whole.
var guardLinked atomic.Bool

// GuardMain turns the process into a guard of a command if it was started as
// one, and then does not return. A program that runs commands calls it before
// all else.
func GuardMain() {
	guard.Main()
	guardLinked.Store(true)
}

// theGuards serve every runner of the process, since the kernel keeps one list
// of children a process.
var theGuards guards

// guards are the processes that are to hold commands. One is kept warm from the
// first command on: its start would be the better part of a command's.
//
// While a command has been run and a runner is open there is one goroutine, which
// reaps orphans, and for a moment after each start one that warms a guard.
type guards struct {
	mu     sync.Mutex // guards below
	users  int        // open runners
	awake  bool       // a command was run since there was no user
	stop   chan struct{}
	warm   *guardProcess
	wg     *sync.WaitGroup // of goroutines; Add under mu while awake
	parent *os.File        // a pidfd of the parent process; nil does not follow it
}

// join counts a runner in.
func (g *guards) join() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users++
}

// afterStart is how long a new guard waits for a command that was just started:
// a short one is over by then, and would have shared the processor with it.
const afterStart = 25 * time.Millisecond

// rouse makes ready for commands, and warms a guard for the next one when the
// time has passed.
func (g *guards) rouse(pause time.Duration, log *slog.Logger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.users == 0 {
		return
	}
	if !g.awake {
		g.awake, g.stop, g.wg = true, make(chan struct{}), new(sync.WaitGroup)
		if err := prepare(); err != nil {
			log.Warn("orphans of commands will not be found", "err", err)
		}
		stop := g.stop
		g.wg.Go(func() { reapOrphansUntil(stop) })
		g.wg.Go(func() { sweepLeftovers(stop, log) })
	}
	if g.warm == nil && g.possible() {
		stop := g.stop
		g.wg.Go(func() {
			select {
			case <-time.After(pause):
				g.heat(log)
			case <-stop:
			}
		})
	}
}

// heat keeps a new guard, unless there is one by then or no more need.
func (g *guards) heat(log *slog.Logger) {
	if !g.needed() {
		return
	}
	p, err := g.fork()
	if err != nil {
		log.Warn("no guard is kept ready", "err", err)
		return
	}
	g.mu.Lock()
	needed := g.warm == nil && g.awake
	if needed {
		g.warm = p
	}
	g.mu.Unlock()
	if !needed {
		p.dismiss()
	}
}

func (g *guards) needed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.warm == nil && g.awake
}

// take gives the warm guard, unless somebody has killed it, or starts one.
func (g *guards) take() (*guardProcess, error) {
	g.mu.Lock()
	p := g.warm
	g.warm = nil
	g.mu.Unlock()
	if p != nil && p.alive() {
		return p, nil
	}
	if p != nil {
		p.dismiss()
	}
	return g.fork()
}

// leave counts a runner out. The last one ends what the process has for
// commands, and waits for it.
func (g *guards) leave() {
	g.mu.Lock()
	g.users--
	if g.users > 0 || !g.awake {
		g.mu.Unlock()
		return
	}
	g.awake = false
	close(g.stop)
	warm, wg := g.warm, g.wg
	g.warm = nil
	g.mu.Unlock()
	if warm != nil {
		warm.dismiss()
	}
	wg.Wait()
}

// possible says whether there is a program to be a guard.
func (g *guards) possible() bool {
	self, err := guardIsSelf()
	return err == nil && (!self || guardLinked.Load())
}

var guardIsSelf = sync.OnceValues(func() (bool, error) {
	program, err := GuardPath()
	if err != nil {
		return false, err
	}
	exe, err := os.Readlink("/proc/self/exe")
	return program == exe, err
})

// guardFile is opened once: an update of the files must not bring a guard into
// a running bridge that speaks otherwise.
var guardFile = sync.OnceValues(func() (string, error) {
	if self, err := guardIsSelf(); self || err != nil {
		return "/proc/self/exe", err
	}
	program, err := GuardPath()
	if err != nil {
		return "", err
	}
	fd, err := unix.Open(program, unix.O_PATH|unix.O_CLOEXEC, 0)
	return "/proc/self/fd/" + strconv.Itoa(fd), err
})

// fork starts a guard with its socket, and with the pidfd of the editor if that
// is followed, as its only descriptors.
func (g *guards) fork() (*guardProcess, error) {
	program, err := guardFile()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer null.Close()
	leaf := makeLeaf()
	args, files := []string{guard.Name, guard.KeepWord, leaf, ownerName()}, []*os.File{null, null, null, theirs}
	if parent := g.followed(); parent != nil {
		args, files = append(args, guard.FollowWord), append(files, parent)
	}
	secludeDescriptors()
	p, err := kin.fork(program, args, &os.ProcAttr{
		Dir: "/", Env: guardEnv, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		removeLeaf(leaf)
		return nil, err
	}
	return &guardProcess{process: p, control: ours, leaf: leaf}, nil
}

// guardEnv has a guard keep a thread for each of its goroutines, and little
// memory, and not look at limits of the processor, for which it would hold files.
var guardEnv = []string{"GOMAXPROCS=4", "GOMEMLIMIT=32MiB", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"}

// alive is asked of an idle guard, which says nothing unless it has ended.
func (p *guardProcess) alive() bool {
	now, ok := procfs.Stat(p.process.Pid)
	return ok && !now.Dead()
}

// socketPair is a link to a guard or to process 1; ours is polled.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "guard"), os.NewFile(uintptr(fds[1]), "bridge"), nil
}

// FollowParent has every command ended at once when the process that started
// this one dies, even if this one hangs. A program that an editor starts calls
// it before its first command. The error says why that cannot be known.
func FollowParent() error {
	pid := os.Getppid()
	if pid <= 1 {
		return errors.New("follow the editor: it is gone, or not in sight")
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return os.NewSyscallError("follow the editor: pidfd_open", err)
	}
	if os.Getppid() != pid {
		unix.Close(fd)
		return errors.New("follow the editor: it is gone")
	}
	theGuards.mu.Lock()
	defer theGuards.mu.Unlock()
	theGuards.parent = os.NewFile(uintptr(fd), "editor")
	return nil
}

func (g *guards) followed() *os.File {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.parent
}

// reapDelay gathers the deaths of a whole tree into one look at /proc.
const reapDelay = 100 * time.Millisecond

// reapOrphansUntil waits for adopted orphans some time after a child has died.
func reapOrphansUntil(stop <-chan struct{}) {
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	defer signal.Stop(died)
	for {
		select {
		case <-died:
		case <-stop:
			return
		}
		select {
		case <-time.After(reapDelay):
		case <-stop:
			return
		}
		reapOrphans()
	}
}

// reapOrphans waits for the dead children that nobody else will wait for, one
// pid at a time: a wait for any child would take os/exec's. A guard that was
// stopped is woken, since nobody but its command can have done that.
func reapOrphans() {
	for _, p := range procfs.NewTable().Children(os.Getpid()) {
		switch {
		case p.Sid == ownSession:
		case p.Dead():
			kin.adopted(p)
		case p.State == 'T' && !kin.adopted(p):
			signalProc(p, syscall.SIGCONT)
		}
	}
}
