package rule

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// RunsCode says who would run what is written to a path, without anyone asking
// for it: on opening the folder, on entering it, at the next commit, install,
// push or login. It is "" for ordinary files. Names are compared as a file
// system might that takes several spellings for one name.
func RunsCode(file string) string {
	if file == "" {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(file), "/")
	for i, p := range parts {
		parts[i] = plainName(p)
	}
	return running.find(parts)
}

// running is the table, made once: it does not change.
var running = newNames(runsCode)

// names finds the row of a path. A pattern is looked up by one component that
// has no wildcard, so that a path costs as much as it has components.
type names struct {
	folders map[string][]pattern // by their first component
	files   map[string][]pattern // by their last
	wild    []pattern            // files whose last component is a pattern
}

// pattern is a row's name, taken apart.
type pattern struct {
	parts  []string
	rooted bool
	who    string
}

func newNames(rows []codeRow) *names {
	n := &names{folders: map[string][]pattern{}, files: map[string][]pattern{}}
	for _, row := range rows {
		for _, name := range row.names {
			n.add(name, row.who)
		}
	}
	return n
}

func (n *names) add(name, who string) {
	folder := strings.HasSuffix(name, "/")
	p := pattern{rooted: strings.HasPrefix(name, "/"), who: who}
	p.parts = strings.Split(strings.Trim(strings.ToLower(name), "/"), "/")
	last := p.parts[len(p.parts)-1]
	switch {
	case folder:
		n.folders[p.parts[0]] = append(n.folders[p.parts[0]], p)
	case strings.ContainsRune(last, '*'):
		n.wild = append(n.wild, p)
	default:
		n.files[last] = append(n.files[last], p)
	}
	n.addWays(p)
}

// addWays has the folders on the way to a pattern count, as they stand
// themselves: who puts another folder in the place of .github has put its
// workflows there. Those with ordinary names do not: too many things are called
// "fish".
func (n *names) addWays(p pattern) {
	for i := 1; i < len(p.parts); i++ {
		if last := p.parts[i-1]; strings.HasPrefix(last, ".") {
			n.files[last] = append(n.files[last], pattern{parts: p.parts[:i], rooted: p.rooted, who: p.who})
		}
	}
}

func (n *names) find(parts []string) string {
	last := len(parts) - 1
	for _, list := range [][]pattern{n.files[parts[last]], n.wild} {
		for _, p := range list {
			if p.at(parts, len(parts)-len(p.parts)) {
				return p.who
			}
		}
	}
	for i, name := range parts {
		for _, p := range n.folders[name] {
			if p.at(parts, i) {
				return p.who
			}
		}
	}
	return ""
}

// at reports whether the pattern's components stand in parts from i on. An
// absolute path begins with an empty component.
func (p pattern) at(parts []string, i int) bool {
	if i < 0 || i+len(p.parts) > len(parts) || p.rooted && (i != 1 || parts[0] != "") {
		return false
	}
	for k, want := range p.parts {
		if ok, _ := path.Match(want, parts[i+k]); !ok {
			return false
		}
	}
	return true
}

// plainName is the one spelling of a name that some file system takes for
// several: case does not count, HFS+ leaves out characters without width, NTFS
// dots and blanks at the end, what follows a colon, and has a short name for
// .git.
func plainName(name string) string {
	if name, _, _ = strings.Cut(strings.Map(plainRune, name), ":"); strings.Trim(name, ".") != "" {
		name = strings.TrimRight(name, ". ")
	}
	if len(name) == len("git~1") && strings.HasPrefix(name, "git~") && '0' <= name[4] && name[4] <= '9' {
		return ".git"
	}
	return name
}

// plainRune folds case over all of Unicode, where "ſ" is an "s" and the sign of
// Kelvin a "k"; -1 leaves a rune out.
func plainRune(r rune) rune {
	switch {
	case r < 0x80:
		return unicode.ToLower(r)
	case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff:
		return -1
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}
