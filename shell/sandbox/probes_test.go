//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probe is one way to reach what a sandbox keeps away. It runs in a process of
// its own, the test binary under the name probeName.
type probe struct {
	name string
	// needs says what it takes unconfined where not every machine and user has it.
	needs    string
	loose    bool // Landlock alone does not hold it
	terminal bool // standard input is a terminal
	sockets  bool // there are sockets in the folder outside
	landlock bool // bubblewrap's is another matter: what is reached there is inside
	run      func(w world) error
}

const probeName = "drawbridge-probe"

// Exit codes of a probe. Any other is a fault.
const (
	escaped = 0
	held    = 77 // it was refused; its output says how
)

// runProbe does what it is told and returns the exit code.
func runProbe(name, raw string) int {
	var w world
	if err := json.Unmarshal([]byte(raw), &w); err != nil {
		return 2
	}
	for _, p := range probes() {
		if p.name != name {
			continue
		}
		if err := p.run(w); err != nil {
			os.Stderr.WriteString(err.Error())
			return held
		}
		return escaped
	}
	return 2
}

func needing(what string, p probe) probe {
	p.needs = what
	return p
}

func probes() []probe {
	return slices.Concat(networkProbes, processProbes, priorityProbes, kernelProbes, outsideProbes, protectedProbes)
}

// networkProbes reach listeners of the test.
var networkProbes = []probe{
	{name: "TCP", run: func(w world) error { return hear("tcp", w.TCP) }},
	needing("IPv6", probe{name: "TCP over IPv6", run: func(w world) error {
		if w.TCP6 == "" {
			return errors.New("this machine has none")
		}
		return hear("tcp", w.TCP6)
	}}),
	needing("multipath TCP", probe{name: "multipath TCP", run: func(w world) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		at, err := net.ResolveTCPAddr("tcp", w.TCP)
		if err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())})
	}}),
	{name: "UDP, as names are looked up", run: func(w world) error { return echo("udp", w.UDP) }},
	{name: "an abstract unix socket", run: func(w world) error { return hear("unix", w.Abstract) }},
	{name: "a unix socket", sockets: true, run: func(w world) error { return hear("unix", filepath.Join(w.Outside, "sock")) }},
	{name: "a unix socket of datagrams", sockets: true, run: func(w world) error {
		c, err := net.Dial("unixgram", filepath.Join(w.Outside, "datagrams"))
		if err != nil {
			return err
		}
		_, err = c.Write([]byte("hello"))
		return err
	}},
	{name: "a unix socket by a pair", sockets: true, run: func(w world) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("hello"), 0, &unix.SockaddrUnix{Name: filepath.Join(w.Outside, "datagrams")})
	}},
	needing("the kernel's events", socketProbe("a netlink socket", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)),
	needing("root", socketProbe("a raw socket", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)),
	needing("root", socketProbe("packets", unix.AF_PACKET, unix.SOCK_RAW, 0)),
	needing("a virtual machine", socketProbe("a socket to the machine's host", unix.AF_VSOCK, unix.SOCK_STREAM, 0)),
}

