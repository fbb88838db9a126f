package session

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/checkpoint"
	"drawbridge/tools"
	"drawbridge/workspace"
	"drawbridge/workspace/watch"
)

// A command changes files that nobody has planned. What it may change is read
// before it starts, as far as that can be told: what the session knows, what the
// editor has open, and what the command names. Afterwards that is compared with
// what is there, together with what the watcher saw of all other files.

const (
	// maxFormer bounds the files that are read before a command, formerFile and
	// formerBytes their sizes in bytes, one and all. What was made is read within
	// the same bounds.
	maxFormer   = 64
	formerFile  = 8 << 20
	formerBytes = 32 << 20
	// formerTime is how long a command waits for that reading at most, but for the
	// first few and for a large file that was begun.
	formerTime  = 5 * time.Millisecond
	formerFirst = 16
	// refreshLimit is how long the end of a call waits at most for what its command
	// changed to be found and shown.
	refreshLimit = 3 * time.Second
	// maxListed bounds the changes of one command that are listed one by one.
	maxListed = 200
)

// vigil looks after the files that one command may change.
type vigil struct {
	s          *Session
	turn, call string
	window     Window
	named      map[string]bool // what the command's words name
	script     string
	knew       map[string]bool // what the session had read or changed before

	telling sync.Mutex // held from looking to telling; guards below
	over    bool
	listed  int

	mu     sync.Mutex // guards below; held while files are compared
	before map[string]former
}

// former is what a file held when the command started, or when it was last
// looked at.
type former struct {
	workspace.Content
	stat  watch.File
	saves int // of its open document, until then
}

// vigils are those of commands that run.
type vigils struct {
	mu      sync.Mutex // guards below
	list    []*vigil
	writing map[string]int // paths that the session's own changes are being written to
}

// beginVigil is called right before a command starts.
func (s *Session) beginVigil(c *call, script string) *vigil {
	v := &vigil{
		s: s, turn: c.turn, call: c.id, window: s.watcher.Begin(),
		named: map[string]bool{}, before: map[string]former{}, script: script, knew: s.dealtWith(),
	}
	until := time.Now().Add(formerTime)
	likely := filesNamed(s.ws, script, c.plan.Command.Dir, until)
	for _, p := range likely {
		v.named[p.Abs] = true
	}
	v.read(append(likely, s.known()...), until)
	s.vigils.mu.Lock()
	defer s.vigils.mu.Unlock()
	s.vigils.list = append(s.vigils.list, v)
	return v
}

// read keeps what files hold, within all bounds.
func (v *vigil) read(paths []workspace.Path, until time.Time) {
	left := formerBytes
	for _, p := range paths {
		if len(v.before) == maxFormer || len(v.before) >= formerFirst && time.Now().After(until) {
			break
		}
		if _, known := v.before[p.Abs]; known {
			continue
		}
		if f, ok := v.s.former(p, int64(min(formerFile, left))); ok {
			v.before[p.Abs] = f
			left -= len(f.Text)
		}
	}
}

