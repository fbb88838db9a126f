package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// calls says which system calls a confined command keeps beyond the usual ones.
// The zero value keeps no sockets but the pairs that a program makes for itself.
type calls struct {
	// Inet keeps sockets of IPv4 and IPv6 and the requests for the routes and
	// addresses of the machine. What they reach is the network namespace's matter.
	Inet bool
	// Unix keeps unix sockets. What they reach is a matter of hidden paths, of
	// Landlock and, for the abstract ones, of the network namespace.
	Unix bool
	// IPC keeps System V and POSIX queues, semaphores and shared memory.
	IPC bool
	// Others keeps settings of other processes' priorities and processors. Who is
	// reached by them is a matter of a process namespace; without one a command
	// has them for itself alone.
	Others bool
}

// filterFile holds the filter for c where a program expects a descriptor
// (bubblewrap's --seccomp). The caller closes it.
func filterFile(c calls) (*os.File, error) {
	program, err := filterProgram(c)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("filter", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("file of the system call filter: %w", err)
	}
	file := os.NewFile(uintptr(fd), "filter")
	if _, err := file.WriteAt(program, 0); err != nil {
		file.Close()
		return nil, fmt.Errorf("file of the system call filter: %w", err)
	}
	return file, nil
}

var (
	filterMu sync.Mutex // guards filters
	filters  = map[calls][]byte{}
)

// filterProgram is the filter for c as the kernel takes it: an array of struct
// sock_filter. It must not be changed.
func filterProgram(c calls) ([]byte, error) {
	filterMu.Lock()
	defer filterMu.Unlock()
	if program, ok := filters[c]; ok {
		return program, nil
	}
	program, err := assemble(c)
	if err != nil {
		return nil, fmt.Errorf("filter of system calls: %w", err)
	}
	filters[c] = program
	return program, nil
}

func assemble(c calls) ([]byte, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: c.groups(info)}
	instructions, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(slices.Concat(onlyArch(info), instructions))
	if err != nil {
		return nil, err
	}
	var program bytes.Buffer
	for _, in := range raw {
		binary.Write(&program, binary.NativeEndian, unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K})
	}
	return program.Bytes(), nil
}

// onlyArch ends a process that calls by another machine's table (a 32-bit
// program, say), where the same numbers mean other calls. The library would let
// it pass unfiltered.
func onlyArch(info *arch.Info) []bpf.Instruction {
	const archOffset = 4 // in struct seccomp_data
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(seccomp.ActionKillProcess)},
	}
}

// Answers of a denied call. A program that knows of a newer call tries the
// older one when the newer is said to be missing.
const (
	refused = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	missing = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)
)

func (c calls) groups(info *arch.Info) []seccomp.SyscallGroup {
	known := func(names ...string) []string {
		return slices.DeleteFunc(names, func(name string) bool {
			_, ok := info.SyscallNames[name]
			return !ok
		})
	}
	groups := []seccomp.SyscallGroup{
		{Action: missing, Names: known(lateCalls()...)},
		{Action: refused, Names: known(deniedCalls()...), NamesWithCondtions: slices.Concat(deniedUses(), c.sockets())},
	}
	if !c.Others {
		groups = append(groups, seccomp.SyscallGroup{Action: refused, NamesWithCondtions: usesOnOthers()})
	}
	if !c.IPC {
		groups = append(groups, seccomp.SyscallGroup{Action: refused, Names: known("shmget", "semget", "msgget", "mq_open")})
	}
	return groups
}

// lateCalls are denied calls that programs do without: threads and children are
// made by clone, mounts by mount, which are looked at; reads and writes need no
// io_uring, whose requests no filter sees.
func lateCalls() []string {
	return []string{
		"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register",
		"open_tree", "open_tree_attr", "move_mount", "mount_setattr",
		"fsopen", "fsconfig", "fsmount", "fspick",
	}
}

// deniedCalls reach other processes, the kernel or the machine.
func deniedCalls() []string {
	return []string{
		"mount", "umount2", "pivot_root", "chroot", "unshare", "setns",
		"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp",
		"bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "syslog",
		"keyctl", "add_key", "request_key",
		"open_by_handle_at", "name_to_handle_at",
		"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
		"reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "nfsservctl", "uselib",
		"settimeofday", "clock_settime", "vhangup", "iopl", "ioperm",
	}
}

