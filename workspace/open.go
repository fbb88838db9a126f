package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// MaxFile is the size in bytes beyond which a file is neither read nor
// written: contents are held whole in memory.
const MaxFile = 64 << 20

// Options say what a Workspace covers.
type Options struct {
	// Roots are absolute directories, at least one. Relative names resolve
	// against the first.
	Roots []string
	// Editor has documents open; nil is NoEditor.
	Editor Editor
	// Protected are absolute directories or files that no tool may touch,
	// whether they exist yet or not.
	Protected []string
	// Encodings are what editors say about files; nil knows nothing.
	Encodings *Encodings
}

// Workspace resolves, reads and commits the files below its roots. It is safe
// for concurrent use and holds no state but what it was opened with.
type Workspace struct {
	roots     []string // canonical
	protected []string // canonical
	editor    Editor
	encodings *Encodings
	// durable asks for one fsync a commit; only benchmarks clear it, to see the
	// rest of the cost.
	durable bool
}

// Open makes a Workspace. Every root must be an existing directory.
func Open(o Options) (*Workspace, error) {
	if len(o.Roots) == 0 {
		return nil, errors.New("open workspace: no root given")
	}
	w := &Workspace{editor: o.Editor, encodings: o.Encodings, durable: true}
	if w.editor == nil {
		w.editor = NoEditor{}
	}
	for _, root := range o.Roots {
		real, err := canonicalRoot(root)
		if err != nil {
			return nil, fmt.Errorf("open workspace: %w", err)
		}
		w.roots = append(w.roots, real)
	}
	for _, path := range o.Protected {
		real, err := canonical(filepath.Clean(path))
		if err != nil {
			return nil, fmt.Errorf("open workspace: protect %s: %w", path, err)
		}
		w.protected = append(w.protected, real)
	}
	return w, nil
}

func canonicalRoot(root string) (string, error) {
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("root %q is not an absolute path", root)
	}
	real, err := canonical(filepath.Clean(root))
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fileError("open", root, err)
	}
	if !info.IsDir() {
		return "", &FileError{Op: "open", Path: root, Kind: NotDir}
	}
	return real, nil
}

// Roots returns the canonical roots, the first of which relative names
// resolve against.
func (w *Workspace) Roots() []string { return append([]string(nil), w.roots...) }

// NoEditor has no document open.
type NoEditor struct{}

// Document reports that nothing is open.
func (NoEditor) Document(string) (Document, bool) { return Document{}, false }

// Apply refuses.
func (NoEditor) Apply(context.Context, string, int32, []Edit, string) (Document, error) {
	return Document{}, errors.New("no editor has the document open")
}

// Save refuses.
func (NoEditor) Save(context.Context, string) error {
	return errors.New("no editor has the document open")
}

// Changed returns a channel on which nothing ever happens.
func (NoEditor) Changed(string) <-chan struct{} { return nil }
