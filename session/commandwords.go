package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// filesNamed finds what the words of a command may name, whether it is there or
// not: it is read as a person would who skims it. What a command does to files
// that it does not name shows by other means. Folders and patterns are looked into
// no longer than until.
func filesNamed(ws *workspace.Workspace, script, dir string, until time.Time) *naming {
	n := &naming{ws: ws, until: until, bases: []string{dir}, seen: map[string]bool{}}
	words := wordsOf(script)
	for i, word := range words {
		for _, word := range braces(word) {
			if i > 0 && words[i-1] == "cd" {
				n.enter(word)
			} else {
				n.word(word)
			}
		}
	}
	return n
}

// naming collects paths.
type naming struct {
	ws    *workspace.Workspace
	until time.Time
	bases []string // what relative words may begin at
	seen  map[string]bool

	paths    []workspace.Path // of files, in the order of the words
	patterns []string
}

// enter goes to another folder, which is not named by that.
func (n *naming) enter(dir string) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(n.bases[len(n.bases)-1], dir)
	}
	n.bases = append(n.bases, dir)
}

// covers says that a word names a file, a folder that it lies in, or a pattern of
// either.
func (n *naming) covers(path string) bool {
	for name := path; ; name = filepath.Dir(name) {
		if n.seen[name] {
			return true
		}
		for _, pattern := range n.patterns {
			if ok, _ := filepath.Match(pattern, name); ok {
				return true
			}
		}
		if name == filepath.Dir(name) {
			return false
		}
	}
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
	if entry, err := n.ws.ResolveEntry(name); err == nil { // a link, which may be what is changed
		n.seen[entry.Abs] = true
	}
	info, err := n.ws.Stat(p)
	switch {
	case err != nil:
	case info.Dir:
		n.folder(p.Abs)
	case info.Regular, !info.Exists:
		n.paths = append(n.paths, p)
	}
}

// folder takes the files of a folder, those of folders in it later.
func (n *naming) folder(dir string) {
	looked, found := 0, 0
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		n.each(queue[0], func(d fs.DirEntry) bool {
			looked++
			name := filepath.Join(queue[0], d.Name())
			switch {
			case looked > maxLooked || found == maxMatches:
				queue = queue[:1]
				return false
			case d.IsDir() && !unwatched(d.Name()):
				queue = append(queue, name)
			case d.Type().IsRegular():
				found++
				n.add(name)
			}
			return true
		})
	}
}

// each goes through a folder, a few entries at a time, while there is time for
// it: a folder may hold very many.
func (n *naming) each(dir string, f func(fs.DirEntry) bool) {
	const atOnce = 128
	open, err := os.Open(dir)
	if err != nil {
		return // the rest may be read
	}
	defer open.Close()
	for {
		entries, err := open.ReadDir(atOnce)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, d := range entries {
			if time.Now().After(n.until) || !f(d) {
				return
			}
		}
		if err != nil {
			return
		}
	}
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
// pattern for a folder is not looked up: it may stand for thousands.
func (n *naming) pattern(name string) {
	dir, last := filepath.Split(name)
	if p, err := n.ws.Resolve(dir); err == nil && !strings.ContainsAny(dir, "*?[") {
		dir = p.Abs
	}
	dir = filepath.Clean(dir)
	n.patterns = append(n.patterns, filepath.Join(dir, last))
	if strings.ContainsAny(dir, "*?[") {
		return
	}
	looked, found := 0, 0
	n.each(dir, func(d fs.DirEntry) bool {
		looked++
		if ok, _ := filepath.Match(last, d.Name()); ok {
			found++
			n.add(filepath.Join(dir, d.Name()))
		}
		return looked < maxLooked && found < maxMatches
	})
}

// braces are the words that {a,b} in a word stands for, at most maxMatches.
func braces(word string) []string {
	before, rest, ok := strings.Cut(word, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !ok || !closed || !strings.Contains(inner, ",") || strings.Contains(inner, "{") {
		return []string{word}
	}
	var all []string
	for choice := range strings.SplitSeq(inner, ",") {
		for _, rest := range braces(after) {
			if len(all) < maxMatches {
				all = append(all, before+choice+rest)
			}
		}
	}
	return all
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
