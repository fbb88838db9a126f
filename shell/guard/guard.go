// Package guard is the process that stands between the bridge and one command.
// It starts the command in a session of its own, receives every orphan that the
// command makes, however it was detached, and so can prove that nothing is left:
// it has no child any more. It ends the command when it is told to, and at once
// when the bridge or the editor is no more, which it learns from the kernel. It
// knows no protocol but that of its own socket (see the words in wire.go), and
// imports little, since one is started for every command.
//
// A guard has three goroutines: one waits for orders and forks, one reaps, and
// one kills when that is ordered. Process 1 of a sandbox (see runInit) has the
// first two.
package guard

import (
	"os"
	"strings"
)

// Name is the last element of argv[0] of a guard.
const Name = "drawbridge-guard"

// Arguments of a guard.
const (
	// KeepWord is a guard's first argument: it keeps a command. Its leaf comes
	// next, the folder of a cgroup for the command alone, which the guard removes
	// in the end; it may be empty. After that comes the name of the bridge that
	// started it, for others to read, and then FollowWord may come: the guard
	// follows a process by the pidfd at FollowFD.
	KeepWord   = "keep"
	FollowWord = "follow"
	// InitWord makes a guard process 1 instead. It is followed by the number of
	// its socket, the program, and the program's own argv.
	InitWord = "init"
)

// Descriptors of a guard.
const (
	ControlFD = 3
	FollowFD  = 4
)

// Owner is the name of the bridge in the arguments of a guard, "" in those of any
// other program.
func Owner(args []string) string {
	if len(args) < 4 || args[0] != Name || args[1] != KeepWord {
		return ""
	}
	return args[3]
}

// Main turns the process into a guard, and then does not return, if it was
// started as one. Else it does nothing.
func Main() {
	if len(os.Args) < 2 || os.Args[0][strings.LastIndexByte(os.Args[0], '/')+1:] != Name {
		return
	}
	switch args := os.Args[2:]; {
	case os.Args[1] == KeepWord && len(args) > 1:
		keep(args[0], len(args) > 2 && args[2] == FollowWord)
	case os.Args[1] == InitWord && len(args) > 2:
		runInit(args[0], args[1], args[2:])
	}
}
