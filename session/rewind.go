package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// Checkpoint is what files held before a turn's first write to each, or before
// a rewind.
type Checkpoint struct {
	checkpoint.Begin
	Files []string // absolute, by name
	// Gone says that it cannot be restored: what was kept is not there any more.
	Gone bool
}

// RewindState says what a rewind does, or did, to a file.
type RewindState string

const (
	RewindRestore   RewindState = "restore"
	RewindMerge     RewindState = "merge"
	RewindConflict  RewindState = "conflict"
	RewindUnchanged RewindState = "unchanged"
	RewindUnkept    RewindState = "unkept"
)

// RewindFile is what a rewind does, or did, to a file.
type RewindFile struct {
	Path  string // absolute
	State RewindState
	Why   string // nothing is done
	// Change leads from what the file holds now to what it would hold. Its hunks
	// are empty where nothing is done.
	Change workspace.Change

	mode uint32 // that the file gets, 0: as it is
	save bool   // the editor has what it held, and the disk has no file
}

// Rewind is what a rewind would do.
type Rewind struct {
	Files []RewindFile // by name
	// Digest names all of it.
	Digest string

	to   checkpoint.Checkpoint
	span []checkpoint.Checkpoint
}

// Checkpoints lists the session's checkpoints of which there is anything to
// take back, oldest first.
func (s *Session) Checkpoints() ([]Checkpoint, error) {
	if s.keeper == nil {
		return nil, nil
	}
	j, err := s.keeper.open()
	if err != nil {
		return nil, err
	}
	steps := j.Steps()
	var list []Checkpoint
	for _, c := range j.Checkpoints() {
		shown := Checkpoint{Begin: c.Begin, Gone: c.Damaged}
		for _, step := range steps {
			if step.Checkpoint == c.ID {
				shown.Files = append(shown.Files, step.Path)
				shown.Gone = shown.Gone || step.Unkept == "" && step.Before.Exists && !s.keeper.store.Has(step.Before.Sum)
			}
		}
		slices.Sort(shown.Files)
		if shown.Files = slices.Compact(shown.Files); len(shown.Files) > 0 {
			list = append(list, shown)
		}
	}
	return list, nil
}

// PreviewRewind says what it would do to go back to before a checkpoint, or with
// only to take back what came between it and the next one. "" is the first.
func (s *Session) PreviewRewind(ctx context.Context, id string, only bool) (Rewind, error) {
	if s.keeper == nil {
		return Rewind{}, errNoCheckpoint(id)
	}
	j, err := s.keeper.open()
	if err != nil {
		return Rewind{}, err
	}
	r := Rewind{span: j.Checkpoints()}
	first := slices.IndexFunc(r.span, func(c checkpoint.Checkpoint) bool { return id == "" || c.ID == id })
	if first < 0 {
		return Rewind{}, errNoCheckpoint(id)
	}
	if r.span = r.span[first:]; only {
		r.span = r.span[:1]
	}
	r.to = r.span[0]
	paths, steps := r.touched(j.Steps())
	for _, path := range paths {
		f := s.rewindFile(ctx, path, steps[path])
		if r.damaged() {
			f = f.leave(RewindUnkept, "the list of what was kept is damaged")
		}
		r.Files = append(r.Files, f)
	}
	if err := ctx.Err(); err != nil {
		return Rewind{}, err
	}
	r.Digest = r.digest(only)
	return r, nil
}

func errNoCheckpoint(id string) error {
	message := "no checkpoint " + id
	if id == "" {
		message = "the session has no checkpoint"
	}
	return &Error{Kind: "unknownCheckpoint", Message: message, Hint: "checkpoint/list names those that exist"}
}

func (r Rewind) damaged() bool {
	return slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.Damaged })
}

// touched are the files that were changed in the range, and their steps.
func (r Rewind) touched(all []checkpoint.Step) (paths []string, steps map[string][]checkpoint.Step) {
	steps = map[string][]checkpoint.Step{}
	for _, step := range all {
		if slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.ID == step.Checkpoint }) {
			if steps[step.Path] == nil {
				paths = append(paths, step.Path)
			}
			steps[step.Path] = append(steps[step.Path], step)
		}
	}
	slices.Sort(paths)
	return paths, steps
}

