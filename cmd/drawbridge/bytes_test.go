package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A one-line edit of a thousand lines that end in CRLF is one line to git, and a
// line put in ends as its neighbours do.
func TestOneLineOfAThousand(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "line %04d\r\n", i+1)
	}
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.autocrlf=false", "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Env = append(hermetic(home), "PATH="+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "a.txt")
	git("commit", "-q", "-m", "before")
	tool := bench(t, home, dir)
	tool.do("edit_file", object{"file_path": "a.txt", "old_string": "line 0500\n", "new_string": "line 500\n"})
	if got := git("diff", "--numstat"); got != "1\t1\ta.txt" {
		t.Errorf("git sees %q", got)
	}
	tool.do("edit_file", object{"file_path": "a.txt", "old_string": "line 0700", "new_string": "line 0700\nand one more"})
	want := strings.Replace(b.String(), "line 0500", "line 500", 1)
	want = strings.Replace(want, "line 0700\r\n", "line 0700\r\nand one more\r\n", 1)
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Error("bytes beside the edits have changed")
	}
	if got := git("diff", "--numstat"); got != "2\t1\ta.txt" {
		t.Errorf("git sees %q", got)
	}
}

// Bytes that are no UTF-8 stay as they are beside an edit, in a file of 5 MB too.
func TestBytesOfALargeFileStay(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	text := strings.Repeat("caf\xe9 \x81\x82\r\n", 250_000) + "const x = 1\n" + strings.Repeat("\xff\r\n", 250_000)
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tool := bench(t, home, dir)
	tool.do("edit_file", object{"file_path": "a.txt", "old_string": "x = 1", "new_string": "x = 2"})
	if got, _ := os.ReadFile(path); string(got) != strings.Replace(text, "x = 1", "x = 2", 1) {
		t.Error("bytes beside the edit have changed")
	}
	if r := tool.call("edit_file", object{"file_path": "a.txt", "old_string": "x = 2", "new_string": "x = é"}); r.Status != "failed" ||
		!strings.Contains(r.Text, "not valid UTF-8") {
		t.Errorf("%s: %s", r.Status, r.Text)
	}
	if got, _ := os.ReadFile(path); strings.Contains(string(got), "\uFFFD") || len(got) != len(text) {
		t.Error("the refused edit has changed the file")
	}
}
