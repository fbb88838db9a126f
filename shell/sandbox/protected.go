package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	// homeFiles are run by a shell, or at a login, when the root is a home folder.
	homeFiles = []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".vimrc",
		".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".gitconfig",
		".config/git", ".config/fish", ".config/nvim", ".config/autostart", ".config/systemd", ".vim", ".emacs.d",
		".local/bin", ".ssh", ".gnupg",
	}
)

// guarded is a path that a command must not write. One that is missing must
// not come to be: a backend that cannot forbid a name has something stand there
// meanwhile, which is a folder, since git sees no empty ones, unless content
// says that it is a file.
type guarded struct {
	path    string
	content *string
}

// text is the content of a file that stands in for a missing one.
func text(s string) *string { return &s }

// guard lists what is protected in a root.
func (p Policy) guard(root string) []guarded {
	var list []guarded
	for _, name := range codeFolders {
		list = append(list, guarded{path: filepath.Join(root, name)})
	}
	for _, name := range askedNames {
		list = appendExisting(list, filepath.Join(root, name))
	}
	workspaces, _ := filepath.Glob(filepath.Join(escapeGlob(root), "*.code-workspace"))
	for _, file := range workspaces {
		list = append(list, guarded{path: file})
	}
	if root == p.Home {
		for _, name := range homeFiles {
			list = appendExisting(list, filepath.Join(root, name))
		}
	}
	list = append(list, guardGit(root)...)
	if hooks := hooksPath(filepath.Join(root, ".git", "config"), root); hooks != "" {
		list = append(list, guarded{path: hooks})
	}
	return list
}

// hooksPath is the folder below root that a repository's settings name for its
// hooks, "" for none.
func hooksPath(config, root string) string {
	text, _ := os.ReadFile(config)
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(line, "=")
		if words := strings.Fields(name); !found || len(words) == 0 || !strings.EqualFold(words[len(words)-1], "hooksPath") {
			continue // a line may begin with its section: [core] hooksPath = …
		}
		path := strings.Trim(strings.TrimSpace(value), `"`)
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if inside, err := filepath.Rel(root, path); err == nil && inside != "." && filepath.IsLocal(inside) {
			return path
		}
	}
	return ""
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func appendExisting(list []guarded, path string) []guarded {
	if _, err := os.Lstat(path); err != nil {
		return list
	}
	return append(list, guarded{path: path})
}

// guardGit lists what git runs code from: hooks and configuration of the
// repository, of its modules and worktrees. The rest of .git stays writable,
// so that a command can commit. Without a repository there shall be none.
func guardGit(root string) []guarded {
	dot := filepath.Join(root, ".git")
	info, err := os.Lstat(dot)
	if err != nil || !info.IsDir() {
		return []guarded{{path: dot}}
	}
	if !isGitDir(dot) {
		return []guarded{{path: dot}}
	}
	return guardGitDir(dot)
}

// isGitDir tells a repository as git does.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// guardGitDir lists a repository's own. The file commondir would have git take
// everything from another place; "." is this one.
func guardGitDir(dir string) []guarded {
	list := []guarded{
		{path: filepath.Join(dir, "hooks")},
		{path: filepath.Join(dir, "config"), content: text("")},
		{path: filepath.Join(dir, "commondir"), content: text(".\n")},
	}
	if config, _ := os.ReadFile(filepath.Join(dir, "config")); bytes.Contains(bytes.ToLower(config), []byte("worktreeconfig")) {
		list = append(list, guarded{path: filepath.Join(dir, "config.worktree"), content: text("")})
	} else {
		list = appendExisting(list, filepath.Join(dir, "config.worktree"))
	}
	for _, module := range modules(filepath.Join(dir, "modules")) {
		list = append(list, guardGitDir(module)...)
	}
	trees, _ := os.ReadDir(filepath.Join(dir, "worktrees"))
	for _, tree := range trees {
		for _, name := range []string{"commondir", "gitdir", "config.worktree"} {
			list = appendExisting(list, filepath.Join(dir, "worktrees", tree.Name(), name))
		}
	}
	return list
}

// maxModules bounds the repositories of modules that are looked for.
const maxModules = 500

// modules finds the repositories below .git/modules, whose names may have
// slashes.
func modules(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if len(found) >= maxModules {
			return filepath.SkipAll
		}
		if isGitDir(path) {
			found = append(found, path)
			return filepath.SkipDir
		}
		return nil
	})
	return found
}

// linkedGit is the repository outside root that root is a worktree of, "" for
// none. A file that merely claims so opens nothing: the repository must name
// the worktree in turn.
func linkedGit(root string) string {
	dot := filepath.Join(root, ".git")
	own := pointer(dot, "gitdir: ", root)
	if own == "" || followed(pointer(filepath.Join(own, "gitdir"), "", own)) != dot {
		return ""
	}
	common := pointer(filepath.Join(own, "commondir"), "", own)
	if common == "" || !isGitDir(common) {
		return ""
	}
	if inside, err := filepath.Rel(filepath.Join(common, "worktrees"), own); err != nil || strings.HasPrefix(inside, "..") {
		return ""
	}
	return followed(common)
}

// pointer reads a path from a small file of git's, "" when there is none. A
// relative one starts at base.
func pointer(file, prefix, base string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return ""
	}
	raw, err := os.ReadFile(file)
	path, ok := strings.CutPrefix(strings.TrimRight(string(raw), "\r\n"), prefix)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path
}
