package workspace_test

import (
	"testing"

	"drawbridge/workspace"
)

func TestKeptBytesComeIntoABufferAsItShowsThem(t *testing.T) {
	f := encoded(t, "utf8", "\ufeffa\r\nb\r\n")
	f.editor.Open(f.abs("f.txt"), "a\nx\n", 1)
	f.wantState(f.commit(workspace.Restore(f.read("f.txt"), "\ufeffa\r\nb\r\n"), all), workspace.Applied)
	if got := f.editor.Text(f.abs("f.txt")); got != "a\nb\n" {
		t.Errorf("the buffer shows %q", got)
	}
}

func TestWhatABufferHeldIsTakenBackIntoIt(t *testing.T) {
	f := encoded(t, "latin1", "10 \n")
	f.editor.Open(f.abs("f.txt"), "10 €\n", 1) // the user's, who has not saved it yet
	out := f.commit(f.plan("f.txt", "10 €", "10 £"), all)
	f.wantState(out, workspace.Applied)
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	if got := f.editor.Text(f.abs("f.txt")); got != "10 €\n" {
		t.Errorf("the buffer shows %q", got)
	}
}
