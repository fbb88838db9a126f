package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// run becomes the command. With namespaces it takes two processes: only a new
// one can enter a user namespace, and the first waits for it.
func (s Spec) run(file *os.File) error {
	// What a thread gives up holds for the process once this thread executes.
	runtime.LockOSThread()
	if s.Namespaces && !s.Entered {
		return s.enter(file)
	}
	file.Close()
	if s.Namespaces {
		if err := s.furnish(); err != nil {
			return err
		}
	}
	if err := unix.Chdir(s.Dir); err != nil { // by name: what the descriptor names has no mounts of ours
		return fmt.Errorf("enter %s: %w", s.Dir, err)
	}
	if err := s.giveUp(); err != nil {
		return err
	}
	return fmt.Errorf("execute %s: %w", s.Path, syscall.Exec(s.Path, s.Args, append(os.Environ(), s.Env...)))
}

// enter runs the stage again in new namespaces, waits for its end and ends as
// it did.
func (s Spec) enter(file *os.File) error {
	s.Entered = true
	next, err := specFile(s)
	if err != nil {
		return err
	}
	keepSignals()
	files := make([]uintptr, 0, file.Fd()+1)
	for fd := uintptr(0); fd < file.Fd(); fd++ {
		files = append(files, fd)
	}
	args := []string{Name, fmt.Sprint(len(files))}
	pid, err := syscall.ForkExec("/proc/self/exe", args, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: append(files, next.Fd()),
		Sys:   s.namespaces(),
	})
	if err != nil {
		return fmt.Errorf("enter namespaces: %w", err)
	}
	letGo(len(files))
	mirror(pid)
	return nil
}

func (s Spec) namespaces() *syscall.SysProcAttr {
	flags := syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	if !s.HostNetwork {
		flags |= syscall.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Cloneflags:  uintptr(flags),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		// In its namespaces the next stage may do all until it gives that up. To an
		// ordinary user's only ambient capabilities are left by its execution.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
		Pdeathsig:   syscall.SIGKILL, // of this thread, which waits
	}
}

// specFile holds s for a stage that is to be started.
func specFile(s Spec) (*os.File, error) {
	fd, err := unix.MemfdCreate("spec", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("spec of a command: %w", err)
	}
	file := os.NewFile(uintptr(fd), "spec of a command")
	raw, err := json.Marshal(s)
	if err == nil {
		_, err = file.WriteAt(raw, 0)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("spec of a command: %w", err)
	}
	return file, nil
}

// File holds s where Main expects it. The caller closes it.
func (s Spec) File() (*os.File, error) { return specFile(s) }

// keepSignals keeps what is meant for the command from ending the process that
// waits for it. A handler, unlike an ignored signal, is not inherited. All come
// to the command too: they are sent to its process group or to its whole tree.
func keepSignals() {
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM,
		unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGPIPE)
}

// letGo closes the streams, whose other ends wait for the command alone.
func letGo(files int) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range files {
		unix.Dup3(null, fd, 0)
	}
}

// mirror waits for pid and ends the process in the same way.
func mirror(pid int) {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EINTR) {
			os.Exit(ExitCode)
		}
	}
	if !status.Signaled() {
		os.Exit(status.ExitStatus())
	}
	dieOf(status.Signal())
	os.Exit(128 + int(status.Signal()))
}

// dieOf ends the process by a signal, without a core of its own.
func dieOf(sig syscall.Signal) {
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	signal.Reset(sig)
	syscall.Kill(os.Getpid(), sig)
	for range 100 {
		runtime.Gosched() // the signal may come to another thread
	}
}
