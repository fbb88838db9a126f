package shell

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// valueOf tells an absent variable from an empty one.
func valueOf(env []string, name string) (string, bool) {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v, true
		}
	}
	return "", false
}

func TestEnvironPasses(t *testing.T) {
	host := []string{
		"PATH=/bin", "HTTP_PROXY=http://p", "EMPTY=", "OPENAI_BASE_URL=http://localhost", "OPENAI_MODEL=m",
		"SSH_AUTH_SOCK=/s", "EXPORTED=", "MULTI=a=b\nc", "BASH_FUNC_greet%%=() { echo hello\n}",
	}
	env := Environ(EnvOptions{Host: slices.Concat(host, []string{"=C:=odd", "no variable"})})
	if got := env[:len(host)]; !slices.Equal(got, host) || len(env) != len(host)+6 {
		t.Errorf("got %q", env)
	}
}

// P-EXEC-11, -12, -13: what is set for commands wins over the host, and what
// keeps them from waiting wins over both.
func TestEnvironOrder(t *testing.T) {
	o := EnvOptions{
		Host:  []string{"A=host", "PORT=1", "TERM=xterm", "NO_COLOR=", "FORCE_COLOR=1", "Host=h", "MANPAGER=less"},
		Allow: []string{"TERM"},
		Set:   []string{"A=set", "PORT=3000", "PAGER=less", "OPENAI_API_KEY=given"},
	}
	set := []string{"A=set", "PORT=3000", "OPENAI_API_KEY=given"}
	for name, c := range map[string]struct {
		tty, full bool
		want      []string
	}{
		"pipes": {false, false, []string{
			"GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1", "GIT_EDITOR=true", "PAGER=cat", "GIT_PAGER=cat",
		}},
		"a shared terminal": {true, false, []string{
			"NO_COLOR=", "TERM=xterm-256color", "GIT_EDITOR=true", "PAGER=cat", "GIT_PAGER=cat",
		}},
		"full pipes":      {false, true, []string{"TERM=xterm", "NO_COLOR=", "MANPAGER=less", "PAGER=less"}},
		"a full terminal": {true, true, []string{"TERM=xterm-256color", "NO_COLOR=", "MANPAGER=less", "PAGER=less"}},
	} {
		o.TTY, o.Full = c.tty, c.full
		got, want := slices.Sorted(slices.Values(Environ(o))), slices.Sorted(slices.Values(slices.Concat(set, c.want)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", name, got, want)
		}
	}
}

func TestEnvironIsTheHostsUnlessGiven(t *testing.T) {
	t.Setenv("SHELL_TEST_VAR", "host")
	if v, _ := valueOf(Environ(EnvOptions{}), "SHELL_TEST_VAR"); v != "host" {
		t.Errorf("got %q", v)
	}
	if _, ok := valueOf(Environ(EnvOptions{Host: []string{}}), "SHELL_TEST_VAR"); ok {
		t.Error("an empty host environment was taken for none")
	}
}

func TestFindPrefersTheConfiguredShell(t *testing.T) {
	t.Setenv("DRAWBRIDGE_SHELL", "  ")
	found, err := Find()
	if err != nil || !filepath.IsAbs(found) {
		t.Fatalf("blank setting: %q, %v", found, err)
	}
	t.Setenv("DRAWBRIDGE_SHELL", "/opt/zsh")
	if found, _ = Find(); found != "/opt/zsh" {
		t.Errorf("found %q", found)
	}
	t.Setenv("DRAWBRIDGE_SHELL", "zsh")
	if found, err = Find(); err == nil {
		t.Errorf("a relative shell was accepted: %q", found)
	}
}

// What PATH has of the workspace is the workspace's, by whatever name.
func TestLocatePassesTheWorkspaceOver(t *testing.T) {
	const name = "shell-of-the-test"
	ws, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{ws, filepath.Join(ws, "bin"), other} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	links := t.TempDir()
	for link, target := range map[string]string{"folder": filepath.Join(ws, "bin"), name: filepath.Join(ws, name)} {
		if err := os.Symlink(target, filepath.Join(links, link)); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := t.TempDir()
	for path, want := range map[string]string{
		".": "", "": "", "bin": "", ws: "", filepath.Join(ws, "bin"): "", filepath.Join(links, "folder"): "", links: "",
		ws + ":" + other: filepath.Join(other, name), ".:" + other: filepath.Join(other, name),
	} {
		t.Setenv("PATH", path)
		t.Chdir(ws)
		if got, _ := Locate(name); got != want {
			t.Errorf("in it, PATH=%s: %q", path, got)
		}
		t.Chdir(elsewhere)
		if got, _ := Locate(name, ws); got != want {
			t.Errorf("for it, PATH=%s: %q", path, got)
		}
	}
}

func TestShellArgs(t *testing.T) {
	for shell, want := range map[string][]string{
		"/bin/bash": {"/bin/bash", "-c", "s"}, "/bin/sh": {"/bin/sh", "-c", "s"}, "/usr/bin/fish": {"/usr/bin/fish", "-c", "s"},
		"/opt/pwsh": {"/opt/pwsh", "-NoLogo", "-NoProfile", "-Command", "s"},
	} {
		if got := shellArgs(shell, "s", false); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
	if got := shellArgs("/bin/zsh", "s", true); !slices.Equal(got, []string{"/bin/zsh", "-lc", "s"}) {
		t.Errorf("%q", got)
	}
}
