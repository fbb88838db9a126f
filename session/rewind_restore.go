package session

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// Rewind does what PreviewRewind has shown, of which digest is. It makes a
// checkpoint of its own, by which it is undone; id is "" when nothing was done.
// Of a file that cannot be given back what it held, the result says why.
func (s *Session) Rewind(ctx context.Context, what RewindChoice, digest string) (id string, files []RewindFile, err error) {
	release, err := s.holdTurns(ctx)
	if err != nil {
		return "", nil, err
	}
	defer release()
	r, err := s.PreviewRewind(ctx, what)
	if err != nil {
		return "", nil, err
	}
	if r.Digest != digest {
		return "", nil, &Error{
			Kind: "stale", Message: "the files, or what is known of them, are not what the preview showed",
			Hint: "checkpoint/preview shows them as they are now",
		}
	}
	if !slices.ContainsFunc(r.Files, RewindFile.Effective) {
		return "", r.Files, nil
	}
	j, err := s.keeper.open()
	if err != nil {
		return "", nil, err
	}
	id, err = j.Begin(checkpoint.Begin{RewindTo: r.to.ID, Time: s.host.now(), Title: r.Title()})
	if err != nil {
		return "", nil, &Error{
			Kind: "invalid", Message: "nothing was rewound: what the files hold now could not be kept: " + err.Error(),
			Hint: "make room or mend the rights of " + s.host.dir(s.id),
		}
	}
	return id, s.rewind(ctx, r, j, id), nil
}

// holdTurns keeps turns, and a person's words about changes, from coming
// between.
func (s *Session) holdTurns(ctx context.Context) (release func(), err error) {
	if id := s.busy(); id != "" {
		return nil, &Error{Kind: "turnRunning", Message: "a subagent is at work: " + id, Hint: "wait for it, or use subagent/kill"}
	}
	s.mu.Lock()
	err = s.readyLocked()
	s.rewinding = s.rewinding || err == nil
	before := s.ending
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	over := func() {
		s.mu.Lock()
		s.rewinding = false
		s.mu.Unlock()
		s.wake() // what was in the way may be so no longer
	}
	if before != nil {
		<-before.done // its end may still be on its way
	}
	select {
	case s.settling <- struct{}{}:
		return func() { <-s.settling; over() }, nil
	case <-ctx.Done():
		over()
		return nil, context.Cause(ctx)
	}
}

// Title says in a line what is taken back; the rewind's own checkpoint is listed
// by it.
func (r Rewind) Title() string {
	switch {
	case r.to.RewindTo != "":
		first, size := utf8.DecodeRuneInString(r.to.Title)
		return "Undo of the " + string(unicode.ToLower(first)) + r.to.Title[size:]
	case r.choice.Only:
		return "Rewind of only: " + r.to.Title
	}
	return "Rewind to before: " + r.to.Title
}

// Effective says that something is done to the file.
func (f RewindFile) Effective() bool { return f.State == RewindRestore || f.State == RewindMerge }

// rewind carries a rewind out, file by file. One that fails does not keep the
// others from what they held.
func (s *Session) rewind(ctx context.Context, r Rewind, j *checkpoint.Journal, id string) []RewindFile {
	files := slices.Clone(r.Files)
	for i, f := range files {
		if f.Effective() {
			files[i] = s.giveBack(ctx, f, j, id)
		}
	}
	s.removeMade(files, j.Steps())
	if names := s.settleRewound(r, files); len(names) > 0 {
		if err := j.Reverted(id, names); err != nil {
			s.log.Warn("undoing the rewind will not say which changes stand again", "checkpoint", id, "err", err)
		}
	}
	if said := r.remark(s.ws, files); said != "" {
		for _, o := range s.family() {
			o.remark(said)
		}
	}
	return files
}

