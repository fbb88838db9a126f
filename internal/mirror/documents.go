// Package mirror keeps an exact copy of the documents that an editor has open,
// under incremental edits in any of the three position encodings. It knows no
// wire type, no editor and no disk beyond resolving a path's links. It starts
// no goroutine.
//
// A document that received an impossible edit is no longer known: it counts as
// not open until its whole text arrives again. A wrong copy would be worse than
// none.
package mirror

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Documents are the open documents of one editor. Safe for concurrent use.
type Documents struct {
	enc Encoding // immutable

	mu     sync.Mutex // guards below
	byURI  map[string]*document
	byPath map[string][]*document // newest last; a path and what it resolves to
	waits  map[string]chan struct{}
}

// Document is a snapshot of one open document.
type Document struct {
	URI     string
	Path    string // "" when the URI names no file
	Version int32
	Text    string
	// Dirty says that the text is not the one that was opened, last saved, or said
	// to be the file's.
	Dirty bool
	// Saved is that one, and Saves counts how often the document was saved.
	Saved string
	Saves int
}

// Change replaces Range, or the whole text when Range is nil, by Text.
type Change struct {
	Range *Range
	Text  string
}

// Edit replaces the bytes [Start,End) of a document's text.
type Edit struct {
	Start, End int
	New        string
}

// TextEdit is an Edit in the editor's own coordinates.
type TextEdit struct {
	Range Range
	New   string
}

// ErrNotOpen is returned for a document that is not open or not known.
var ErrNotOpen = errors.New("the document is not open")

// VersionError says that a document is no longer what an edit was made for.
type VersionError struct{ Have, Want int32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the document is at version %d, the edit is for version %d", e.Have, e.Want)
}

type document struct {
	uri     string
	spelled string // uri as the editor writes it
	paths   []string
	version int32
	text    *Text
	saved   string
	expects *string // what the file is known to hold besides
	saves   int
	dirty   bool
	lost    bool
}

// NewDocuments returns no documents yet; positions count in enc.
func NewDocuments(enc Encoding) *Documents {
	return &Documents{
		enc: enc, byURI: map[string]*document{},
		byPath: map[string][]*document{}, waits: map[string]chan struct{}{},
	}
}

// Encoding is what positions count in.
func (d *Documents) Encoding() Encoding { return d.enc }

// Open begins a document. Path is the file that uri names, "" for none. A
// document that is open already is replaced.
func (d *Documents) Open(uri, path string, version int32, text string) {
	// What comes from a message shares its memory: what is kept is copied.
	name := strings.Clone(uri)
	doc := &document{uri: name, spelled: name, version: version, text: NewText(strings.Clone(text))}
	doc.saved = doc.text.String()
	if path != "" {
		doc.paths = aliases(strings.Clone(path))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removeLocked(d.byURI[uri])
	d.byURI[doc.uri] = doc
	for _, p := range doc.paths {
		d.byPath[p] = append(d.byPath[p], doc)
	}
	d.wakeLocked(doc)
}

// Spell says how the editor itself writes the URI of an open document, where
// that is not the form that all of them have here.
func (d *Documents) Spell(uri, spelled string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byURI[uri]; doc != nil {
		doc.spelled = strings.Clone(spelled)
	}
}

// Change applies changes one after the other. After an error the document is
// not known any more, see the package comment.
func (d *Documents) Change(uri string, version int32, changes []Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.byURI[uri]
	if doc == nil {
		return fmt.Errorf("change %s: %w", uri, ErrNotOpen)
	}
	defer d.wakeLocked(doc)
	doc.version = version
	defer doc.judge()
	for _, c := range changes {
		if err := doc.apply(c, d.enc); err != nil {
			doc.lost, doc.text = true, NewText("")
			return fmt.Errorf("change %s to version %d: %w", uri, version, err)
		}
	}
	return nil
}

func (doc *document) apply(c Change, enc Encoding) error {
	if c.Range == nil {
		doc.text, doc.lost = NewText(strings.Clone(c.Text)), false
		return nil
	}
	if doc.lost {
		return errors.New("its text is not known since an impossible edit")
	}
	return doc.text.Replace(*c.Range, strings.Clone(c.Text), enc)
}

// Save marks a document as saved. When the editor sent its text along, the copy
// is checked against it: matches is false if it differed and was corrected.
func (d *Documents) Save(uri string, text *string) (matches bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.byURI[uri]
	if doc == nil {
		return true
	}
	doc.saves++
	if text == nil || !doc.lost && doc.text.String() == *text {
		doc.saved, doc.expects, doc.dirty = doc.text.String(), nil, false
		return true
	}
	healed := doc.lost
	doc.text, doc.lost = NewText(strings.Clone(*text)), false
	doc.saved, doc.expects, doc.dirty = doc.text.String(), nil, false
	d.wakeLocked(doc)
	return healed
}

// Holds says what the file of an open document holds: the document is saved if
// it shows that, and else has unsaved changes.
func (d *Documents) Holds(path, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.findLocked(path); doc != nil {
		doc.saved, doc.expects = text, nil
		doc.judge()
	}
}

// Expect says that the file of an open document holds another text by now: the
// document is saved again once it shows that.
func (d *Documents) Expect(path, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.findLocked(path); doc != nil {
		doc.expects = &text
		doc.judge()
	}
}

// judge finds out whether a document is as it was saved.
func (doc *document) judge() {
	if doc.expects != nil && doc.shows(*doc.expects) {
		doc.saved, doc.expects = *doc.expects, nil
	}
	doc.dirty = !doc.shows(doc.saved)
}

// shows compares lengths first, which tell of most that they differ.
func (doc *document) shows(text string) bool {
	return !doc.lost && doc.text.Len() == len(text) && doc.text.String() == text
}

// Paths are the files of the open documents, as the editor writes them.
func (d *Documents) Paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var paths []string
	for _, doc := range d.byURI {
		if len(doc.paths) > 0 {
			paths = append(paths, doc.paths[0])
		}
	}
	slices.Sort(paths)
	return paths
}

