//go:build unix

package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A command can put a link in the place of whatever it may write, so nothing
// below a folder that is opened to commands is named by its path here: what is
// read, made, moved or removed is one name in a folder that is held open, and
// every folder on the way to it was entered without following a link.

// folder is a folder that is held open. Its methods take single names.
type folder struct{ file *os.File }

// openFolder opens the folder at names below root, a path that is free of links.
func openFolder(root string, names ...string) (folder, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	at := unix.AT_FDCWD
	for i, name := range append([]string{root}, names...) {
		fd, err := unix.Openat(at, name, flags, 0)
		if i > 0 {
			unix.Close(at)
		}
		if err != nil {
			return folder{}, &os.PathError{Op: "open", Path: filepath.Join(root, filepath.Join(names[:i]...)), Err: err}
		}
		at = fd
	}
	return folder{os.NewFile(uintptr(at), filepath.Join(root, filepath.Join(names...)))}, nil
}

func (f folder) close() { f.file.Close() }

func (f folder) fd() int { return int(f.file.Fd()) }

// kind is the type of what has a name, as in a mode; an error is that nothing
// has it.
func (f folder) kind(name string) (uint32, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(f.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, err
	}
	return uint32(st.Mode) & unix.S_IFMT, nil
}

func (f folder) has(name string) bool {
	_, err := f.kind(name)
	return err == nil
}

// open opens what has a name unless it is a link. It waits for no other end.
func (f folder) open(name string) (*os.File, error) {
	fd, err := unix.Openat(f.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: filepath.Join(f.file.Name(), name), Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(f.file.Name(), name)), nil
}

// maxText bounds a file of git's that is read, in bytes.
const maxText = 1 << 20

// text is what a regular file of at most maxText holds, "" for anything else.
func (f folder) text(name string) string {
	if kind, err := f.kind(name); err != nil || kind != unix.S_IFREG {
		return ""
	}
	file, err := f.open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxText))
	if err != nil {
		return ""
	}
	return string(raw)
}

// link is what a link names.
func (f folder) link(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(f.fd(), name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// errPath is a path that is no place below the folder it is to be in.
var errPath = errors.New("it does not lie in the folder that is opened")

// openParent opens the folder that a path below root lies in.
func openParent(root, path string) (folder, error) {
	inside, err := filepath.Rel(root, path)
	if err != nil || inside == "." || !filepath.IsLocal(inside) {
		return folder{}, &os.PathError{Op: "open", Path: path, Err: errPath}
	}
	names := strings.Split(inside, string(filepath.Separator))
	return openFolder(root, names[:len(names)-1]...)
}
