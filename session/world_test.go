package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drawbridge/approval/command"
	"drawbridge/workspace"
)

// scene is a workspace with another folder beside it.
type scene struct {
	t         *testing.T
	ws, other string
	path      string
}

func newScene(t *testing.T) *scene {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, ws: filepath.Join(dir, "ws"), other: filepath.Join(dir, "other")}
	s.dir(s.ws)
	s.dir(s.other)
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) dir(path string) string {
	s.must(os.MkdirAll(path, 0o755))
	return path
}

func (s *scene) program(path string) string {
	s.dir(filepath.Dir(path))
	s.must(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	return path
}

func (s *scene) link(target, name string) {
	s.dir(filepath.Dir(name))
	s.must(os.Symlink(target, name))
}

func (s *scene) world() command.World {
	ws, err := workspace.Open(workspace.Options{Roots: []string{s.ws}, Protected: []string{filepath.Join(s.other, "state")}})
	s.must(err)
	return NewWorld(ws, func() string { return s.path }, "/home/u")
}

// The last component counts, and one that leads to nothing yet, and ".." is
// where the link before it leads.
func TestTargetFollowsLinksAsACommandWould(t *testing.T) {
	s := newScene(t)
	s.dir(filepath.Join(s.ws, "sub"))
	s.link(filepath.Join(s.other, "f"), filepath.Join(s.ws, "dangling"))
	s.link(s.other, filepath.Join(s.ws, "away"))
	s.link(filepath.Join(s.ws, "sub"), filepath.Join(s.other, "back"))
	s.link("ring", filepath.Join(s.ws, "ring"))
	s.link(filepath.Join(s.ws, ".git/hooks/pre-commit"), filepath.Join(s.ws, "note"))
	w := s.world()
	for name, want := range map[string]string{
		"sub/x": "sub/x", "sub/../y": "y", "dangling": "", "away/x": "", "away/../ws/x": "x", "away/back/x": "sub/x", "away/back/../z": "z",
		"../ws/q": "q", "../x": "", "/etc/passwd": "", "ring": "", "ring/x": "", ".": ".", "note": ".git/hooks/pre-commit", "~/x": "~/x",
		"file:///etc/passwd": "file:/etc/passwd",
	} {
		got := w.Target(s.ws, name)
		if got.Rel != want || got.Inside != (want != "") {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
	if got := w.Target(s.ws, "ring"); got.Secret == "" {
		t.Error("a ring of links passes as an ordinary file")
	}
	if got := w.Target(s.ws, "../other/state/log"); got.Protected == "" {
		t.Errorf("%+v is not protected", got)
	}
}

func TestTargetKnowsSecrets(t *testing.T) {
	s := newScene(t)
	s.must(os.WriteFile(filepath.Join(s.ws, workspace.IgnoreFile), []byte("private/\n"), 0o644))
	s.link(".env", filepath.Join(s.ws, "plain"))
	w := s.world()
	for name, want := range map[string]bool{".env": true, "plain": true, "private/x": true, "main.go": false, "/home/u/.ssh/id_rsa": true} {
		if got := w.Target(s.ws, name); (got.Secret != "") != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What /proc has of a process is not ours to look at: a command's is another.
func TestTargetBelowProc(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc here")
	}
	s := newScene(t)
	t.Chdir(s.ws)
	w := s.world()
	for _, name := range []string{
		"/proc/self/cwd/x", "/proc/self/root" + s.ws + "/x", "/proc/self/cwd/../ws/x", "/proc/self/cwd/../../../.." + s.ws, "/dev/fd/3", "/dev/stdin",
		"/proc/thread-self/cwd/x",
	} {
		if got := w.Target(s.ws, name); got.Inside {
			t.Errorf("%s is taken for %s", name, got.Rel)
		}
	}
	if got := w.Target(s.ws, "/proc/.."+s.ws+"/x"); got.Rel != "x" {
		t.Errorf("%+v", got)
	}
}

func TestProgram(t *testing.T) {
	s := newScene(t)
	bin, local := filepath.Join(s.other, "bin"), filepath.Join(s.ws, "node_modules/.bin")
	s.program(filepath.Join(bin, "git"))
	s.program(filepath.Join(s.ws, "evil"))
	s.program(filepath.Join(local, "tsc"))
	s.link(filepath.Join(s.ws, "evil"), filepath.Join(bin, "linked"))
	s.link(filepath.Join(bin, "git"), filepath.Join(local, "outward"))
	s.must(os.WriteFile(filepath.Join(local, "git"), nil, 0o644)) // no program
	s.dir(filepath.Join(local, "folder"))
	s.path = strings.Join([]string{local, bin}, ":")
	w := s.world()
	for name, inside := range map[string]bool{"git": false, "tsc": true, "linked": true, "outward": true} {
		if got, ok := w.Program(name); !ok || got.Inside != inside {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"missing", "folder"} {
		if got, ok := w.Program(name); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// With a folder of PATH that depends on where a command runs, anything may be
// found in it.
func TestProgramInARelativeFolderOfPath(t *testing.T) {
	s := newScene(t)
	bin := filepath.Dir(s.program(filepath.Join(s.other, "bin/git")))
	for path, inside := range map[string]bool{bin + ":.": false, ".:" + bin: true, ":" + bin: true, bin + ":": false, "x:" + bin: true} {
		s.path = path
		if got, ok := s.world().Program("git"); !ok || got.Inside != inside {
			t.Errorf("PATH=%s: %+v, %v", path, got, ok)
		}
	}
}

// TestTargetHoldsWhatIsProtected: a folder above our own state may not be moved
// or packed as a whole, whatever its name leads through.
func TestTargetHoldsWhatIsProtected(t *testing.T) {
	s := newScene(t)
	own := s.dir(filepath.Join(s.other, "state", "drawbridge"))
	s.link(s.other, filepath.Join(s.ws, "out"))
	ws, err := workspace.Open(workspace.Options{Roots: []string{s.ws}, Protected: []string{own}})
	s.must(err)
	w := NewWorld(ws, func() string { return "" }, "/home/u")
	for name, want := range map[string]bool{
		"..": true, "../other": true, "../other/state": true, "../other/state/": true, "out": true, "out/state": true, "/": true,
		".": false, "../other/state/drawbridge": false, "../other/state/drawbridge/x": false, "../other/stat": false,
	} {
		if got := w.Target(s.ws, name); got.Holds != "" != want || (got.Holds != "" && got.Protected != "") {
			t.Errorf("%s: holds %q, protected %q", name, got.Holds, got.Protected)
		}
	}
}
