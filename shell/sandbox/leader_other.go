//go:build !linux

package sandbox

import "syscall"

// Leader is the process that a signal for the program of a Bare launch must go
// to, given the one that was started: itself.
func Leader(pid int) int { return pid }

// Adopt does nothing: this system does not tell what a program leaves behind.
func Adopt() error { return nil }

// Bound is nothing special: a child outlives its parent here.
func Bound() *syscall.SysProcAttr { return nil }

// EndBelow ends nothing: see Adopt.
func EndBelow() error { return nil }
