package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// IgnoreFile lists, in the syntax of .gitignore, what reading is asked about. It
// lies in any folder of the workspace and holds for what is below. It only ever
// adds questions.
const IgnoreFile = ".drawbridgeignore"

const (
	// What is longer, or has more stars, would take long to look through.
	maxIgnoreFile = 256 << 10
	maxIgnoreLine = 1024
	maxStars      = 16
)

// ignoredBy says which IgnoreFile has the path that was resolved or the one
// that was asked for; "" if none has. The files are read each time, from the
// disk: what an open document would say is not in force yet.
func (w *Workspace) ignoredBy(paths ...string) string {
	for _, file := range slices.Compact(paths) {
		for _, root := range w.roots {
			if !within(root, file) || file == root {
				continue
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				continue
			}
			if why := ignoredBelow(root, strings.Split(filepath.ToSlash(rel), "/"), w.isFolder(file)); why != "" {
				return why
			}
		}
	}
	return ""
}

// isFolder is wide: of what is not there, a rule for folders holds too.
func (w *Workspace) isFolder(file string) bool {
	info, err := os.Stat(file)
	return err != nil || info.IsDir()
}

// ignoredBelow tests each folder on the way, then the file: nothing below a
// folder that is ignored can be taken out again.
func ignoredBelow(root string, parts []string, folder bool) string {
	var lists []ignoreList
	for i := range parts {
		dir := path.Join(parts[:i]...)
		list, err := readIgnore(filepath.Join(root, dir, IgnoreFile), dir)
		if err != nil {
			return fmt.Sprintf("%s cannot be used: %v", path.Join(dir, IgnoreFile), err)
		}
		if list.rules != nil {
			lists = append(lists, list)
		}
		if by, ok := ignoring(lists, path.Join(parts[:i+1]...), folder || i < len(parts)-1); ok {
			return "named in " + path.Join(by, IgnoreFile)
		}
	}
	return ""
}

// ignoring looks in the nearest list first, and in each from its end.
func ignoring(lists []ignoreList, rel string, folder bool) (by string, ok bool) {
	for i := len(lists) - 1; i >= 0; i-- {
		list := lists[i]
		below := strings.TrimPrefix(strings.TrimPrefix(rel, list.dir), "/")
		for k := len(list.rules) - 1; k >= 0; k-- {
			if r := list.rules[k]; r.fits(below, folder) {
				return list.dir, !r.negated
			}
		}
	}
	return "", false
}

// ignoreList is what one file says; dir is its folder, relative to the root.
type ignoreList struct {
	dir   string
	rules []ignoreRule
}

// ignoreRule is one line.
type ignoreRule struct {
	pattern string
	negated bool
	folders bool // it is about folders only
	names   bool // it is about the last component, in any folder
}

// readIgnore reads one file. A missing one says nothing; one that cannot be
// read whole is an error.
func readIgnore(file, dir string) (ignoreList, error) {
	f, info, err := openRegular(anywhere{}, file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if _, err := os.Readlink(file); err == nil {
			return ignoreList{}, errors.New("it is a link to nothing")
		}
		return ignoreList{}, nil
	}
	if err != nil {
		return ignoreList{}, err
	}
	defer f.Close()
	if info.Size() > maxIgnoreFile {
		return ignoreList{}, errors.New("it is too long")
	}
	text, err := readAll(f, info.Size())
	if err != nil {
		return ignoreList{}, err
	}
	rules, err := parseIgnore(text)
	return ignoreList{dir: dir, rules: rules}, err
}

func parseIgnore(text string) (rules []ignoreRule, err error) {
	for line := range strings.SplitSeq(strings.TrimPrefix(text, bom), "\n") {
		if len(line) > maxIgnoreLine || stars(line) > maxStars {
			return nil, errors.New("a line is too long, or has too many stars")
		}
		if r, ok := parseIgnoreLine(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules, nil
}

func parseIgnoreLine(line string) (r ignoreRule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line, r.negated = strings.CutPrefix(trimBlanks(line), "!")
	line, r.folders = strings.CutSuffix(line, "/")
	r.names = !strings.Contains(line, "/")
	r.pattern = foldName(strings.TrimPrefix(line, "/"))
	return r, line != ""
}

// trimBlanks takes the blanks at the end off that no backslash stands before.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

func (r ignoreRule) fits(rel string, folder bool) bool {
	if r.folders && !folder {
		return false
	}
	rel = foldName(rel)
	if r.names {
		return matchPath(r.pattern, path.Base(rel))
	}
	plain := strings.IndexAny(r.pattern, `*?[\`)
	if plain < 0 {
		return r.pattern == rel
	}
	// Git looks at what comes before the first wildcard for itself, so that "a**/b"
	// begins like "**/b" behind it.
	return strings.HasPrefix(rel, r.pattern[:plain]) && matchPath(r.pattern[plain:], rel[plain:])
}

// foldName lets a rule hold for both cases where file systems do.
func foldName(name string) string {
	if foldsCase {
		return strings.ToLower(name)
	}
	return name
}
