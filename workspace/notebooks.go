package workspace

import (
	"path/filepath"

	"drawbridge/workspace/notebook"
)

// notebooks is what an Editor may know besides documents: which files it shows
// as notebooks, cell by cell. It writes those by itself, and from what it
// shows, not from the file.
type notebooks interface{ Notebook(abs string) bool }

// ShownAsNotebook reports whether the editor shows the file as a notebook.
func (w *Workspace) ShownAsNotebook(p Path) bool {
	editor, ok := w.editor.(notebooks)
	return ok && notebook.Is(filepath.Base(p.Abs)) && (editor.Notebook(p.Abs) || p.Lexical != "" && editor.Notebook(p.Lexical))
}

// spoils says why a file must not become what want makes of it: a notebook
// that loads must load afterwards too. That holds for whatever part of a change
// a person accepted, for a text of their own, and for what is taken back.
func (w *Workspace) spoils(now Content, want Change) (why string) {
	if want.Kind == Delete || !notebook.Is(filepath.Base(want.Path.Abs)) {
		return ""
	}
	if w.ShownAsNotebook(want.Path) {
		return "the editor has it open as a notebook and would not see the change; close it there first"
	}
	if now.Exists && notebook.Loads(now.Text) != nil {
		return ""
	}
	if err := notebook.Loads(want.New); err != nil {
		return "with this alone the notebook would not load: " + err.Error()
	}
	return ""
}
