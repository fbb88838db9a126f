package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxGlob bounds what a pattern may expand to.
	maxGlob = 1000
	// maxGlobSeen bounds how many names are looked at for it.
	maxGlobSeen = 20_000
)

// Glob lists what a pattern expands to in dir, an absolute folder, as bash has
// it: names that begin with a dot only for a pattern that does, "**" like "*",
// sorted by their bytes, none where nothing fits. ok is false where that is not
// known: a folder that cannot be read, more than 1,000
// names, or more than 16 stars.
func Glob(dir, pattern string) (names []string, ok bool) {
	g := globbing{dir: dir, failed: stars(pattern) > maxStars}
	base, rest := "", pattern
	if strings.HasPrefix(pattern, "/") {
		base, rest = "/", strings.TrimLeft(pattern, "/")
	}
	g.walk(base, rest)
	if g.failed {
		return nil, false
	}
	slices.Sort(g.found)
	return g.found, true
}

type globbing struct {
	dir    string
	found  []string
	seen   int
	failed bool
}

// walk expands rest below base, which is as it will be shown, "" or with a
// separator at its end.
func (g *globbing) walk(base, rest string) {
	if g.failed {
		return
	}
	part, after, more := strings.Cut(rest, "/")
	for _, name := range g.names(base, part, more) {
		switch after = strings.TrimLeft(after, "/"); {
		case g.failed:
			return
		case !more:
			g.add(base + name)
		case after == "":
			g.add(base + name + "/")
		default:
			g.walk(base+name+"/", after)
		}
	}
}

func (g *globbing) add(name string) {
	g.found = append(g.found, name)
	g.failed = g.failed || len(g.found) > maxGlob
}

// names lists what one component fits in base; folders only where more follows.
func (g *globbing) names(base, part string, folders bool) (fitting []string) {
	if plain, literal := unquoted(part); literal {
		return g.present([]string{plain}, base, folders)
	}
	entries, err := os.ReadDir(g.at(base))
	if kind := kindOf(err); err != nil && kind != NotFound && kind != NotDir {
		g.failed = true
	}
	g.seen += len(entries)
	g.failed = g.failed || g.seen > maxGlobSeen
	dotted := strings.HasPrefix(part, ".")
	if dotted { // newer shells leave these two out, older ones do not
		fitting = append(fitting, ".", "..")
	}
	for _, e := range entries {
		if dotted || !strings.HasPrefix(e.Name(), ".") {
			fitting = append(fitting, e.Name())
		}
	}
	fitting = slices.DeleteFunc(fitting, func(name string) bool { return !MatchName(part, name) })
	if !folders {
		return fitting
	}
	return g.present(fitting, base, folders)
}

// present leaves what is there.
func (g *globbing) present(names []string, base string, folders bool) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		look := os.Lstat
		if folders {
			look = os.Stat
		}
		info, err := look(g.at(base + name))
		return err != nil || folders && !info.IsDir()
	})
}

func (g *globbing) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return g.dir + "/" + name
}

// unquoted is the name that a component without wildcards stands for.
func unquoted(part string) (name string, literal bool) {
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		switch part[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i++; i == len(part) {
				return b.String() + `\`, true
			}
		}
		b.WriteByte(part[i])
	}
	return b.String(), true
}