// processProbes reach a process that stands for the bridge.
var processProbes = []probe{
	{name: "the bridge's environment", run: func(w world) error { return read(w, "environ") }},
	{name: "the bridge's memory", run: func(w world) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", w.Victim), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}},
	{name: "the bridge's memory map", run: func(w world) error { return read(w, "maps") }},
	{name: "the bridge's descriptors", run: func(w world) error {
		_, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", w.Victim))
		return err
	}},
	{name: "the waiting stage's environment", landlock: true, run: func(w world) error {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		return err
	}},
	{name: "a signal to the bridge", run: func(w world) error { return syscall.Kill(w.Victim, syscall.SIGTERM) }},
	{name: "a signal to the bridge's group", run: func(w world) error { return syscall.Kill(-w.Victim, syscall.SIGCONT) }},
	{name: "a signal to the waiting stage", landlock: true, run: func(w world) error { return syscall.Kill(os.Getppid(), 0) }},
	{name: "a signal by a descriptor", run: func(w world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	}},
	{name: "a descriptor of the bridge's", run: func(w world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}},
	{name: "tracing the bridge", run: func(w world) error {
		runtime.LockOSThread()
		return syscall.PtraceAttach(w.Victim)
	}},
	{name: "reading the bridge's memory", run: func(w world) error {
		_, err := unix.ProcessVMReadv(w.Victim, nil, nil, 0)
		return err
	}},
	{name: "the bridge's limits", run: func(w world) error {
		var now unix.Rlimit
		if err := unix.Prlimit(w.Victim, unix.RLIMIT_CORE, nil, &now); err != nil {
			return err
		}
		return unix.Prlimit(w.Victim, unix.RLIMIT_CORE, &now, nil)
	}},
}

// priorityProbes change how a process runs that stands for the bridge.
var priorityProbes = []probe{
	{name: "the bridge's priority", run: func(w world) error { return unix.Setpriority(unix.PRIO_PROCESS, w.Victim, 1) }},
	{name: "the bridge's processors", run: func(w world) error {
		var now unix.CPUSet
		if err := unix.SchedGetaffinity(w.Victim, &now); err != nil {
			return err
		}
		return unix.SchedSetaffinity(w.Victim, &now)
	}},
}

// kernelProbes reach the machine, its devices and its kernel.
var kernelProbes = []probe{
	{name: "new user namespace", needs: "user namespaces", run: func(w world) error {
		return fork(syscall.CLONE_NEWUSER, "/bin/true")
	}},
	{name: "unshare", needs: "root", run: func(w world) error {
		runtime.LockOSThread()
		return unix.Unshare(unix.CLONE_NEWNS)
	}},
	{name: "mount", needs: "root", run: func(w world) error {
		runtime.LockOSThread()
		if unix.Unshare(unix.CLONE_NEWNS) == nil { // unconfined; the machine shall not see it
			unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
		}
		return unix.Mount("tmpfs", filepath.Join(w.Root, "sub"), "tmpfs", 0, "")
	}},
	{name: "mount of the newer kind", needs: "root", run: func(w world) error {
		_, err := unix.Fsopen("tmpfs", 0)
		return err
	}},
	{name: "entering another's namespaces", needs: "root", run: func(w world) error {
		fd, err := unix.Open("/proc/self/ns/uts", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, unix.CLONE_NEWUTS)
	}},
	{name: "another root", needs: "root", run: func(w world) error { return unix.Chroot("/") }},
	{name: "the machine's name", needs: "root", run: func(w world) error {
		name, err := os.Hostname()
		return errors.Join(err, unix.Sethostname([]byte(name)))
	}},
	{name: "a set-user-id program", needs: "root, to make one", run: setUserID},
	{name: "capabilities of a program that root executes", needs: "root", run: func(w world) error {
		status, err := os.ReadFile("/proc/self/status")
		if err == nil && strings.Contains(string(status), "CapEff:\t0000000000000000") {
			err = errors.New("it has none")
		}
		return err
	}},

	{name: "typing into the terminal", needs: "root or a kernel that lets everyone", terminal: true, run: func(w world) error {
		text := [1]byte{'x'}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&text[0])))
		return wrong(errno)
	}},
	{name: "another terminal", run: func(w world) error {
		f, err := os.OpenFile(w.Terminal, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("theirs")
		return err
	}},
	{name: "shared memory", run: func(w world) error {
		_, err := unix.SysvShmGet(w.Segment, 64, 0)
		return err
	}},
	{name: "a file of shared memory", run: func(w world) error { return overwrite(w.Shared) }},
	{name: "a disk", needs: "root and a disk", run: func(w world) error { return anyOf(os.O_RDONLY, disks()...) }},
	{name: "the kernel's memory and log", needs: "root", run: func(w world) error {
		return anyOf(os.O_RDWR, "/dev/kmsg", "/dev/mem", "/dev/kmem", "/dev/port")
	}},
	{name: "a device node", needs: "root", run: func(w world) error {
		return unix.Mknod(filepath.Join(w.Root, "sub/node"), unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0)))
	}},
	{name: "the kernel's settings", needs: "root", run: func(w world) error { return rewrite("/proc/sys/vm/swappiness") }},
	{name: "settings in /sys", needs: "root", run: func(w world) error {
		return rewrite("/sys/kernel/mm/transparent_hugepage/defrag")
	}},
	{name: "control groups", needs: "root and control groups", run: func(w world) error {
		dir := filepath.Join("/sys/fs/cgroup", filepath.Base(w.Base))
		defer os.Remove(dir)
		return os.Mkdir(dir, 0o755)
	}},
	{name: "programs in the kernel", needs: "root", run: bare(unix.SYS_BPF, 0, 0, 0)},
	{name: "performance counters", needs: "root", run: perf},
	{name: "keys", run: bare(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(2), 1)},
	{name: "requests no filter sees", needs: "io_uring", run: func(w world) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params[0])), 0)
		return wrong(errno)
	}},
	{name: "faults of memory", needs: "root", run: bare(unix.SYS_USERFAULTFD, 0, 0, 0)},
	{name: "a file by its handle", needs: "root", run: func(w world) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, filepath.Join(w.Outside, "target"), 0)
		_ = mount
		if err != nil {
			return err
		}
		dir, err := unix.Open(w.Outside, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDWR)
		return err
	}},
	{name: "an odd personality", run: func(w world) error {
		const readImpliesExec = 0x0400000
		_, _, errno := unix.Syscall(unix.SYS_PERSONALITY, readImpliesExec, 0, 0)
		return wrong(errno)
	}},
}

