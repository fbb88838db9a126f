package shell

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drawbridge/shell/guard"
	"drawbridge/shell/procfs"
)

// hold starts a command under a guard, or without one where there can be none.
func (l *Local) hold(launch Launch, e ends, mark string) (holder, error) {
	if !theGuards.possible() {
		return l.holdDirectly(launch, e, mark)
	}
	g, err := theGuards.take()
	if err != nil {
		return nil, fmt.Errorf("start a guard: %w", err)
	}
	job, err := jobFile(guard.Job{
		Path: launch.Path, Args: launch.Args, Env: launch.Env, Dir: launch.Dir,
		Terminal: e.childIsTerm && !launch.Inner, Boxed: launch.Inner,
	})
	if err != nil {
		g.dismiss()
		return nil, err
	}
	defer job.Close()
	h := newGuarded(g, launch, mark, l.opts.Log)
	l.wg.Go(h.listen)
	if h.report != nil {
		l.wg.Go(h.listenInside)
	} else {
		close(h.reported)
	}
	if err := h.begin(append([]*os.File{job, e.childIn, e.childOut}, launch.Files...)); err != nil {
		return nil, err
	}
	return h, nil
}

func jobFile(j guard.Job) (*os.File, error) {
	fd, err := unix.MemfdCreate("drawbridge-job", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "job")
	if _, err := f.Write(j.Encode()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// guarded is the bridge's side of a guard at work. It has one goroutine, listen,
// and one more for a box (listenInside); both end with the guard.
type guarded struct {
	guard   *guardProcess
	mark    string
	boxed   bool
	report  *os.File // nil without process 1
	log     *slog.Logger
	started chan error // one answer to begin
	exits   chan Exit
	exit    sync.Once // the first of several reports of the leader's end counts
	over    chan struct{}

	// reported is closed when process 1 says no more, stuck when the guard has
	// named what it cannot kill.
	reported, stuck chan struct{}

	pid    identity // listen's, until started
	names  string   // listen's, until stuck
	failed bool     // listen's: there was never a command
	clean  bool     // listen's: the guard saw the last process out
}

// newGuarded serves a guard from before it has its job until after its end.
func newGuarded(g *guardProcess, launch Launch, mark string, log *slog.Logger) *guarded {
	return &guarded{
		guard: g, mark: mark, boxed: launch.Inner, report: launch.report, log: log,
		started: make(chan error, 1), exits: make(chan Exit, 1), over: make(chan struct{}),
		reported: make(chan struct{}), stuck: make(chan struct{}),
	}
}

// startTime bounds the start of a command by a guard that somebody has stopped.
const startTime = 10 * time.Second

// wakePause is how long a guard may stay stopped before it has answered.
const wakePause = 200 * time.Millisecond

// begin sends the job and waits for the command to run. A command that kills its
// guard may do so before the guard has said anything: it has been run, too. One
// that stops it then is not to be waited for either.
func (h *guarded) begin(files []*os.File) error {
	if err := h.guard.send([]byte{guard.StartWord}, files...); err != nil {
		h.guard.process.Kill()
		return fmt.Errorf("tell the guard of a command: %w", err)
	}
	for end := time.Now().Add(startTime); time.Now().Before(end); {
		select {
		case err := <-h.started:
			return err
		case <-time.After(wakePause):
			h.guard.process.Signal(syscall.SIGCONT)
		}
	}
	h.guard.process.Kill()
	return errors.New("the guard of a command does not answer")
}

// listen hears the guard until its end, and sees to what it then left.
func (h *guarded) listen() {
	packet := make([]byte, guard.MaxPacket)
	for {
		n, err := h.guard.control.Read(packet)
		if n == 0 || err != nil {
			break
		}
		h.hear(packet[:n])
	}
	h.guard.wait()
	if h.report != nil {
		h.report.Close()
	}
	switch {
	case h.clean:
	case h.failed:
		h.finish()
	default:
		h.sweep()
		h.finish()
	}
}

// finish says that nothing is left. The guard of a command that was seen out
// may still be about to end; nobody needs to wait for that but the runner.
func (h *guarded) finish() {
	<-h.reported
	h.leaderLeft(Exit{Code: 128 + int(syscall.SIGKILL), Signal: "SIGKILL"})
	select {
	case h.started <- nil:
	default: // it was answered
	}
	close(h.over)
}

func (h *guarded) hear(packet []byte) {
	switch packet[0] {
	case guard.StartedWord:
		h.pid.PID = int(guard.Number(packet))
		if p, ok := procfs.Stat(h.pid.PID); ok {
			h.pid = p.Identity
		}
		h.started <- nil
	case guard.FailedWord:
		h.failed = true
		h.started <- syscall.Errno(guard.Number(packet))
	case guard.ExitedWord:
		h.boxLeft()
		h.leaderLeft(exitOfStatus(guard.Status(packet)))
	case guard.StuckWord:
		h.names = string(packet[1:])
		close(h.stuck)
	case guard.GoneWord:
		h.clean = true
		h.boxLeft()
		h.finish()
	}
}

// boxLeft waits for what process 1 said of the command, since it tells more
// than the end of the program that built the box. It is dead by then.
func (h *guarded) boxLeft() {
	select {
	case <-h.reported:
	case <-time.After(answerTime):
	}
}

// listenInside hears process 1 until its end.
func (h *guarded) listenInside() {
	defer close(h.reported)
	packet := make([]byte, guard.MaxPacket)
	for {
		n, err := h.report.Read(packet)
		if n == 0 || err != nil {
			return
		}
		if packet[0] == guard.ExitedWord {
			h.leaderLeft(exitOfStatus(guard.Status(packet[:n])))
		}
	}
}

func (h *guarded) leaderLeft(e Exit) { h.exit.Do(func() { h.exits <- e }) }

// sweep ends what a guard left that was killed, by the command or by others.
// Its children have become ours.
func (h *guarded) sweep() {
	if h.guard.leaf != "" {
		guard.KillLeaf(h.guard.leaf)
		defer removeLeaf(h.guard.leaf)
	}
	c := &claim{leader: h.pid, session: h.guard.process.Pid, mark: h.mark, reaped: true}
	kin.open(c)
	for !c.finish() {
		if err := c.end(0); err != nil {
			h.log.Warn("a command whose guard was killed left processes", "err", err)
			c.abandon()
			return
		}
	}
}

func (h *guarded) leader() int           { return h.pid.PID }
func (h *guarded) left() <-chan Exit     { return h.exits }
func (h *guarded) gone() <-chan struct{} { return h.over }

func (h *guarded) survivors() (list []Survivor, more int) {
	levels := procfs.NewTable().Below(h.guard.process.Pid)
	if h.boxed {
		levels = levels[min(guard.BoxLevels, len(levels)):]
	}
	var all []proc
	for _, level := range levels {
		all = append(all, level...)
	}
	return describe(all)
}

func (h *guarded) interrupt() {
	if h.report != nil {
		h.report.Write([]byte{guard.InterruptWord})
		return
	}
	h.guard.send([]byte{guard.InterruptWord})
}

// answerTime is for a guard that was stopped, or is starved, beyond the time
// that its work takes.
const answerTime = time.Second

// end orders the end. A guard that does not answer is killed, so that the
// bridge can do its work.
func (h *guarded) end(grace time.Duration) error {
	h.guard.process.Signal(syscall.SIGCONT)
	h.guard.send(guard.KillPacket(grace))
	patience := time.NewTimer(grace + killTime + answerTime)
	defer patience.Stop()
	select {
	case <-h.over:
		return nil
	case <-h.stuck:
		return fmt.Errorf("end command: still there after SIGKILL: %s", h.names)
	case <-patience.C:
		h.guard.process.Kill()
		<-h.over
		return nil
	}
}

// guardProcess is one guard, idle or at work.
type guardProcess struct {
	process *os.Process
	control *os.File
	leaf    string // made before the guard, since that takes its time; "" without one
}

// send passes a packet and descriptors. It does not wait: a guard whose socket
// is full is not well.
func (g *guardProcess) send(packet []byte, files ...*os.File) error {
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	return control(g.control, func(fd int) error {
		n, err := unix.SendmsgN(fd, packet, rights, nil, unix.MSG_NOSIGNAL)
		if err == nil && n != len(packet) {
			err = io.ErrShortWrite
		}
		return err
	})
}

// dismiss ends a guard that has no command.
func (g *guardProcess) dismiss() {
	g.wait()
	removeLeaf(g.leaf)
}

// wait sees a guard out whose socket has ended, or ends here.
func (g *guardProcess) wait() {
	g.control.Close()
	g.process.Wait()
	kin.waited(g.process.Pid)
}
