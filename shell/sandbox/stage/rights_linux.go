package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// NeededABI is the version of Landlock that holds all that is promised: with
// it, a process cannot signal others outside. It came with Linux 6.12.
const NeededABI = 6

// SocketsABI is the version that holds unix sockets by their paths.
const SocketsABI = 9

// ABI is the version of this kernel's Landlock, 0 without one.
func ABI() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// giveUp takes from the calling thread what the command shall not have. The
// filter comes last: it denies what the steps before it use.
func (s Spec) giveUp() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := s.restrict(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return loadFilter(s.Filter)
}

// dropCapabilities leaves none, not even to a program that root executes.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		// Only who has CAP_SETPCAP may; without it there is nothing to drop from.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("give up capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var nothing [2]unix.CapUserData // the capabilities are in two halves
	if err := unix.Capset(&header, &nothing[0]); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return nil
}

// rights of Landlock that go with files, not with folders alone.
const fileRights = landlock.AccessFSSet(ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev)

const readRights = landlock.AccessFSSet(ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir)

// writeRights make no devices.
const writeRights = readRights | landlock.AccessFSSet(ll.AccessFSWriteFile|ll.AccessFSTruncate|ll.AccessFSRefer|
	ll.AccessFSRemoveDir|ll.AccessFSRemoveFile|ll.AccessFSMakeDir|ll.AccessFSMakeReg|
	ll.AccessFSMakeSock|ll.AccessFSMakeFifo|ll.AccessFSMakeSym)

const deviceRights = landlock.AccessFSSet(ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSIoctlDev)

// restrict enters a Landlock domain for good. Nothing is left out that the
// kernel lacks: that is an error.
func (s Spec) restrict() error {
	config := landlock.V6
	if ABI() >= SocketsABI {
		config = landlock.V9
	}
	if s.HostNetwork || s.Namespaces { // a network namespace holds it, and its loopback is the command's own
		config.HandledAccessNet = 0
	}
	// Names may be listed everywhere; a right for one folder alone does not exist.
	rules := []landlock.Rule{landlock.PathAccess(ll.AccessFSReadDir, "/")}
	for _, group := range []struct {
		paths  []string
		rights landlock.AccessFSSet
	}{{s.Reads, readRights}, {s.Writes, writeRights}, {append(s.Devices, s.terminals()...), deviceRights}} {
		for _, path := range group.paths {
			fd, err := openPlace(path)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
				continue // it is gone, or out of reach anyway
			}
			if err != nil {
				return fmt.Errorf("open %s: %w", path, err)
			}
			defer unix.Close(fd)
			place := fmt.Sprintf("/proc/self/fd/%d", fd) // the rule is for this very file
			rights, err := fitting(place, group.rights)
			if err != nil {
				return err
			}
			rules = append(rules, landlock.PathAccess(rights, place))
		}
	}
	fd, flags, err := config.NewRulesetFD(rules...)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return ll.LandlockRestrictSelf(fd, flags)
}

// terminals are those that the command has for its streams. In namespaces they
// have no name.
func (s Spec) terminals() []string {
	var paths []string
	for fd := 0; fd < 3 && !s.Namespaces; fd++ {
		path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && strings.HasPrefix(path, "/dev/pts/") {
			paths = append(paths, path)
		}
	}
	return paths
}

// fitting leaves of rights what the kernel takes for path: a file has no
// entries.
func fitting(path string, rights landlock.AccessFSSet) (landlock.AccessFSSet, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if !info.IsDir() {
		rights &= fileRights
	}
	return rights, nil
}

// loadFilter has the kernel refuse system calls of this thread and of what it
// executes.
func loadFilter(program []byte) error {
	const size = int(unsafe.Sizeof(unix.SockFilter{}))
	if len(program) == 0 || len(program)%size != 0 {
		return errors.New("filter of system calls: not one")
	}
	prog := unix.SockFprog{
		Len:    uint16(len(program) / size),
		Filter: (*unix.SockFilter)(unsafe.Pointer(unsafe.SliceData(program))),
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("filter of system calls: %w", errno)
	}
	return nil
}
