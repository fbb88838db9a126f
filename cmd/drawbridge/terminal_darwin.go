package main

import "golang.org/x/sys/unix"

const (
	getModes = unix.TIOCGETA
	setModes = unix.TIOCSETA
	noKey    = 0xff // stands for a key that is switched off
)

// dropInput takes FREAD of the system's headers: the queue of input.
func dropInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) }
