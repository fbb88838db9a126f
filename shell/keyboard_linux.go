package shell

import "golang.org/x/sys/unix"

// clogged is as command has it, of what the kernel has sorted.
func (e ends) clogged() (full bool) {
	control(e.in, func(fd int) error {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		n, err := unix.Poll(poll, 0)
		full = err == nil && n == 0
		return nil
	})
	if !full {
		e.atOtherEnd(func(fd int) {
			n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
			full = err == nil && n >= muchTyped
		})
	}
	return full
}

// discard drops what was typed and not read, as a key that makes a signal does
// unless the program has forbidden it.
func (e ends) discard() {
	e.atOtherEnd(func(fd int) {
		if t, err := terminalModes(fd); err == nil && t.Lflag&unix.NOFLSH == 0 {
			unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH)
		}
	})
}

// atOtherEnd calls f with the end of the terminal that programs have.
func (e ends) atOtherEnd(f func(fd int)) {
	control(e.in, func(master int) error {
		fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
		if errno != 0 {
			return errno
		}
		defer unix.Close(int(fd))
		f(int(fd))
		return nil
	})
}

func terminalModes(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TCGETS) }
