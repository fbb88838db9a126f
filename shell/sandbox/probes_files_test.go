//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A file probe is refused wherever the command may not write.
func fileProbe(name string, run func(w world) error) probe { return probe{name: name, run: run} }

// looseProbe is one that Landlock alone does not hold; see weaker.
func looseProbe(name string, run func(w world) error) probe {
	return probe{name: name, run: run, loose: true}
}

func overwrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("theirs\n")
	return errors.Join(err, f.Close())
}

func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// evil makes a file of the workspace that is to take a protected one's place.
func evil(w world) (string, error) {
	path := filepath.Join(w.Root, "sub/evil")
	return path, os.WriteFile(path, []byte("theirs\n"), 0o755)
}

func outside(w world) string { return filepath.Join(w.Outside, "target") }

func config(w world) string { return filepath.Join(w.Root, ".git/config") }

// outsideProbes reach files beside the workspace.
var outsideProbes = []probe{
	fileProbe("write outside", func(w world) error { return overwrite(outside(w)) }),
	fileProbe("create outside", func(w world) error { return create(filepath.Join(w.Outside, "new")) }),
	fileProbe("make a folder outside", func(w world) error { return os.Mkdir(filepath.Join(w.Outside, "new"), 0o755) }),
	fileProbe("make a nameless file outside", func(w world) error {
		fd, err := unix.Open(w.Outside, unix.O_TMPFILE|unix.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, filepath.Join(w.Outside, "new"), unix.AT_SYMLINK_FOLLOW)
	}),
	fileProbe("make a socket outside", func(w world) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(w.Outside, "new")})
	}),
	fileProbe("remove outside", func(w world) error { return os.Remove(outside(w)) }),
	fileProbe("rename outside", func(w world) error { return os.Rename(outside(w), outside(w)+"2") }),
	fileProbe("move outside", func(w world) error {
		path, err := evil(w)
		return errors.Join(err, os.Rename(path, outside(w)))
	}),
	fileProbe("take from outside", func(w world) error { return os.Rename(outside(w), filepath.Join(w.Root, "sub/taken")) }),
	fileProbe("truncate outside", func(w world) error { return os.Truncate(outside(w), 0) }),
	fileProbe("write by dots", func(w world) error { return overwrite(w.Root + "/sub/../../outside/target") }),
	fileProbe("write by a link", func(w world) error {
		link := filepath.Join(w.Root, "sub/link")
		return errors.Join(os.Symlink(outside(w), link), overwrite(link))
	}),
	fileProbe("write by a link to a folder", func(w world) error {
		link := filepath.Join(w.Root, "sub/link")
		return errors.Join(os.Symlink(w.Outside, link), overwrite(link+"/target"))
	}),
	fileProbe("write by a hard link", func(w world) error {
		link := filepath.Join(w.Root, "sub/link")
		return errors.Join(os.Link(outside(w), link), overwrite(link))
	}),
	fileProbe("write by /proc/self/root", func(w world) error { return overwrite("/proc/self/root" + outside(w)) }),
	fileProbe("write by a descriptor that reads", func(w world) error {
		f, err := os.Open(outside(w))
		if err != nil {
			return err
		}
		return overwrite(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	}),
	fileProbe("write by the parent's root", func(w world) error {
		return overwrite(fmt.Sprintf("/proc/%d/root%s", os.Getppid(), outside(w)))
	}),
	fileProbe("write by the bridge's root", func(w world) error {
		return overwrite(fmt.Sprintf("/proc/%d/root%s", w.Victim, outside(w)))
	}),
	fileProbe("write where another works", func(w world) error {
		return overwrite(fmt.Sprintf("/proc/%d/cwd/../outside/target", w.Victim))
	}),
	fileProbe("read what is hidden", func(w world) error {
		text, err := os.ReadFile(filepath.Join(w.Hidden, "key"))
		if err == nil && len(text) == 0 {
			err = errors.New("it is empty")
		}
		return err
	}),
	looseProbe("permissions outside", func(w world) error { return os.Chmod(outside(w), 0o777) }),
	looseProbe("owner outside", func(w world) error { return os.Chown(outside(w), os.Getuid(), os.Getgid()) }),
	looseProbe("times outside", func(w world) error { return os.Chtimes(outside(w), time.Time{}, time.Unix(1, 0)) }),
	needing("a file system with attributes", looseProbe("attributes outside", func(w world) error {
		return unix.Setxattr(outside(w), "user.mark", []byte("theirs"), 0)
	})),
	looseProbe("permissions by a descriptor", func(w world) error {
		f, err := os.Open(outside(w))
		if err != nil {
			return err
		}
		return f.Chmod(0o777)
	}),
}

