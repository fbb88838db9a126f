package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// ModeBits are the bits of a mode that a regular file keeps and gets back. A
// set-user-id bit is none of them: it vouched for the bytes that were there.
const ModeBits = fs.ModePerm | fs.ModeSetgid | fs.ModeSticky

// Mode returns the ModeBits of a regular file on the disk.
func (w *Workspace) Mode(p Path) (fs.FileMode, error) {
	f, info, err := w.open(p.Abs)
	if err != nil {
		return 0, fileError("stat", p.Rel, err)
	}
	f.Close()
	return info.Mode() & ModeBits, nil
}

// SetMode gives a regular file ModeBits. Like any write it goes to the
// file that the path was judged by, and to no other.
func (w *Workspace) SetMode(p Path, mode fs.FileMode) error {
	if err := w.mayWrite(p); err != nil {
		return err
	}
	at, err := w.openPlace(filepath.Dir(p.Abs), false)
	if err != nil {
		return fileError("change the mode of", p.Rel, err)
	}
	defer at.close()
	f, _, err := openRegular(at.dir, filepath.Base(p.Abs))
	if err != nil {
		return fileError("change the mode of", p.Rel, err)
	}
	defer f.Close()
	if err := f.Chmod(mode & ModeBits); err != nil {
		return fileError("change the mode of", p.Rel, err)
	}
	return nil
}

// RemoveEmpty removes a folder if nothing is in it, and reports whether it did.
func (w *Workspace) RemoveEmpty(dir string) bool {
	real, err := canonical(dir)
	if err != nil || real != dir || w.protectedBy(dir) != "" {
		return false
	}
	for _, root := range w.roots {
		if within(dir, root) {
			return false
		}
	}
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && w.removeDir(dir) == nil
}
