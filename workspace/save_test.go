package workspace_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"drawbridge/workspace/workspacetest"
)

// What an editor hides does not make a document unsaved, unless it was typed in.
func TestUnsaved(t *testing.T) {
	const absent = "(absent)"
	for _, c := range []struct {
		name, disk, document string
		typed                bool
		unsaved              bool
	}{
		{"the same", "a\n", "a\n", false, false},
		{"typed back to the same", "a\n", "a\n", true, false},
		{"another text", "a\n", "b\n", true, true},
		{"another text since before it was opened here", "a\n", "b\n", false, true},
		{"a file that does not exist yet", absent, "a\n", false, true},
		{"hidden line ends", "a\r\n", "a\n", false, false},
		{"line ends that were changed", "a\r\n", "a\n", true, true},
		{"a hidden byte order mark", "\uFEFFa\n", "a\n", false, false},
		{"another encoding", "caf\xe9\n", "café\n", false, false},
		{"another encoding, typed in", "caf\xe9\n", "cafés\n", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.disk != absent {
				f.write("a.txt", c.disk)
			}
			f.editor.Open(f.abs("a.txt"), c.document, 1)
			if c.typed {
				f.editor.Type(f.abs("a.txt"), c.document)
			}
			if got := f.ws.Unsaved(f.resolve("a.txt")); got != c.unsaved {
				t.Errorf("unsaved %v, want %v", got, c.unsaved)
			}
		})
	}
}

func TestAFileThatIsNotOpenIsNotUnsaved(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "a\n")
	if f.ws.Unsaved(f.resolve("a.txt")) || f.ws.Unsaved(f.resolve("absent.txt")) {
		t.Error("a file that is not open counts as unsaved")
	}
}

// The file tells whether a document was saved, whatever the editor said.
func TestSave(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  workspacetest.Mode
		saved bool
		fault string // what the error says, "" for none
	}{
		{"done and said", workspacetest.Obey, true, ""},
		{"done though the answer is an error", workspacetest.Silent, true, ""},
		{"refused", workspacetest.Refuse, false, "save a.txt: the editor refused to save"},
		{"said, not done", workspacetest.Ignore, false, "save a.txt: the editor said that it saved"},
		{"no answer", workspacetest.Hang, false, "save a.txt: context deadline exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.write("a.txt", "old\n")
			f.editor.Open(f.abs("a.txt"), "old\n", 1)
			f.editor.Type(f.abs("a.txt"), "new\n")
			f.editor.SetMode(c.mode)
			limit := time.Minute
			if c.mode == workspacetest.Hang {
				limit = 20 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			err := f.ws.Save(ctx, f.resolve("a.txt"))
			if (err == nil) != (c.fault == "") || err != nil && !strings.HasPrefix(err.Error(), c.fault) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
			if f.ws.Unsaved(f.resolve("a.txt")) == c.saved {
				t.Errorf("saved is not %v", c.saved)
			}
		})
	}
}

// What is saved already is not saved again: it would change the file's time,
// and with it what watches the file.
func TestWhatIsSavedIsLeftAlone(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "a\n")
	f.editor.Open(f.abs("a.txt"), "a\n", 1)
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(f.abs("a.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := f.ws.Save(context.Background(), f.resolve("a.txt")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(f.abs("a.txt")); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("it was written again (%v)", err)
	}
}

// Saving waits for a change of the same file that is under way.
func TestSaveTakesItsTurn(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "old\n")
	f.editor.Open(f.abs("a.txt"), "old\n", 1)
	f.editor.Type(f.abs("a.txt"), "new\n")
	release, err := f.ws.Lock(context.Background(), f.abs("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.ws.Save(ctx, f.resolve("a.txt")); err == nil {
		t.Error("saved in the middle of a change")
	}
	f.wantFile("a.txt", "old\n")
}
