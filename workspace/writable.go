package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Writable reports why a write of c would be refused, as far as that shows
// beforehand: nobody should be asked about a change that cannot be made. nil
// promises nothing; Commit judges again. An open document is its editor's to
// write, and is always fine.
func (w *Workspace) Writable(c Content) error {
	if c.Open {
		return nil
	}
	if c.Exists {
		info, err := os.Lstat(c.Path.Abs)
		if err == nil {
			err = writable(info)
		}
		if err != nil {
			return fileError("write", c.Path.Rel, err)
		}
	}
	dir, _ := deepest(filepath.Dir(c.Path.Abs))
	err := syscall.Access(dir, accessWrite)
	switch {
	case errors.Is(err, syscall.EROFS):
		return &FileError{Op: "write", Path: c.Path.Rel, Kind: ReadOnly, Detail: "the file system is mounted read-only", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &FileError{Op: "write", Path: c.Path.Rel, Kind: Permission, Detail: "nothing may be put into the directory " + w.show(dir), Err: err}
	}
	return nil // what else there is, the write itself finds out
}

const accessWrite = 2 // W_OK
