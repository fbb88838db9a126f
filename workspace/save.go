package workspace

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unsaved reports whether the path is open in the editor with another text
// than the file holds: what reads the file reads something else then.
func (w *Workspace) Unsaved(p Path) bool {
	doc, open := w.Document(p)
	if !open || p.Protected != "" {
		return false
	}
	raw, err := w.readFile(p.Abs, doc.Text)
	var disk Content
	disk.hold(raw, w.encodings.of(p))
	return err != nil || differs(doc, disk)
}

// differs compares a document with its file. Editors hide byte order marks,
// line ends and encodings, so a clean document whose file only looks otherwise
// is saved; of one that was typed in, every byte counts.
func differs(doc Document, disk Content) bool {
	switch {
	case doc.Text == disk.Text:
		return false
	case doc.Dirty:
		return true
	case disk.Encoding != "" || !utf8.ValidString(disk.Text):
		return false
	}
	return bare(doc.Text) != bare(disk.Text)
}

func bare(text string) string { return strings.TrimPrefix(fold(text), bom) }

// Save has the editor save the path's document, if it is unsaved. What the file
// holds afterwards counts, not what the editor answered. Saving takes its turn
// with the changes of the path, so that no half of one is saved.
func (w *Workspace) Save(ctx context.Context, p Path) error {
	release, err := w.Lock(ctx, p.Abs)
	if err != nil {
		return fmt.Errorf("save %s: %w", p.Rel, err)
	}
	defer release()
	if !w.Unsaved(p) {
		return nil
	}
	_, name, _ := w.document(p)
	err = w.editor.Save(ctx, name)
	switch {
	case !w.Unsaved(p):
		return nil
	case err != nil:
		return fmt.Errorf("save %s: %w", p.Rel, err)
	}
	return fmt.Errorf("save %s: the editor said that it saved, but the file holds something else", p.Rel)
}
