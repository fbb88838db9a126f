package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"drawbridge/shell/guard"
)

// A leaf is a cgroup for one command alone. The kernel kills all in it at once,
// also what forks faster than it can be killed and what is another user's.

// leafPrefix begins a leaf's name; its owner and a number follow.
const leafPrefix = "drawbridge-"

var leafCount atomic.Uint64

// makeLeaf makes one; "" where the system or its administrator allows none.
func makeLeaf() string {
	base, err := leafBase()
	if err != nil {
		return ""
	}
	dir := base + "/" + leafPrefix + ownerName() + "." + strconv.FormatUint(leafCount.Add(1), 10)
	if os.Mkdir(dir, 0o755) != nil {
		return ""
	}
	return dir
}

func leafOwner(name string) (owner, bool) {
	rest, ok := strings.CutPrefix(name, leafPrefix)
	if at := strings.LastIndexByte(rest, '.'); ok && at > 0 {
		return parseOwner(rest[:at])
	}
	return owner{}, false
}

func removeLeaf(dir string) {
	if dir != "" {
		guard.RemoveLeaf(dir)
	}
}

// leafBase is the cgroup of this process, if leaves can be made in it and
// entered from it.
var leafBase = sync.OnceValues(func() (string, error) {
	base, err := ownCgroup()
	if err != nil {
		return "", err
	}
	if err := unix.Access(base+"/cgroup.procs", unix.W_OK); err != nil {
		return "", err
	}
	probe := base + "/" + leafPrefix + ownerName() + ".0"
	if err := os.Mkdir(probe, 0o755); err != nil {
		return "", err
	}
	defer unix.Rmdir(probe)
	return base, unix.Access(probe+"/cgroup.kill", unix.W_OK) // Linux 5.14
})

// ownCgroup is the folder of this process's cgroup of version 2.
func ownCgroup() (string, error) {
	mount, err := cgroupMount()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Clean(mount + "/" + path), nil
		}
	}
	return "", errors.New("no cgroup of version 2")
}

// cgroupMount finds where cgroups of version 2 are mounted.
func cgroupMount() (string, error) {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[2] == "cgroup2" {
			return fields[1], nil
		}
	}
	return "", errors.New("cgroups of version 2 are not mounted")
}
