// Package procfs reads from Linux's /proc which processes there are, whose
// children they are, and how they were started. It knows no command. It
// imports little, since a guard is to start fast, and starts no goroutine.
package procfs

// Identity names one process for ever: a pid is used again, its start is not.
type Identity struct {
	PID   int
	Start uint64 // clock ticks after boot
}

// Proc is a process as it was when it was looked at.
type Proc struct {
	Identity
	PPID, PGrp, Sid int
	State           byte
}

// Dead is true of what has only not been waited for.
func (p Proc) Dead() bool { return p.State == 'Z' || p.State == 'X' }
