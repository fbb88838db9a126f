package tools

import (
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
)

// fileTools are calls of each tool that takes a file, on the file of a name.
func fileTools(t *testing.T, name string) map[string]string {
	return map[string]string{
		"read_file":  args(t, "file_path", name),
		"edit_file":  args(t, "file_path", name, "old_string", "a", "new_string", "b"),
		"write_file": args(t, "file_path", name, "content", "b"),
	}
}

// TestWhatIsNoFileIsRefusedByAll gives each tool what can block, act or be
// without end when it is opened.
func TestWhatIsNoFileIsRefusedByAll(t *testing.T) {
	r := newRoom(t, "d/", "")
	if err := syscall.Mkfifo(r.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(r.dir) // the name of a socket must be short
	l, err := net.Listen("unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, target := range map[string]string{"to-pipe": "pipe", "to-dir": "d", "to-device": "/dev/zero"} {
		if err := os.Symlink(target, r.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"d": "is a directory", "to-dir": "is a directory", "pipe": "not a regular file", "to-pipe": "not a regular file",
		"sock": "not a regular file", "/dev/zero": "not a regular file", "to-device": "not a regular file",
	} {
		for tool, args := range fileTools(t, name) {
			checkSays(t, r.do(t, tool, args), Failed, want)
		}
	}
}

// TestHugeFilesTakeNoMemory looks at a file of 200 MB that is all zeroes, and
// at one that only ends so.
func TestHugeFilesTakeNoMemory(t *testing.T) {
	const size = 200 << 20
	r := newRoom(t, "zeroes", "", "text", strings.Repeat("a line of text\n", 1000))
	for _, name := range []string{"zeroes", "text"} {
		if err := os.Truncate(r.path(name), size); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for tool, args := range fileTools(t, "zeroes") {
		want := []string{"too large", "209715200 bytes"}
		if tool == "read_file" {
			want = []string{"is a binary file"}
		}
		checkSays(t, r.do(t, tool, args), Failed, want...)
	}
	checkSays(t, r.do(t, "read_file", `{"file_path":"text","limit":2}`), Failed, "is a binary file")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"text","old_string":"a line","new_string":"b"}`), Failed, "too large", "shell commands")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

// TestLargeBinariesAreRefusedAtAGlance edits what begins like no text, and what
// is text of two bytes a character.
func TestLargeBinariesAreRefusedAtAGlance(t *testing.T) {
	r := newRoom(t, "zeroes", "", "utf16", "\xff\xfe"+strings.Repeat("a\x00", 1<<18)+"b\x00")
	if err := os.Truncate(r.path("zeroes"), 60<<20); err != nil {
		t.Fatal(err)
	}
	edit := func(name string) Outcome {
		return r.do(t, "edit_file", args(t, "file_path", name, "old_string", "b", "new_string", "c"))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	checkSays(t, edit("zeroes"), Failed, "is a binary file (it contains NUL bytes, 62914560 bytes)")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	checkSays(t, edit("utf16"), Completed)
}

func TestDocumentsThatAreNoFilesAreRefused(t *testing.T) {
	r := newRoom(t, "git:tracked", "a")
	for _, name := range []string{
		"untitled:Untitled-1", "git:/w/a.txt?%7B%7D", "vscode-notebook-cell:/w/a.ipynb#W0s", "https://example.com/a.txt",
		"fugitive:///w/.git//0/a.txt", "term://~//1:sh", "Untitled:Untitled-1",
	} {
		for tool, args := range fileTools(t, name) {
			checkSays(t, r.do(t, tool, args), Failed, "names a document that is no file")
		}
	}
	for _, name := range []string{"git:tracked", "c:notes.txt", "a: b.txt", "2024:x"} {
		checkSays(t, r.do(t, "write_file", args(t, "file_path", name, "content", "x")), Completed)
		if r.content(t, name) != "x" {
			t.Errorf("%s was not written", name)
		}
	}
}

// TestNobodyIsAskedInVain plans what cannot be written: there is no plan to
// ask about.
func TestNobodyIsAskedInVain(t *testing.T) {
	r := newRoom(t, "a.txt", "a")
	if err := os.Chmod(r.path("a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	for tool, args := range fileTools(t, "a.txt") {
		plan, err := r.plan(t, tool, args)
		if tool == "read_file" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || plan.Run != nil || !strings.Contains(err.Error(), `Failed to write "a.txt": write a.txt: read-only: its mode is`) {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if r.content(t, "a.txt") != "a" {
		t.Error("it was written")
	}
}

// An editor could take the change into its buffer, where it would be stuck.
func TestAnOpenDocumentOfAReadOnlyFileIsNotChanged(t *testing.T) {
	r := newRoom(t, "a.txt", "a")
	editor := workspacetest.NewEditor()
	editor.Open(r.path("a.txt"), "a", 1)
	editor.Open(r.path("new.txt"), "a", 1)
	r.open(t, workspace.Options{Editor: editor})
	if err := os.Chmod(r.path("a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"edit_file", "write_file"} {
		plan, err := r.plan(t, tool, fileTools(t, "a.txt")[tool])
		if err == nil || plan.Run != nil || !strings.Contains(err.Error(), `Failed to write "a.txt": write a.txt: read-only: its mode is`) {
			t.Errorf("%s: %v", tool, err)
		}
	}
	checkSays(t, r.do(t, "edit_file", fileTools(t, "new.txt")["edit_file"]), Completed, "changed in the editor")
	if a, b := editor.Text(r.path("a.txt")), editor.Text(r.path("new.txt")); a != "a" || b != "b" {
		t.Errorf("the documents hold %q and %q", a, b)
	}
}
