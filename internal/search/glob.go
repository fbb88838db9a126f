package search

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// GlobQuery is a search for names.
type GlobQuery struct {
	// Root is a folder, absolute and without links. Links below it are not followed.
	Root string
	// Pattern is for the names relative to Root, with slashes: "*" and "?" within a
	// name, "**" for any number of folders, "[a-z]", "{a,b}", a backslash before what
	// stands for itself. Names that begin with a dot are like others. A slash at the
	// end, of an alternative too, wants folders alone.
	Pattern string
	// Most is how many names are wanted.
	Most int
	// Keep says whether a name may be told, and a folder looked into. Nil keeps all. It
	// is called from several goroutines.
	Keep func(path string, folder bool) bool
}

// Globbed is what a search for names found.
type Globbed struct {
	// Paths are relative to Root; folders end in a slash. The last changed comes
	// first; of the same time, by name.
	Paths []string
	// Count is how many there are, beyond Most too.
	Count  int
	Unread Names
}

// SplitPattern is the folder before the first wildcard, "." for none, and the
// pattern for what is below it.
func SplitPattern(pattern string) (dir, rest string) { return doublestar.SplitPattern(pattern) }

const (
	// maxPattern bounds a pattern, in bytes.
	maxPattern = 4 << 10
	// maxTexts bounds the texts that the braces of a pattern stand for together: the
	// time that one takes grows with them.
	maxTexts = 256
)

// CheckPattern says why Glob does not take a pattern; "" if it does.
func CheckPattern(pattern string) string {
	switch {
	case len(pattern) > maxPattern:
		return "it is too long"
	case !doublestar.ValidatePattern(pattern):
		return "a bracket or brace is not closed, or a backslash stands at the end"
	case texts(pattern) > maxTexts:
		return "its braces stand for too many texts"
	}
	return ""
}

// texts counts what the braces of a pattern stand for, or more.
func texts(pattern string) int {
	all, open := 1, []int{} // alternatives of the braces that are open
	for i := 0; i < len(pattern) && all <= maxTexts; i++ {
		switch last := len(open) - 1; {
		case pattern[i] == '\\':
			i++
		case pattern[i] == '{':
			open = append(open, 1)
		case pattern[i] == ',' && last >= 0:
			open[last]++
		case pattern[i] == '}' && last >= 0:
			all *= open[last]
			open = open[:last]
		}
	}
	return all
}

// Glob finds names. A root that is missing, no folder or unreadable is an error.
func Glob(ctx context.Context, q GlobQuery) (Globbed, error) {
	deepest := strings.Count(q.Pattern, "/")
	if strings.Contains(q.Pattern, "**") || strings.ContainsRune(q.Pattern, '{') {
		deepest = math.MaxInt
	}
	n, ends := &newest{most: max(q.Most, 1)}, endings(q.Pattern)
	w := &walk{
		root: q.Root, keep: q.Keep, leftOut: func(string) {}, missed: n.missed,
		enter: func(path string) bool { return strings.Count(path, "/") < deepest },
		each: func(path string, k kind) error {
			if !slices.ContainsFunc(ends, func(e ending) bool { return e.matches(path, k) }) {
				return nil
			}
			if info, err := os.Lstat(filepath.Join(q.Root, path)); err == nil { // else it is gone
				n.add(shown(path, k), info.ModTime().UnixNano())
			}
			return nil
		},
	}
	err := w.run(ctx)
	return n.globbed(), err
}

// ending is a pattern without the slash at its end, which says that it is one of
// folders.
type ending struct {
	pattern string
	folders bool
}

func (e ending) matches(path string, k kind) bool {
	return (k == folder || !e.folders) && doublestar.MatchUnvalidated(e.pattern, path)
}

// endings are the patterns that one stands for, as far as braces at its end differ
// in whether a slash comes last.
func endings(pattern string) []ending {
	if short := strings.TrimRight(pattern, "/"); short != pattern {
		return []ending{{short, true}}
	}
	parts := lastBraces(pattern)
	if !slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(p, "/") || strings.HasSuffix(p, "}") }) {
		return []ending{{pattern, false}}
	}
	var all []ending
	for _, part := range parts {
		all = append(all, endings(part)...)
	}
	return all
}

// lastBraces are a pattern's alternatives if it ends in braces: each with all that
// comes before them.
func lastBraces(pattern string) (parts []string) {
	var marks [][]int // for each brace that is open, its place and those of its commas
	for i := 0; i < len(pattern); i++ {
		switch last := len(marks) - 1; {
		case pattern[i] == '\\':
			i++
		case pattern[i] == '[':
			i += max(0, strings.IndexByte(pattern[i:], ']'))
		case pattern[i] == '{':
			marks = append(marks, []int{i})
		case pattern[i] == ',' && last >= 0:
			marks[last] = append(marks[last], i)
		case pattern[i] == '}' && last >= 0:
			if at := append(marks[last], i); i == len(pattern)-1 {
				for n := range at[1:] {
					parts = append(parts, pattern[:at[0]]+pattern[at[n]+1:at[n+1]])
				}
			}
			marks = marks[:last]
		}
	}
	return parts
}

// newest keeps the last changed of many names.
type newest struct {
	most int

	mu     sync.Mutex // guards below
	count  int
	kept   []dated // at most a few times most
	unread names
}

type dated struct {
	path string
	at   int64 // nanoseconds
}

func (n *newest) add(path string, at int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	n.kept = append(n.kept, dated{path, at})
	if len(n.kept) >= 8*n.most {
		n.shrinkLocked()
	}
}

func (n *newest) shrinkLocked() {
	slices.SortFunc(n.kept, func(a, b dated) int {
		if a.at != b.at {
			return cmp.Compare(b.at, a.at)
		}
		return strings.Compare(a.path, b.path)
	})
	n.kept = n.kept[:min(len(n.kept), n.most)]
}

func (n *newest) missed(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unread.add(path)
}

func (n *newest) globbed() Globbed {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shrinkLocked()
	g := Globbed{Count: n.count, Unread: n.unread.first()}
	for _, d := range n.kept {
		g.Paths = append(g.Paths, d.path)
	}
	return g
}
