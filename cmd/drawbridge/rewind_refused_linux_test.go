package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where there is no room to keep what a file holds, the file is not written, and
// the person who runs it reads why and what to do. What fits is kept and written.
func TestWithoutRoomToKeepNothingIsWritten(t *testing.T) {
	t.Parallel()
	cmd := mounting(t)
	dir, home, out := t.TempDir(), t.TempDir(), t.TempDir()
	original := strings.Repeat("one line\n", 60_000) + "last\n"
	for name, text := range map[string]string{"large.txt": original, "small.txt": "small\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := played(t, `call c1 edit_file {"file_path":"large.txt","old_string":"last","new_string":"LAST"}
----
want c1 "could not be kept, so nothing was written"
want c1 "no space left on device"
want c1 "make room"
call c2 edit_file {"file_path":"small.txt","old_string":"small","new_string":"SMALL"}
----
text "It was not done."`)
	state := filepath.Join(home, "state")
	script := "set -e; mkdir -p " + state + "; mount -t tmpfs -o size=400k none " + state + "; touch " + out + "/began; cd " + dir + "\n" +
		"drawbridge run edit --approve auto-edit --model " + model + "\ndrawbridge rewind --to k1 --yes"
	cmd.Args = append(cmd.Args, "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(hermetic(home), "PATH="+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	if _, began := os.Stat(filepath.Join(out, "began")); began != nil {
		t.Skipf("skipped: this system lets nobody mount: %v %s", err, said)
	}
	if err != nil || !strings.Contains(string(said), "It was not done.") {
		t.Errorf("%v\n%s", err, said)
	}
	if got := content(t, filepath.Join(dir, "large.txt")); got != original {
		t.Errorf("the file is %s", brief(got))
	}
	if got := content(t, filepath.Join(dir, "small.txt")); got != "small\n" || !strings.Contains(string(said), "small.txt (+1 −1)") {
		t.Errorf("what was kept is not given back: %q\n%s", got, said)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
