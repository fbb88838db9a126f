package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// fill adds to the host's environment what only theirs has, and merges PATH.
func fill(host, theirs []string) (env, added, gained []string) {
	env = slices.Clone(host)
	has := map[string]bool{}
	for _, kv := range host {
		has[envName(kv)] = true
	}
	for _, kv := range theirs {
		name := envName(kv)
		if !has[name] && taken(name) {
			env = append(env, kv)
			added = append(added, name)
			has[name] = true
		}
	}
	old := valueIn(host, "PATH")
	path := mergePath(old, valueIn(theirs, "PATH"))
	for _, dir := range filepath.SplitList(path) {
		if !slices.Contains(filepath.SplitList(old), dir) {
			gained = append(gained, dir)
		}
	}
	if path != "" {
		env = override(env, []string{"PATH=" + path})
	}
	slices.Sort(added)
	return env, added, gained
}

// taken reports whether a variable of the login shell is for commands: one that
// tells of the shell itself, or is no variable, is not. Functions that a
// profile exports are.
func taken(name string) bool {
	switch name {
	case "PATH", "PWD", "OLDPWD", "SHLVL", "_", "TERM":
		return false
	}
	function := strings.HasPrefix(name, "BASH_FUNC_") && strings.HasSuffix(name, "%%")
	return (function || variableName(name)) && !hasAnyPrefix(name, ownPrefixes)
}

func variableName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// mergePath keeps the order of a terminal. A host that has all the folders of
// the login shell was itself started from a terminal, and what stands before
// them there (a virtual environment) goes on doing so; else the login shell's
// come first, and then what only the host has. Relative entries would be the
// workspace's.
func mergePath(host, theirs string) string {
	ours, first := folders(host), folders(theirs)
	missing := slices.DeleteFunc(slices.Clone(first), func(dir string) bool { return slices.Contains(ours, dir) })
	if len(missing) == 0 {
		return strings.Join(ours, string(filepath.ListSeparator))
	}
	for _, dir := range ours {
		if !slices.Contains(first, dir) {
			first = append(first, dir)
		}
	}
	return strings.Join(first, string(filepath.ListSeparator))
}

// folders are the absolute entries of a PATH, each once.
func folders(path string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if dir = filepath.Clean(dir); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func valueIn(env []string, name string) string {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}
