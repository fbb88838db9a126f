package sandbox

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// answer is what the filter for c says to a call.
func answer(t *testing.T, c calls, audit uint32, nr uint32, args ...uint64) seccomp.Action {
	t.Helper()
	program, err := filterProgram(c)
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]unix.SockFilter, len(program)/8)
	if err := binary.Read(bytes.NewReader(program), binary.NativeEndian, raw); err != nil {
		t.Fatal(err)
	}
	var in []bpf.RawInstruction
	for _, f := range raw {
		in = append(in, bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K})
	}
	instructions, ok := bpf.Disassemble(in)
	if !ok {
		t.Fatal("the filter has an instruction that is none")
	}
	vm, err := bpf.NewVM(instructions)
	if err != nil {
		t.Fatal(err)
	}
	// The machine reads words of the network's order, so each word of struct
	// seccomp_data is written in it; the two halves of an argument stand in ours.
	words := []uint32{nr, audit, 0, 0}
	for i := range 6 {
		var arg uint64
		if i < len(args) {
			arg = args[i]
		}
		words = append(words, uint32(arg), uint32(arg>>32))
	}
	var data bytes.Buffer
	binary.Write(&data, binary.BigEndian, words)
	got, err := vm.Run(data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return seccomp.Action(uint32(got))
}

