//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// ttySize says that the device has a window size, which /dev/null has not.
func ttySize(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
