package session

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/workspace"
	"drawbridge/workspace/watch"
)

// finding is one file that is not as it was.
type finding struct {
	path   workspace.Path
	before *former          // nil: not known
	after  *former          // nil: not read
	seen   watch.Difference // what the watcher saw; zero if nothing
	from   *finding         // of a rename: where it was
}

func (f *finding) existed() bool {
	return f.before != nil && f.before.Exists || f.before == nil && f.seen.Before.Exists
}

func (f *finding) exists() bool {
	return f.after != nil && f.after.Exists || f.after == nil && f.seen.After.Exists
}

// compare finds what has changed and takes it for known. While a command runs on,
// what is likely to pass is left for later.
func (v *vigil) compare(ctx context.Context, runsOn bool) []*finding {
	seen, partial := v.window.Differences(ctx)
	named, before := v.s.elsewhere(v)
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.lookedAtLocked(v.withPutOffLocked(seen), before)
	maps.DeleteFunc(all, func(path string, _ *finding) bool { return named[path] })
	if runsOn {
		v.putOffLocked(all)
	}
	left, read := formerBytes, 0
	var found []*finding
	for _, path := range slices.Sorted(maps.Keys(all)) {
		f := all[path]
		if f.untouched(partial) {
			continue
		}
		if f.before != nil || f.seen.After.Exists && read < maxFormer && f.seen.After.Mode.IsRegular() {
			if now, ok := v.s.former(f.path, int64(min(formerFile, left))); ok {
				f.after = &now
				left -= len(now.Text)
				read++
			}
		}
		f.complete()
		if f.news(v.s) {
			found = append(found, f)
		}
		if f.after != nil {
			v.before[path] = *f.after
		} else {
			delete(v.before, path)
		}
	}
	return found
}

// lookedAtLocked are the files to be compared, by path: those that the watcher
// saw and those that are known. before is what other commands know.
func (v *vigil) lookedAtLocked(seen []watch.Difference, before map[string]former) map[string]*finding {
	all := map[string]*finding{}
	for _, d := range seen {
		p, err := v.s.ws.ResolveEntry(d.Path)
		if err != nil || p.Abs != d.Path || !p.Inside || p.Protected != "" || unlisted(p) || workspace.IsTemp(p) {
			continue
		}
		all[d.Path] = &finding{path: p, seen: d}
		if f, ok := before[d.Path]; ok {
			all[d.Path].before = &f
		}
	}
	for path, f := range v.before {
		if all[path] == nil {
			all[path] = &finding{path: f.Path}
		}
		all[path].before = &f
	}
	return all
}

// withPutOffLocked adds what was seen and left for later, as it is now.
func (v *vigil) withPutOffLocked(seen []watch.Difference) []watch.Difference {
	for i, d := range seen {
		if old, ok := v.later[d.Path]; ok {
			seen[i].Before = old.Before
			delete(v.later, d.Path)
		}
	}
	for path, d := range v.later {
		d.After = watch.Stat(path)
		seen = append(seen, d)
	}
	clear(v.later)
	return slices.DeleteFunc(seen, func(d watch.Difference) bool { return d.Before == d.After })
}

// putOffLocked leaves for later what a program makes while it writes a file:
// that goes again, and whoever looks in between must not take it for a result.
// What is gone beside it will come back.
func (v *vigil) putOffLocked(all map[string]*finding) {
	putOff := func(path string, f *finding) {
		d := f.seen
		if f.before != nil {
			d.Before = f.before.stat
		}
		d.Path = path
		v.later[path] = d
		delete(all, path)
	}
	saving := map[string]bool{} // folders
	for path, f := range all {
		if !f.existed() && passing(filepath.Base(path)) && watch.Stat(path).Exists {
			saving[filepath.Dir(path)] = true
			putOff(path, f)
		}
	}
	for path, f := range all {
		if saving[filepath.Dir(path)] && !watch.Stat(path).Exists {
			putOff(path, f)
		}
	}
}

