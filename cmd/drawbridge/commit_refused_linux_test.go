package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// refusedCalls are a replacement, a creation in new folders, and an overwriting,
// of which none fits on the disk of the test that uses them, or may be made.
func refusedCalls(t *testing.T) string {
	t.Helper()
	var in strings.Builder
	for _, c := range []object{
		{"name": "edit_file", "args": object{"file_path": "a.txt", "old_string": "last", "new_string": "LAST"}},
		{"name": "write_file", "args": object{"file_path": "deep/er/b.txt", "content": strings.Repeat("x\n", 60_000)}},
		{"name": "write_file", "args": object{"file_path": "a.txt", "content": strings.Repeat("y\n", 60_000)}},
	} {
		if err := json.NewEncoder(&in).Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	return in.String()
}

// look lists what there is to see of a folder: names, modes, owners, sizes and
// bytes.
const look = `{ find . ! -name . -printf '%p %M %U %G %s\n' | sort; md5sum a.txt; }`

// runRefused makes the calls in the folder dir, once setup has made it ready,
// and checks that each fails for the reason and leaves everything as it was. What
// it finds out goes to the folder out.
func runRefused(t *testing.T, cmd *exec.Cmd, out, dir, setup, want string) {
	t.Helper()
	script := "set -e\n" + setup + "\ncd " + dir + "\n" + look + " > " + out + "/before\n" +
		"drawbridge tool --batch --approve allow-all --workspace " + dir + " > " + out + "/answers\n" +
		look + " > " + out + "/after\n"
	cmd.Args = append(cmd.Args, "sh", "-c", script)
	cmd.Dir = out
	cmd.Env = append(hermetic(filepath.Join(out, "home")), "PATH="+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(refusedCalls(t))
	said, err := cmd.CombinedOutput()
	if _, began := os.Stat(filepath.Join(out, "before")); began != nil && filepath.Base(cmd.Path) == "unshare" {
		t.Skipf("skipped: this system lets nobody mount: %v %s", err, said)
	} else if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if before, after := read("before"), read("after"); before != after || !strings.Contains(before, "./a.txt") {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	answers := strings.Split(strings.TrimSpace(read("answers")), "\n")
	for _, line := range answers {
		var r toolResult
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Status != "failed" || !strings.Contains(r.Text, want) {
			t.Errorf("%v, answered %s, want %q", err, brief(line), want)
		}
	}
	if len(answers) != 3 {
		t.Errorf("%d answers", len(answers))
	}
}

const fill = `{ yes "one line" | head -c 100000; echo last; } > a.txt; chmod 2640 a.txt`

// mounting runs commands that may mount, for themselves alone.
func mounting(t *testing.T) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("unshare")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("skipped: there is no unshare")
	}
	return exec.Command(path, "--user", "--map-root-user", "--mount")
}

func TestAFullDiskLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runRefused(t, mounting(t), t.TempDir(), dir, "mount -t tmpfs -o size=160k none "+dir+"; cd "+dir+"; "+fill, "no space left on the device")
}

func TestAReadOnlyMountLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runRefused(t, mounting(t), t.TempDir(), dir, "mount -t tmpfs none "+dir+"; cd "+dir+"; "+fill+"; mount -o remount,ro "+dir,
		"read-only: the file system is mounted read-only")
}

// anybody runs commands as a user who has no special rights.
func anybody(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("env")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// TestWithoutTheRightToWriteEverythingStays is about a file that is not ours in
// a folder that is: its name could be given to another file, which its owner has
// not allowed. And about a file that is ours in a folder that is not.
func TestWithoutTheRightToWriteEverythingStays(t *testing.T) {
	for name, c := range map[string]struct {
		file, dir os.FileMode // file 0: somebody else's
	}{
		"a file of somebody else": {0o644, 0o777},
		"a folder of somebody":    {0o666, 0o755},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getuid() != 0 {
				t.Skip("skipped: only root can make files of somebody else")
			}
			place := placeForAll(t)
			dir := filepath.Join(place, "ws")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("first\nlast\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Chmod(filepath.Join(dir, "a.txt"), c.file), os.Chmod(dir, c.dir)); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(place, "out")
			if err := errors.Join(os.Mkdir(out, 0o777), os.Chmod(out, 0o777)); err != nil {
				t.Fatal(err)
			}
			runRefused(t, anybody(t), out, dir, "PATH="+place+":$PATH", "permission denied")
		})
	}
}

// placeForAll is a folder that everybody may enter, with the program in it.
func placeForAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "everybody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	copyProgram(t, filepath.Join(dir, "drawbridge"))
	return dir
}