// known are the files that a session has to do with, the likeliest to change
// first.
func (s *Session) known() []workspace.Path {
	paths := s.edited()
	for _, name := range slices.Concat(s.ws.OpenPaths(), s.env.Reads.Paths()) {
		if p, err := s.ws.Resolve(name); err == nil && p.Inside && p.Protected == "" && !unlisted(p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// dealtWith are the files that the session has read or changed.
func (s *Session) dealtWith() map[string]bool {
	paths := map[string]bool{}
	for _, p := range s.edited() {
		paths[p.Abs] = true
	}
	for _, path := range s.env.Reads.Paths() {
		paths[path] = true
	}
	return paths
}

// former reads what a file holds on the disk; false if it is not known then.
func (s *Session) former(p workspace.Path, limit int64) (former, bool) {
	f := former{stat: watch.Stat(p.Abs)} // first: what is read may be newer, never older
	c, err := s.ws.OnDisk(p, limit)
	if err != nil {
		return former{}, false
	}
	doc, _ := s.ws.Document(p)
	f.Content, f.saves = c, doc.Saves
	return f, true
}

// writes notes that a change of the session is being written, until done: what
// it does is not a command's.
func (vs *vigils) writes(ch *workspace.Change) (done func()) {
	if ch == nil {
		return func() {}
	}
	path := ch.Path.Abs
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.writing == nil {
		vs.writing = map[string]int{}
	}
	vs.writing[path]++
	return func() {
		vs.mu.Lock()
		defer vs.mu.Unlock()
		if vs.writing[path]--; vs.writing[path] == 0 {
			delete(vs.writing, path)
		}
	}
}

func (vs *vigils) isWriting(path string) bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.writing[path] > 0
}

func (vs *vigils) all() []*vigil {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return slices.Clone(vs.list)
}

// know tells every vigil what a file holds by somebody else's hand, who is not
// the command.
func (s *Session) know(p workspace.Path, but *vigil) {
	vigils := s.vigils.all()
	if len(vigils) == 0 {
		return
	}
	f, ok := s.former(p, formerFile)
	for _, v := range vigils {
		if v == but {
			continue
		}
		v.mu.Lock()
		if ok {
			v.before[p.Abs] = f
		} else {
			delete(v.before, p.Abs)
		}
		v.mu.Unlock()
	}
}

// lookAround tells what commands in the background have changed by now.
func (s *Session) lookAround(ctx context.Context) {
	for _, v := range s.vigils.all() {
		v.report(ctx)
	}
}

// end reports for the last time. It may be called more than once.
func (v *vigil) end(ctx context.Context) {
	v.telling.Lock()
	defer v.telling.Unlock()
	if v.over {
		return
	}
	v.reportLocked(ctx)
	v.over = true
	v.window.Close()
	v.s.vigils.mu.Lock()
	defer v.s.vigils.mu.Unlock()
	v.s.vigils.list = slices.DeleteFunc(v.s.vigils.list, func(o *vigil) bool { return o == v })
}

// elsewhere are the files of other commands that run: those that only the words
// of one of them name, and what they held when that was last looked at.
func (s *Session) elsewhere(but *vigil) (named map[string]bool, before map[string]former) {
	named, before = map[string]bool{}, map[string]former{}
	for _, v := range s.vigils.all() {
		if v == but {
			continue
		}
		for path := range v.named {
			named[path] = !but.named[path]
		}
		v.mu.Lock()
		maps.Copy(before, v.before)
		v.mu.Unlock()
	}
	return named, before
}

// endVigil reports what a call's command changed: all, or what it did by now if
// it runs on.
func (c *call) endVigil(runsOn bool) {
	ctx, cancel := context.WithTimeout(context.Background(), refreshLimit)
	defer cancel()
	switch {
	case c.vigil == nil:
	case runsOn && c.terminal != nil && !c.terminal.over():
		c.vigil.report(ctx)
	default:
		c.vigil.end(ctx)
	}
}

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

// report enters what has changed since it was last asked.
func (v *vigil) report(ctx context.Context) {
	v.telling.Lock()
	defer v.telling.Unlock()
	if !v.over {
		v.reportLocked(ctx)
	}
}

func (v *vigil) reportLocked(ctx context.Context) {
	found := paired(v.compare(ctx))
	more := 0
	if room := max(0, maxListed-v.listed); len(found) > room {
		found, more = found[:room], len(found)-room
	}
	v.listed += len(found)
	for i, f := range found {
		rest := 0
		if i == len(found)-1 {
			rest = more
		}
		v.enter(f, rest)
	}
	for _, f := range found {
		v.s.know(f.path, v)
		if f.from != nil {
			v.s.know(f.from.path, v)
		}
	}
	v.s.refresh(ctx, found)
}

// compare finds what has changed and takes it for known.
func (v *vigil) compare(ctx context.Context) []*finding {
	seen, partial := v.window.Differences(ctx)
	named, before := v.s.elsewhere(v)
	v.mu.Lock()
	defer v.mu.Unlock()
	all := map[string]*finding{}
	for _, d := range seen {
		if p, err := v.s.ws.Resolve(d.Path); err == nil && p.Abs == d.Path && p.Inside && p.Protected == "" && !unlisted(p) {
			all[d.Path] = &finding{path: p, seen: d}
			if f, ok := before[d.Path]; ok {
				all[d.Path].before = &f
			}
		}
	}
	for path, f := range v.before {
		if all[path] == nil {
			all[path] = &finding{path: f.Path}
		}
		all[path].before = &f
	}
	maps.DeleteFunc(all, func(path string, _ *finding) bool { return named[path] })
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
	case f.before != nil && f.after != nil && f.before.Exists == f.after.Exists && f.before.Bytes() == f.after.Bytes():
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

// enter makes a change of a finding, or adds to the one that the same command has
// made of the file before. more counts those that are not listed.
func (v *vigil) enter(f *finding, more int) {
	v.note(f)
	done, why := f.change()
	if more > 0 {
		why = strings.TrimPrefix(why+fmt.Sprintf("; %d more files that this command changed are not listed", more), "; ")
	}
	if done != nil && v.again(f, *done) {
		return
	}
	ch := Change{
		Turn: v.turn, Call: v.call, State: ChangeProposed, ByCommand: true, Why: why, Time: v.s.host.now(),
		Summary: ChangeSummary{Path: f.path.Abs, Kind: f.kind()}, resting: done == nil,
	}
	if done != nil {
		ch.Planned, ch.Summary = *done, summary(*done)
	}
	if f.from != nil {
		ch.Summary.From = f.from.path.Abs
		ch.Summary.Diff = "rename from " + f.from.path.Rel + "\nrename to " + f.path.Rel + "\n"
	}
	id := v.s.changes.add(ch)
	v.s.announce(id, func(ch *Change) { ch.State, ch.Done = ChangeApplied, done })
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

// change is what was done, with texts; nil, and why, where they are not known.
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
	switch {
	case f.from != nil && after != nil:
		ch = workspace.Rewrite(after.Content, after.Text)
		ch.Kind = workspace.Rename
	case before == nil:
		return nil, "a command changed it, and what it held before was not kept"
	case after == nil:
		return nil, "a command changed it, and it is too large or no text"
	case binary(before.Text) || binary(after.Text):
		return nil, "a command changed it, and it is no text"
	case !after.Exists:
		ch = workspace.Remove(before.Content)
	default:
		ch = workspace.Restore(before.Content, after.Bytes())
	}
	return &ch, ""
}

func binary(text string) bool { return strings.IndexByte(text, 0) >= 0 }

// again adds to what the same command did to a file before, as long as nobody
// has said anything about that.
func (v *vigil) again(f *finding, done workspace.Change) bool {
	for _, ch := range slices.Backward(v.s.changes.all()) {
		if ch.Call != v.call || ch.Summary.Path != f.path.Abs || !ch.ByCommand {
			continue
		}
		if ch.State != ChangeApplied || ch.resting || len(ch.Kept) > 0 || ch.Done == nil ||
			ch.Done.Kind == workspace.Rename || ch.Done.Kind == workspace.Delete || done.Kind != workspace.Modify || ch.Done.New != done.Old {
			return false
		}
		was := workspace.Content{
			Path: f.path, Exists: ch.Done.Kind != workspace.Create, Text: ch.Done.Old, Base: ch.Done.Base,
			Encoding: ch.Done.Encoding, Raw: ch.Done.Raw,
		}
		v.s.regrow(ch, workspace.Rewrite(was, done.New))
		return true
	}
	return false
}

// regrow gives a command's change another text that it left.
func (s *Session) regrow(ch Change, done workspace.Change) {
	ch.Done, ch.texts, ch.Summary = &done, ch.texts+1, summary(done)
	if done.Kind == workspace.Modify && len(done.Hunks) == 0 {
		ch.State, ch.Done = ChangeReverted, nil
	}
	s.shelve(ch)
	s.announce(ch.ID, func(c *Change) {
		c.State, c.texts, c.Summary = ch.State, ch.texts, ch.Summary
		if !c.resting {
			c.Done = ch.Done
		}
	})
}

// note has a rewind know of a finding.
func (v *vigil) note(f *finding) {
	while := v.while(f)
	if f.from != nil {
		v.noteOne(f.from, while)
		v.noteOne(&finding{path: f.path, after: f.after, seen: watch.Difference{After: f.seen.After}}, while)
		return
	}
	v.noteOne(f, while)
}

// maxWhile bounds how much of a command, in characters, a rewind tells.
const maxWhile = 100

// while is the command, if nothing but the time ties a finding to it.
func (v *vigil) while(f *finding) string {
	for ; f != nil; f = f.from {
		if v.named[f.path.Abs] || v.knew[f.path.Abs] {
			return ""
		}
	}
	script := []rune(strings.Join(strings.Fields(v.script), " "))
	if len(script) > maxWhile {
		script = append(script[:maxWhile-1], '…')
	}
	return string(script)
}

// noteOne keeps what a file held before the command and what it left. Both are
// in memory: nothing had to be written before the command started.
func (v *vigil) noteOne(f *finding, while string) {
	s := v.s
	if f.before == nil || s.keeper == nil {
		s.noteCommandChange(v.turn, f.path.Abs, f.kind(), while)
		return
	}
	journal, id, err := s.checkpointOf(v.turn)
	if err == nil {
		kept := checkpoint.Kept{
			Checkpoint: id, Path: f.path.Abs, Before: f.before.state(), Text: f.before.Bytes(), Command: true,
			After: &checkpoint.State{}, While: while,
		}
		if f.after != nil {
			after := f.after.state()
			kept.After, kept.Left = &after, f.after.Bytes()
		} else if f.exists() {
			kept.After = nil
		}
		err = journal.Keep(kept)
	}
	if err != nil {
		s.log.Warn("a rewind will not know what a command changed", "path", f.path.Abs, "err", err)
	}
}

func (f *former) state() checkpoint.State {
	return checkpoint.State{Exists: f.Exists, Mode: uint32(f.stat.Mode.Perm())}
}

// moveBack takes a command's rename back.
func (s *Session) moveBack(ctx context.Context, ch Change) (back []string, stuck []workspace.Stuck, err error) {
	to, err := s.ws.Resolve(ch.Summary.From)
	if err == nil {
		err = s.ws.Move(ctx, ch.Done.Path, to, ch.Done.New)
	}
	if err != nil {
		return nil, []workspace.Stuck{{Hunk: wholeChange, Why: err.Error()}}, nil
	}
	return []string{wholeChange}, nil, nil
}

// refresh has the editor read files again that a command changed and that it has
// open, side by side.
func (s *Session) refresh(ctx context.Context, found []*finding) {
	var wg sync.WaitGroup
	for _, f := range found {
		if _, open := s.ws.Document(f.path); open {
			wg.Go(func() { s.ws.Fresh(ctx, f.path) })
		}
	}
	wg.Wait()
}

// startsCommand says that a call runs a command of its own.
func (c *call) startsCommand() bool {
	return c.plan.Access == tools.Execute && c.plan.Command != nil && !c.typesOnly()
}

// watchCommand begins to look after what a call's command changes.
func (s *Session) watchCommand(ctx context.Context, c *call, ok tools.Accepted) {
	script := c.plan.Command.Script
	if ok.Script != nil {
		script = *ok.Script
	}
	if filepath.IsAbs(c.plan.Command.Dir) {
		s.lookAround(ctx) // what runs already did so before
		c.vigil = s.beginVigil(c, script)
	}
}