// giveBack gives one file what it held, and keeps what it holds now.
func (s *Session) giveBack(ctx context.Context, f RewindFile, j *checkpoint.Journal, id string) RewindFile {
	switch {
	case f.save:
		return s.giveSaved(ctx, f, j, id)
	case len(f.Change.Hunks) == 0 && f.Change.Kind == workspace.Modify:
		return s.giveMode(f, j, id)
	case f.unsaved:
		if err := s.ws.Save(ctx, f.Change.Path); err != nil {
			return f.leave(RewindConflict, "it has unsaved changes in the editor, which does not save it: "+err.Error())
		}
	}
	var kept *workspace.Content
	var step checkpoint.Step
	cameToNothing := func() {
		if kept != nil {
			text := kept.Bytes()
			s.noteLeft(j, step, stateOf(*kept), text)
		}
	}
	keep := func(before workspace.Content) error {
		cameToNothing() // an attempt before this one
		var err error
		step, err = j.Keep(checkpoint.Kept{
			Checkpoint: id, Path: f.Path, Before: stateOf(before), Text: before.Bytes(), Dirs: s.missingDirs(before), Command: f.mode != 0,
		})
		if kept = nil; err == nil {
			kept = &before
		}
		return err
	}
	f.Change.Mode = fs.FileMode(f.mode)
	accepted := workspace.Acceptance{All: true, Keep: keep}
	told := s.host.noteWrite(&accepted, f.Change.Path.Abs, &accepted)
	out, err := s.ws.Commit(ctx, f.Change, accepted)
	told()
	if err != nil || out.State != workspace.Applied {
		cameToNothing()
	}
	switch {
	case err != nil:
		return f.leave(RewindConflict, err.Error())
	case out.State != workspace.Applied:
		return f.leave(RewindConflict, cmp.Or(out.Why, "it was not written"))
	}
	f.Change, f.Why = out.Change, cmp.Or(out.Note, f.Why)
	if f.mode != 0 && f.Change.Kind == workspace.Modify {
		if err := s.ws.SetMode(f.Change.Path, fs.FileMode(f.mode)); err != nil {
			f.Why = "its mode is not what it was: " + err.Error()
		}
	}
	left, text := leftBy(out)
	if info, err := os.Lstat(f.Path); err == nil {
		left.Mode = uint32(info.Mode() & workspace.ModeBits)
	}
	s.noteLeft(j, step, left, text)
	return f
}

func (s *Session) noteLeft(j *checkpoint.Journal, step checkpoint.Step, left checkpoint.State, text string) {
	if err := j.Left(step, left, &text); err != nil {
		s.log.Warn("undoing the rewind will not know what it left", "path", step.Path, "err", err)
	}
}

// giveSaved has the editor write a file that it has and the disk has not.
func (s *Session) giveSaved(ctx context.Context, f RewindFile, j *checkpoint.Journal, id string) RewindFile {
	step, err := j.Keep(checkpoint.Kept{Checkpoint: id, Path: f.Path, Command: true})
	if err == nil {
		err = s.ws.Save(ctx, f.Change.Path)
	}
	if err != nil {
		return f.leave(RewindConflict, "the editor has it open and does not save it: "+err.Error())
	}
	if left, text, err := onDisk(f.Path); err == nil {
		s.noteLeft(j, step, left, text)
	}
	return f
}

// giveMode gives a file whose bytes are right the mode that it had.
func (s *Session) giveMode(f RewindFile, j *checkpoint.Journal, id string) RewindFile {
	before, text, err := onDisk(f.Path)
	if err == nil {
		after := before
		after.Mode = f.mode
		_, err = j.Keep(checkpoint.Kept{Checkpoint: id, Path: f.Path, Before: before, Text: text, After: &after, Left: text, Command: true})
	}
	if err == nil {
		err = s.ws.SetMode(f.Change.Path, fs.FileMode(f.mode))
	}
	if err != nil {
		return f.leave(RewindConflict, err.Error())
	}
	return f
}

// removeMade removes the folders of files that were removed, as far as they were
// made for files of the session and nothing is in them.
func (s *Session) removeMade(files []RewindFile, steps []checkpoint.Step) {
	made := map[string]bool{}
	for _, step := range steps {
		for _, dir := range step.Dirs {
			made[dir] = true
		}
	}
	for _, f := range files {
		if !f.Effective() || f.Change.Kind != workspace.Delete {
			continue
		}
		for dir := filepath.Dir(f.Path); made[dir] && s.ws.RemoveEmpty(dir); {
			dir = filepath.Dir(dir)
		}
	}
}

// settleRewound has the changes that a rewind took back say so, and those that
// it brought back by undoing another one. It returns how the former stood.
func (s *Session) settleRewound(r Rewind, files []RewindFile) map[string]string {
	names := map[string]string{}
	for _, o := range s.family() {
		o.settleOwn(r, files, names)
	}
	s.settleGone(r, files, names)
	return names
}

