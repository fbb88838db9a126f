package workspace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxHinted  = 8
	maxScanned = 10_000 // directory entries looked at for a hint
)

// Hint says, for a path that is not there, how far it is and what lies there
// instead. Outside the roots it names no entries: listing those is a read that
// nobody has allowed. "" means that there is nothing to say.
func (w *Workspace) Hint(p Path) string {
	dir, missing := deepest(p.Abs)
	if missing == "" || p.Protected != "" {
		return ""
	}
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	shown := w.show(dir)
	if !info.IsDir() {
		return fmt.Sprintf("%q exists but is a file, not a directory.", shown)
	}
	said := fmt.Sprintf("Directory %q exists but has no %q.", shown, missing)
	if _, inside := w.rootOf(dir); !inside {
		return said
	}
	return said + " " + w.listing(dir, missing)
}

// deepest returns the deepest existing ancestor of an absolute path and the
// first segment that is missing below it; "" when nothing is.
func deepest(abs string) (dir, missing string) {
	dir = abs
	for {
		if _, err := os.Lstat(dir); err == nil {
			return dir, missing
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return dir, ""
		}
		missing = filepath.Base(dir)
		dir = parent
	}
}

// show names a directory as the model would: relative to its root.
func (w *Workspace) show(abs string) string {
	root, ok := w.rootOf(abs)
	if !ok || root == abs {
		return abs
	}
	rel, _ := filepath.Rel(root, abs) // abs lies in root
	return filepath.ToSlash(rel)
}

func (w *Workspace) listing(dir, wanted string) string {
	names, more, err := w.entries(dir)
	if err != nil {
		return "It cannot be listed."
	}
	if len(names) == 0 {
		return "It is empty."
	}
	rank(names, wanted)
	if len(names) > maxHinted {
		more += len(names) - maxHinted
		names = names[:maxHinted]
	}
	text := "It contains: " + strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" (+%d more)", more)
	}
	return text
}

// entries returns the names in dir, directories with a slash, and how many it
// did not look at.
func (w *Workspace) entries(dir string) (names []string, more int, err error) {
	at, err := w.openPlace(dir, false)
	if err != nil {
		return nil, 0, err
	}
	defer at.close()
	f, err := at.dir.Open(".")
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	list, err := f.ReadDir(maxScanned)
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	for _, e := range list {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	rest, _ := f.Readdirnames(-1) // only counted; an error leaves the count low
	return names, len(rest), nil
}

// rank puts first what shares the longest beginning with wanted, in either
// case, and orders the rest by name.
func rank(names []string, wanted string) {
	wanted = strings.ToLower(wanted)
	slices.SortFunc(names, func(a, b string) int {
		if d := sharedPrefix(strings.ToLower(b), wanted) - sharedPrefix(strings.ToLower(a), wanted); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// sharedPrefix is how many bytes a and b have in common at their beginning.
func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
