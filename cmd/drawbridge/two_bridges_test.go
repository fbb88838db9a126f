package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Two of the program edit one file at a time, each lines of its own. No edit is
// lost, and none fails for the other's sake.
func TestTwoProcessesOnOneFileLoseNothing(t *testing.T) {
	t.Parallel()
	const edits, apart = 40, 200
	dir := tempDir(t)
	var text strings.Builder
	for i := range 2 * apart {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var running []*exec.Cmd
	for side, tag := range []string{"A", "B"} {
		var calls bytes.Buffer
		for i := range edits {
			n := side*apart + 3*i
			call, _ := json.Marshal(object{"name": "edit_file", "args": object{
				"file_path": "a.txt", "old_string": fmt.Sprintf("line %d\n", n), "new_string": fmt.Sprintf("%s %d\n", tag, n),
			}})
			calls.Write(append(call, '\n'))
		}
		cmd := exec.Command("drawbridge", "tool", "--batch", "--approve", "allow-all", "--workspace", dir)
		cmd.Env = append(hermetic(tempDir(t)), "PATH="+os.Getenv("PATH"))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &calls, new(bytes.Buffer), os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(cmd.Stdout.(*bytes.Buffer).String()) {
			if !strings.Contains(line, `"completed"`) {
				t.Errorf("answered %s", brief(line))
			}
		}
	}
	want := text.String()
	for side, tag := range []string{"A", "B"} {
		for i := range edits {
			n := side*apart + 3*i
			want = strings.Replace(want, fmt.Sprintf("line %d\n", n), fmt.Sprintf("%s %d\n", tag, n), 1)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%d of %d edits stand (%v)", strings.Count(string(got), "A ")+strings.Count(string(got), "B "), 2*edits, err)
	}
}
