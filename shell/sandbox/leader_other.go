//go:build !linux

package sandbox

import "syscall"

// Leader is the process that a signal for the program of a Bare launch must go
// to, given the one that was started: itself.
func Leader(pid int) int { return pid }

// Adopt, Bound and EndBelow find what a program leaves behind where the system
// tells of it; here it does not.
func Adopt() error { return nil }

func Bound() *syscall.SysProcAttr { return nil }

func EndBelow() error { return nil }
