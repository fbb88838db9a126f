// Package stage is what a process does to itself before it becomes a confined
// command: it enters namespaces of its own where there are such, has the places
// that it may write, and no others, be writable, gives up capabilities, rights
// (Landlock) and system calls for good, and then executes the command in its
// own place. It decides nothing: what holds is in the Spec that it is handed.
//
// A stage starts no goroutines but the runtime's. It imports little, since every
// confined command waits for it.
package stage

import (
	"encoding/json"
	"os"
	"strconv"
	"sync/atomic"
)

// Name is argv[0] of a stage; its argument is the number of the descriptor from
// which it reads its Spec, and any further descriptors below it are the
// command's.
const Name = "drawbridge-confine"

// Spec is what a command is confined to and what it is. Paths are absolute and
// free of links.
type Spec struct {
	// Namespaces says that the command has namespaces of its own for users,
	// mounts and IPC, and the network unless HostNetwork. Without, Mounts must be
	// empty.
	Namespaces, HostNetwork bool
	// Mounts are made in their order.
	Mounts []Mount
	// Reads may be read and executed, Writes written too, each with what lies
	// below. Devices are files that may be opened for everything.
	Reads, Writes, Devices []string
	// Filter is the filter of system calls, as the kernel takes it.
	Filter []byte
	// Path, Args and Dir are the command's. Its environment is the stage's and
	// Env, which is what a dynamic loader would obey in the stage already.
	Path string
	Args []string
	Env  []string
	Dir  string
	// Entered says that the namespaces have been entered; the stage sets it.
	Entered bool
}

// Mount is one place of the command's own view.
type Mount struct {
	Target string
	Kind   Kind
	Source string // of a Bind or Cover: the place that is seen at Target
	File   bool   // Target is no folder
}

// Kind says what is seen at a mount's target.
type Kind int

const (
	Cover    Kind = iota // Source, read-only
	Bind                 // Source, writable
	Conceal              // nothing: an empty folder, an empty file
	Shared               // an empty folder in memory that all may write (/dev/shm)
	Terminal             // a folder for terminals of the command's own (/dev/pts)
)

// ExitCode is a stage's when the command could not be confined, or could not be
// started once it was; standard error says why.
const ExitCode = 125

// linked is set by a program that can be a stage.
var linked atomic.Bool

// Linked reports whether this program can be started again as a stage.
func Linked() bool { return linked.Load() }

// Main turns the process into a confined command if it was started as a stage,
// and then does not return. A program that runs commands calls it before all
// else, beside the guard's.
func Main() {
	linked.Store(true)
	if len(os.Args) != 2 || os.Args[0] != Name {
		return
	}
	err := perform(os.Args[1])
	os.Stderr.WriteString("drawbridge: confine the command: " + err.Error() + "\n")
	os.Exit(ExitCode)
}

// perform returns only when it failed.
func perform(number string) error {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		return os.ErrInvalid
	}
	file := os.NewFile(uintptr(fd), "spec of a command")
	var spec Spec
	if err := json.NewDecoder(file).Decode(&spec); err != nil {
		return err
	}
	return spec.run(file)
}
