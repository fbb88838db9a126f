package shell

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"drawbridge/shell/procfs"
)

// waitsForInput says whether a process of the command is blocked in a read of
// its input. Polling counts only where the output ends in a question, since many
// programs listen to a key or the end of their input meanwhile, and of programs
// that have the whole screen and nothing else to do.
func (c *command) waitsForInput() bool {
	in, ok := c.ends.input()
	if !ok {
		return false
	}
	self, ok := procfs.Stat(c.held.leader())
	if !ok {
		return false
	}
	look := reading{
		input: in, prompts: func() bool { return prompts(&c.ring, c.spec.TTY) },
		onScreen: func() bool { return onAlternate(&c.ring) },
	}
	tree := procfs.NewTable().Subtree(nil, self)
	return slices.ContainsFunc(tree[:min(len(tree), maxReaders)], func(p procfs.Proc) bool {
		return look.process(p.PID)
	})
}

// maxReaders bounds the processes that one look looks at.
const maxReaders = 256

// input is what a command reads from: a terminal's device or a pipe.
type input struct {
	tty    bool
	device uint64 // of the terminal, or of the file system that the pipe is on
	inode  uint64 // of the pipe
	hidden bool   // the terminal takes lines without showing them
	raw    bool   // the terminal takes keys
}

// input is false when there is none any more.
func (e ends) input() (in input, ok bool) {
	in.tty = e.childIsTerm
	err := control(e.in, func(fd int) error {
		if in.tty {
			return in.ofTerminal(fd)
		}
		var st unix.Stat_t
		err := unix.Fstat(fd, &st)
		in.device, in.inode = uint64(st.Dev), st.Ino
		return err
	})
	return in, err == nil
}

// ptsMajor is the device number of terminals in /dev/pts.
const ptsMajor = 136

func (in *input) ofTerminal(fd int) error {
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	in.device = unix.Mkdev(ptsMajor, uint32(n))
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	in.raw = err == nil && t.Lflag&unix.ICANON == 0
	in.hidden = err == nil && t.Lflag&unix.ICANON != 0 && t.Lflag&unix.ECHO == 0
	return nil
}

// reading is one look at who reads an input.
type reading struct {
	input
	prompts, onScreen func() bool // asked when all else is known
}

// process says whether pid may read the input and a thread of it does. A
// background process of a terminal may not, and a stopped one does not.
func (r reading) process(pid int) bool {
	state, attached, ok := standing(pid, r.input)
	if !ok || state == 'T' || state == 't' || state == 'Z' {
		return false
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	threads, _ := os.ReadDir(dir + "task")
	for _, t := range threads {
		line, err := os.ReadFile(dir + "task/" + t.Name() + "/syscall")
		switch {
		case errors.Is(err, fs.ErrPermission): // another user's, such as sudo
			return attached && r.hidden && state == 'S' && r.prompts()
		case errors.Is(err, fs.ErrNotExist):
			if r.sleeps(dir + "task/" + t.Name()) {
				return true
			}
		case r.thread(pid, string(line)):
			return true
		}
	}
	return false
}

// sleeps is for kernels that do not tell system calls: what a thread waits in.
func (r reading) sleeps(thread string) bool {
	where, _ := os.ReadFile(thread + "/wchan")
	switch string(where) {
	case "n_tty_read":
		return r.tty
	case "pipe_read", "anon_pipe_read":
		return !r.tty && r.prompts()
	case "wait_woken":
		return r.tty && r.prompts()
	}
	return false
}

// standing reads from a stat line how a process stands to a terminal. It is not
// ok for one in the background; attached says that the terminal is its own.
func standing(pid int, in input) (state byte, attached, ok bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false, false
	}
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	if len(fields) < 6 {
		return 0, false, false
	}
	state = fields[0][0]
	tty, _ := strconv.ParseInt(fields[4], 10, 64)
	attached = in.tty && uint32(tty) == deviceInStat(in.device)
	return state, attached, !attached || fields[2] == fields[5]
}

// deviceInStat is a device number as stat lines have it.
func deviceInStat(device uint64) uint32 {
	major, minor := unix.Major(device), unix.Minor(device)
	return minor&0xff | major<<8 | minor&^0xff<<12
}

