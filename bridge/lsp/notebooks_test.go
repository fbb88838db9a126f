package lsp

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestOpenNotebooksAreKnown(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		if got := e.initialize(`{}`); !strings.Contains(string(got), `"notebookDocumentSync":{"notebookSelector":[{"notebook":"*"}]}`) {
			t.Errorf("announced %s", got)
		}
		is := func(want bool) {
			t.Helper()
			synctest.Wait()
			if got := e.face.Notebook("/w/a b.ipynb"); got != want {
				t.Errorf("the notebook is open: %v", got)
			}
		}
		is(false)
		opened := `{"notebookDocument":{"uri":"file:///w/a%20b.ipynb","notebookType":"jupyter-notebook","version":1,"cells":[]},"cellTextDocuments":[]}`
		e.notify("notebookDocument/didOpen", opened)
		e.notify("notebookDocument/didOpen", strings.Replace(opened, "file:///w/a%20b.ipynb", "untitled:Untitled-1.ipynb", 1))
		is(true)
		e.notify("notebookDocument/didChange", `{"notebookDocument":{"uri":"file:///w/a%20b.ipynb","version":2},"change":{}}`)
		is(true)
		e.notify("notebookDocument/didClose", `{"notebookDocument":{"uri":"file:///w/a%20b.ipynb"},"cellTextDocuments":[]}`)
		is(false)
	})
}
