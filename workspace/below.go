package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Bounds of what Below looks at.
const (
	maxBelow        = 20_000
	maxBelowIgnored = 2_000 // where an IgnoreFile has to be asked about each
	maxFoundBelow   = 100
)

// Below lists the files below a folder, an absolute path, of whose path secret
// has something to say, or which an IgnoreFile names: by their names in it, with
// slashes. Links are not followed, and what Git keeps for itself is left out. ok
// is false when not all was seen: too many files, or an unreadable folder. A
// file, and what is not there, holds nothing.
func (w *Workspace) Below(dir string, secret func(path string) string) (names []string, ok bool) {
	seen, most := 0, maxBelow
	ignores := w.ignores(dir)
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if file == dir {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if err != nil {
			return err
		}
		if e.Name() == ".git" {
			return skip(e)
		}
		if ignores = ignores || e.IsDir() && has(file, IgnoreFile); ignores {
			most = maxBelowIgnored
		}
		if seen++; seen > most || len(names) > maxFoundBelow {
			return errors.New("too many")
		}
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		if secret(file) != "" || ignores && w.ignoredBy(file) != "" {
			rel, err := filepath.Rel(dir, file)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	return names, err == nil
}

func skip(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func has(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// ignores reports whether a folder, or one on the way to it, has an IgnoreFile.
func (w *Workspace) ignores(dir string) bool {
	for {
		if has(dir, IgnoreFile) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
