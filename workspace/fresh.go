package workspace

import (
	"context"
	"unicode/utf8"
)

// Refresher is an Editor that can read a document again from its file.
type Refresher interface {
	// Holds is told what the file of an open document holds now.
	Holds(abs, text string)
	// Refresh is told what the file of an open document without unsaved changes
	// holds now, and returns when the document shows that, or will not: bounded.
	Refresh(ctx context.Context, abs, disk string)
}

// Fresh has a document without unsaved changes show what its file holds now. A
// buffer that somebody typed in is left alone: it is the truth. One that stays
// older than its file is Behind.
func (w *Workspace) Fresh(ctx context.Context, p Path) {
	editor, able := w.editor.(Refresher)
	doc, name, open := w.document(p)
	if !able || !open {
		return
	}
	disk, how := w.compared(p, doc)
	switch {
	case how == sameAsFile && doc.Dirty:
		editor.Holds(name, doc.Text) // somebody had it read again
	case how == otherThanFile && doc.saved():
		editor.Refresh(ctx, name, disk)
	}
}

// standingOf a document to its file.
type standingOf string

const (
	unknownToUs   standingOf = "" // there is no file, or it cannot be told
	sameAsFile    standingOf = "same"
	otherThanFile standingOf = "other"
)

// compared compares a document with its file, whose text comes back as the
// document would show it.
func (w *Workspace) compared(p Path, doc Document) (disk string, how standingOf) {
	c, err := w.OnDisk(p, MaxFile)
	switch {
	case err != nil, !c.Exists, c.Encoding == "" && !utf8.ValidString(c.Text):
		return "", unknownToUs
	case SameText(c.Text, doc.Text), c.Text == "" && doc.Text == "\n": // some editors have no document without a line
		return doc.Text, sameAsFile
	case c.Encoding != "" && decodedAlike(c.Text, doc.Text):
		return "", unknownToUs
	}
	return asShown(c.Text, doc.Text), otherThanFile
}

// behind reports whether a document is older than its file, and what it would
// show: it has no unsaved changes, and the file holds another text.
func (w *Workspace) behind(p Path, doc Document) (disk string, stale bool) {
	if !doc.saved() {
		return "", false
	}
	disk, how := w.compared(p, doc)
	return disk, how == otherThanFile
}

// saved says that a document is known to have shown its file; an editor that does
// not tell is believed what it shows.
func (doc Document) saved() bool { return !doc.Dirty && doc.Saved == doc.Text }

// ChangedOnDisk says that the file of an open document with unsaved changes was
// written by somebody else since the document was opened or saved: saving would
// undo that.
func (w *Workspace) ChangedOnDisk(p Path) bool {
	doc, open := w.Document(p)
	if !open || !doc.Dirty || doc.Saved == "" {
		return false
	}
	disk, how := w.compared(p, doc)
	return how == otherThanFile && !SameText(disk, doc.Saved)
}
