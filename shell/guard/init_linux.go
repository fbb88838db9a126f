package guard

import (
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// notFound is the exit code of a shell for a program that it cannot run.
const notFound = 127

// runInit is the life of process 1 of a PID namespace: the command's parent and
// that of its orphans. With its end the kernel ends all in the namespace.
func runInit(link, path string, argv []string) {
	runtime.LockOSThread()
	shrug()
	fd, err := strconv.Atoi(link)
	if err != nil {
		unix.Exit(notFound)
	}
	unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	files := descriptorsBelow(fd)
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	unix.Setsid() // fails for who has one already, which is as good
	_, err = unix.IoctlGetTermios(0, unix.TCGETS)
	var b brood
	if err := b.fork(Job{Path: path, Args: argv, Env: os.Environ(), Terminal: err == nil}, files); err != nil {
		os.Stderr.WriteString("run " + path + ": " + err.Error() + "\n")
		unix.Exit(notFound)
	}
	letGo(len(files))
	go b.listen(fd)
	code := 0
	b.reap(func(status syscall.WaitStatus) {
		code = exitCode(status)
		unix.SendmsgN(fd, Packet(ExitedWord, uint32(status)), nil, nil, unix.MSG_NOSIGNAL)
	})
	unix.Exit(code)
}

// listen takes orders of the bridge, and ends the process with it.
func (b *brood) listen(link int) {
	packet := make([]byte, MaxPacket)
	for {
		n, err := unix.Read(link, packet)
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			unix.Exit(128 + int(syscall.SIGKILL))
		case packet[0] == InterruptWord:
			b.interrupt()
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// descriptorsBelow are those that the command inherits: whoever added the link
// put it behind them.
func descriptorsBelow(link int) []uintptr {
	files := make([]uintptr, max(link, 3))
	for i := range files {
		files[i] = uintptr(i)
	}
	return files
}
