// Package workspacetest has an editor for tests: documents in memory that a
// test types into and that obey, refuse or half-obey the workspace. It knows no
// wire. It starts no goroutine and keeps no time.
package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"drawbridge/workspace"
)

// Mode is how the editor treats the edits it is asked for.
type Mode int

// The modes of an Editor.
const (
	Obey    Mode = iota
	Refuse       // answers with an error, changes or saves nothing
	Ignore       // answers that all is well, changes or saves nothing
	Partial      // applies the first edit only, answers that all is well
	Silent       // does all, but the answer is an error
	Hang         // does nothing until ctx ends
)

// Editor is a workspace.Editor in memory.
type Editor struct {
	mu      sync.Mutex // guards below
	mode    Mode
	docs    map[string]*document
	before  func(abs string)
	after   func(abs string)
	applied []Applied
}

// Applied is one Apply that changed a document: one undo step.
type Applied struct {
	Path    string
	Version int32
	Edits   []workspace.Edit
	Label   string
}

type document struct {
	workspace.Document
	changed chan struct{}
}

// NewEditor returns an editor that obeys and has nothing open.
func NewEditor() *Editor { return &Editor{docs: make(map[string]*document)} }

// SetMode sets how edits are treated from now on.
func (e *Editor) SetMode(m Mode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mode = m
}

// Before sets a function that runs at the beginning of each Apply, before the
// document's version is looked at. It may type. nil takes it away.
func (e *Editor) Before(f func(abs string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.before = f
}

// After sets a function that runs at the end of each Apply, before it answers.
// It may type. nil takes it away.
func (e *Editor) After(f func(abs string)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.after = f
}

// Open opens a clean document, or reopens one with another text.
func (e *Editor) Open(abs, text string, version int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc := e.docs[abs]
	if doc == nil {
		doc = &document{changed: make(chan struct{})}
		e.docs[abs] = doc
	}
	doc.Document = workspace.Document{Version: version, Text: text}
	doc.wakeLocked()
}

// Type is the user's typing: it replaces the whole text, makes the document
// dirty and its version one higher. A document that is not open stays so.
func (e *Editor) Type(abs, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if doc := e.docs[abs]; doc != nil {
		doc.setLocked(text)
	}
}

// Save implements workspace.Editor. It writes the file, unless the mode says
// that the editor does not do what it is asked for.
func (e *Editor) Save(ctx context.Context, abs string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc := e.docs[abs]
	switch {
	case doc == nil:
		return errors.New("the document is not open")
	case e.mode == Refuse:
		return errors.New("the editor refused to save")
	case e.mode == Ignore:
		return nil
	case e.mode == Hang:
		<-ctx.Done()
		return ctx.Err()
	}
	if err := os.WriteFile(abs, []byte(doc.Text), 0o644); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	doc.Dirty = false
	if e.mode == Silent {
		return errors.New("the editor gave no answer")
	}
	return nil
}

// Close closes a document.
func (e *Editor) Close(abs string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if doc := e.docs[abs]; doc != nil {
		delete(e.docs, abs)
		doc.wakeLocked()
	}
}

// Text returns what the buffer shows, "" if it is not open.
func (e *Editor) Text(abs string) string {
	doc, _ := e.Document(abs)
	return doc.Text
}

// Applied returns the edits that changed a document, in order.
func (e *Editor) Applied() []Applied {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.applied)
}

// Document implements workspace.Editor.
func (e *Editor) Document(abs string) (workspace.Document, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if doc := e.docs[abs]; doc != nil {
		return doc.Document, true
	}
	return workspace.Document{}, false
}

// Changed implements workspace.Editor.
func (e *Editor) Changed(abs string) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if doc := e.docs[abs]; doc != nil {
		return doc.changed
	}
	return nil
}

// Apply implements workspace.Editor.
func (e *Editor) Apply(ctx context.Context, abs string, version int32, edits []workspace.Edit, label string) (workspace.Document, error) {
	e.mu.Lock()
	before, after, mode := e.before, e.after, e.mode
	e.mu.Unlock()
	if before != nil {
		before(abs)
	}
	if mode == Hang {
		<-ctx.Done()
		doc, _ := e.Document(abs)
		return doc, ctx.Err()
	}
	e.mu.Lock()
	doc, err := e.applyLocked(mode, Applied{abs, version, edits, label})
	e.mu.Unlock()
	if after != nil {
		after(abs)
		doc, _ = e.Document(abs)
	}
	return doc, err
}

func (e *Editor) applyLocked(mode Mode, a Applied) (workspace.Document, error) {
	doc := e.docs[a.Path]
	if doc == nil {
		return workspace.Document{}, errors.New("the document is not open")
	}
	if doc.Version != a.Version {
		return doc.Document, errors.New("the document has another version")
	}
	switch mode {
	case Refuse:
		return doc.Document, errors.New("the editor refused the edit")
	case Ignore:
		return doc.Document, nil
	case Partial:
		a.Edits = a.Edits[:1]
	}
	doc.setLocked(splice(doc.Text, a.Edits))
	e.applied = append(e.applied, a)
	if mode == Silent {
		return doc.Document, errors.New("the editor gave no answer")
	}
	return doc.Document, nil
}

func (d *document) setLocked(text string) {
	d.Text = text
	d.Dirty = true
	d.Version++
	d.wakeLocked()
}

func (d *document) wakeLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// splice applies edits that all count in the same text.
func splice(text string, edits []workspace.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b workspace.Edit) int { return b.Start - a.Start })
	for _, ed := range edits {
		text = text[:ed.Start] + ed.New + text[ed.End:]
	}
	return text
}
