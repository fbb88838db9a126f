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
// promises nothing; Commit judges again. The editor that has a document open
// writes its file in its own way, but not one that is not to be written: the
// change would be stuck in the buffer.
func (w *Workspace) Writable(c Content) error {
	if c.Exists {
		info, err := os.Lstat(c.Path.Abs)
		if c.Open && err != nil {
			return nil // it is not saved yet
		}
		if err == nil {
			err = writable(info)
		}
		if err == nil {
			err = permits(c.Path.Abs)
		}
		if err != nil {
			return fileError("write", c.Path.Rel, err)
		}
	}
	if c.Open {
		return nil
	}
	dir, _ := deepest(filepath.Dir(c.Path.Abs))
	if err := permits(dir); err != nil {
		fault := fileError("write", c.Path.Rel, err).(*FileError)
		if fault.Kind == Permission {
			fault.Detail = "nothing may be put into the directory " + w.show(dir)
		}
		return fault
	}
	return nil
}

// permits says why what a path names may not be written: a file that somebody
// else owns could still be replaced, by the leave of its directory alone, and
// that is not what its owner allowed. What else there is, the write itself finds
// out.
func permits(path string) error {
	err := syscall.Access(path, accessWrite)
	switch {
	case errors.Is(err, syscall.EROFS):
		return &FileError{Kind: ReadOnly, Detail: "the file system is mounted read-only", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &FileError{Kind: Permission, Err: err}
	}
	return nil
}

const accessWrite = 2 // W_OK
