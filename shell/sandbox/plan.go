package sandbox

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// access is what a command may do with a place and what lies below it.
type access int

const (
	concealed access = iota // it is not there, or empty
	readable
	writable
)

func (a access) String() string { return [...]string{"hidden", "read-only", "writable"}[a] }

// rule gives one place an access of its own.
type rule struct {
	path   string
	access access
	source string // the place that is seen there; path unless set
	file   bool   // path is no folder
}

// plan is a policy applied to the files as they are now: rules sorted so that
// a folder stands before what is in it, and what has to stand in for missing
// protected paths while the command lives. The rule of the deepest place holds.
type plan struct {
	rules   []rule
	missing []guarded
	links   []string // protected names that are links
}

// pins are the folders between a writable place and what is not in it.
func (p plan) pins() []string {
	var list []string
	for i, r := range p.rules {
		if r.access == writable && r.source == r.path && i+1 < len(p.rules) && within(p.rules[i+1].path, r.path) {
			list = append(list, r.path)
		}
	}
	return list
}

// plan reads the file system; it changes nothing.
func (p Policy) plan(environ []string) (plan, error) {
	b := planner{rules: map[string]rule{"/": {path: "/", access: readable}}}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if isFolder(dir) {
			b.rules[followed(dir)] = rule{path: followed(dir), access: writable, source: p.Tmp}
		}
	}
	if isFolder("/run") {
		b.set("/run", concealed)
	}
	inRoots := readable
	if p.Preset == WorkspaceWrite {
		inRoots = writable
	}
	for _, root := range p.Roots {
		if !isFolder(root) {
			return plan{}, fmt.Errorf("workspace %s: no such folder", root)
		}
		b.set(root, inRoots)
	}
	if inRoots == writable {
		b.widen(p)
	}
	for _, path := range p.Protected {
		// Our own files are read wherever they lie: long output is archived there.
		if _, err := os.Lstat(path); err == nil && b.at(path).source != "" {
			b.set(path, readable)
		}
	}
	for _, path := range p.hidden(environ) {
		if p.mayHide(path) && !b.unseen(path) {
			b.set(path, concealed)
		}
	}
	for _, dir := range []string{p.Tmp, p.caches()} {
		if dir != "" {
			b.set(dir, writable)
		}
	}
	b.pin()
	return b.plan(), nil
}

// mayHide keeps a variable that names too much from hiding what is worked on.
func (p Policy) mayHide(path string) bool {
	return !slices.Contains(p.Roots, path) && !within(p.Home, path) && path != p.Tmp && !isSystem(path)
}

func isSystem(path string) bool {
	return slices.Contains([]string{"/", "/usr", "/etc", "/bin", "/lib", "/opt", "/home", "/var", "/dev", "/proc", "/sys"}, path)
}

// planner collects rules; a later one for the same place replaces an earlier.
type planner struct {
	rules   map[string]rule
	missing []guarded
	links   []string
}

func (b *planner) set(path string, a access) {
	b.rules[path] = rule{path: path, access: a, file: !isFolder(path)}
}

// at is the rule that holds for a place.
func (b *planner) at(path string) rule {
	for {
		if r, ok := b.rules[path]; ok {
			return r
		}
		path = filepath.Dir(path)
	}
}

// opened reports whether the place itself is writable. What lies below /tmp is
// not: another folder is seen there.
func (b *planner) opened(path string) bool {
	r := b.at(path)
	return r.access == writable && r.source == ""
}

// unseen reports whether the place itself is not seen anyhow.
func (b *planner) unseen(path string) bool {
	r := b.at(path)
	return r.access == concealed || r.source != ""
}

// widen adds what may be written, and what of it may not.
func (b *planner) widen(p Policy) {
	var guards []guarded
	for _, root := range p.Roots {
		guards = append(guards, p.guard(root)...)
		if common := linkedGit(root); common != "" && !b.opened(common) {
			b.set(common, writable)
			guards = append(guards, guardGitDir(common)...)
		}
	}
	for _, path := range p.Protected {
		guards = append(guards, guarded{path: path})
	}
	for _, dir := range p.Writable {
		if !isFolder(dir) {
			continue // it can be made once it is there
		}
		b.set(dir, writable)
		for _, g := range p.guard(dir) {
			// A folder that was named by the user gets no stand-ins, but for a repository
			// that is there.
			if _, err := os.Lstat(g.path); err == nil || g.content != nil {
				guards = append(guards, g)
			}
		}
	}
	for _, g := range guards {
		if !slices.Contains(p.Writable, g.path) {
			b.guard(g)
		}
	}
}

// guard makes a place read-only if it lies in a writable one.
func (b *planner) guard(g guarded) {
	info, err := os.Lstat(g.path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 && b.opened(g.path) {
		b.links = append(b.links, g.path)
		g.path = followed(g.path)
		_, err = os.Lstat(g.path)
	}
	if !b.opened(g.path) {
		return
	}
	if err == nil {
		b.set(g.path, readable)
		return
	}
	if first := firstMissing(g.path); first != g.path {
		g = guarded{path: first}
	}
	if !mayMake(filepath.Dir(g.path)) {
		return // nor may the command, which has no more rights than we
	}
	b.rules[g.path] = rule{path: g.path, access: readable, file: g.content != nil}
	b.missing = append(b.missing, g)
}

// firstMissing is path or the first folder on the way to it that is not there.
func firstMissing(path string) string {
	for {
		parent := filepath.Dir(path)
		if _, err := os.Lstat(parent); err == nil || parent == path {
			return path
		}
		path = parent
	}
}

// pin makes mount points of the folders between a writable place and what is
// protected in it: a mount point cannot be renamed, so that nobody moves a
// protected place aside and makes another of its name.
func (b *planner) pin() {
	for _, path := range slices.Sorted(maps.Keys(b.rules)) {
		if b.rules[path].access == writable {
			continue
		}
		for dir := filepath.Dir(path); b.opened(dir) && b.rules[dir].path == ""; dir = filepath.Dir(dir) {
			b.set(dir, writable)
		}
	}
}

func (b *planner) plan() plan {
	out := plan{missing: b.missing, links: b.links}
	for _, path := range slices.Sorted(maps.Keys(b.rules)) {
		r := b.rules[path]
		if r.source == "" {
			r.source = path
		}
		out.rules = append(out.rules, r)
	}
	slices.SortStableFunc(out.rules, func(x, y rule) int { return strings.Compare(x.path+"/", y.path+"/") })
	return out
}

// explain prints the rules in words.
func (p plan) explain(w io.Writer) {
	missing := map[string]bool{}
	for _, g := range p.missing {
		missing[g.path] = true
	}
	for _, r := range p.rules {
		line := fmt.Sprintf("%-10s %s", r.access, r.path)
		switch {
		case missing[r.path]:
			line += " (missing; cannot be made)"
		case r.source != r.path && r.access != concealed:
			line += " (is " + r.source + ")"
		}
		fmt.Fprintln(w, line)
	}
}

// within reports whether path is dir or lies in it.
func within(path, dir string) bool {
	return path != "" && (path == dir || dir == "/" || strings.HasPrefix(path, dir+"/"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
