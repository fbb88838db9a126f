package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"drawbridge/workspace"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestReadDisk(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "\uFEFFa\r\nb\xff\x00")
	c := f.read("a.txt")
	if !c.Exists || c.Open || c.Text != "\uFEFFa\r\nb\xff\x00" || c.Base != workspace.Sum(c.Text) {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"missing", "a.txt/below"} {
		if c := f.read(name); c.Exists || c.Base != (workspace.Hash{}) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	f.write("empty", "")
	if c := f.read("empty"); !c.Exists || c.Base == (workspace.Hash{}) {
		t.Error("an empty file looks like a missing one")
	}
}

func TestReadPrefersTheBuffer(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "disk")
	f.link("a.txt", "l.txt")
	f.editor.Open(f.abs("l.txt"), "buffer", 7)
	c := f.read("l.txt") // open under the link's name
	if !c.Open || c.Version != 7 || c.Text != "buffer" || c.Base != workspace.Sum("buffer") {
		t.Errorf("%+v", c)
	}
	f.editor.Open(f.abs("a.txt"), "real", 8)
	if c := f.read("l.txt"); c.Text != "real" {
		t.Errorf("the resolved name does not go first: %q", c.Text)
	}
	if doc, ok := f.ws.Document(f.resolve("a.txt")); !ok || doc.Version != 8 {
		t.Errorf("document %+v, %v", doc, ok)
	}
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	f := newFixture(t)
	if err := syscall.Mkfifo(f.abs("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(f.abs("big"))
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	if err := big.Truncate(workspace.MaxFile + 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]workspace.Kind{
		".": workspace.IsDir, "fifo": workspace.NotRegular, "/dev/zero": workspace.NotRegular, "big": workspace.TooLarge,
	} {
		c, err := f.ws.Read(context.Background(), f.resolve(name)) // and does not hang
		wantKind(t, err, want)
		if c.Dir != (want == workspace.IsDir) {
			t.Errorf("%s: dir %v", name, c.Dir)
		}
	}
}

func TestReadOfWhatHidesItsSize(t *testing.T) {
	f := newFixture(t)
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here: " + err.Error())
	}
	if c := f.read("/proc/self/status"); !strings.Contains(c.Text, "Pid:") {
		t.Errorf("%q", c.Text)
	}
}

func TestReadStopsWithItsContext(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.ws.Read(ctx, f.resolve("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsNameWhatWasAttempted(t *testing.T) {
	f := newFixture(t)
	_, err := f.ws.Read(context.Background(), f.resolve("."))
	if err == nil || err.Error() != "read .: is a directory" {
		t.Errorf("%v", err)
	}
}

func TestStat(t *testing.T) {
	f := newFixture(t)
	f.write("d/a.txt", "12345")
	f.editor.Open(f.abs("open.txt"), "123", 1)
	for name, want := range map[string]workspace.Info{
		"d":        {Exists: true, Dir: true},
		"d/a.txt":  {Exists: true, Regular: true, Size: 5},
		"open.txt": {Exists: true, Regular: true, Open: true, Size: 3},
		"none":     {},
	} {
		got, err := f.ws.Stat(f.resolve(name))
		if got.Dir {
			got.Size = 0 // up to the file system
		}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func (f *fixture) wantHint(name string, parts ...string) {
	f.Helper()
	got := f.ws.Hint(f.resolve(name))
	for _, p := range parts {
		if !strings.Contains(got, p) {
			f.Errorf("hint for %s: %q does not say %q", name, got, p)
		}
	}
	if len(parts) == 0 && got != "" {
		f.Errorf("hint for %s: %q", name, got)
	}
}

func TestHint(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "")
	f.write("notes.txt", "")
	f.write("agent_state/x", "")
	for i := range 10 {
		f.write(fmt.Sprintf("many/f%d", i), "")
	}
	if err := os.Mkdir(f.abs("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.wantHint("AGENTS.md", `no "AGENTS.md"`, "agent_state/, a.txt, ")
	f.wantHint("nope/deep/file.txt", `no "nope"`)
	f.wantHint("a.txt/inner.txt", `"a.txt" exists but is a file, not a directory`)
	f.wantHint("empty/x/y", `"empty" exists but has no "x"`, "It is empty")
	f.wantHint("many/F9", "f9, f0, f1", "(+2 more)")
	f.wantHint("a.txt")
}

func TestHintListsNothingOutside(t *testing.T) {
	f := newFixture(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret-name"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := f.ws.Hint(f.resolve(outside + "/x"))
	if strings.Contains(got, "secret-name") || !strings.Contains(got, `no "x"`) {
		t.Errorf("%q", got)
	}
}
