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
// $DRAWBRIDGE_SHELL, else bash, else sh as Locate finds them. It is for commands
// in dirs.
func Find(dirs ...string) (string, error) {
	if s := strings.TrimSpace(os.Getenv("DRAWBRIDGE_SHELL")); s != "" {
		if !filepath.IsAbs(s) {
			return "", fmt.Errorf("DRAWBRIDGE_SHELL %q is not an absolute path", s)
		}
		return s, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if path, ok := Locate(name, dirs...); ok {
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
		if path, ok := Locate(name); ok {
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

// Locate finds a program that we run ourselves: in the system's folders first,
// then in those of PATH. A folder that is relative, or lies in the bridge's own
// working directory or in one of dirs, may be the workspace's and is passed
// over, and so is a program that leads there.
func Locate(name string, dirs ...string) (path string, ok bool) {
	for _, dir := range []string{"/bin", "/usr/bin"} {
		if path := filepath.Join(dir, name); isProgram(path) {
			return path, true
		}
	}
	if here, err := os.Getwd(); err == nil {
		dirs = append(slices.Clone(dirs), here)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isProgram(path) && !inAny(dirs, path) {
			return path, true
		}
	}
	return "", false
}

// inAny says that a program, or what it is a link to, lies in one of the
// folders. The root of the file system is nobody's workspace.
func inAny(dirs []string, program string) bool {
	for _, dir := range dirs {
		for _, path := range []string{program, real(program), filepath.Join(real(filepath.Dir(program)), filepath.Base(program))} {
			rel, err := filepath.Rel(real(dir), path)
			if dir != "/" && err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// real is a path without links; as it is where that cannot be told.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
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
