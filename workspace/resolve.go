package workspace

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxLinks is how many symbolic links one name may lead through.
const maxLinks = 40

// Resolve turns a name as a model or a person wrote it into a checked path. It
// takes relative names (against the first root), absolute ones, ~/ and file:
// URIs. Nothing needs to exist: what is missing is kept as written below the
// deepest directory that is there, dangling links are followed to where a
// write would land.
func (w *Workspace) Resolve(name string) (Path, error) {
	lexical, err := w.absolute(name)
	if err != nil {
		return Path{}, err
	}
	abs, err := canonical(lexical)
	if err != nil {
		return Path{}, err
	}
	return w.checked(abs, lexical), nil
}

// ResolveEntry is Resolve for the name itself: where that is a link, it is not
// followed, only those on the way to it are.
func (w *Workspace) ResolveEntry(name string) (Path, error) {
	lexical, err := w.absolute(name)
	if err != nil {
		return Path{}, err
	}
	dir, err := canonical(filepath.Dir(lexical))
	if err != nil {
		return Path{}, err
	}
	return w.checked(filepath.Join(dir, filepath.Base(lexical)), lexical), nil
}

// checked judges a resolved path.
func (w *Workspace) checked(abs, lexical string) Path {
	p := Path{Abs: abs, Lexical: lexical, Rel: abs}
	if root, ok := w.rootOf(abs); ok {
		p.Inside = true
		rel, _ := filepath.Rel(root, abs) // both are absolute and clean
		p.Rel = filepath.ToSlash(rel)
	}
	p.Protected = w.protectedBy(abs, lexical)
	p.Holds = w.holdsProtected(abs, lexical)
	p.Ignored = w.ignoredBy(abs, lexical)
	return p
}

func (w *Workspace) absolute(name string) (string, error) {
	bad := func(detail string) (string, error) {
		return "", &FileError{Op: "resolve", Path: strings.ToValidUTF8(name, "?"), Kind: BadName, Detail: detail}
	}
	if name == "" {
		return bad("it is empty")
	}
	if strings.HasPrefix(name, "file:") {
		path, ok := uriPath(name)
		if !ok {
			return bad("not a local file: URI")
		}
		name = path
	}
	if scheme := w.foreign(name); scheme != "" {
		return bad(scheme + ": names a document that is no file: only files can be read and changed. What an editor has not saved yet, it must save under a name first")
	}
	if strings.ContainsRune(name, 0) {
		name = strings.ReplaceAll(name, "\x00", "␀")
		return bad("it contains a NUL byte")
	}
	if name == "~" || strings.HasPrefix(name, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return bad("the home directory is not known")
		}
		name = home + name[1:]
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(w.roots[0], name)
	}
	return filepath.Clean(name), nil
}

// foreignSchemes are those of documents that editors have beside files, as far
// as no // tells them from a file's name.
var foreignSchemes = []string{
	"untitled", "git", "gitfs", "output", "jdt", "data", "about", "drawbridge", "zipfile", "walkthrough", "search-editor",
}

// foreign returns the scheme of a name that is the URI of something else than a
// file. A file that is there by that very name is one.
func (w *Workspace) foreign(name string) string {
	scheme, rest, found := strings.Cut(name, ":")
	if !found || len(scheme) < 2 || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return ""
	}
	known := slices.Contains(foreignSchemes, strings.ToLower(scheme)) || strings.HasPrefix(strings.ToLower(scheme), "vscode")
	if !known && !strings.HasPrefix(rest, "//") {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(w.roots[0], name)); err == nil {
		return ""
	}
	return scheme
}

func uriPath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Opaque != "" || u.Path == "" || (u.Host != "" && u.Host != "localhost") {
		return "", false
	}
	return u.Path, true
}

// rootOf returns the deepest root that holds abs.
func (w *Workspace) rootOf(abs string) (string, bool) {
	best := ""
	for _, root := range w.roots {
		if within(root, abs) && len(root) > len(best) {
			best = root
		}
	}
	return best, best != ""
}

// protectedBy judges the resolved path and the asked-for one: a link inside a
// protected directory is as much ours as what it leads to.
func (w *Workspace) protectedBy(paths ...string) string {
	for _, p := range w.protected {
		for _, path := range paths {
			if within(p, path) || (foldsCase && within(strings.ToLower(p), strings.ToLower(path))) {
				return "it belongs to the program's own state and settings"
			}
		}
	}
	return ""
}

// holdsProtected reports whether something protected lies in a folder, by either
// of its names.
func (w *Workspace) holdsProtected(paths ...string) bool {
	for _, p := range w.protected {
		for _, path := range paths {
			if p != path && (within(path, p) || foldsCase && within(strings.ToLower(path), strings.ToLower(p))) {
				return true
			}
		}
	}
	return false
}

// foldsCase says that file systems usually take names in either case for the
// same file, so that a ban must hold for both.
const foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// within reports whether path is dir or lies below it; both are clean.
func within(dir, path string) bool {
	if !strings.HasPrefix(path, dir) {
		return false
	}
	return len(path) == len(dir) || os.IsPathSeparator(path[len(dir)]) || os.IsPathSeparator(dir[len(dir)-1])
}

// canonical resolves the symbolic links of an absolute clean path as far as it
// exists. Unlike filepath.EvalSymlinks it goes on where something is missing:
// that is where a write would create it.
func canonical(path string) (string, error) {
	vol := filepath.VolumeName(path)
	walk := walker{path: path, done: vol + string(filepath.Separator), rest: split(path[len(vol):])}
	for len(walk.rest) > 0 {
		if err := walk.step(); err != nil {
			return "", err
		}
	}
	return walk.done, nil
}

// walker resolves one component at a time: done is real, rest is not yet.
type walker struct {
	path  string // as asked, for errors
	done  string
	rest  []string
	links int
}

func (w *walker) step() error {
	name := w.rest[0]
	w.rest = w.rest[1:]
	if name == ".." { // only out of a link: done has no links, so its parent is the real one
		w.done = filepath.Dir(w.done)
		return nil
	}
	next := filepath.Join(w.done, name)
	info, err := os.Lstat(next)
	if err != nil {
		if kind := kindOf(err); kind != NotFound && kind != NotDir {
			return fileError("resolve", w.path, err)
		}
		w.done = next
		return nil
	}
	if info.Mode()&os.ModeSymlink == 0 {
		w.done = next
		return nil
	}
	return w.follow(next)
}

func (w *walker) follow(link string) error {
	if w.links++; w.links > maxLinks {
		return &FileError{Op: "resolve", Path: w.path, Kind: Loop}
	}
	target, err := os.Readlink(link)
	if err != nil {
		return fileError("resolve", w.path, err)
	}
	if filepath.IsAbs(target) {
		w.done = filepath.VolumeName(target) + string(filepath.Separator)
		target = target[len(filepath.VolumeName(target)):]
	}
	w.rest = append(split(target), w.rest...)
	return nil
}

// split returns the components of a path without empty ones and dots.
func split(path string) []string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	kept := parts[:0]
	for _, part := range parts {
		if part != "." {
			kept = append(kept, part)
		}
	}
	return kept
}
