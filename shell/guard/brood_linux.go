package guard

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"drawbridge/shell/procfs"
)

// brood is the children of this process: a command's leader, and whatever
// orphans the kernel has given us since.
type brood struct {
	// mu is held while children are signalled and reaped: the pid of one that
	// nobody has waited for names no other process.
	mu     sync.Mutex
	leader int  // 0 until it is started
	exited bool // the leader has been reaped

	leaf string // a cgroup for the children; "" is none
}

// fork starts the leader as a process group of its own, which gets the terminal
// if there is one.
func (b *brood) fork(job Job, files []uintptr) error {
	sys := &syscall.SysProcAttr{Setpgid: true}
	if job.Terminal {
		if err := unix.IoctlSetInt(int(files[0]), unix.TIOCSCTTY, 0); err != nil {
			return err
		}
		sys.Foreground, sys.Ctty = true, int(files[0])
	}
	attr := &syscall.ProcAttr{Dir: job.Dir, Env: job.Env, Files: files, Sys: sys}
	b.mu.Lock()
	defer b.mu.Unlock()
	pid, err := b.forkInto(job, attr)
	b.leader = pid
	return err
}

// forkInto tries the leaf first, which may be forbidden although it could be
// made.
func (b *brood) forkInto(job Job, attr *syscall.ProcAttr) (int, error) {
	if b.leaf != "" {
		fd, err := unix.Open(b.leaf, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, fd
			pid, err := syscall.ForkExec(job.Path, job.Args, attr)
			unix.Close(fd)
			if err == nil || pathFault(err) {
				return pid, err
			}
			attr.Sys.UseCgroupFD = false
		}
	}
	return syscall.ForkExec(job.Path, job.Args, attr)
}

// pathFault tells the errors of exec that no leaf has to do with.
func pathFault(err error) bool {
	return err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.ENOEXEC || err == syscall.E2BIG
}

// reap waits for every child until there is none, and calls exited once, with
// the leader's status.
func (b *brood) reap(exited func(syscall.WaitStatus)) {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == unix.ECHILD {
			return
		}
		for {
			status, leader, ok := b.collect()
			if !ok {
				break
			}
			if leader {
				exited(status)
			}
		}
	}
}

// collect reaps one child. A leader that a typed ^Z has stopped goes on: there
// is no shell above it that could do that.
func (b *brood) collect() (status syscall.WaitStatus, leader, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG|syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid <= 0:
			return 0, false, false
		case !status.Stopped():
			leader = pid == b.leader && !b.exited
			b.exited = b.exited || leader
			return status, leader, true
		case pid == b.leader && status.StopSignal() == syscall.SIGTSTP:
			syscall.Kill(-pid, syscall.SIGCONT)
		}
	}
}

// interrupt reaches the leader's group while it has a member, which keeps its
// number from naming another one.
func (b *brood) interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.leader > 0 && (!b.exited || grouped(b.leader)) {
		syscall.Kill(-b.leader, syscall.SIGINT)
	}
}

// grouped says whether something below this process is in a group.
func grouped(pgrp int) bool {
	for _, level := range procfs.NewTable().Below(os.Getpid()) {
		for _, p := range level {
			if p.PGrp == pgrp {
				return true
			}
		}
	}
	return false
}

// kill sends SIGKILL to all below this process.
func (b *brood) kill() {
	table := procfs.NewTable()
	for i, level := range table.Below(os.Getpid()) {
		if i > 0 {
			signalAll(level, syscall.SIGKILL)
			continue
		}
		b.mu.Lock()
		signalAll(level, syscall.SIGKILL)
		b.mu.Unlock()
	}
}

func signalAll(all []procfs.Proc, sig syscall.Signal) {
	for _, p := range all {
		p.Signal(sig)
	}
}

// shrug keeps signals of a terminal, a group or a person from ending this
// process. They are caught, not ignored, so that children get their defaults.
func shrug() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2)
}

// letGo puts nothing in the place of what the leader inherits, standard input,
// output and error among it, so that their streams end with the command.
func letGo(files int) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := range files {
		if err != nil {
			unix.Close(fd)
			continue
		}
		unix.Dup3(null, fd, 0)
	}
}