// settleGone is settleOwn for the subagents that are gone: their sessions are opened
// for it.
func (s *Session) settleGone(r Rewind, files []RewindFile, names map[string]string) {
	for _, id := range s.subs.sessionsGone() {
		_, closed := s.host.Get(id)
		o, _, err := s.host.Load(id, maxSeq, func(Event) {})
		if err != nil {
			s.log.Warn("a subagent's changes will not say that they were rewound", "of", id, "err", err)
			continue
		}
		o.settleOwn(r, files, names)
		if closed != nil {
			_ = o.Close(context.Background()) // nothing of it runs
		}
	}
}

// settleOwn adds to names how the session's own changes stood.
func (s *Session) settleOwn(r Rewind, files []RewindFile, names map[string]string) {
	given, again := r.given(files), r.again()
	for _, ch := range s.changes.all() {
		before, known := again[ch.ID]
		was := Change{State: ChangeState(before)}
		switch {
		case !given[ch.Summary.Path] || ch.ByCommand && r.spares(files, ch):
		case ch.stands() && (r.took(ch.during()) || known && !was.stands()):
			names[ch.ID] = string(ch.State)
			s.announce(ch.ID, func(ch *Change) { ch.State, ch.Done, ch.Why = ChangeReverted, nil, r.words() })
		case known && was.stands() && !r.took(ch.during()) && ch.State == ChangeReverted:
			names[ch.ID] = string(ch.State)
			s.announce(ch.ID, func(ch *Change) { s.changes.revive(ch, was.State) })
		}
	}
}

// revive has a change that was taken back stand again. Its texts come from the
// shelf when they are wanted. The book's lock is held.
func (b *book) revive(ch *Change, state ChangeState) {
	if !ch.resting {
		b.bytes -= size(ch)
		ch.rest()
	}
	ch.State, ch.Why = state, ""
}

// given are the files that got what they held.
func (r Rewind) given(files []RewindFile) map[string]bool {
	given := map[string]bool{}
	for _, f := range files {
		given[f.Path] = f.Effective() || f.State == RewindUnchanged
	}
	return given
}

// spares says that a command's change is one of those that are left because
// somebody else may have made it.
func (r Rewind) spares(files []RewindFile, ch Change) bool {
	return slices.ContainsFunc(files, func(f RewindFile) bool {
		return f.Path == ch.Summary.Path && slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool {
			return c.Turn == ch.during() && slices.Contains(f.spared, c.ID)
		})
	})
}

// took says that what a turn did is taken back.
func (r Rewind) took(turn string) bool {
	return slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.Turn == turn && turn != "" })
}

// again are the changes that stand again, and how, since the rewinds that took
// them back are undone.
func (r Rewind) again() map[string]string {
	again := map[string]string{}
	for _, c := range slices.Backward(r.span) { // the oldest knows how they stood first
		for id, state := range c.Reverted {
			again[id] = state
		}
	}
	return again
}

func (r Rewind) words() string {
	switch {
	case r.to.RewindTo != "":
		return "a rewind was undone"
	case r.choice.Only:
		return "what turn " + r.to.Turn + " did was taken back"
	}
	return "rewound to before turn " + r.to.Turn
}

// remark is what the model is told of a rewind.
func (r Rewind) remark(ws *workspace.Workspace, files []RewindFile) string {
	var given, left []string
	for _, f := range files {
		name := f.Path
		if p, err := ws.Resolve(f.Path); err == nil {
			name = p.Rel
		}
		switch {
		case f.Effective():
			given = append(given, name+" ("+f.words()+")")
		case f.State != RewindUnchanged:
			left = append(left, name+" ("+f.Why+")")
		}
	}
	if len(given) == 0 {
		return ""
	}
	said := fmt.Sprintf("The user has rewound files: %s. They now hold what they held before, so read them again before you edit them.\n%s",
		r.words(), "Rewound: "+strings.Join(given, ", ")+".")
	if len(left) > 0 {
		said += "\nLeft as they are: " + strings.Join(left, ", ") + "."
	}
	return said
}

// words say what was done to the file.
func (f RewindFile) words() string {
	switch {
	case f.State == RewindMerge:
		return "what others changed in it since is kept"
	case f.Change.Kind == workspace.Delete:
		return "removed"
	case f.Change.Kind == workspace.Create:
		return "made again"
	}
	return "as it was"
}