// thread reads a line of /proc/PID/syscall: number, arguments.
func (r reading) thread(pid int, line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return false // it runs
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return false
	}
	var args [5]uint64
	for i := range args {
		args[i], _ = strconv.ParseUint(strings.TrimPrefix(fields[i+1], "0x"), 16, 64)
	}
	switch kind := blocking[number]; kind {
	case inRead:
		return r.is(pid, int(args[0]))
	case 0:
		return false
	default:
		return slices.ContainsFunc(watched(pid, kind, args), func(fd int) bool { return r.is(pid, fd) }) && r.asks(kind, args)
	}
}

// asks tells a program that polls for an answer from one that only would notice
// it. One that takes keys and looks again in a while shows something meanwhile,
// as top does, unless the limit is some timer of an event loop.
func (r reading) asks(kind wait, args [5]uint64) bool {
	switch {
	case !r.raw:
		return r.prompts()
	case endless(kind, args):
		return r.prompts() || r.onScreen()
	default:
		return kind == inEpoll && r.prompts() && !r.onScreen()
	}
}

// wait is a kind of system call that blocks.
type wait uint8

const (
	inRead wait = iota + 1
	inPoll
	inSelect
	inEpoll
)

// endless says whether a call has no time limit: none is a null pointer, or a
// number below zero, and a limit of zero does not block.
func endless(kind wait, args [5]uint64) bool {
	limit := args[map[wait]int{inPoll: 2, inSelect: 4, inEpoll: 3}[kind]]
	return limit == 0 || limit == math.MaxUint32 || limit == math.MaxUint64
}

// watched lists the descriptors that a call waits to read from.
func watched(pid int, kind wait, args [5]uint64) []int {
	switch kind {
	case inPoll:
		return polledIn(memory(pid, args[0], 8*args[1]))
	case inSelect:
		return selectedIn(memory(pid, args[1], (args[0]+63)/64*8), int(args[0]))
	default:
		return epolledIn(pid, int(args[0]))
	}
}

// maxWatched bounds what is copied of another process, in bytes.
const maxWatched = 8 << 10

// memory copies a piece of another process; nil where that is refused.
func memory(pid int, at, n uint64) []byte {
	if at == 0 || n == 0 {
		return nil
	}
	n = min(n, maxWatched)
	b := make([]byte, n)
	got, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &b[0], Len: n}}, []unix.RemoteIovec{{Base: uintptr(at), Len: int(n)}}, 0)
	if err != nil {
		return nil
	}
	return b[:got]
}

// polledIn reads an array of struct pollfd: a descriptor, events, and results.
func polledIn(b []byte) (fds []int) {
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint16(b[4:])&unix.POLLIN != 0 {
			fds = append(fds, int(int32(binary.NativeEndian.Uint32(b))))
		}
	}
	return fds
}

// selectedIn reads a bit set of n descriptors.
func selectedIn(b []byte, n int) (fds []int) {
	for fd := range min(n, len(b)/8*64) {
		word := binary.NativeEndian.Uint64(b[fd/64*8:])
		if word>>(fd%64)&1 != 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// epolledIn reads what the kernel tells of an epoll descriptor.
func epolledIn(pid, epoll int) (fds []int) {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/fdinfo/" + strconv.Itoa(epoll))
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[0] != "tfd:" {
			continue
		}
		fd, err := strconv.Atoi(fields[1])
		events, _ := strconv.ParseUint(fields[3], 16, 32)
		if err == nil && events&unix.EPOLLIN != 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// is says whether a process's descriptor is the input.
func (in input) is(pid, fd int) bool {
	info, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(fd))
	if err != nil {
		return false
	}
	st := info.Sys().(*syscall.Stat_t)
	if in.tty {
		return uint64(st.Rdev) == in.device || uint64(st.Rdev) == ownTerminal && attachedTo(pid, in)
	}
	return uint64(st.Dev) == in.device && st.Ino == in.inode
}

// ownTerminal is the device number of /dev/tty.
var ownTerminal = unix.Mkdev(5, 0)

func attachedTo(pid int, in input) bool {
	_, attached, _ := standing(pid, in)
	return attached
}
