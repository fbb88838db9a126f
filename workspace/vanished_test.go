package workspace_test

import (
	"os"
	"testing"

	"drawbridge/workspace"
)

// A file that was deleted while a document without unsaved changes shows it is
// brought back to the disk: what the document shows is not in the file.
func TestAFileThatOnlyItsDocumentShowsIsBroughtBack(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "one\n")
	f.editor.Open(f.abs("a.txt"), "one\n", 1)
	if f.ws.Vanished(f.read("a.txt")) {
		t.Error("a file that is there counts as vanished")
	}
	if err := os.Remove(f.abs("a.txt")); err != nil {
		t.Fatal(err)
	}
	if !f.ws.Vanished(f.read("a.txt")) {
		t.Error("a file that is not there does not count as vanished")
	}
	missing := workspace.Content{Path: f.resolve("a.txt")}
	back := workspace.Rewrite(missing, "one\n")
	var kept []workspace.Content
	keep := func(before workspace.Content) error { kept = append(kept, before); return nil }
	f.wantState(f.commit(back, workspace.Acceptance{All: true, Keep: keep}), workspace.Applied)
	f.wantFile("a.txt", "one\n")
	if len(kept) != 1 || kept[0].Exists {
		t.Errorf("kept from before: %+v", kept)
	}
	if steps := f.editor.Applied(); len(steps) != 0 {
		t.Errorf("the document was edited: %+v", steps)
	}

	f.editor.Type(f.abs("a.txt"), "one\nmore\n")
	if err := os.Remove(f.abs("a.txt")); err != nil {
		t.Fatal(err)
	}
	if f.ws.Vanished(f.read("a.txt")) {
		t.Error("unsaved changes of a person count for nothing")
	}
}
