package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// Sum names a text.
func Sum(text string) Hash { return sha256.Sum256(unsafe.Slice(unsafe.StringData(text), len(text))) }

// Document returns the open document of a path, which may be open under its
// resolved name or under the name of a link to it.
func (w *Workspace) Document(p Path) (Document, bool) {
	doc, _, ok := w.document(p)
	return doc, ok
}

// document also returns the name the editor knows the document by.
func (w *Workspace) document(p Path) (Document, string, bool) {
	if doc, ok := w.editor.Document(p.Abs); ok {
		return doc, p.Abs, true
	}
	if p.Lexical == p.Abs || p.Lexical == "" {
		return Document{}, "", false
	}
	doc, ok := w.editor.Document(p.Lexical)
	return doc, p.Lexical, ok
}

// outOfStep refuses a path that the editor has open with a text that is not
// known: the file is not what its user sees. An Editor need not have such.
func (w *Workspace) outOfStep(op string, p Path) error {
	editor, ok := w.editor.(interface{ Lost(abs string) bool })
	if ok && (editor.Lost(p.Abs) || p.Lexical != "" && editor.Lost(p.Lexical)) {
		return &FileError{Op: op, Path: p.Rel, Kind: OutOfStep}
	}
	return nil
}

// Changed returns a channel that is closed at the next change of the path's
// open document.
func (w *Workspace) Changed(p Path) <-chan struct{} {
	if _, name, ok := w.document(p); ok {
		return w.editor.Changed(name)
	}
	return w.editor.Changed(p.Abs)
}

// Read returns what the path holds now. A missing file is a Content that does
// not exist, not an error. Directories, devices, pipes and sockets are refused
// without being opened, and so is what is larger than MaxFile.
func (w *Workspace) Read(ctx context.Context, p Path) (Content, error) {
	c, err := w.look(ctx, p, "", "")
	if err == nil && c.Exists {
		c.Base = Sum(c.Bytes())
	}
	return c, err
}

// look is Read without the hash: at commit, contents are compared whole. like
// are the bytes that the file probably holds, and supposed is the encoding that
// they had, for where the editor has not said anything: in another process, or
// before it opens the file, a change is still one of that encoding.
func (w *Workspace) look(ctx context.Context, p Path, like string, supposed Encoding) (Content, error) {
	c := Content{Path: p}
	if err := ctx.Err(); err != nil {
		return c, err
	}
	if p.Protected != "" {
		return c, &FileError{Op: "read", Path: p.Rel, Kind: Protected, Detail: p.Protected}
	}
	if doc, ok := w.Document(p); ok {
		c.Exists, c.Open, c.Text, c.Version = true, true, doc.Text, doc.Version
		c.Encoding = w.encodings.of(p)
		if disk, stale := w.behind(p, doc); stale {
			c.Behind, c.Shown, c.Text = true, doc.Text, disk
		}
		return c, nil
	}
	if err := w.outOfStep("read", p); err != nil {
		return c, err
	}
	raw, err := w.readFile(p.Abs, like)
	switch kind := kindOf(err); {
	case err == nil:
		c.Exists = true
		c.hold(raw, w.encodings.or(p, supposed))
	case kind == NotFound, kind == NotDir:
		return c, nil
	default:
		err = fileError("read", p.Rel, err)
		c.Dir = kind == IsDir
		c.Exists = c.Dir
	}
	return c, err
}

// readFile reads a regular file whole.
func (w *Workspace) readFile(abs, like string) (string, error) {
	f, info, err := w.open(abs)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > MaxFile {
		return "", tooLarge(info.Size())
	}
	return readLike(f, info.Size(), like)
}

// OpenFile opens a regular file of any size for reading: the file on the disk,
// also when a document is open. The caller closes it.
func (w *Workspace) OpenFile(p Path) (*os.File, error) {
	if p.Protected != "" {
		return nil, &FileError{Op: "read", Path: p.Rel, Kind: Protected, Detail: p.Protected}
	}
	f, _, err := w.open(p.Abs)
	if err != nil {
		return nil, fileError("read", p.Rel, err)
	}
	return f, nil
}

// open opens a regular file by its resolved path. Inside a root it goes by way
// of the root and of a directory that is proved to be the one the path names,
// so that a link put in the way since the path was resolved leads nowhere.
func (w *Workspace) open(abs string) (*os.File, os.FileInfo, error) {
	dir, base := filepath.Split(abs)
	dir = filepath.Clean(dir)
	if _, inside := w.rootOf(dir); !inside {
		return openRegular(anywhere{}, abs)
	}
	at, err := w.openPlace(dir, false)
	if errors.Is(err, fs.ErrPermission) {
		return openUnlisted(abs)
	}
	if err != nil {
		return nil, nil, err
	}
	defer at.close()
	return openRegular(at.dir, base)
}

