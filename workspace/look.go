package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Look makes paths of what a walk below a resolved folder comes across, as Resolve
// would, but fast: it looks no link up, since a walk follows none, and reads each
// IgnoreFile once. It is for one walk. Safe for concurrent use.
type Look struct {
	w *Workspace

	mu      sync.Mutex // guards below
	folders map[string]*ignoredFolder
}

// ignoredFolder is what the lists say that hold in a folder: about the folder, if
// it is ignored with all that is in it, or else about what is in it.
type ignoredFolder struct {
	why   string
	lists []ignoreList
}

// Look begins to look.
func (w *Workspace) Look() *Look { return &Look{w: w, folders: map[string]*ignoredFolder{}} }

// Protected is why no tool may touch an absolute path without links; "" for
// ordinary ones.
func (l *Look) Protected(abs string) string { return l.w.protectedBy(abs) }

// Path is the path of a file or folder, whose absolute name has no link in it.
func (l *Look) Path(abs string, folder bool) Path {
	p := Path{Abs: abs, Lexical: abs, Rel: abs, Protected: l.w.protectedBy(abs), Ignored: l.ignored(abs, folder)}
	if root, ok := l.w.rootOf(abs); ok {
		p.Inside = true
		p.Rel = below(root, abs)
	}
	if folder {
		p.Holds = l.w.holdsProtected(abs)
	}
	return p
}

// below is the path of a file from a root that holds it, with slashes.
func below(root, abs string) string {
	if abs == root {
		return "."
	}
	return filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(abs, root), string(filepath.Separator)))
}

func (l *Look) ignored(abs string, folder bool) string {
	for _, root := range l.w.roots {
		if !within(root, abs) || abs == root {
			continue
		}
		rel := below(root, abs)
		in := l.folder(root, path.Dir(rel))
		if in.why != "" {
			return in.why
		}
		if by, ok := ignoring(in.lists, rel, folder); ok {
			return namedIn(by)
		}
	}
	return ""
}

func namedIn(dir string) string { return "named in " + path.Join(dir, IgnoreFile) }

// folder is what holds in a folder of a root.
func (l *Look) folder(root, dir string) *ignoredFolder {
	key := root + "\x00" + dir
	l.mu.Lock()
	known := l.folders[key]
	l.mu.Unlock()
	if known != nil {
		return known
	}
	f := l.read(root, dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.folders[key] = f
	return f
}

func (l *Look) read(root, dir string) *ignoredFolder {
	f := &ignoredFolder{}
	if dir == "." {
		dir = ""
	} else {
		up := l.folder(root, path.Dir(dir))
		if up.why != "" {
			return up
		}
		if by, ok := ignoring(up.lists, dir, true); ok {
			return &ignoredFolder{why: namedIn(by)}
		}
		f.lists = up.lists[:len(up.lists):len(up.lists)]
	}
	list, err := readIgnore(filepath.Join(root, dir, IgnoreFile), dir)
	if err != nil {
		return &ignoredFolder{why: fmt.Sprintf("%s cannot be used: %v", path.Join(dir, IgnoreFile), err)}
	}
	if list.rules != nil {
		f.lists = append(f.lists, list)
	}
	return f
}