// Close ends a document.
func (d *Documents) Close(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byURI[uri]; doc != nil {
		d.removeLocked(doc)
		d.wakeLocked(doc)
	}
}

// ByPath returns the open document of an absolute path, of the path it
// resolves to, or of a link to it. Of several the one opened under this very
// path wins, then the newest.
func (d *Documents) ByPath(path string) (Document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.findLocked(path); doc != nil {
		return doc.snapshot(), true
	}
	return Document{}, false
}

// ByURI returns the open document of a URI, file or not.
func (d *Documents) ByURI(uri string) (Document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byURI[uri]; doc != nil && !doc.lost {
		return doc.snapshot(), true
	}
	return Document{}, false
}

// URIOf is the URI under which the document of a path is open, as the editor
// writes it.
func (d *Documents) URIOf(path string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.findLocked(path); doc != nil {
		return doc.spelled, true
	}
	return "", false
}

// Slice is the part r of an open document; "" for what is not open or no part
// of it.
func (d *Documents) Slice(uri string, r Range) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.byURI[uri]
	if doc == nil || doc.lost {
		return ""
	}
	start, err1 := doc.text.Offset(r.Start, d.enc)
	end, err2 := doc.text.Offset(r.End, d.enc)
	if err1 != nil || err2 != nil || start > end {
		return ""
	}
	return doc.text.String()[start:end]
}

// TextEdits turns edits for the text of a version into the editor's
// coordinates.
func (d *Documents) TextEdits(path string, version int32, edits []Edit) (uri string, out []TextEdit, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.findLocked(path)
	if doc == nil {
		return "", nil, ErrNotOpen
	}
	if doc.version != version {
		return doc.spelled, nil, &VersionError{Have: doc.version, Want: version}
	}
	for _, e := range edits {
		te, err := doc.text.textEdit(e, d.enc)
		if err != nil {
			return doc.spelled, nil, err
		}
		out = append(out, te)
	}
	return doc.spelled, out, nil
}

// Changed returns a channel that is closed when the document of path is next
// opened, changed or closed.
func (d *Documents) Changed(path string) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := d.waits[path]
	if wait == nil {
		wait = make(chan struct{})
		d.waits[path] = wait
	}
	return wait
}

func (d *Documents) findLocked(path string) *document {
	var found *document
	for _, doc := range d.byPath[path] {
		if doc.lost {
			continue
		}
		if found == nil || doc.paths[0] == path || found.paths[0] != path {
			found = doc
		}
	}
	return found
}

func (d *Documents) removeLocked(doc *document) {
	if doc == nil {
		return
	}
	delete(d.byURI, doc.uri)
	for _, p := range doc.paths {
		rest := slices.DeleteFunc(d.byPath[p], func(o *document) bool { return o == doc })
		if d.byPath[p] = rest; len(rest) == 0 {
			delete(d.byPath, p)
		}
	}
}

func (d *Documents) wakeLocked(doc *document) {
	for _, p := range doc.paths {
		if wait := d.waits[p]; wait != nil {
			close(wait)
			delete(d.waits, p)
		}
	}
}

func (doc *document) snapshot() Document {
	s := Document{URI: doc.uri, Version: doc.version, Text: doc.text.String(), Dirty: doc.dirty, Saved: doc.saved, Saves: doc.saves}
	if len(doc.paths) > 0 {
		s.Path = doc.paths[0]
	}
	return s
}

// aliases are the names under which a file is looked for: as the editor wrote
// it and with its links resolved, as far as they exist.
func aliases(path string) []string {
	path = filepath.Clean(path)
	names := []string{path}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if full := filepath.Join(real, rest); full != path {
				names = append(names, full)
			}
			return names
		}
		if dir == filepath.Dir(dir) {
			return names
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
