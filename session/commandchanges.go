package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
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
	script     string
	naming     *naming
	named      map[string]bool // what the command's words name
	absent     map[string]bool // of that what was not there, and its folders

	telling sync.Mutex // held from looking to telling; guards below
	over    bool
	listed  int

	mu     sync.Mutex // guards below; held while files are compared
	before map[string]former
	knew   map[string]bool             // what the session itself has read or changed
	later  map[string]watch.Difference // seen, and likely to pass
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
	until := time.Now().Add(formerTime)
	v := &vigil{
		s: s, turn: c.turn, call: c.id, window: s.watcher.Begin(), script: script,
		naming: filesNamed(s.ws, script, c.plan.Command.Dir, until), named: map[string]bool{},
		before: map[string]former{}, knew: map[string]bool{}, later: map[string]watch.Difference{},
	}
	for _, p := range v.naming.paths {
		v.named[p.Abs] = true
	}
	edited, reads := s.edited(), s.env.Reads.Paths()
	for _, p := range edited {
		v.knew[p.Abs] = true
	}
	for _, path := range reads {
		v.knew[path] = true
	}
	v.read(func(yield func(workspace.Path) bool) {
		for _, p := range slices.Concat(v.naming.paths, edited) {
			if !yield(p) {
				return
			}
		}
		s.listed(slices.Concat(s.ws.OpenPaths(), reads), yield)
	}, until)
	v.absent = v.missing()
	s.vigils.mu.Lock()
	defer s.vigils.mu.Unlock()
	s.vigils.list = append(s.vigils.list, v)
	return v
}

// missing are what the command's words name and what is not there, with the
// folders of it that are not there either.
func (v *vigil) missing() map[string]bool {
	missing := map[string]bool{}
	for name, f := range v.before {
		if !f.Exists && v.named[name] {
			missing[name] = true
			for _, dir := range v.s.missingDirs(f.Content) {
				missing[dir] = true
			}
		}
	}
	return missing
}

