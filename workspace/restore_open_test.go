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

func TestBytesThatReadAlikeAreRestoredToo(t *testing.T) {
	f := encoded(t, "cp932", "\x87\x8a\n")
	f.wantState(f.commit(workspace.Restore(f.read("f.txt"), "\xfa\x58\n"), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58\n")
}

func TestAChangeThatStandsAlreadyKnowsTheBytesOfIt(t *testing.T) {
	f := encoded(t, "cp932", "a\n")
	c := f.plan("f.txt", "a", "㈱")
	f.write("f.txt", "\xfa\x58\n") // another code than ours for it
	out := f.commit(c, all)
	f.wantState(out, workspace.Applied)
	if out.Change.After() != "\xfa\x58\n" {
		t.Errorf("it left %q", out.Change.After())
	}
}

func TestACleanBufferThatDecodesOtherwiseIsSaved(t *testing.T) {
	f := encoded(t, "euc-jp", "\xa1\xc1 a\n")
	f.editor.Open(f.abs("f.txt"), "〜 a\n", 1) // some make U+301C of it, the standard U+FF5E
	if f.ws.Unsaved(f.resolve("f.txt")) {
		t.Error("it counts as unsaved")
	}
	if c := f.read("f.txt"); c.Text != "〜 a\n" || c.Behind {
		t.Errorf("read %+v", c)
	}
}