// passing tells the names of files that programs make beside the one that they
// write: copies of what it held, what it is going to hold, and signs that somebody
// has it open.
func passing(name string) bool {
	for _, pattern := range []string{
		"*~", ".*.sw?", "4913", ".#*", "#*#", // Vim, Emacs
		"*.vsctmp", "*___jb_tmp___", "*___jb_old___", ".goutputstream-*", "*.kate-swp", "*.bck", // other editors
		"*.tmp", "*.tmp.*", "*.tmp-*", "sed??????", "*.part", ".nfs*", ".fuse_hidden*", // programs
	} {
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// complete adds what follows from what was seen.
func (f *finding) complete() {
	if f.after == nil && f.seen.Path == "" { // nobody saw it, and it cannot be read
		now := watch.Stat(f.path.Abs)
		if now.Mode.IsDir() {
			now = watch.File{}
		}
		f.seen = watch.Difference{Path: f.path.Abs, Before: f.before.stat, After: now}
	}
	if f.before == nil && f.after != nil && f.seen.Before.SameBytes(f.after.stat) {
		same := *f.after
		same.stat = f.seen.Before
		f.before = &same
	}
}

// untouched says that nothing happened to a file: the watcher, which sees all,
// saw nothing, and the system says the same of it. A program that writes by way
// of its memory is not seen, but the system notes the time.
func (f *finding) untouched(partial bool) bool {
	return !partial && f.before != nil && f.seen.Path == "" && f.before.stat == watch.Stat(f.path.Abs)
}

// unlisted says that a file lies in a folder whose changes are nobody's text.
func unlisted(p workspace.Path) bool {
	return slices.ContainsFunc(strings.Split(p.Rel, "/"), unwatched)
}

// news says that somebody changed the file who was neither the editor, saving a
// document, nor this session.
func (f *finding) news(s *Session) bool {
	switch {
	case !f.existed() && !f.exists():
		return false
	case f.sameBytes() && f.modes() == "":
		return false
	case s.vigils.isWriting(f.path.Abs):
		return false
	}
	doc, open := s.ws.Document(f.path)
	if !open || f.after == nil || f.after.Text != doc.Saved {
		return true
	}
	return f.before != nil && f.before.saves == doc.Saves
}

// sameBytes says that a file is known to hold what it held.
func (f *finding) sameBytes() bool {
	return f.before != nil && f.after != nil && f.before.Exists == f.after.Exists && f.before.Bytes() == f.after.Bytes()
}

// modes tells how the permissions of a file changed; "" where they did not.
func (f *finding) modes() string {
	if f.before == nil || f.after == nil || !f.before.Exists || !f.after.Exists {
		return ""
	}
	was, is := f.before.stat.Mode, f.after.stat.Mode
	if was.Perm() == is.Perm() || was.Type() != is.Type() {
		return ""
	}
	return fmt.Sprintf("its mode was %04o, is %04o", was.Perm(), is.Perm())
}

// links tells what became of a symbolic link, whatever it leads to; "" where
// there was none and is none.
func (f *finding) links() string {
	was, is := f.seen.Before.Mode&fs.ModeSymlink != 0, f.seen.After.Mode&fs.ModeSymlink != 0
	switch {
	case is:
		target, _ := os.Readlink(f.path.Abs) // it may be gone by now
		return "a command made it a symbolic link to " + target
	case was:
		return "it was a symbolic link"
	}
	return ""
}

// paired makes one finding of a file that went and one that came in its place
// under another name.
func paired(found []*finding) []*finding {
	gone := map[*finding]bool{}
	for _, came := range found {
		if came.existed() || !came.exists() {
			continue
		}
		for _, went := range found {
			if !gone[went] && went.existed() && !went.exists() && sameFile(went, came) {
				came.from, gone[went] = went, true
				break
			}
		}
	}
	return slices.DeleteFunc(found, func(f *finding) bool { return gone[f] })
}

func sameFile(went, came *finding) bool {
	if went.before != nil && came.after != nil {
		return went.before.Text != "" && went.before.Bytes() == came.after.Bytes()
	}
	return went.seen.Before.SameFile(came.seen.After)
}

func (f *finding) kind() workspace.ChangeKind {
	switch {
	case f.from != nil:
		return workspace.Rename
	case !f.existed():
		return workspace.Create
	case !f.exists():
		return workspace.Delete
	}
	return workspace.Modify
}

// change is what was done, with texts; nil, and why, where there are none. why
// may also tell what the texts do not.
func (f *finding) change() (done *workspace.Change, why string) {
	before, after := f.before, f.after
	if f.from != nil {
		before = f.from.before
	}
	absent := &former{Content: workspace.Content{Path: f.path}}
	if before == nil && !f.existed() {
		before = absent
	}
	if after == nil && !f.exists() {
		after = absent
	}
	var ch workspace.Change
	switch links := f.links(); {
	case f.from != nil && after != nil:
		ch = workspace.Rewrite(after.Content, after.Text)
		ch.Kind = workspace.Rename
	case links != "":
		return nil, links
	case before == nil:
		return nil, "a command changed it, and what it held before was not kept"
	case after == nil:
		return nil, "a command changed it, and it is too large or no text"
	case f.modes() != "" && f.sameBytes():
		return nil, f.modes()
	case binary(before.Text) || binary(after.Text):
		return nil, "a command changed it, and it is no text"
	case !after.Exists:
		ch = workspace.Remove(before.Content)
	default:
		ch = workspace.Restore(before.Content, after.Bytes())
	}
	return &ch, f.modes()
}

func binary(text string) bool { return strings.IndexByte(text, 0) >= 0 }