// protectedProbes reach what is read-only in the workspace itself, or make
// another of its name.
var protectedProbes = []probe{
	fileProbe("write a protected file", func(w world) error { return overwrite(config(w)) }),
	fileProbe("truncate a protected file", func(w world) error { return os.Truncate(config(w), 0) }),
	fileProbe("write in a protected folder", func(w world) error {
		return overwrite(filepath.Join(w.Root, ".git/hooks/pre-commit"))
	}),
	fileProbe("create in a protected folder", func(w world) error {
		return create(filepath.Join(w.Root, ".git/hooks/post-commit"))
	}),
	fileProbe("write an editor's settings", func(w world) error {
		return overwrite(filepath.Join(w.Root, ".vscode/settings.json"))
	}),
	fileProbe("create an editor's tasks", func(w world) error { return create(filepath.Join(w.Root, ".vscode/tasks.json")) }),
	fileProbe("create a protected file", func(w world) error {
		return os.WriteFile(filepath.Join(w.Root, ".zed"), []byte("theirs\n"), 0o644)
	}),
	fileProbe("create in a missing protected folder", func(w world) error {
		os.Mkdir(filepath.Join(w.Root, ".helix"), 0o755)
		return create(filepath.Join(w.Root, ".helix/languages.toml"))
	}),
	fileProbe("create another commondir", func(w world) error {
		return os.WriteFile(filepath.Join(w.Root, ".git/commondir"), []byte("../sub\n"), 0o644)
	}),
	fileProbe("link in the place of a missing folder", func(w world) error {
		return os.Symlink("sub", filepath.Join(w.Root, ".idea"))
	}),
	fileProbe("move in the place of a missing folder", func(w world) error {
		return os.Rename(filepath.Join(w.Root, "sub"), filepath.Join(w.Root, ".drawbridge"))
	}),
	fileProbe("write our state", func(w world) error { return overwrite(filepath.Join(w.Root, "state/log")) }),
	fileProbe("create our missing state", func(w world) error {
		os.MkdirAll(filepath.Join(w.Root, "later/state"), 0o755)
		return create(filepath.Join(w.Root, "later/state/log"))
	}),
	fileProbe("move over a protected file", func(w world) error {
		path, err := evil(w)
		return errors.Join(err, os.Rename(path, config(w)))
	}),
	fileProbe("exchange a protected file", func(w world) error {
		path, err := evil(w)
		return errors.Join(err, unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, config(w), unix.RENAME_EXCHANGE))
	}),
	fileProbe("remove a protected file", func(w world) error { return os.Remove(config(w)) }),
	fileProbe("move a protected folder aside", func(w world) error {
		return os.Rename(filepath.Join(w.Root, ".git/hooks"), filepath.Join(w.Root, ".git/old"))
	}),
	fileProbe("move a protected folder's parent aside", func(w world) error {
		git := filepath.Join(w.Root, ".git")
		if err := os.Rename(git, git+"2"); err != nil {
			return err
		}
		return errors.Join(os.MkdirAll(git+"/hooks", 0o755), create(git+"/hooks/pre-commit"))
	}),
	fileProbe("exchange a protected folder's parent", func(w world) error {
		return unix.Renameat2(unix.AT_FDCWD, filepath.Join(w.Root, ".git"), unix.AT_FDCWD, filepath.Join(w.Root, "sub"), unix.RENAME_EXCHANGE)
	}),
	fileProbe("hard link of a protected file", func(w world) error {
		link := filepath.Join(w.Root, "sub/link")
		return errors.Join(os.Link(config(w), link), overwrite(link))
	}),
	fileProbe("move the workspace aside", func(w world) error {
		return os.Rename(w.Root, w.Root+"2")
	}),
	looseProbe("permissions of a protected file", func(w world) error {
		return os.Chmod(filepath.Join(w.Root, ".git/hooks/pre-commit"), 0o777)
	}),
}
