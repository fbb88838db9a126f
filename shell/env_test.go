package shell

import (
	"context"
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

func TestEnvironWithholds(t *testing.T) {
	for _, name := range []string{
		"PORT", "Port", "HOST", "FORCE_COLOR", "CLICOLOR_FORCE", "DRAWBRIDGE_SHELL", "drawbridge_x", "LINES",
		"ANTHROPIC_API_KEY", "Anthropic_Api_Key", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_API_KEY_2", "OPENAI_ADMIN_KEY",
		"GEMINI_API_KEY", "GROQ_API_KEY", "REPLICATE_API_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "HF_TOKEN",
		"VSCODE_IPC_HOOK_CLI", "NVIM", "ELECTRON_RUN_AS_NODE", "NODE_CHANNEL_FD", "TERM_PROGRAM",
	} {
		env := Environ(EnvOptions{Host: []string{name + "=x", "KEPT=1"}})
		if v, ok := valueOf(env, name); ok {
			t.Errorf("%s=%q reaches commands", name, v)
		}
		if v, _ := valueOf(env, "KEPT"); v != "1" {
			t.Errorf("an ordinary variable was lost beside %s", name)
		}
		env = Environ(EnvOptions{Host: []string{name + "=x"}, Allow: []string{strings.ToLower(name)}})
		if v, _ := valueOf(env, name); v != "x" {
			t.Errorf("%s is withheld though allowed", name)
		}
	}
}

func TestEnvironPasses(t *testing.T) {
	host := []string{
		"PATH=/bin", "HTTP_PROXY=http://p", "EMPTY=", "OPENAI_BASE_URL=http://localhost", "OPENAI_MODEL=m",
		"SSH_AUTH_SOCK=/s", "MY_API_KEY=own", "EXPORTED=", "MULTI=a=b\nc",
	}
	env := Environ(EnvOptions{Host: slices.Concat(host, []string{"=C:=odd", "no variable"})})
	if got := env[:len(host)]; !slices.Equal(got, host) || len(env) != len(host)+len(hardened) {
		t.Errorf("got %q", env)
	}
}

func TestEnvironOrder(t *testing.T) {
	env := Environ(EnvOptions{
		Host:  []string{"A=host", "PORT=1", "TERM=xterm", "NO_COLOR=", "FORCE_COLOR=1"},
		Allow: []string{"TERM"},
		Set:   []string{"A=set", "PORT=3000", "PAGER=less", "OPENAI_API_KEY=given"},
	})
	want := []string{
		"A=set", "PORT=3000", "OPENAI_API_KEY=given",
		"GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat",
	}
	if !slices.Equal(env, want) {
		t.Errorf("got %q\nwant %q", env, want)
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

func TestLookUpIgnoresRelativePathEntries(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const name = "shell-of-the-test"
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", ".")
	if path, ok := lookUp(name); ok {
		t.Errorf("found %s in the workspace", path)
	}
	t.Setenv("PATH", ".:"+dir)
	if path, ok := lookUp(name); !ok || path != filepath.Join(dir, name) {
		t.Errorf("found %q", path)
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

func TestLoginPathIsThatOfTheProfile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	profile := "echo 'Welcome back!'\nPATH=/from/profile:$PATH\n"
	if err := os.WriteFile(filepath.Join(home, ".profile"), []byte(profile), 0o644); err != nil {
		t.Fatal(err)
	}
	path, err := LoginPath(t.Context())
	if err != nil || !strings.HasPrefix(path, "/from/profile:/") {
		t.Errorf("%q, %v", path, err)
	}
}

func TestLoginPathGivesUp(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.WriteFile(filepath.Join(home, ".profile"), []byte("sleep 300\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if path, err := LoginPath(ctx); err == nil {
		t.Errorf("got %q from a profile that never ends", path)
	}
}
