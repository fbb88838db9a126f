package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// GuardName is the name under which a guard must be started: by it, argv[0]'s
// last element, a program that can be more than a guard knows that it is one.
const GuardName = "drawbridge-guard"

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
// --as-pid-1): Path and Args[0] are guard, which is where GuardPath is seen
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
// inherits standard input, output and error and no other descriptor.
//
// On an error nothing is left open but what l held before.
func GuardInit(l Launch, guard string) (Launch, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return l, fmt.Errorf("link to process 1 of a sandbox: %w", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		closeAll(os.NewFile(uintptr(fds[0]), ""), os.NewFile(uintptr(fds[1]), ""))
		return l, fmt.Errorf("link to process 1 of a sandbox: %w", err)
	}
	l.report = os.NewFile(uintptr(fds[0]), "report of process 1")
	l.Files = append(append([]*os.File(nil), l.Files...), os.NewFile(uintptr(fds[1]), "link of process 1"))
	l.Inner = true
	l.Args = append([]string{guard, guardInitWord, strconv.Itoa(2 + len(l.Files)), l.Path}, l.Args...)
	l.Path = guard
	return l, nil
}

// guardInitWord makes a guard process 1 instead: it is followed by the number
// of its link, the program and the program's own argv.
const guardInitWord = "init"