// digest names what is there and what is to be done with it.
func (r Rewind) digest(only bool) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %t\n", r.to.ID, only)
	for _, f := range r.Files {
		old, new := checkpoint.SumOf(f.Change.Before()), checkpoint.SumOf(f.Change.After())
		fmt.Fprintf(sum, "%q %s %s %q %s %s %o\n", f.Path, f.State, f.Change.Kind, f.Why, old, new, f.mode)
		_, _ = io.WriteString(sum, "\n")
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// leave is the file left as it is.
func (f RewindFile) leave(state RewindState, why string) RewindFile {
	f.State, f.Why, f.mode = state, why, 0
	f.Change.New, f.Change.Hunks = f.Change.Old, nil
	return f
}

// rewindFile says what takes steps back from a file.
func (s *Session) rewindFile(ctx context.Context, path string, steps []checkpoint.Step) RewindFile {
	f := RewindFile{Path: path, State: RewindUnchanged}
	p, err := s.ws.Resolve(path)
	f.Change.Path, f.Change.Kind = p, workspace.Modify
	switch {
	case err != nil:
		return f.leave(RewindConflict, err.Error())
	case p.Abs != path:
		return f.leave(RewindConflict, "its name leads to "+p.Abs+" now")
	}
	for _, step := range steps {
		if step.Unkept != "" {
			f.Change.Kind = workspace.ChangeKind(step.Kind)
			return f.leave(RewindUnkept, step.Unkept)
		}
	}
	now, err := s.ws.Read(ctx, p)
	if err != nil {
		return f.leave(RewindConflict, err.Error())
	}
	if s.ws.Vanished(now) {
		now = workspace.Content{Path: now.Path}
	}
	back := stepsBack{s: s, now: now, state: RewindUnchanged}
	f.Change = workspace.Rewrite(now, now.Text)
	f.Change.Kind = kindBetween(now.Exists, steps[0].Before.Exists)
	for _, st := range slices.Backward(stretches(steps)) {
		if state, why := back.take(st); why != "" {
			return f.leave(state, why)
		}
	}
	f.State, f.Change = back.state, change(now, back.now)
	if now.Open {
		return s.rewindDocument(f, now, back.now)
	}
	if f.mode = back.modeFor(p); f.State == RewindRestore && f.mode == 0 && same(now, back.now) {
		f.State = RewindUnchanged
	}
	return f
}

// rewindDocument says what becomes of a file that is open in the editor. Its text
// is changed there. A file that is to go must have no unsaved words in it, and one
// that a command removed is written by the editor, which has it still.
func (s *Session) rewindDocument(f RewindFile, now, then workspace.Content) RewindFile {
	doc, _ := s.ws.Document(f.Change.Path)
	_, err := os.Lstat(f.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case !then.Exists && doc.Dirty:
		return f.leave(RewindConflict, "it has unsaved changes in the editor")
	case !then.Exists && missing:
		f.State = RewindUnchanged
	case then.Exists && missing && !doc.Dirty && same(now, then):
		f.State, f.save = RewindRestore, true
		f.Change = workspace.Rewrite(workspace.Content{Path: f.Change.Path}, now.Text)
	case same(now, then):
		f.State = RewindUnchanged
	}
	return f
}

// kindBetween is what it is to a file to be there or not.
func kindBetween(before, after bool) workspace.ChangeKind {
	switch {
	case before && !after:
		return workspace.Delete
	case !before && after:
		return workspace.Create
	}
	return workspace.Modify
}

// stretch is steps between which nobody else changed the file, as one.
type stretch struct {
	checkpoint.Step
	// passed are what the file held between them. It holds one of these when the
	// last step was about to be written and never was.
	passed []checkpoint.State
}

func stretches(steps []checkpoint.Step) []stretch {
	var out []stretch
	for _, step := range steps {
		n := len(out)
		if n == 0 || out[n-1].After == nil || !out[n-1].After.Same(step.Before) {
			out = append(out, stretch{Step: step})
			continue
		}
		last := &out[n-1]
		last.passed = append(last.passed, step.Before)
		last.After, last.Command = step.After, last.Command || step.Command
	}
	return out
}

// stepsBack goes from what a file holds now to what it held.
type stepsBack struct {
	s     *Session
	now   workspace.Content // on the way back
	state RewindState
	mode  uint32 // that the file had, 0 where it does not matter
	left  uint32 // that it was left with
}

// take takes one stretch back, or says why that cannot be.
func (b *stepsBack) take(step stretch) (RewindState, string) {
	held, err := b.holds(step.Before)
	if err == nil && held {
		b.remode(step.Step)
		return "", ""
	}
	left, err := b.wasLeft(step)
	switch {
	case errors.Is(err, checkpoint.ErrGone):
		return RewindUnkept, err.Error()
	case err != nil:
		return RewindConflict, err.Error()
	case left:
		return b.restore(step.Step)
	case step.After == nil:
		return RewindConflict, "it is not known what was left of it: the bridge ended while it was written"
	case !step.Before.Exists:
		return RewindConflict, "the agent made it, and others have changed it since"
	case !step.After.Exists:
		return RewindConflict, "the agent removed it, and others have made it anew since"
	case !b.now.Exists:
		return RewindConflict, "others have removed it since"
	}
	return b.merge(step.Step)
}

// wasLeft reports whether the file holds what the stretch left, or would have
// left had its last step not been cut off.
func (b *stepsBack) wasLeft(step stretch) (bool, error) {
	states := step.passed
	if step.After != nil {
		states = append([]checkpoint.State{*step.After}, states...)
	}
	for _, state := range states {
		if held, err := b.holds(state); held || err != nil {
			return held, err
		}
	}
	return false, nil
}

// holds reports whether the file holds what it did in a state.
func (b *stepsBack) holds(state checkpoint.State) (bool, error) {
	switch {
	case b.now.Exists != state.Exists:
		return false, nil
	case !state.Exists || checkpoint.SumOf(b.now.Bytes()) == state.Sum:
		return true, nil
	case b.now.Open == state.Document:
		return false, nil
	}
	had, err := b.kept(state)
	return err == nil && workspace.SameText(had.Text, b.now.Text), err
}

// kept is what was kept of a state, as the file is spelled now.
func (b *stepsBack) kept(state checkpoint.State) (workspace.Content, error) {
	raw, err := b.s.keeper.store.Bytes(state)
	if err != nil {
		return workspace.Content{}, err
	}
	return b.at(state, raw), nil
}

// at is the file as it would be with kept bytes in it.
func (b *stepsBack) at(state checkpoint.State, raw string) workspace.Content {
	switch {
	case !state.Document:
		return workspace.Restore(b.now, raw).Left()
	case b.now.Exists && !b.now.Open:
		raw = workspace.Spell(raw, b.now.Text)
	}
	return workspace.Rewrite(b.now, raw).Left()
}

// restore gives the file what it held.
func (b *stepsBack) restore(step checkpoint.Step) (RewindState, string) {
	if step.Before.Exists {
		raw, err := b.s.keeper.store.Bytes(step.Before)
		if err != nil {
			return RewindUnkept, err.Error()
		}
		b.now = b.at(step.Before, raw)
	} else {
		b.now = workspace.Content{Path: b.now.Path, Open: b.now.Open, Version: b.now.Version}
	}
	if b.state == RewindUnchanged {
		b.state = RewindRestore
	}
	b.remode(step)
	return "", ""
}

// remode takes back what a command made of the file's mode, or the removal of
// the file.
func (b *stepsBack) remode(step checkpoint.Step) {
	if step.After == nil || !b.now.Exists || !step.Before.Exists || step.After.Exists && !step.Command || step.After.Mode == step.Before.Mode {
		return
	}
	b.mode, b.left = step.Before.Mode, step.After.Mode
	if b.state == RewindUnchanged {
		b.state = RewindRestore
	}
}

// merge takes a stretch back from a file that others have changed since.
func (b *stepsBack) merge(step checkpoint.Step) (RewindState, string) {
	base, err := b.kept(*step.After)
	if err != nil {
		return RewindUnkept, "others have changed it since, and " + err.Error()
	}
	theirs, err := b.kept(step.Before)
	if err != nil {
		return RewindUnkept, err.Error()
	}
	if strings.ContainsRune(base.Text+theirs.Text, 0) {
		return RewindConflict, "others have changed it since, and it is no text that could be merged"
	}
	merged, conflicts := workspace.Merge(base.Bytes(), b.now.Bytes(), theirs.Bytes())
	if conflicts > 0 {
		return RewindConflict, "others have changed the same lines since" + inPlaces(conflicts)
	}
	if merged != b.now.Bytes() {
		b.now, b.state = b.at(checkpoint.State{Document: b.now.Open}, merged), RewindMerge
	}
	return "", ""
}

func inPlaces(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", in %d places", n)
}

// modeFor is the mode that the file has to be given; 0 is none.
func (b *stepsBack) modeFor(p workspace.Path) uint32 {
	if b.mode == 0 || !b.now.Exists {
		return 0
	}
	info, err := b.s.ws.Mode(p)
	if err == nil && (uint32(info) != b.left || b.mode == b.left) {
		return 0 // as it is, or as others have made it since
	}
	return b.mode
}

// same reports whether two contents are of the same bytes.
func same(a, b workspace.Content) bool { return a.Exists == b.Exists && a.Bytes() == b.Bytes() }

// change leads from one content of a file to another.
func change(from, to workspace.Content) workspace.Change {
	switch {
	case !to.Exists && !from.Exists:
		return workspace.Rewrite(from, "")
	case !to.Exists:
		return workspace.Remove(from)
	case from.Open:
		return workspace.Rewrite(from, to.Text)
	}
	return workspace.Restore(from, to.Bytes())
}