// newNamespaces are the flags of clone by which a process leaves its
// namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// deniedUses are uses of calls that else remain.
func deniedUses() []seccomp.NameWithConditions {
	return []seccomp.NameWithConditions{
		use("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: newNamespaces}),
		use("ioctl", is(1, unix.TIOCSTI)...),     // types into the terminal
		use("ioctl", is(1, unix.TIOCLINUX)...),   // pastes into a console
		use("personality", none(0, personas)...), // 32-bit tables, odd layouts
		// Limits of another process, which it may die of.
		use("prlimit64", append(none(0, []uint64{0}), none(2, []uint64{0})...)...),
	}
}

// usesOnOthers set how another process of the user's is run. 0 is the caller.
func usesOnOthers() []seccomp.NameWithConditions {
	const wholeGroup, wholeUser = 1, 2 // of setpriority; ioprio_set counts from one more
	uses := []seccomp.NameWithConditions{
		use("setpriority", is(0, wholeGroup)...), use("setpriority", is(0, wholeUser)...),
		use("setpriority", none(1, []uint64{0})...),
		use("ioprio_set", is(0, wholeGroup+1)...), use("ioprio_set", is(0, wholeUser+1)...),
		use("ioprio_set", none(1, []uint64{0})...),
	}
	for _, name := range []string{"sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "migrate_pages", "move_pages"} {
		uses = append(uses, use(name, none(0, []uint64{0})...))
	}
	return uses
}

// personas are the personalities that may be taken: none, fixed addresses (which
// sanitizers ask for), and the question which one it is.
var personas = []uint64{0, 0x0040000, 0xffffffff, ^uint64(0)}

// sockets refuses every family but those that are kept. Raw sockets of IP are
// refused by the kernel: nobody has the capability.
func (c calls) sockets() []seccomp.NameWithConditions {
	var families []uint64
	var uses []seccomp.NameWithConditions
	if c.Unix {
		families = append(families, unix.AF_UNIX)
	} else {
		// A pair of datagram sockets (raw ones are such) can be pointed at any path,
		// one of streams cannot.
		const kind = 0xf
		uses = append(uses, use("socketpair", bits(1, unix.SOCK_DGRAM, kind)...), use("socketpair", bits(1, unix.SOCK_RAW, kind)...))
	}
	if c.Inet {
		families = append(families, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
		uses = append(uses, use("socket", append(is(0, unix.AF_NETLINK), none(2, []uint64{unix.NETLINK_ROUTE})...)...))
	}
	return append(uses, use("socket", none(0, families)...))
}

func use(name string, conditions ...seccomp.Condition) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: conditions}
}

// is holds when the argument is v as the kernel sees it: of an int it drops the
// upper half, which a caller may fill with anything. A comparison for equality
// would look at it.
func is(argument uint32, v uint64) []seccomp.Condition { return bits(argument, v, 0xffffffff) }

// bits holds when the argument is v under mask.
func bits(argument uint32, v, mask uint64) []seccomp.Condition {
	conditions := []seccomp.Condition{{Argument: argument, Operation: seccomp.BitsNotSet, Value: mask &^ v}}
	for bit := uint64(1); bit <= v; bit <<= 1 {
		if v&bit != 0 {
			conditions = append(conditions, seccomp.Condition{Argument: argument, Operation: seccomp.BitsSet, Value: bit})
		}
	}
	return conditions
}

// none holds when the argument is none of values; a filled upper half makes it
// none of them, so that nothing passes by that. Without values it always holds.
func none(argument uint32, values []uint64) []seccomp.Condition {
	if len(values) == 0 {
		return []seccomp.Condition{{Argument: argument, Operation: seccomp.GreaterOrEqual, Value: 0}}
	}
	var conditions []seccomp.Condition
	for _, v := range values {
		conditions = append(conditions, seccomp.Condition{Argument: argument, Operation: seccomp.NotEqual, Value: v})
	}
	return conditions
}
