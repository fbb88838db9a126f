package approval

import (
	"path/filepath"
	"strings"
)

// RunsCode says who would run what is written to path, without anyone asking
// for it: on opening the folder, on entering it, at the next commit or login.
// It is "" for ordinary files. Names are compared without case, since file
// systems may.
func RunsCode(path string) string {
	if path == "" {
		return ""
	}
	parts := strings.Split(strings.ToLower(filepath.ToSlash(path)), "/")
	base := parts[len(parts)-1]
	if who := codeFiles[base]; who != "" {
		return who
	}
	if strings.HasSuffix(base, ".code-workspace") {
		return "the editor runs its tasks and settings"
	}
	for i, p := range parts {
		if who := codeFolders[p]; who != "" && (i < len(parts)-1 || p == ".git") {
			return who
		}
	}
	if len(parts) < 2 {
		return ""
	}
	return codePairs[parts[len(parts)-2]+"/"+base]
}

// codeFolders run, or steer, whatever lies below them. The .git folder counts
// whole: besides hooks and config, its attributes and its module folders name
// programs, and a file of that name points git to another folder.
var codeFolders = map[string]string{
	".git":        "git runs hooks and programs named here",
	".husky":      "git runs these hooks",
	".githooks":   "git runs these hooks",
	".drawbridge": "it steers what this agent may do",
	".helix":      "the editor reads commands from here",
	".idea":       "the editor runs tasks and tools from here",
	".zed":        "the editor runs tasks from here",
}

// codePairs are single files of folders that hold harmless ones too.
var codePairs = map[string]string{
	".vscode/tasks.json":              "the editor can run tasks when the folder opens",
	".vscode/settings.json":           "settings name programs that the editor runs",
	".vscode/launch.json":             "the editor runs what it names",
	".vscode/mcp.json":                "the editor starts the servers it names",
	".devcontainer/devcontainer.json": "the editor runs its commands",
	"fish/config.fish":                "the shell runs it at start",
}

// codeFiles run wherever they lie.
var codeFiles = map[string]string{
	".envrc":         "direnv runs it on entering the folder",
	".mise.toml":     "mise runs its hooks on entering the folder",
	"mise.toml":      "mise runs its hooks on entering the folder",
	".nvim.lua":      "the editor runs it when the folder opens",
	".nvimrc":        "the editor runs it when the folder opens",
	".exrc":          "the editor runs it when the folder opens",
	".vimrc":         "the editor runs it at start",
	".dir-locals.el": "the editor evaluates it when a file opens",
	".bashrc":        "the shell runs it at start",
	".bash_profile":  "the shell runs it at start",
	".bash_login":    "the shell runs it at start",
	".bash_logout":   "the shell runs it at the end",
	".bash_aliases":  "the shell runs it at start",
	".profile":       "the shell runs it at start",
	".zshrc":         "the shell runs it at start",
	".zshenv":        "the shell runs it at start",
	".zprofile":      "the shell runs it at start",
	".zlogin":        "the shell runs it at start",
	".zlogout":       "the shell runs it at the end",
	".kshrc":         "the shell runs it at start",
	".cshrc":         "the shell runs it at start",
	".tcshrc":        "the shell runs it at start",
	".gitconfig":     "git runs programs named here",
}
