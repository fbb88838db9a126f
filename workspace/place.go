package workspace

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ResolveFrom resolves a path as a command in dir would have it opened: only
// relative or absolute, each ".." from where the links before it lead. Below
// /proc the links of a process are not followed, since those of the command are
// not ours. A path that cannot be resolved comes back as it was asked for, not
// inside any root, with the error.
func (w *Workspace) ResolveFrom(dir, name string) (Path, error) {
	if !filepath.IsAbs(name) {
		name = dir + string(filepath.Separator) + name
	}
	lexical := filepath.Clean(name)
	abs, err := followed(name)
	if err != nil {
		return Path{Abs: lexical, Lexical: lexical, Rel: lexical, Protected: w.protectedBy(lexical)}, err
	}
	return w.checked(abs, lexical), nil
}

// followed is canonical for a path that need not be clean and is another
// process's.
func followed(path string) (string, error) {
	vol := filepath.VolumeName(path)
	walk := walker{path: path, done: vol + string(filepath.Separator), rest: split(path[len(vol):])}
	for len(walk.rest) > 0 {
		if runtime.GOOS == "linux" && walk.done == "/proc" && walk.rest[0] != ".." {
			return walk.others()
		}
		if err := walk.step(); err != nil {
			return "", err
		}
	}
	return walk.done, nil
}

// others ends a walk in what each process has of its own.
func (w *walker) others() (string, error) {
	if slices.Contains(w.rest, "..") {
		return "", &FileError{Op: "resolve", Path: strings.ToValidUTF8(w.path, "?"), Kind: BadName, Detail: "it leads through another process"}
	}
	return filepath.Join(append([]string{w.done}, w.rest...)...), nil
}
