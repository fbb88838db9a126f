//go:build unix

package main

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ttySize says that the device has a window size, which /dev/null has not.
func ttySize(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// tty is the terminal that a person sits at. It is given back in the modes it
// was found in.
type tty struct {
	fd    int
	found *unix.Termios // nil: its modes cannot be known, and stay

	mu   sync.Mutex // guards below
	keys bool
}

func openTTY(f *os.File) *tty {
	t := &tty{fd: int(f.Fd())}
	if modes, err := unix.IoctlGetTermios(t.fd, getModes); err == nil {
		t.found = modes
	}
	return t
}

// Keys hands over keys one by one, unseen, and as they are: Enter is a carriage
// return, and the terminal of the command makes of it what it does of any
// keyboard's. Ctrl-C and Ctrl-Z stay ours; Ctrl-\ is a key.
func (t *tty) Keys(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = on
	t.applyLocked(on)
}

func (t *tty) applyLocked(keys bool) {
	if t.found == nil {
		return
	}
	modes := *t.found
	if keys {
		modes.Lflag &^= unix.ICANON | unix.ECHO | unix.ECHONL | unix.IEXTEN
		modes.Iflag &^= unix.ICRNL | unix.INLCR
		modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
		modes.Cc[unix.VQUIT] = noKey
	}
	_ = unix.IoctlSetTermios(t.fd, setModes, &modes) // one that is gone has no modes
}

// Drop forgets what was typed and not read.
func (t *tty) Drop() { dropInput(t.fd) }

// Size is 0 where it is not known.
func (t *tty) Size() (cols, rows uint16) {
	size, err := unix.IoctlGetWinsize(t.fd, unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return size.Col, size.Row
}

// Gone says that the terminal was hung up.
func (t *tty) Gone() bool {
	_, err := unix.IoctlGetTermios(t.fd, getModes)
	return err != nil
}

// pause gives the terminal back, stops the process as Ctrl-Z does, and takes
// the terminal again when it goes on.
func (t *tty) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys {
		t.applyLocked(false)
		defer t.applyLocked(true)
	}
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
}
