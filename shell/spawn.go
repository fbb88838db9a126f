package shell

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// ends are the bridge's ends of a command's streams and those it is born with.
type ends struct {
	in, out     *os.File // ours; the same file in a terminal
	childIn     *os.File
	childOut    *os.File // stdout and stderr: one pipe keeps their order
	childIsTerm bool
}

func openEnds(s Spec) (ends, error) {
	if s.TTY {
		return openTerminal(s.Cols, s.Rows)
	}
	return openPipes()
}

func openPipes() (ends, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return ends{}, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		closeAll(childIn, in)
		return ends{}, err
	}
	widen(out)
	return ends{in: in, out: out, childIn: childIn, childOut: childOut}, nil
}

// openTerminal makes the master anew as a file that the runtime polls: reads
// then end at a deadline, and an idle terminal holds no thread.
func openTerminal(cols, rows uint16) (ends, error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return ends{}, fmt.Errorf("open a terminal: %w", err)
	}
	defer blocking.Close()
	master, err := polled(blocking)
	if err != nil {
		tty.Close()
		return ends{}, fmt.Errorf("open a terminal: %w", err)
	}
	e := ends{in: master, out: master, childIn: tty, childOut: tty, childIsTerm: true}
	return e, e.resize(cols, rows)
}

func polled(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// resize does nothing to pipes and to a size of zero.
func (e ends) resize(cols, rows uint16) error {
	if !e.childIsTerm || cols == 0 || rows == 0 {
		return nil
	}
	return control(e.out, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows})
	})
}

// signal sends sig to the process group that keys go to, as the kernel knows it
// at that moment. It reports false where no terminal tells.
func (e ends) signal(sig syscall.Signal) bool {
	if !e.childIsTerm {
		return false
	}
	return control(e.out, func(fd int) error {
		return unix.IoctlSetInt(fd, unix.TIOCSIG, int(sig))
	}) == nil
}

// control calls f with the descriptor without giving up polling, as Fd would.
func control(file *os.File, f func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if conn.Control(func(fd uintptr) { inner = f(int(fd)) }) != nil {
		return os.ErrClosed // there is no other reason, though its error is another
	}
	return inner
}

func (e ends) closeOurs()   { closeAll(e.in, e.out) }
func (e ends) closeChilds() { closeAll(e.childIn, e.childOut) }

// closeAll closes each file; a second close of the same one does no harm.
func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// holdDirectly forks the command with the child's ends as its only descriptors,
// as leader of a session of its own.
func (l *Local) holdDirectly(launch Launch, e ends, mark string) (holder, error) {
	secludeDescriptors()
	sys := &syscall.SysProcAttr{Setsid: true}
	if e.childIsTerm {
		sys.Setctty, sys.Ctty = true, 0
	}
	process, err := kin.fork(launch.Path, launch.Args, &os.ProcAttr{
		Dir: launch.Dir, Env: launch.Env, Sys: sys,
		Files: append([]*os.File{e.childIn, e.childOut, e.childOut}, launch.Files...),
	})
	if err != nil {
		return nil, err
	}
	d := &direct{
		process: process, claim: &claim{leader: identityOf(process.Pid), session: process.Pid, mark: mark},
		exits: make(chan Exit, 1), over: make(chan struct{}), look: make(chan struct{}, 1),
	}
	kin.open(d.claim)
	l.wg.Go(d.hold)
	return d, nil
}

// checkDir tells a missing folder from a missing shell, which a failed fork
// does not.
func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return errors.New("not an absolute path")
	}
	info, err := os.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("no such directory")
	}
	if err != nil {
		return errors.Unwrap(err)
	}
	if !info.IsDir() {
		return errors.New("not a directory")
	}
	return nil
}

// prepare readies the process once: orphans come to the bridge, and commands
// get the default action of the signals that a person sends, even when the
// bridge was started with them ignored (nohup, `&` in a script). Notify into a
// channel that nobody reads ignores them all the same, but is not inherited.
var prepare = sync.OnceValue(func() error {
	for _, sig := range []os.Signal{unix.SIGINT, unix.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	return adoptOrphans()
})
