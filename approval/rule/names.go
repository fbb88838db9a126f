package rule

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// fileRow is one reason why a file is not like others, and the names it holds
// for. A name is compared with the last components of a path; with "/" at its
// end it is a folder and all that lies below it, with "/" at its beginning it
// starts at the root of the file system. "*" stands for anything in one
// component.
type fileRow struct {
	why   string // completes "runs code: …" or "holds secrets: …"
	group string // heading of the table in docs/files.md
	names []string
	but   []string // last components that the row does not hold for
}

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
	row    *fileRow
}

func newNames(rows []fileRow) *names {
	n := &names{folders: map[string][]pattern{}, files: map[string][]pattern{}}
	for i := range rows {
		for _, name := range rows[i].names {
			n.add(name, &rows[i])
		}
	}
	return n
}

func (n *names) add(name string, row *fileRow) {
	p := newPattern(name, row)
	last := p.parts[len(p.parts)-1]
	switch {
	case strings.HasSuffix(name, "/"):
		n.folders[p.parts[0]] = append(n.folders[p.parts[0]], p)
	case strings.ContainsRune(last, '*'):
		n.wild = append(n.wild, p)
	default:
		n.files[last] = append(n.files[last], p)
	}
}

func newPattern(name string, row *fileRow) pattern {
	parts := strings.Split(strings.Trim(strings.ToLower(name), "/"), "/")
	return pattern{parts: parts, rooted: strings.HasPrefix(name, "/"), row: row}
}

// withWays has the folders on the way to a pattern count, as they stand
// themselves: who puts another folder in the place of .github has put its
// workflows there. Those with ordinary names do not: too many things are called
// "fish".
func (n *names) withWays(rows []fileRow) *names {
	for i := range rows {
		for _, name := range rows[i].names {
			n.addWays(newPattern(name, &rows[i]))
		}
	}
	return n
}

func (n *names) addWays(p pattern) {
	for i := 1; i < len(p.parts); i++ {
		if last := p.parts[i-1]; strings.HasPrefix(last, ".") {
			n.files[last] = append(n.files[last], pattern{parts: p.parts[:i], rooted: p.rooted, row: p.row})
		}
	}
}

// find returns why the first row that fits a path says it is not like others.
func (n *names) find(file string) string {
	if file == "" {
		return ""
	}
	var few [16]string
	parts := few[:0]
	for p := range strings.SplitSeq(filepath.ToSlash(file), "/") {
		parts = append(parts, plainName(p))
	}
	last := parts[len(parts)-1]
	for _, list := range [][]pattern{n.files[last], n.wild} {
		for _, p := range list {
			if p.at(parts, len(parts)-len(p.parts)) {
				return p.row.why
			}
		}
	}
	for i, name := range parts {
		for _, p := range n.folders[name] {
			if p.at(parts, i) {
				return p.row.why
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
		if !fits(want, parts[i+k]) {
			return false
		}
	}
	excepted := func(but string) bool { return fits(but, parts[len(parts)-1]) }
	return !slices.ContainsFunc(p.row.but, excepted)
}

// fits reports whether a component is what a row wants, where "*" stands for
// anything.
func fits(want, name string) bool {
	before, after, wild := strings.Cut(want, "*")
	switch {
	case !wild:
		return want == name
	case strings.Contains(after, "*"):
		ok, _ := path.Match(want, name)
		return ok
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// plainName is the one spelling of a name that some file system takes for
// several: case does not count, HFS+ leaves out characters without width, NTFS
// dots and blanks at the end, what follows a colon, and has a short name for
// .git.
func plainName(name string) string {
	if isPlain(name) {
		return name
	}
	if name, _, _ = strings.Cut(strings.Map(plainRune, name), ":"); strings.Trim(name, ".") != "" {
		name = strings.TrimRight(name, ". ")
	}
	if len(name) == len("git~1") && strings.HasPrefix(name, "git~") && '0' <= name[4] && name[4] <= '9' {
		return ".git"
	}
	return name
}

// isPlain sees of most names that they have one spelling.
func isPlain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 0x80, 'A' <= c && c <= 'Z', c == ':', c == '~':
			return false
		}
	}
	return name == "" || name[len(name)-1] != '.' && name[len(name)-1] != ' '
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