func socketProbe(name string, family, kind, protocol int) probe {
	return probe{name: name, run: func(world) error {
		_, err := unix.Socket(family, kind, protocol)
		return err
	}}
}

// netLimit only bounds a failing test: what is refused is refused at once.
const netLimit = 20 * time.Second

// hear connects and waits for the listener's line.
func hear(network, address string) error {
	c, err := net.DialTimeout(network, address, netLimit)
	if err != nil {
		return err
	}
	c.SetDeadline(time.Now().Add(netLimit))
	_, err = io.ReadFull(c, make([]byte, 6))
	return err
}

// echo sends a datagram and waits for it to come back.
func echo(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	c.SetDeadline(time.Now().Add(netLimit))
	if _, err := c.Write([]byte("hello\n")); err != nil {
		return err
	}
	_, err = io.ReadFull(c, make([]byte, 6))
	return err
}

func read(w world, what string) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", w.Victim, what))
	if err == nil && len(text) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

func wrong(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// bare makes a system call. It gets past the doorkeeper when the call is carried
// out or its arguments are found wrong.
func bare(number uintptr, args ...uintptr) func(world) error {
	return func(world) error {
		_, _, errno := unix.Syscall(number, args[0], args[1], args[2])
		if errno == unix.EINVAL || errno == unix.EFAULT || errno == unix.ENOKEY {
			return nil
		}
		return wrong(errno)
	}
}

func perf(world) error {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK}
	attr.Size = uint32(unsafe.Sizeof(attr))
	_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
	return err
}

func fork(flags uintptr, path string) error {
	pid, err := syscall.ForkExec(path, []string{path}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: flags}})
	if err != nil {
		return err
	}
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, 0, nil)
	return err
}

// anotherName is a copy of this program that another user owns and that runs as
// them; anotherUser is who.
const (
	anotherName = "drawbridge-another"
	anotherUser = 12345
)

func setUserID(w world) error {
	path := filepath.Join(filepath.Dir(w.Program), anotherName)
	pid, err := syscall.ForkExec(path, []string{anotherName}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}})
	if err != nil {
		return err
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	if status.ExitStatus() != escaped {
		return errors.New("it runs as before")
	}
	return nil
}

// amAnother is the exit code of that copy.
func amAnother() int {
	if os.Geteuid() == anotherUser {
		return escaped
	}
	return held
}

// anyOf opens the first that can be opened.
func anyOf(flags int, paths ...string) error {
	errs := []error{errors.New("none is there")}
	for _, path := range paths {
		f, err := os.OpenFile(path, flags|unix.O_NONBLOCK, 0)
		if err == nil {
			return f.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// disks are the machine's block devices.
func disks() []string {
	names, _ := filepath.Glob("/sys/class/block/*")
	for i, name := range names {
		names[i] = filepath.Join("/dev", filepath.Base(name))
	}
	return names
}

// rewrite writes a setting as it is.
func rewrite(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	value := strings.TrimSpace(string(text))
	if _, rest, ok := strings.Cut(value, "["); ok { // one of several is chosen
		value, _, _ = strings.Cut(rest, "]")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
