package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// knownShells take -i, -l and -c as bash does.
var knownShells = []string{"bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh"}

// userShell is the shell that the user's terminals start: $SHELL, else that of
// the list of users, as far as it is a shell that we know; else bash or sh.
func userShell() (string, error) {
	for _, path := range []string{os.Getenv("SHELL"), listedShell("/etc/passwd", os.Getuid())} {
		if filepath.IsAbs(path) && slices.Contains(knownShells, filepath.Base(path)) && isProgram(path) {
			return path, nil
		}
	}
	for _, name := range []string{"bash", "sh"} {
		if path, ok := lookUp(name); ok {
			return path, nil
		}
	}
	return "", errors.New("no login shell: SHELL names none that is known, and there is no bash or sh")
}

// listedShell is a user's shell in a file like /etc/passwd, "" if it is in none.
func listedShell(file string, uid int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(uid) {
			return fields[6]
		}
	}
	return ""
}

func lookUp(name string) (string, bool) {
	dirs := append([]string{"/bin", "/usr/bin"}, filepath.SplitList(os.Getenv("PATH"))...)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(dir) && isProgram(path) {
			return path, true
		}
	}
	return "", false
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
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
