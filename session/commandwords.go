package session

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/workspace"
)

const (
	// maxWords bounds the words of a command that are looked up as files.
	maxWords = 200
	// maxMatches bounds the files that one word stands for: a pattern or a folder.
	maxMatches = 64
	// maxLooked bounds the entries of folders that are looked at for one word.
	maxLooked = 1000
)

// filesNamed are the paths that the words of a command may name, in their order,
// whether they are there or not: it is read as a person would who skims it. What
// a command does to files that it does not name shows by other means. Folders and
// patterns are looked into no longer than until.
func filesNamed(ws *workspace.Workspace, script, dir string, until time.Time) []workspace.Path {
	n := naming{ws: ws, until: until, bases: []string{dir}, seen: map[string]bool{}}
	words := wordsOf(script)
	for i, word := range words {
		if i > 0 && words[i-1] == "cd" && !filepath.IsAbs(word) {
			n.bases = append(n.bases, filepath.Join(n.bases[len(n.bases)-1], word))
			continue
		}
		n.word(word)
	}
	return n.paths
}

// naming collects paths.
type naming struct {
	ws    *workspace.Workspace
	until time.Time
	bases []string // what relative words may begin at
	seen  map[string]bool
	paths []workspace.Path
}

func (n *naming) word(word string) {
	if _, value, ok := strings.Cut(word, "="); ok && value != "" { // --output=x, OUT=x
		word = value
	}
	if word == "" || word[0] == '-' || len(word) > 1024 || strings.ContainsAny(word, "$`\n") {
		return
	}
	word = strings.TrimSuffix(word, "/...") // of Go
	bases := n.bases
	if filepath.IsAbs(word) {
		bases = []string{""}
	}
	for _, base := range bases {
		name := filepath.Join(base, word)
		if strings.ContainsAny(word, "*?[") {
			n.pattern(name)
		} else {
			n.add(name)
		}
	}
}

// add takes a path, or the files of a folder.
func (n *naming) add(name string) {
	p, err := n.ws.Resolve(name)
	if err != nil || !p.Inside || p.Protected != "" || unlisted(p) || n.seen[p.Abs] {
		return
	}
	n.seen[p.Abs] = true
	info, err := n.ws.Stat(p)
	switch {
	case err != nil:
	case info.Dir:
		n.folder(p.Abs)
	case info.Regular, !info.Exists:
		n.paths = append(n.paths, p)
	}
}

func (n *naming) folder(dir string) {
	looked, found := 0, 0
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case err != nil:
			return nil // the rest may be read
		case looked > maxLooked || found == maxMatches || time.Now().After(n.until):
			return filepath.SkipAll
		case d.IsDir() && unwatched(d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular():
			found++
			n.add(name)
		}
		return nil
	})
}

// unwatched are folders whose changes are nobody's text.
func unwatched(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules":
		return true
	}
	return false
}

// pattern takes the files that a pattern of the shell matches. One with a
// pattern for a folder is left alone: it may stand for thousands.
func (n *naming) pattern(name string) {
	if strings.ContainsAny(filepath.Dir(name), "*?[") {
		return
	}
	matches, _ := filepath.Glob(name) // a bad pattern matches nothing
	for i, m := range matches {
		if i == maxMatches || time.Now().After(n.until) {
			return
		}
		n.add(m)
	}
}

// wordsOf cuts a command into words, without quotes and operators. Quoted words
// stay together; what else the shell would make of them is not looked at.
func wordsOf(script string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	begun := false
	end := func() {
		if begun && len(words) < maxWords {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	escaped := false
	for _, r := range script {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case strings.ContainsRune(" \t\r\n;|&()<>", r):
			end()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	end()
	return words
}
