package tools

import (
	"os"
	"strings"
	"testing"

	"drawbridge/workspace"
)

const numbered = "one\ntwo\nthree\nfour\nfive\nsix\n"

// readRoom is a room whose file f the model has read.
func readRoom(t *testing.T) *room {
	t.Helper()
	r := newRoom(t, "f", numbered)
	r.env.Reads = NewReads()
	checkSays(t, r.do(t, "read_file", args(t, "file_path", "f")), Completed, "three")
	return r
}

func (r *room) edit(t *testing.T, name, old, new string) Outcome {
	t.Helper()
	return r.do(t, "edit_file", args(t, "file_path", name, "old_string", old, "new_string", new))
}

func TestAnEditAfterOthersHaveChangedTheFile(t *testing.T) {
	r := readRoom(t)
	r.write(t, "f", "one\nTWO\nand\nthree\nfour\nFIVE\nsix\n")
	o := r.edit(t, "f", "three\n", "three\nand a half\n")
	checkSays(t, o, Completed, "changed lines 2-3, line 7; your edit was applied to what it held now")
	if got, want := r.content(t, "f"), "one\nTWO\nand\nthree\nand a half\nfour\nFIVE\nsix\n"; got != want {
		t.Errorf("file is %q, want %q", got, want)
	}
	checkSilent(t, r.edit(t, "f", "one", "1"), "since you last saw")
}

func TestAnEditWhoseTextOthersHaveChanged(t *testing.T) {
	r := readRoom(t)
	r.write(t, "f", strings.Replace(numbered, "three", "3", 1))
	o := r.edit(t, "f", "three", "III")
	checkSays(t, o, Failed, "old_string was not found", "Since you last saw it, the file was changed", "-three\n+3")
	checkSilent(t, r.edit(t, "f", "three", "III"), "Since you last saw it")
	checkSays(t, r.edit(t, "f", "3", "III"), Completed)
}

func TestFilesHaveOneNameToBeRememberedBy(t *testing.T) {
	r := readRoom(t)
	if err := os.Symlink("f", r.path("link")); err != nil {
		t.Fatal(err)
	}
	r.write(t, "f", numbered+"seven\n")
	checkSays(t, r.edit(t, "link", "one", "1"), Completed, "changed line 7;")
	r.write(t, "f", strings.Replace(r.content(t, "f"), "two", "2", 1))
	checkSays(t, r.edit(t, r.path("f"), "1", "I"), Completed, "changed line 2;")
}

func TestOverwritingWhatOthersHaveChanged(t *testing.T) {
	r := readRoom(t)
	r.write(t, "f", strings.Replace(numbered, "two\n", "", 1))
	o := r.do(t, "write_file", args(t, "file_path", "f", "content", "all new\n"))
	checkSays(t, o, Completed, "had changed it (what stood before line 2); your content replaced that")
}

func TestLineEndsAloneAreNoChange(t *testing.T) {
	r := readRoom(t)
	r.write(t, "f", bom+strings.ReplaceAll(numbered, "\n", "\r\n"))
	checkSilent(t, r.edit(t, "f", "one", "1"), "since you last saw")
}

func TestNothingIsToldOfWhatWasNeverRead(t *testing.T) {
	r := readRoom(t)
	r.write(t, "g", numbered)
	r.write(t, "g", "one\n")
	checkSilent(t, r.edit(t, "g", "two", "2"), "Since you last saw")
}

func TestReadsForgetTheOldest(t *testing.T) {
	r := NewReads()
	path := func(name string) workspace.Path { return workspace.Path{Abs: name} }
	big := strings.Repeat("x", maxRememberedFile)
	for i := range 9 {
		r.Saw(path(string(rune('a'+i))), big)
	}
	if _, ok := r.Text(path("a")); ok {
		t.Error("the oldest is still remembered")
	}
	if got := strings.Join(r.Paths(), ""); got != "ihgfedcb" {
		t.Errorf("remembered %q", got)
	}
	r.Saw(path("c"), "short")
	r.Saw(path("d"), big+"x")
	if got := strings.Join(r.Paths(), ""); got != "cihgfeb" {
		t.Errorf("after a short and an over-long text: %q", got)
	}
	if r.bytes != 6*maxRememberedFile+len("short") {
		t.Errorf("%d bytes are counted", r.bytes)
	}
}
