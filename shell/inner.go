package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"drawbridge/shell/guard"
)

// GuardName is the name under which a guard must be started: by it, argv[0]'s
// last element, a program that can be more than a guard knows that it is one.
const GuardName = guard.Name

// GuardPath is the program that guards commands: GuardName beside the running
// program, else the running program itself. A sandbox shows this file, which is
// statically linked, at a place whose last element is GuardName.
func GuardPath() (string, error) { return guardPath() }

var guardPath = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the guard of commands: %w", err)
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return "", fmt.Errorf("find the guard of commands: %w", err)
	}
	beside := filepath.Join(filepath.Dir(exe), GuardName)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return beside, nil
	}
	return exe, nil
})

// GuardInit returns l to be run as process 1 of a PID namespace (bubblewrap's
// --as-pid-1): Path and Args[0] are program, which is where GuardPath is seen
// inside, and the rest of Args tells it what l is. The caller puts its own
// program and arguments in front of Args. Env, Dir and Release are l's; Files
// has one more descriptor at its end, which must reach process 1 under the
// number that it has here: 2 + len(Files). So whoever adds files of its own adds
// them behind, and closes none of these.
//
// Process 1 opens a session of its own, takes the terminal, and runs the
// command as its foreground group, so that a typed ^C reaches the command
// alone. It reports the end of the command's leader, lives on while there are
// children, which it reaps, and ends when there are none, or at once, and
// everything in the namespace with it, when the bridge has gone. The command
// inherits standard input, output and error, the Files that l has, and no other
// descriptor.
//
// On an error nothing is left open but what l held before.
func GuardInit(l Launch, program string) (Launch, error) {
	if !theGuards.possible() {
		return l, errors.New("this program cannot be process 1 of a sandbox")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return l, fmt.Errorf("link to process 1 of a sandbox: %w", err)
	}
	l.report, l.Inner = ours, true
	l.Files = append(slices.Clone(l.Files), theirs)
	l.Args = append([]string{program, guard.InitWord, strconv.Itoa(2 + len(l.Files)), l.Path}, l.Args...)
	l.Path = program
	return l, nil
}