// madeFor are the folders of a file that came with the command, outermost first.
func (v *vigil) madeFor(path string) (dirs []string) {
	for dir := filepath.Dir(path); v.absent[dir]; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

// read keeps what files hold, within all bounds.
func (v *vigil) read(paths iter.Seq[workspace.Path], until time.Time) {
	left := formerBytes
	for p := range paths {
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

// listed yields the files of names that may be looked at. Each costs a few looks
// at the disk, so it is done no sooner than it is asked for.
func (s *Session) listed(names []string, yield func(workspace.Path) bool) {
	for _, name := range names {
		p, err := s.ws.Resolve(name)
		if err == nil && p.Inside && p.Protected == "" && !unlisted(p) && !yield(p) {
			return
		}
	}
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

// know tells every vigil what a file holds by the hand of somebody who is not its
// command: another's, or where that is nil the session itself.
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
		if but == nil {
			v.knew[p.Abs] = true
		}
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
	v.reportLocked(ctx, len(v.s.vigils.all()) > 1) // others may be about to make it pass
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

// report enters what has changed since it was last asked.
func (v *vigil) report(ctx context.Context) {
	v.telling.Lock()
	defer v.telling.Unlock()
	if !v.over {
		v.reportLocked(ctx, true)
	}
}

func (v *vigil) reportLocked(ctx context.Context, runsOn bool) {
	found := paired(v.compare(ctx, runsOn))
	more := 0
	if room := max(0, maxListed-v.listed); len(found) > room {
		found, more = found[:room], len(found)-room
	}
	v.listed += len(found)
	v.noteRest(more)
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

// noteRest has a rewind say that it cannot take back what is not listed.
func (v *vigil) noteRest(more int) {
	if more > 0 {
		v.s.noteUnlisted(v.turn, fmt.Sprintf("a command changed %d more files below it, which are not listed one by one and stay", more))
	}
}

// noteUnlisted has a rewind tell of changes below the session's folder that
// nobody can name.
func (s *Session) noteUnlisted(turn, why string) {
	if s.keeper == nil {
		return
	}
	dir := s.Info().Dir
	journal, id, err := s.checkpointOf(turn)
	if err == nil {
		err = journal.Unkept(checkpoint.Step{Checkpoint: id, Path: dir, Unkept: why})
	}
	if err != nil {
		s.log.Warn("a rewind will not know of all that was changed", "err", err)
	}
}

// enter makes a change of a finding, or adds to the one that the same command has
// made of the file before. more counts those that are not listed.
func (v *vigil) enter(f *finding, more int) {
	v.note(f)
	done, why := f.change()
	if more > 0 {
		why = strings.TrimPrefix(why+fmt.Sprintf("; %d more files that this command changed are not listed", more), "; ")
	}
	if v.again(f, done, why) {
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

// again adds to what the same command did to a file before, as long as nobody
// has said anything about that. done is nil where texts are not known.
func (v *vigil) again(f *finding, done *workspace.Change, why string) bool {
	for _, ch := range slices.Backward(v.s.changes.all()) {
		if ch.Call != v.call || ch.Summary.Path != f.path.Abs || !ch.ByCommand {
			continue
		}
		switch {
		case ch.State != ChangeApplied || len(ch.Kept) > 0 || f.from != nil || ch.Summary.Kind == workspace.Rename:
			return false
		case ch.resting || ch.Done == nil || done == nil:
			if ch.Summary.Kind != workspace.Create || f.exists() {
				return false
			}
		case !follows(*ch.Done, *done):
			return false
		}
		ch.Why = cmp.Or(why, ch.Why)
		v.s.regrow(ch, grown(ch, done))
		return true
	}
	return false
}

// follows says that a change begins where another ended.
func follows(first, then workspace.Change) bool {
	return first.New == then.Old && (first.Kind == workspace.Delete) == (then.Kind == workspace.Create)
}

// grown is what a change comes to together with the one that follows it; nil if
// all is as it was before both.
func grown(ch Change, then *workspace.Change) *workspace.Change {
	made := ch.Summary.Kind == workspace.Create
	if made && (then == nil || then.Kind == workspace.Delete) {
		return nil
	}
	was := workspace.Content{
		Path: ch.Done.Path, Exists: !made, Text: ch.Done.Old, Base: ch.Done.Base, Encoding: ch.Done.Encoding, Raw: ch.Done.Raw,
	}
	if then.Kind == workspace.Delete {
		gone := workspace.Remove(was)
		return &gone
	}
	both := workspace.Rewrite(was, then.New)
	if both.Kind == workspace.Modify && len(both.Hunks) == 0 {
		return nil
	}
	return &both
}

// regrow gives a command's change another text that it left; nil: nothing is left
// of it.
func (s *Session) regrow(ch Change, done *workspace.Change) {
	ch.Done, ch.texts = done, ch.texts+1
	if done == nil {
		ch.State = ChangeReverted
	} else {
		ch.Summary = summary(*done)
	}
	if !ch.resting {
		s.shelve(ch)
	}
	s.announce(ch.ID, func(c *Change) {
		c.State, c.texts, c.Summary, c.Why = ch.State, ch.texts, ch.Summary, ch.Why
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
	v.mu.Lock()
	defer v.mu.Unlock()
	for ; f != nil; f = f.from {
		if v.naming.covers(f.path.Abs) || v.knew[f.path.Abs] {
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
		s.noteCommandChange(v.turn, checkpoint.Step{Path: f.path.Abs, Kind: string(f.kind()), While: while, Dirs: v.madeFor(f.path.Abs)})
		return
	}
	journal, id, err := s.checkpointOf(v.turn)
	if err == nil {
		kept := checkpoint.Kept{
			Checkpoint: id, Path: f.path.Abs, Before: f.before.state(), Text: f.before.Bytes(), Command: true,
			After: &checkpoint.State{}, While: while, Dirs: v.madeFor(f.path.Abs),
		}
		if f.after != nil {
			after := f.after.state()
			kept.After, kept.Left = &after, f.after.Bytes()
		} else if f.exists() {
			kept.After = nil
		}
		_, err = journal.Keep(kept)
	}
	if err != nil {
		s.log.Warn("a rewind will not know what a command changed", "path", f.path.Abs, "err", err)
	}
}

func (f *former) state() checkpoint.State {
	return checkpoint.State{Exists: f.Exists, Mode: uint32(f.stat.Mode & workspace.ModeBits)}
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
