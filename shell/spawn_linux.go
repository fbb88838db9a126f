package shell

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize lets a fast writer run ahead. It is the most an ordinary user may
// have; where that is used up, the default of 64 KiB does.
const pipeSize = 1 << 20

func widen(f *os.File) {
	control(f, func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize)
		return err
	})
}

// secludeDescriptors keeps from commands what the bridge itself was given by an
// editor that forgot to mark its files.
func secludeDescriptors() { unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) }

// unread is how many bytes can be read without waiting.
func unread(f *os.File) (n int) {
	control(f, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	return n
}
