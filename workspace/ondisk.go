package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Rename says that a change gives a file another name; Old and New are the same.
const Rename ChangeKind = "rename"

// OnDisk is Read of the file alone, also when a document is open. What is larger
// than limit bytes is refused.
func (w *Workspace) OnDisk(p Path, limit int64) (Content, error) {
	c := Content{Path: p}
	if p.Protected != "" {
		return c, &FileError{Op: "read", Path: p.Rel, Kind: Protected, Detail: p.Protected}
	}
	raw, err := w.readSmall(p.Abs, min(limit, MaxFile))
	switch kind := kindOf(err); {
	case err == nil:
		c.Exists = true
		c.hold(raw, w.encodings.of(p))
		c.Base = Sum(c.Bytes())
		return c, nil
	case kind == NotFound, kind == NotDir:
		return c, nil
	}
	return c, fileError("read", p.Rel, err)
}

func (w *Workspace) readSmall(abs string, limit int64) (string, error) {
	f, info, err := w.open(abs)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > limit {
		return "", tooLarge(info.Size())
	}
	return readAll(f, info.Size())
}

// OpenPaths are the absolute paths of the files that the editor has open, as far
// as it lists them.
func (w *Workspace) OpenPaths() []string {
	if lister, ok := w.editor.(interface{ OpenPaths() []string }); ok {
		return lister.OpenPaths()
	}
	return nil
}

// Move gives the file from the name to, which must be free, if it still holds
// text. Errors are for people.
func (w *Workspace) Move(ctx context.Context, from, to Path, text string) error {
	for _, p := range []Path{from, to} {
		if err := w.mayWrite(p); err != nil {
			return err
		}
	}
	for _, p := range inOrder(from, to) {
		release, err := w.Lock(ctx, p.Abs)
		if err != nil {
			return err
		}
		defer release()
	}
	var turn folderTurn
	defer turn.end()
	if err := turn.of(ctx, filepath.Dir(from.Abs)); err != nil {
		return err
	}
	now, err := w.OnDisk(from, MaxFile)
	switch {
	case err != nil:
		return err
	case !now.Exists:
		return errors.New("the file no longer exists")
	case now.Text != text:
		return errors.New("the file was changed since")
	}
	if doc, open := w.Document(from); open && doc.Dirty {
		return errors.New("the file has unsaved changes in the editor")
	}
	if err := os.MkdirAll(filepath.Dir(to.Abs), 0o777); err != nil { // less the umask, as a person would
		return fileError("move", to.Rel, err)
	}
	return moveError(moveFree(from.Abs, to.Abs), to)
}

// inOrder are two paths in the order in which locks are taken, so that two moves
// do not wait for each other.
func inOrder(a, b Path) []Path {
	if a.Abs > b.Abs {
		a, b = b, a
	}
	return []Path{a, b}
}

func moveError(err error, p Path) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("a file of the name %s exists by now", p.Rel)
	}
	return fileError("move", p.Rel, err)
}

// moveFree renames without replacing. A second name and the end of the first is
// the one way that every system has.
func moveFree(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, statErr := os.Lstat(to); statErr == nil { // a file system without second names
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
