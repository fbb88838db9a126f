//go:build !linux

package shell

import "golang.org/x/sys/unix"

// clogged is not known here: a key waits with what was typed before.
func (e ends) clogged() bool { return false }

func (e ends) discard() {}

func terminalModes(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TIOCGETA) }
