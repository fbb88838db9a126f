package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Find is the shell that commands get when none is configured:
// $DRAWBRIDGE_SHELL, else bash, else sh, from the system's folders first and
// then from absolute entries of PATH (a relative one would be the workspace's).
func Find() (string, error) {
	if s := strings.TrimSpace(os.Getenv("DRAWBRIDGE_SHELL")); s != "" {
		if !filepath.IsAbs(s) {
			return "", fmt.Errorf("DRAWBRIDGE_SHELL %q is not an absolute path", s)
		}
		return s, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if path, ok := lookUp(name); ok {
			return path, nil
		}
	}
	return "", errors.New("no bash or sh in /bin, /usr/bin or PATH")
}

func lookUp(name string) (string, bool) {
	dirs := append([]string{"/bin", "/usr/bin"}, filepath.SplitList(os.Getenv("PATH"))...)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}

// shellArgs is the argument vector for script. Every POSIX shell (bash, zsh,
// fish, dash, ksh) takes -c and, to read the login profile first, -l.
func shellArgs(shell, script string, login bool) []string {
	switch strings.TrimSuffix(strings.ToLower(filepath.Base(shell)), ".exe") {
	case "pwsh", "powershell":
		return []string{shell, "-NoLogo", "-NoProfile", "-Command", script}
	}
	if login {
		return []string{shell, "-lc", script}
	}
	return []string{shell, "-c", script}
}

// probeLimit bounds a user's start-up files when only PATH is asked for.
const probeLimit = 5 * time.Second

// LoginPath is the PATH that commands see, after the login profile. What the
// profile prints does not disturb it.
func LoginPath(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	l := NewRunner(Options{Login: true})
	defer l.Close(context.WithoutCancel(ctx))
	p, err := l.Start(Spec{Script: `printf '\0%s\0' "$PATH"`, Dir: "/", Env: Environ(EnvOptions{})})
	if err != nil {
		return "", err
	}
	p.CloseInput()
	select {
	case <-p.Done():
	case <-ctx.Done():
		return "", fmt.Errorf("ask the login shell for PATH: %w", context.Cause(ctx))
	}
	return framed(p.Output().Read(0, RingSize).Data)
}

// framed is the value between the last two NULs.
func framed(out []byte) (string, error) {
	parts := bytes.Split(out, []byte{0})
	if len(parts) < 3 {
		return "", errors.New("ask the login shell for PATH: it printed none")
	}
	return string(parts[len(parts)-2]), nil
}
