package shell

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
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

// foreground is the process group that keys go to.
func (e ends) foreground() (pgrp int, err error) {
	if !e.childIsTerm {
		return 0, errors.New("no terminal")
	}
	err = control(e.out, func(fd int) error {
		pgrp, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return pgrp, err
}

// control calls f with the descriptor without giving up polling, as Fd would.
func control(file *os.File, f func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
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

// launch starts the shell with the child's ends as its only descriptors, as
// leader of a session and group of its own.
func launch(shell string, login bool, s Spec, mark string, e ends) (*os.Process, error) {
	secludeDescriptors()
	sys := &syscall.SysProcAttr{Setsid: true}
	if e.childIsTerm {
		sys.Setctty, sys.Ctty = true, 0
	}
	dieWithParent(sys)
	return kin.fork(shell, shellArgs(shell, s.Script, login), &os.ProcAttr{
		Dir:   s.Dir,
		Env:   override(append([]string(nil), s.Env...), []string{mark}),
		Files: []*os.File{e.childIn, e.childOut, e.childOut},
		Sys:   sys,
	})
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

// forker does all forks of a runner on one thread that lives as long as any
// child: the kernel kills a child whose forking thread ends, not only one whose
// parent does.
type forker struct{ jobs chan func() }

func newForker() *forker {
	f := &forker{jobs: make(chan func())}
	go f.loop() // ends at stop, which the runner calls when all children are gone
	return f
}

func (f *forker) loop() {
	runtime.LockOSThread() // for good: the thread ends with the loop
	for job := range f.jobs {
		job()
	}
}

func (f *forker) do(job func()) {
	done := make(chan struct{})
	f.jobs <- func() { defer close(done); job() }
	<-done
}

func (f *forker) stop() { close(f.jobs) }

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
