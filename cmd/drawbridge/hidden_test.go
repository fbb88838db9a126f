package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// keptFiles lays out what we keep of a user, with a mark in it, and returns the
// folder.
func keptFiles(t *testing.T, home string) string {
	t.Helper()
	state := filepath.Join(home, "state", "drawbridge")
	for name, text := range map[string]string{
		"trust.json": "kept apart", "sessions/s1/log.jsonl": "kept apart", "heads/s1": "kept apart", "grants/user": "kept apart",
		"checkpoints/c1": "kept apart", "scratch/s1/truncated-tool-output/1": "to be read",
	} {
		path := filepath.Join(state, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// A command in a sandbox reads nothing of what is kept of sessions, yeses and
// trust, be it there before the command began or not, whatever it is held by.
// Only long output of tools it does.
func TestCommandsInASandboxDoNotReadWhatIsKept(t *testing.T) {
	if err := confines(); err != nil {
		t.Skip("this machine does not confine commands: ", err)
	}
	backends := 0
	for _, backend := range []string{"bubblewrap", "landlock", "sandbox-exec"} {
		home, ws := apart(t), apart(t)
		state, config := keptFiles(t, home), filepath.Join(home, "config", "drawbridge")
		if err := os.MkdirAll(config, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config, "config.yaml"), []byte("sandbox:\n  backend: "+backend+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		script := `touch ready; until [ -e go ]; do sleep 0.02; done; cd "$1"
			cat trust.json later */* */*/* */*/*/*; cat scratch/s1/truncated-tool-output/1; echo x >scratch/s1/x; cat "$2"; echo done`
		cmd := exec.Command("drawbridge", "sandbox", "--", "sh", "-c", script, "sh", state, filepath.Join(config, "config.yaml"))
		cmd.Dir, cmd.Env = ws, append(hermetic(home), "PATH="+os.Getenv("PATH"))
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		err, over := waitsFor(filepath.Join(ws, "ready"), ended)
		if over {
			t.Logf("%s: %v %s", backend, err, errs.String())
			continue
		}
		backends++
		// What is replaced and what comes to be while the command runs.
		for _, name := range []string{"later", "trust.json"} {
			next := filepath.Join(state, "next")
			if err := os.WriteFile(next, []byte("kept apart"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(next, filepath.Join(state, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(ws, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", backend, err)
		}
		if text := out.String(); strings.Contains(text, "kept apart") || strings.Contains(text, "backend") || !strings.Contains(text, "to be read") || !strings.Contains(text, "done") {
			t.Errorf("%s: a command reads\n%s\n%s", backend, text, errs.String())
		}
		if _, err := os.Stat(filepath.Join(state, "scratch", "s1", "x")); err == nil {
			t.Errorf("%s: a command writes to the scratch folder of another session", backend)
		}
	}
	if backends == 0 {
		t.Error("nothing held the command")
	}
}

// apart makes a folder that is not hidden with the other temporary ones.
func apart(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("testdata", "hidden-")
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// waitsFor waits until a file is there, or a program has ended without it.
func waitsFor(path string, ended <-chan error) (err error, over bool) {
	for range 1000 {
		select {
		case err = <-ended:
			return err, true
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := os.Stat(path); err == nil {
			return nil, false
		}
	}
	return nil, false
}
