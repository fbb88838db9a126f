package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// Notebooks are followed only as far as to know which are open: what an editor
// shows cell by cell it does not read again from its file, and would write over
// what was done there.

// notebookSync asks to be told of every notebook.
func notebookSync() *protocol.NotebookDocumentSyncOptions {
	return &protocol.NotebookDocumentSyncOptions{
		NotebookSelector: []protocol.NotebookSelector{
			&protocol.NotebookDocumentFilterWithNotebook{Notebook: protocol.String("*")},
		},
	}
}

// notebookParams is what counts of the notifications.
type notebookParams struct {
	Notebook struct {
		URI string `json:"uri"`
	} `json:"notebookDocument"`
}

func (f *Face) notebookOpened(params json.RawMessage) {
	if path := notebookPath(params); path != "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.notebooks == nil {
			f.notebooks = map[string]bool{}
		}
		f.notebooks[path] = true
	}
}

func (f *Face) notebookClosed(params json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.notebooks, notebookPath(params))
}

// notebookPath is the file of a notebook, "" if it has none.
func notebookPath(params json.RawMessage) string {
	var p notebookParams
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	return Path(p.Notebook.URI)
}

// Notebook reports whether the editor shows the file as a notebook.
func (f *Face) Notebook(abs string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.notebooks[abs]
}