// openUnlisted opens a file in a directory that may be passed but not opened.
// What was opened counts if the path, free of links, names it afterwards.
func openUnlisted(abs string) (*os.File, os.FileInfo, error) {
	f, info, err := openRegular(anywhere{}, abs)
	if err != nil {
		return nil, nil, err
	}
	real, err := canonical(abs)
	if err == nil && real == abs {
		var named os.FileInfo
		if named, err = os.Lstat(abs); err == nil && os.SameFile(named, info) {
			return f, info, nil
		}
	}
	f.Close()
	return nil, nil, cmp.Or(err, errMoved)
}

// folder is where a name is looked for: an *os.Root, or anywhere.
type folder interface {
	Lstat(name string) (os.FileInfo, error)
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
}

// anywhere takes paths and follows their links.
type anywhere struct{}

func (anywhere) Lstat(name string) (os.FileInfo, error) { return os.Stat(name) }

func (anywhere) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// openRegular looks before it opens, because opening a pipe or a device can
// block or act, and looks again at what it opened, because a name can change
// hands in between.
func openRegular(in folder, name string) (*os.File, os.FileInfo, error) {
	info, err := in.Lstat(name)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := in.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// errLinked says that a file is not what was judged.
var errLinked = errors.New("a link took its place meanwhile")

func regular(info os.FileInfo) error {
	switch {
	case info.IsDir():
		return &FileError{Kind: IsDir}
	case info.Mode()&os.ModeSymlink != 0:
		return errLinked
	case !info.Mode().IsRegular():
		return &FileError{Kind: NotRegular, Detail: kindOfMode(info.Mode())}
	}
	return nil
}

func tooLarge(size int64) error {
	return &FileError{Kind: TooLarge, Detail: fmt.Sprintf("%d bytes, the limit is %d", size, MaxFile)}
}

func kindOfMode(mode os.FileMode) string {
	switch {
	case mode&os.ModeNamedPipe != 0:
		return "it is a named pipe"
	case mode&os.ModeSocket != 0:
		return "it is a socket"
	case mode&os.ModeDevice != 0:
		return "it is a device"
	}
	return "it is a special file"
}

// readLike reads a file that probably holds like. If it does, that very string
// comes back: comparing block by block is far cheaper than new memory for all.
func readLike(f *os.File, size int64, like string) (string, error) {
	if size == 0 || size != int64(len(like)) {
		return readAll(f, size)
	}
	same, err := holds(f, like)
	if err != nil {
		return "", err
	}
	if same {
		return like, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return readAll(f, size)
}

// holds reports whether r holds text and no more.
func holds(r io.Reader, text string) (bool, error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > len(text) || string(buf[:n]) != text[:n] {
			return false, nil
		}
		text = text[n:]
		if err == io.EOF {
			return text == "", nil
		}
		if err != nil {
			return false, err
		}
	}
}

// readAll reads to the end, which need not be at size: files grow, and those
// of /proc say 0.
func readAll(r io.Reader, size int64) (string, error) {
	buf := room(int(size) + 1) // one more, so that the end shows without growing
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > MaxFile {
			return "", tooLarge(int64(len(buf)))
		}
		if err == io.EOF {
			return textOf(buf), nil
		}
		if err != nil {
			return "", err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// Info is what Stat sees of a path.
type Info struct {
	Exists  bool
	Dir     bool
	Regular bool // or an open document
	Open    bool
	Size    int64
}

// Stat looks at a path without reading it.
func (w *Workspace) Stat(p Path) (Info, error) {
	if p.Protected != "" {
		return Info{}, &FileError{Op: "stat", Path: p.Rel, Kind: Protected, Detail: p.Protected}
	}
	if doc, ok := w.Document(p); ok {
		return Info{Exists: true, Regular: true, Open: true, Size: int64(len(doc.Text))}, nil
	}
	if err := w.outOfStep("stat", p); err != nil {
		return Info{}, err
	}
	info, err := os.Stat(p.Abs)
	if kind := kindOf(err); err != nil && (kind == NotFound || kind == NotDir) {
		return Info{}, nil
	}
	if err != nil {
		return Info{}, fileError("stat", p.Rel, err)
	}
	return Info{Exists: true, Dir: info.IsDir(), Regular: info.Mode().IsRegular(), Size: info.Size()}, nil
}
