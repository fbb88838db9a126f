//go:build !linux

package sandbox

// Leader is the process that a signal for the program of a Bare launch must go
// to, given the one that was started: itself.
func Leader(pid int) int { return pid }
