package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is who the program runs as when the tests are root's, from whom
// nothing is hidden.
const nobody = 65534

// A command cannot read the keys where the bridge, or the run that started it,
// keeps its environment; and commands are still ended with their turn.
func TestCommandsCannotReadTheKeysOfTheirParents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "drawbridge")
	copyProgram(t, program)
	cmd := exec.Command(program, "run", "look", "--approve", "allow-all", "--preset", "full-access", "--model", "script:"+filepath.Join(dir, "script"))
	cmd.Env = append(hermetic(dir), "PATH="+os.Getenv("PATH"), "TMPDIR="+dir, "OPENAI_API_KEY=sk-environment-4712")
	const looks = `call c1 exec_command {"cmd":"up() { sed -n 's/^PPid:[^0-9]*//p' /proc/$1/status; }; g=$PPID; p=$(up $g); q=$(up $p); cat /proc/$g/environ /proc/$p/environ /proc/$q/environ 2>&1 | tr '\\0' '\\n'; tr '\\0' ' ' < /proc/$p/cmdline"}
----
want c1 "drawbridge serve"
wantnot c1 "sk-environment"
text "Looked."
`
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(looks), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir
	if os.Getuid() == 0 {
		giveTo(t, dir, nobody)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Looked.") || strings.Contains(string(out), "sk-environment") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Count(string(out), "Permission denied") != 3 {
		t.Errorf("the environments of guard, bridge and run should be closed:\n%s", out)
	}
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := exec.LookPath("drawbridge")
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	into, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(into, from); err != nil {
		t.Fatal(err)
	}
	if err := into.Close(); err != nil {
		t.Fatal(err)
	}
}

// giveTo hands a folder, and the way to it, to another user.
func giveTo(t *testing.T, dir string, uid int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, uid, uid)
	})
	if err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); strings.HasPrefix(up, os.TempDir()) && up != os.TempDir(); up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
