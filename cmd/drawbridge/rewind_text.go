package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"drawbridge/bridge/headless"
	"drawbridge/session"
	"drawbridge/workspace"
)

// filesText names files as they are called in a folder.
func (f rewindFlags) filesText(dir string, files []session.RewindFile) string {
	var b strings.Builder
	for _, file := range files {
		b.WriteString(f.fileText(dir, file))
	}
	return b.String()
}

// rewindWords say what is done to a file.
var rewindWords = map[session.RewindState]string{
	session.RewindRestore: "restore", session.RewindMerge: "merge", session.RewindConflict: "leave",
	session.RewindUnchanged: "unchanged", session.RewindUnkept: "leave", session.RewindDoubtful: "leave",
}

func (f rewindFlags) fileText(dir string, file session.RewindFile) string {
	word, name := rewindWords[file.State], file.Path
	if file.State == session.RewindRestore && file.Change.Kind == workspace.Delete {
		word = "remove"
	}
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	line := fmt.Sprintf("%-9s %s", word, strings.ReplaceAll(headless.Visible(name), "\n", "␊"))
	if file.Effective() {
		plus, minus := file.Change.Stat()
		line += fmt.Sprintf(" (+%d −%d)", plus, minus)
	}
	if file.Why != "" {
		line += ": " + strings.ReplaceAll(headless.Visible(file.Why), "\n", " ")
	}
	if file.State == session.RewindDoubtful {
		line += "; --all takes it back"
	}
	if f.diff && file.Effective() {
		text := file.Change.Unified(workspace.DiffOptions{Context: 3, NoNewline: true, MaxBytes: 256 << 10})
		line += "\n" + headless.Diff(text, colours())
	}
	return strings.TrimRight(line, "\n") + "\n"
}
