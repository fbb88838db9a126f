//go:build unix

package sandbox

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// What git, an editor or a shell runs without anyone asking for it is
// read-only inside a writable folder too, and may not come to be there: an
// agent's command would otherwise have its code run later, by the user,
// outside. The package that decides about edits has the same names.

// codeFolders and askedNames are names directly below a root.
var (
	// codeFolders take effect in an editor as soon as they are there.
	codeFolders = []string{".vscode", ".idea", ".zed", ".helix", ".drawbridge"}
	// askedNames come into effect only when a person says so, or git's settings,
	// which are protected themselves, name them: they are protected where they are.
	askedNames = []string{
		".devcontainer", ".husky", ".githooks", ".envrc", ".nvim.lua", ".nvimrc", ".exrc", ".dir-locals.el",
		"mise.toml", ".mise.toml",
	}
)

// guarded is a path that a command must not write. One that is missing must
// not come to be: a backend that cannot forbid a name has something stand there
// meanwhile, which is a folder, since git sees no empty ones, unless content
// says that it is a file.
type guarded struct {
	path    string
	root    string // the opened folder that path lies in; "" is the one it is directly in
	content *string
}

// parent is the folder that the path lies in.
func (g guarded) parent() (folder, error) {
	if g.root == "" {
		return openFolder(filepath.Dir(g.path))
	}
	return openParent(g.root, g.path)
}

func (g guarded) name() string { return filepath.Base(g.path) }

// text is the content of a file that stands in for a missing one.
func text(s string) *string { return &s }

// guard lists what is protected in a root.
func (p Policy) guard(root string) []guarded {
	var list []guarded
	for _, name := range codeFolders {
		list = append(list, guarded{path: filepath.Join(root, name)})
	}
	top, err := openFolder(root)
	if err != nil {
		return append(list, guarded{path: filepath.Join(root, ".git")})
	}
	defer top.close()
	list = appendExisting(list, top, askedNames...)
	list = append(list, workspaceFiles(top)...)
	return append(list, guardRepository(top)...)
}

// maxWorkspaceFiles bounds the files *.code-workspace that are protected.
const maxWorkspaceFiles = 50

func workspaceFiles(top folder) []guarded {
	entries, _ := top.file.ReadDir(-1)
	var list []guarded
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".code-workspace") && len(list) < maxWorkspaceFiles {
			list = append(list, guarded{path: filepath.Join(top.file.Name(), entry.Name())})
		}
	}
	return list
}

func appendExisting(list []guarded, dir folder, names ...string) []guarded {
	for _, name := range names {
		if dir.has(name) {
			list = append(list, guarded{path: filepath.Join(dir.file.Name(), name)})
		}
	}
	return list
}

// guardRepository lists what git runs code from in the repository of a root,
// whose rest stays writable, so that a command can commit. Without a repository
// there shall be none.
func guardRepository(top folder) []guarded {
	root := top.file.Name()
	whole := []guarded{{path: filepath.Join(root, ".git")}}
	dot, err := openFolder(root, ".git")
	if err != nil {
		return whole
	}
	defer dot.close()
	if !isGitDir(dot) || steeredByLinks(dot) {
		return whole
	}
	list := guardGitDir(dot)
	for _, hooks := range hooksPaths(dot.text("config"), root) {
		list = append(list, guarded{path: hooks})
	}
	return list
}

// isGitDir tells a repository as git does.
func isGitDir(dir folder) bool { return dir.has("HEAD") && dir.has("objects") && dir.has("refs") }

// steeredByLinks tells a repository in which a link stands where nothing could
// be mounted on it: it is read-only whole.
func steeredByLinks(dir folder) bool {
	for _, name := range []string{"hooks", "config", "commondir"} {
		if kind, err := dir.kind(name); err == nil && kind == unix.S_IFLNK {
			return true
		}
	}
	return false
}

// guardGitDir lists a repository's own. The file commondir would have git take
// everything from another place; "." is this one. The repositories of modules
// and worktrees are protected as a whole: what lies below is nothing that we
// could look at without being led astray.
func guardGitDir(dir folder) []guarded {
	path := dir.file.Name()
	list := []guarded{
		{path: filepath.Join(path, "hooks")},
		{path: filepath.Join(path, "config"), content: text("")},
		{path: filepath.Join(path, "commondir"), content: text(".\n")},
	}
	if strings.Contains(strings.ToLower(dir.text("config")), "worktreeconfig") {
		list = append(list, guarded{path: filepath.Join(path, "config.worktree"), content: text("")})
	}
	return appendExisting(list, dir, "config.worktree", "modules", "worktrees")
}

// hooksPaths are the folders below root that a repository's settings name for
// its hooks. git takes the last one that it is told of; each is protected.
func hooksPaths(config, root string) []string {
	var paths []string
	for _, path := range gitValues(config, "hooksPath") {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if inside, err := filepath.Rel(root, path); err == nil && inside != "." && filepath.IsLocal(inside) {
			paths = append(paths, path)
		}
	}
	return paths
}

// gitValues are what a text of git's settings gives a name, in whatever section,
// in order.
func gitValues(config, name string) []string {
	var values []string
	for line := range strings.Lines(config) {
		left, value, found := strings.Cut(line, "=")
		words := strings.Fields(left) // a line may begin with its section: [core] hooksPath = …
		if found && len(words) > 0 && strings.EqualFold(words[len(words)-1], name) {
			values = append(values, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return values
}

// worktree is a root that is a linked worktree of a repository elsewhere.
type worktree struct {
	common string // the repository
	own    string // the worktree's own folder in it
}

// linked is what root is a worktree of. A file that merely claims so opens
// nothing: the repository must name the worktree in turn, and none of it may
// lie where commands write.
func linked(root string, opened func(path string) bool) (w worktree, ok bool) {
	top, err := openFolder(root)
	if err != nil {
		return w, false
	}
	defer top.close()
	w.own = pointer(top, ".git", "gitdir: ")
	if w.own == "" || opened(w.own) {
		return w, false
	}
	own, err := openFolder(w.own)
	if err != nil {
		return w, false
	}
	defer own.close()
	w.common = pointer(own, "commondir", "")
	if w.common == "" || opened(w.common) || filepath.Dir(w.own) != filepath.Join(w.common, "worktrees") {
		return w, false
	}
	common, err := openFolder(w.common)
	if err != nil {
		return w, false
	}
	defer common.close()
	return w, isGitDir(common) && !steeredByLinks(common) && pointer(own, "gitdir", "") == filepath.Join(root, ".git")
}

// guards lists what git runs code from in the repository, and what leads there
// in the worktree's own folder.
func (w worktree) guards() []guarded {
	var list []guarded
	if common, err := openFolder(w.common); err == nil {
		list = append(list, guardGitDir(common)...)
		common.close()
	}
	if own, err := openFolder(w.own); err == nil {
		list = appendExisting(list, own, "commondir", "gitdir", "config.worktree")
		own.close()
	}
	return list
}

// pointer reads a path, whose links it follows, from a small file of git's, ""
// when there is none. A relative one starts at dir.
func pointer(dir folder, name, prefix string) string {
	path, ok := strings.CutPrefix(strings.TrimRight(dir.text(name), "\r\n"), prefix)
	if !ok || path == "" || strings.ContainsRune(path, 0) {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir.file.Name(), path)
	}
	return followed(path)
}
