package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// furnish makes the command's own view of the file system: everything is
// read-only but what is mounted anew. A read-only mount also holds what Landlock
// does not: permissions, times and attributes.
func (s Spec) furnish() error {
	if !s.HostNetwork {
		if err := raiseLoopback(); err != nil {
			return err
		}
	}
	// Nothing of this may come to the machine's own mounts; theirs may come here.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	trees, err := s.pick()
	if err != nil {
		return err
	}
	if err := setReadOnly(unix.AT_FDCWD, "/", unix.AT_RECURSIVE); err != nil {
		return err
	}
	for i, m := range s.Mounts {
		err := m.attach(trees[i])
		if m.Kind == Conceal && errors.Is(err, fs.ErrNotExist) {
			continue // a service may take its socket away at any time
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", m.Target, err)
		}
	}
	return s.seal()
}

// pick takes what will be seen, while all is as the machine has it. It is -1
// for what is made new.
func (s Spec) pick() ([]int, error) {
	trees := make([]int, len(s.Mounts))
	for i, m := range s.Mounts {
		trees[i] = -1
		source := m.Source
		switch {
		case m.Kind == Conceal && m.File:
			source = os.DevNull
		case m.Kind != Bind && m.Kind != Cover:
			continue
		}
		place, err := openPlace(source)
		if err != nil {
			return nil, fmt.Errorf("mount %s: %w", source, err)
		}
		const flags = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE | unix.AT_EMPTY_PATH
		fd, err := unix.OpenTree(place, "", flags)
		unix.Close(place)
		if err != nil {
			return nil, fmt.Errorf("mount %s: %w", source, err)
		}
		if m.Kind != Bind {
			err = setReadOnly(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
		}
		if err != nil {
			return nil, fmt.Errorf("mount %s: %w", source, err)
		}
		trees[i] = fd
	}
	return trees, nil
}

// openPlace names a place by a descriptor, and follows no link to it: another
// command could put one in its way at any time.
func openPlace(path string) (fd int, err error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err = unix.Openat2(unix.AT_FDCWD, path, &how)
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) { // EAGAIN: something was renamed meanwhile
			return fd, err
		}
	}
}

func setReadOnly(at int, path string, flags uint) error {
	err := unix.MountSetattr(at, path, flags|unix.AT_SYMLINK_NOFOLLOW, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != nil {
		return fmt.Errorf("make %s read-only: %w", path, err)
	}
	return nil
}

func (m Mount) attach(tree int) error {
	if err := m.makeTarget(); err != nil {
		return err
	}
	place, err := openPlace(m.Target)
	if err != nil {
		return err
	}
	defer unix.Close(place)
	target := fmt.Sprintf("/proc/self/fd/%d", place)
	switch {
	case tree >= 0:
		defer unix.Close(tree)
		return unix.MoveMount(tree, "", place, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	case m.Kind == Terminal:
		return unix.Mount("devpts", target, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
	case m.Kind == Shared:
		return unix.Mount("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
	default:
		return unix.Mount("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0755")
	}
}

// makeTarget has something to mount on: in a place that was mounted before, an
// inner one may be missing.
func (m Mount) makeTarget() error {
	if _, err := os.Lstat(m.Target); err == nil || m.Kind == Conceal {
		return err
	}
	if !m.File {
		return os.MkdirAll(m.Target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(m.Target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(m.Target, nil, 0o600)
}

// seal makes concealing folders read-only, once what they hold is mounted.
func (s Spec) seal() error {
	for _, m := range s.Mounts {
		if m.Kind != Conceal || m.File {
			continue
		}
		if err := setReadOnly(unix.AT_FDCWD, m.Target, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// raiseLoopback lets programs reach themselves in a network of their own.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a network of its own: %w", err)
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, ifr); err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr); err != nil && !errors.Is(err, unix.EALREADY) {
		return fmt.Errorf("raise loopback: %w", err)
	}
	return nil
}