func TestFilterAnswers(t *testing.T) {
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	const pass, high = seccomp.ActionAllow, uint64(1) << 32
	nothing, all := calls{}, calls{Inet: true, Unix: true, IPC: true, Others: true}
	for _, row := range []struct {
		what string
		c    calls
		name string
		args []uint64
		want seccomp.Action
	}{
		{"reading", nothing, "read", nil, pass},
		{"a program", nothing, "execve", nil, pass},
		{"a thread", nothing, "clone", []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, pass},
		{"a child", nothing, "clone", []uint64{unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, pass},
		{"a user namespace", all, "clone", []uint64{unix.CLONE_NEWUSER}, refused},
		{"a network namespace, halves filled", all, "clone", []uint64{high | unix.CLONE_NEWNET}, refused},
		{"the newer clone", all, "clone3", nil, missing},
		{"unshare", all, "unshare", nil, refused},
		{"setns", all, "setns", nil, refused},
		{"a mount", all, "mount", nil, refused},
		{"a mount of the newer kind", all, "fsopen", nil, missing},
		{"tracing", all, "ptrace", nil, refused},
		{"another's memory", all, "process_vm_readv", nil, refused},
		{"another's descriptor", all, "pidfd_getfd", nil, refused},
		{"requests no filter sees", all, "io_uring_setup", nil, missing},
		{"keys", all, "keyctl", nil, refused},
		{"programs in the kernel", all, "bpf", nil, refused},
		{"a file by its handle", all, "open_by_handle_at", nil, refused},
		{"the clock", all, "clock_settime", nil, refused},
		{"a window's size", nothing, "ioctl", []uint64{0, unix.TIOCGWINSZ}, pass},
		{"typing into the terminal", all, "ioctl", []uint64{0, unix.TIOCSTI}, refused},
		{"typing into the terminal, halves filled", all, "ioctl", []uint64{0, high | unix.TIOCSTI}, refused},
		{"pasting into a console", all, "ioctl", []uint64{0, unix.TIOCLINUX}, refused},
		{"one's own limits", nothing, "prlimit64", []uint64{0, unix.RLIMIT_CPU, 0x1000, 0}, pass},
		{"another's limits", all, "prlimit64", []uint64{42, unix.RLIMIT_CPU, 0x1000, 0}, refused},
		{"what another's limits are", nothing, "prlimit64", []uint64{42, unix.RLIMIT_CPU, 0, 0x1000}, pass},
		{"another's priority", nothing, "setpriority", []uint64{0, 42, 19}, refused},
		{"a group's priority", nothing, "setpriority", []uint64{1, 0, 19}, refused},
		{"a user's priority", nothing, "setpriority", []uint64{high | 2, 0, 19}, refused},
		{"one's own priority", nothing, "setpriority", []uint64{0, 0, 19}, pass},
		{"another's priority in a namespace", all, "setpriority", []uint64{0, 42, 19}, pass},
		{"another's processors", nothing, "sched_setaffinity", []uint64{42, 8, 0x1000}, refused},
		{"one's own processors", nothing, "sched_setaffinity", []uint64{0, 8, 0x1000}, pass},
		{"another's scheduler", nothing, "sched_setscheduler", []uint64{42, 3, 0x1000}, refused},
		{"another's parameters", nothing, "sched_setparam", []uint64{42, 0x1000}, refused},
		{"another's attributes", nothing, "sched_setattr", []uint64{42, 0x1000, 0}, refused},
		{"another's disk priority", nothing, "ioprio_set", []uint64{1, 42, 3}, refused},
		{"a user's disk priority", nothing, "ioprio_set", []uint64{3, 0, 3}, refused},
		{"one's own disk priority", nothing, "ioprio_set", []uint64{1, 0, 3}, pass},
		{"another's pages", nothing, "migrate_pages", []uint64{42, 8, 0x1000, 0x1000}, refused},
		{"which personality", nothing, "personality", []uint64{0xffffffff}, pass},
		{"fixed addresses", nothing, "personality", []uint64{0x0040000}, pass},
		{"an odd personality", all, "personality", []uint64{0x0400000}, refused},
		{"IPv4", nothing, "socket", []uint64{unix.AF_INET, unix.SOCK_STREAM}, refused},
		{"IPv4, halves filled", nothing, "socket", []uint64{high | unix.AF_INET, unix.SOCK_STREAM}, refused},
		{"IPv6 datagrams", nothing, "socket", []uint64{unix.AF_INET6, unix.SOCK_DGRAM}, refused},
		{"a unix socket", nothing, "socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, refused},
		{"routes", nothing, "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW}, refused},
		{"a pair of streams", nothing, "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, pass},
		{"a pair of packets", nothing, "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, pass},
		{"a pair of datagrams", nothing, "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, refused},
		{"a raw pair", nothing, "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_RAW}, refused},
		{"a raw pair, halves filled", nothing, "socketpair", []uint64{unix.AF_UNIX, high | unix.SOCK_RAW}, refused},
		{"a pair of datagrams beside unix sockets", all, "socketpair", []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, pass},
		{"kept IPv4", all, "socket", []uint64{unix.AF_INET, unix.SOCK_STREAM}, pass},
		{"a kept unix socket", all, "socket", []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, pass},
		{"kept routes", all, "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, pass},
		{"audit beside the routes", all, "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, refused},
		{"audit, halves filled", all, "socket", []uint64{unix.AF_NETLINK, unix.SOCK_RAW, high | unix.NETLINK_ROUTE}, refused},
		{"packets", all, "socket", []uint64{unix.AF_PACKET, unix.SOCK_RAW}, refused},
		{"virtual machines' sockets", all, "socket", []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, refused},
		{"the kernel's ciphers", all, "socket", []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET}, refused},
		{"shared memory", nothing, "shmget", nil, refused},
		{"kept shared memory", all, "shmget", nil, pass},
	} {
		t.Run(row.what, func(t *testing.T) {
			nr, ok := info.SyscallNames[row.name]
			if !ok {
				t.Skipf("%s has no call %s", info.Name, row.name)
			}
			if got := answer(t, row.c, uint32(info.ID), uint32(nr), row.args...); got != row.want {
				t.Errorf("%s%x: %#x, want %#x", row.name, row.args, got, row.want)
			}
		})
	}
}

// The numbers of another table mean other calls.
func TestFilterKnowsOneTable(t *testing.T) {
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, calls{}, uint32(arch.I386.ID), 3); got != seccomp.ActionKillProcess {
		t.Errorf("a call of a 32-bit program: %#x", got)
	}
	if info.Name != "x86_64" {
		t.Skipf("%s has no second table under the same name", info.Name)
	}
	if got := answer(t, calls{}, uint32(info.ID), 0x40000000); got != missing {
		t.Errorf("a call of an x32 program: %#x", got)
	}
}

func TestFilterFileIsTheProgram(t *testing.T) {
	file, err := filterFile(calls{Inet: true})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	program, _ := filterProgram(calls{Inet: true})
	got := make([]byte, len(program)+1)
	if n, _ := file.ReadAt(got, 0); !bytes.Equal(got[:n], program) {
		t.Errorf("%d bytes in the file, want %d", n, len(program))
	}
	if at, err := file.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("a reader would begin at %d (%v)", at, err)
	}
}
