// Package search finds names and lines of files below a folder. It asks its
// caller which files may be read, and knows no workspace, tool or rule. Lines are
// found by ripgrep or GNU grep where the caller names one, else by a search of its
// own; what is told of a file is read here either way.
//
// A few goroutines walk the folders, a few more read what was found, and one
// passes on what a program finds; all have ended when a search returns.
package search

import (
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Hit is a line that matches. Path is relative to the root, with slashes. Text has
// no line end, is cut after MaxLine bytes, and need not be UTF-8.
type Hit struct {
	Path string
	Line int
	Text string
	Cut  bool // there is more of it
}

const (
	// MaxLine bounds the text of a Hit, in bytes.
	MaxLine = 8 << 10
	// maxHeld bounds what is held back to be sorted, in bytes. A search that finds
	// more passes it on as it comes.
	maxHeld = 4 << 20
	// maxWorkers do the same thing at a time.
	maxWorkers = 8
)

// Query is a search for lines.
type Query struct {
	// Root is a folder, absolute and without links. Links below it are not followed.
	Root string
	// File is the one file in Root to look at; "" looks at all below it but what
	// lies in folders named .git or node_modules.
	File string
	// Pattern is a regular expression for one line: as Perl has them where a program
	// does the search, else as package regexp has them. Classes such as \w are of
	// ASCII alone either way.
	Pattern string
	// Programs do the search.
	Programs Programs
	// Keep says whether a file may be read, or a folder entered. Nil keeps all. It is
	// called from several goroutines, for the folders on the way to a file too, but
	// not for File.
	Keep func(path string, folder bool) bool
	// Unsaved are the texts that count in place of what the disk has, by the paths of
	// files that are there.
	Unsaved map[string]string
}

// Report is what there is to know about a search.
type Report struct {
	// Engine names what did it: "ripgrep", "grep" or "built-in".
	Engine string
	// Unread could not be read, and may hold what was looked for.
	Unread Names
	// LeftOut was not kept, whatever it holds.
	LeftOut Names
	// GaveUp is what a program said that ended before it had looked at all files; ""
	// if none did.
	GaveUp string
	// Long is how many lines were longer than MaxSearched, which only the built-in
	// search looks at in part.
	Long int
}

// Names counts names and has the first of them, relative to the root; folders end
// in a slash.
type Names struct {
	Count int
	First []string
}

// Lines finds the lines that match and hands them over by the order of their
// paths, as long as they are no more than a few megabytes, and by number. hit runs
// on the caller's goroutine; its error ends the search and is returned. A root that
// is missing or cannot be read is an error, what lies below it is only reported.
// What was handed over counts whatever is returned.
func Lines(ctx context.Context, q Query, hit func(Hit) error) (Report, error) {
	root, err := os.OpenRoot(q.Root)
	if err != nil {
		return Report{}, err
	}
	defer root.Close()
	engine, err := choose(ctx, q)
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &lineSearch{q: q, root: root, engine: engine, found: make(chan []Hit, workers())}
	failed := make(chan error, 1)
	go func() {
		defer close(s.found)
		failed <- s.search(ctx)
	}()
	err = s.pass(hit)
	cancel()
	for range s.found { // until the last one who may send has ended
	}
	return s.report(), cmp.Or(err, <-failed)
}

func workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// lineSearch is a search for lines on its way.
type lineSearch struct {
	q      Query
	root   *os.Root
	engine engine
	found  chan []Hit // lines of one file, in order

	mu      sync.Mutex // guards below
	unread  names
	leftOut names
	gaveUp  string
	long    int
}

// search sends what it finds.
func (s *lineSearch) search(ctx context.Context) error {
	for path, text := range s.q.Unsaved {
		if !s.wanted(path) {
			continue
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		q := newQuoter(ctx, s, path, open)
		err := s.engine.text(ctx, text, q.line)
		if err = cmp.Or(err, q.end()); err != nil {
			return err
		}
	}
	return s.engine.files(ctx, s)
}

// wanted says that a file is one of those to look at, by its name and what is
// kept.
func (s *lineSearch) wanted(file string) bool {
	if s.q.File != "" {
		return file == s.q.File
	}
	for i := range len(file) {
		if dir := file[:i]; file[i] == '/' && (passedOver(dir) || !s.keeps(dir, true)) {
			return false
		}
	}
	return s.keeps(file, false)
}

func (s *lineSearch) keeps(path string, folder bool) bool {
	return s.q.Keep == nil || s.q.Keep(path, folder)
}

// passedOver are the folders that nobody looks into.
func passedOver(dir string) bool {
	name := path.Base(dir)
	return name == ".git" || name == "node_modules"
}

// missed reports what could not be read.
func (s *lineSearch) missed(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread.add(path)
}

// pass hands over what was found, sorted if it is not too much.
func (s *lineSearch) pass(hit func(Hit) error) error {
	var held []Hit
	size := 0
	give := func(hits []Hit) error {
		for _, h := range hits {
			if err := hit(h); err != nil {
				return err
			}
		}
		return nil
	}
	for hits := range s.found {
		if size > maxHeld {
			if err := give(hits); err != nil {
				return err
			}
			continue
		}
		for _, h := range hits {
			size += len(h.Path) + len(h.Text)
		}
		if held = append(held, hits...); size > maxHeld {
			if err := give(sorted(held)); err != nil {
				return err
			}
			held = nil
		}
	}
	return give(sorted(held))
}

func sorted(hits []Hit) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return hits
}

func (s *lineSearch) report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Report{
		Engine: s.engine.name(), Unread: s.unread.first(), LeftOut: s.leftOut.first(), GaveUp: s.gaveUp, Long: s.long,
	}
}

// names are told once each, as long as they are not very many.
type names struct {
	known map[string]bool
	more  int
}

const (
	// maxNames is how many names a report has at most, maxKnown of how many it is
	// known that they were there before.
	maxNames = 5
	maxKnown = 10_000
)

func (n *names) add(name string) {
	switch {
	case n.known == nil:
		n.known = map[string]bool{name: true}
	case len(n.known) < maxKnown:
		n.known[name] = true
	case !n.known[name]:
		n.more++
	}
}

func (n *names) first() Names {
	all := make([]string, 0, len(n.known))
	for name := range n.known {
		all = append(all, name)
	}
	slices.Sort(all)
	return Names{Count: len(all) + n.more, First: all[:min(len(all), maxNames)]}
}

// walk is the way through the files to look at.
func (s *lineSearch) walk() *walk {
	return &walk{
		root: s.q.Root, keep: s.q.Keep, missed: s.missed,
		enter: func(path string) bool { return !passedOver(path) },
		leftOut: func(path string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.leftOut.add(path)
		},
	}
}
