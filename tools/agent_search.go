package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/internal/search"
	"drawbridge/shell"
	"drawbridge/workspace"
)

// searchPrograms are ripgrep and GNU grep, where they are. What lies in the
// workspace is never started.
func searchPrograms(env Env) search.Programs {
	var p search.Programs
	p.Ripgrep, _ = shell.Locate("rg", env.Workspace.Roots()...)
	p.Grep, _ = shell.Locate("grep", env.Workspace.Roots()...)
	return p
}

// root is the folder that a search begins in: the argument path, else the
// workspace.
func (a arguments) root(env Env) (name string, p workspace.Path, err error) {
	name = "."
	if a.has("path") {
		if name, err = a.text("path"); err != nil {
			return name, p, err
		}
	}
	if name == "" {
		name = "."
	}
	p, err = resolve(env, name, Read)
	return name, p, err
}

// pattern is a required text without NUL that says something.
func (a arguments) pattern() (string, error) {
	pattern, err := a.text("pattern")
	switch {
	case err != nil:
	case pattern == "":
		err = Failf("Missing required argument: pattern (it is empty)")
	case strings.ContainsRune(pattern, 0):
		err = Failf("Invalid argument pattern: it contains a NUL byte")
	}
	return pattern, err
}

// searchFailure words what is wrong with the folder that a search begins in.
func searchFailure(env Env, name string, p workspace.Path, err error) error {
	fault, ok := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noSuchFile(env, name, p, "")
	case ok:
		return Failf("%q: %v", name, fault.Err)
	}
	return err
}

// place is a folder that is searched, and how names in it are told.
type place struct {
	dir    string // absolute
	prefix string // of names in it
}

// newPlace tells names as a tool takes them: from the workspace's first folder if
// they are in it, else absolute.
func newPlace(env Env, dir string) place {
	prefix := filepath.ToSlash(dir)
	if rel, err := filepath.Rel(env.Workspace.Roots()[0], dir); err == nil && filepath.IsLocal(rel) {
		prefix = filepath.ToSlash(rel)
	}
	return place{dir: dir, prefix: prefix}
}

// shown is a name in the folder, on one line.
func (p place) shown(name string) string {
	switch {
	case p.prefix == ".":
	case strings.HasSuffix(p.prefix, "/"):
		name = p.prefix + name
	default:
		name = p.prefix + "/" + name
	}
	return onOneLine(name)
}

// unread warns of what could not be looked at; "" if there is nothing.
func (p place) unread(n search.Names) string {
	if n.Count == 0 {
		return ""
	}
	return "(warning: could not be read and may hold more: " + p.list(n) + ")"
}

// list names the first of some names, and counts the others.
func (p place) list(n search.Names) string {
	shown := make([]string, len(n.First))
	for i, name := range n.First {
		shown[i] = p.shown(name)
	}
	text := strings.Join(shown, ", ")
	if more := n.Count - len(n.First); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// onOneLine is a name that stays one record: one with a line end or another control
// character in it, or what is not UTF-8, is quoted, as JSON has it where it can.
func onOneLine(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
		return name
	}
	return strconv.Quote(name)
}

// noMatches is what a search says that found nothing.
const noMatches = "no matches"
