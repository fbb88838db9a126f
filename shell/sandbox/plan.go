//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
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
	// fleeting says that the folders above may be moved.
	fleeting bool
}

// plan is a policy applied to the files as they are now: rules sorted so that
// a folder stands before what is in it, and what has to stand in for missing
// protected paths while the command lives. The rule of the deepest place holds.
type plan struct {
	rules   []rule
	missing []guarded
	links   []keptLink // protected names that are links
}

// keptLink is a protected name directly in an opened folder that is a link.
type keptLink struct{ root, name, target string }

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
	for _, root := range p.Roots {
		if err := inPlace(root); err != nil {
			return plan{}, fmt.Errorf("workspace %s: %w", root, err)
		}
		b.set(root, p.rootAccess(root))
	}
	if p.Preset == WorkspaceWrite {
		b.widen(p)
	}
	for _, path := range p.Protected {
		// Our own files are read wherever they lie: long output is archived there.
		if _, err := os.Lstat(path); err == nil && b.at(path).source != "" {
			b.set(path, readable)
		}
	}
	for _, path := range p.hidden() {
		if p.mayHide(path) && !b.unseen(path) {
			b.guard(guarded{path: path})
			b.set(path, concealed)
		}
	}
	for _, path := range p.Shown {
		if inPlace(path) == nil && b.at(path).access == concealed {
			b.set(path, readable)
		}
	}
	for _, path := range p.services(environ) {
		if p.mayHide(path) && !b.unseen(path) {
			b.rules[path] = rule{path: path, access: concealed, file: !isFolder(path), fleeting: true}
		}
	}
	for _, dir := range []string{p.Tmp, p.caches()} {
		if dir == "" {
			continue
		}
		if err := inPlace(dir); err != nil {
			return plan{}, fmt.Errorf("%s: %w", dir, err)
		}
		b.set(dir, writable)
	}
	b.pin()
	return b.plan(), nil
}

// inPlace says why a folder that is to be opened is not where the policy has
// it. Its path was free of links once, and must be now: a command of another
// workspace, in which it lies, could have it lead elsewhere.
func inPlace(path string) error {
	if !isFolder(path) {
		return errors.New("no such folder")
	}
	if now := followed(path); now != path {
		return fmt.Errorf("a link has come to be on the way to it, which now leads to %s", now)
	}
	return nil
}

// rootAccess is what a command may do in a root. A home folder as a whole holds too
// much that shells, logins and programs run.
func (p Policy) rootAccess(root string) access {
	if p.Preset == WorkspaceWrite && !p.holdsHome(root) {
		return writable
	}
	return readable
}

// holdsHome reports whether a folder is the user's home, or above it.
func (p Policy) holdsHome(dir string) bool { return within(p.Home, dir) }

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
	links   []keptLink
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
		if !b.opened(root) {
			continue
		}
		guards = append(guards, p.guard(root)...)
		if w, ok := linked(root, b.opened); ok {
			b.set(w.common, writable)
			b.set(w.own, writable)
			guards = append(guards, w.guards()...)
		}
	}
	for _, path := range p.Protected {
		guards = append(guards, guarded{path: path})
	}
	for _, dir := range p.Writable {
		if inPlace(dir) != nil {
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
	place := b.at(g.path).path
	if !b.opened(g.path) {
		return
	}
	if place == g.path {
		b.set(place, readable)
		return
	}
	path := lifted(place, g.path)
	if path != g.path {
		g.content = nil
	}
	g.path, g.root = path, place
	dir, err := g.parent()
	if err != nil {
		return // a link leads there, or nothing: the name of that is protected
	}
	defer dir.close()
	switch kind, err := dir.kind(g.name()); {
	case err == nil && kind != unix.S_IFLNK:
		b.rules[path] = rule{path: path, access: readable, file: kind != unix.S_IFDIR}
		if standsIn(dir, g.name()) { // for another command, which may let go of it while this one runs
			b.missing = append(b.missing, g)
		}
	case err == nil:
		b.guardLink(dir, g)
	case unix.Faccessat(dir.fd(), ".", unix.W_OK|unix.X_OK, 0) == nil: // else the command can make nothing either
		b.rules[path] = rule{path: path, access: readable, file: g.content != nil}
		b.missing = append(b.missing, g)
	}
}

// lifted is what is made read-only for a path in a writable place: the entry of
// the place that it is or lies in. Were a deeper one protected alone, the
// folders above it could be moved aside, or would have to be opened by paths
// that a command controls. The folder of a repository is another such place.
func lifted(place, path string) string {
	inside := strings.TrimPrefix(strings.TrimPrefix(path, place), "/")
	first, rest, deeper := strings.Cut(inside, "/")
	if deeper && first == ".git" {
		place, inside = filepath.Join(place, first), rest
		first, _, _ = strings.Cut(inside, "/")
	}
	return filepath.Join(place, first)
}

// guardLink protects a link. Nothing can be mounted on one: it is put back once
// the command is gone, if it is directly in a folder that is opened. What it
// points to is read-only where that can be had.
func (b *planner) guardLink(dir folder, g guarded) {
	target, err := dir.link(g.name())
	if err != nil || filepath.Dir(g.path) != g.root {
		return
	}
	b.links = append(b.links, keptLink{root: g.root, name: g.name(), target: target})
	end := followed(g.path)
	place := b.at(end).path
	if !b.opened(end) || end == place {
		return
	}
	end = lifted(place, end)
	parent, err := openParent(place, end)
	if err != nil {
		return
	}
	defer parent.close()
	kind, err := parent.kind(filepath.Base(end))
	if _, ruled := b.rules[end]; err == nil && !ruled && (kind == unix.S_IFDIR || kind == unix.S_IFREG) && filepath.Base(end) != ".git" {
		b.rules[end] = rule{path: end, access: readable, file: kind == unix.S_IFREG}
	}
}

// pin makes mount points of the folders between a writable place and what has a
// rule of its own in it: a mount point cannot be renamed, so that nobody moves
// such a place aside and makes another of its name. Sockets come and go, and
// what is above them is the command's: they are only hidden.
func (b *planner) pin() {
	for _, path := range slices.Sorted(maps.Keys(b.rules)) {
		if b.rules[path].fleeting {
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
