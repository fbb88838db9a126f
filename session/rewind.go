package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

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
	// Damaged says that it cannot be restored, nor all of its files be named: the
	// list of what was kept cannot be read.
	Damaged bool
}

// RewindState says what a rewind does, or did, to a file.
type RewindState string

const (
	RewindRestore   RewindState = "restore"
	RewindMerge     RewindState = "merge"
	RewindConflict  RewindState = "conflict"
	RewindUnchanged RewindState = "unchanged"
	RewindUnkept    RewindState = "unkept"
	RewindDoubtful  RewindState = "doubtful"
)

// RewindChoice says what to take back.
type RewindChoice struct {
	To   string // the checkpoint to go back to before; "" is the first
	Only bool   // nothing but what came between it and the next one
	// Doubtful takes in what was seen to change while a command ran that does not
	// name the file: somebody else may have done that.
	Doubtful bool
}

// RewindFile is what a rewind does, or did, to a file.
type RewindFile struct {
	Path  string // absolute
	State RewindState
	Why   string // nothing is done, or what is in doubt
	// Doubtful says that somebody else may have made some of what is, or would be,
	// taken back.
	Doubtful bool
	// Change leads from what the file holds now to what it would hold. Its hunks
	// are empty where nothing is done.
	Change workspace.Change

	mode uint32 // that the file gets, 0: as it is
	save bool   // the editor has what it held, and the disk has no file
	// unsaved says that the editor saves the file before it goes: what is unsaved
	// in it is the agent's.
	unsaved bool
	// spared are the checkpoints of doubtful changes that are not taken back, while
	// others of the file are.
	spared []string
}

// Rewind is what a rewind would do.
type Rewind struct {
	Files []RewindFile // by name
	// Digest names all of it.
	Digest string

	to     checkpoint.Checkpoint
	span   []checkpoint.Checkpoint
	all    []checkpoint.Checkpoint // of the session
	choice RewindChoice
}

// Checkpoints lists the session's checkpoints of which there is anything to
// take back, or may be, oldest first.
func (s *Session) Checkpoints() ([]Checkpoint, error) {
	if s.keeper == nil || s.under != nil {
		return nil, nil
	}
	j, err := s.keeper.open()
	if err != nil {
		return nil, err
	}
	steps := j.Steps()
	var list []Checkpoint
	for _, c := range j.Checkpoints() {
		shown := Checkpoint{Begin: c.Begin, Gone: c.Damaged, Damaged: c.Damaged}
		for _, step := range steps {
			if step.Checkpoint == c.ID {
				shown.Files = append(shown.Files, step.Path)
				shown.Gone = shown.Gone || step.Unkept == "" && step.Before.Exists && !s.keeper.store.Has(step.Before.Sum)
			}
		}
		slices.Sort(shown.Files)
		if shown.Files = slices.Compact(shown.Files); len(shown.Files) > 0 || c.Damaged {
			list = append(list, shown)
		}
	}
	return list, nil
}

// PreviewRewind says what it would do to take back what was chosen.
func (s *Session) PreviewRewind(ctx context.Context, what RewindChoice) (Rewind, error) {
	if info := s.Info(); info.Origin != nil {
		return Rewind{}, errChildRewind(info)
	}
	if s.keeper == nil {
		return Rewind{}, errNoCheckpoint(what.To)
	}
	j, err := s.keeper.open()
	if err != nil {
		return Rewind{}, err
	}
	r := Rewind{all: j.Checkpoints(), choice: what}
	first := slices.IndexFunc(r.all, func(c checkpoint.Checkpoint) bool { return what.To == "" || c.ID == what.To })
	if first < 0 {
		return Rewind{}, errNoCheckpoint(what.To)
	}
	if r.span = r.all[first:]; what.Only {
		r.span = r.span[:1]
	}
	r.to = r.span[0]
	paths, steps, later := r.touched(j.Steps())
	damaged := r.damaged()
	if damaged != "" && len(paths) == 0 {
		return Rewind{}, &Error{Kind: "unknownCheckpoint", Message: damaged}
	}
	for _, path := range paths {
		f := s.rewindSteps(ctx, path, r.sorted(steps[path]), r.named(later[path]), what.Doubtful)
		if damaged != "" {
			f = f.leave(RewindUnkept, damaged)
		}
		r.Files = append(r.Files, f)
	}
	if err := ctx.Err(); err != nil {
		return Rewind{}, err
	}
	r.Digest = r.digest()
	return r, nil
}

func errNoCheckpoint(id string) error {
	message := "no checkpoint " + id
	if id == "" {
		message = "the session has no checkpoint"
	}
	return &Error{Kind: "unknownCheckpoint", Message: message, Hint: "checkpoint/list names those that exist"}
}

// errChildRewind says where it is kept what a subagent has changed.
func errChildRewind(i Info) error {
	return &Error{
		Kind:    "unknownCheckpoint",
		Message: "session " + i.ID + " is a subagent's: what it changed is kept with session " + i.Origin.Session,
		Hint:    "rewind that session",
	}
}

// damaged says of which checkpoint it cannot be read what was kept.
func (r Rewind) damaged() string {
	i := slices.IndexFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.Damaged })
	if i < 0 {
		return ""
	}
	return "the list of what was kept for " + r.span[i].ID + " is damaged"
}

// touched are the files that were changed in the range, their steps, and the
// steps that came after it.
func (r Rewind) touched(all []checkpoint.Step) (paths []string, steps, later map[string][]checkpoint.Step) {
	steps, later = map[string][]checkpoint.Step{}, map[string][]checkpoint.Step{}
	for _, step := range all {
		switch {
		case slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.ID == step.Checkpoint }):
			if steps[step.Path] == nil {
				paths = append(paths, step.Path)
			}
			steps[step.Path] = append(steps[step.Path], step)
		case steps[step.Path] != nil:
			later[step.Path] = append(later[step.Path], step)
		}
	}
	slices.Sort(paths)
	return paths, steps, later
}

// digest names what is there and what is to be done with it.
func (r Rewind) digest() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %t %t\n", r.to.ID, r.choice.Only, r.choice.Doubtful)
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

// named says by what later steps were done.
func (r Rewind) named(later []checkpoint.Step) (list []laterStep) {
	for _, step := range later {
		i := slices.IndexFunc(r.all, func(c checkpoint.Checkpoint) bool { return c.ID == step.Checkpoint })
		by := "a later turn"
		switch {
		case i >= 0 && r.all[i].RewindTo != "":
			by = "a later rewind (" + step.Checkpoint + ")"
		case i >= 0:
			by += " (" + r.all[i].Turn + ")"
		}
		if step.While != "" {
			by = "others have"
		}
		list = append(list, laterStep{Step: step, by: by})
	}
	return list
}

// rewindSteps says what takes back of a file what is sure, or all of it.
func (s *Session) rewindSteps(ctx context.Context, path string, st steps, later []laterStep, doubtful bool) RewindFile {
	while := st.while()
	if len(st.doubtful) == 0 || !doubtful && len(st.sure) > 0 {
		f := s.rewindFile(ctx, path, st.sure, later)
		if while != "" && f.Effective() {
			f.Why = "what changed while " + while + " ran stays: maybe somebody else did that"
		}
		for _, step := range st.doubtful {
			f.spared = append(f.spared, step.Checkpoint)
		}
		f.Doubtful = while != ""
		return f
	}
	f := s.rewindFile(ctx, path, st.all, later)
	f.Doubtful = true
	why := "changed while " + while + " ran, maybe by somebody else"
	switch {
	case f.Effective() && !doubtful:
		return f.leave(RewindDoubtful, why)
	case f.Effective():
		f.Why = why
	case f.Why != "":
		f.Why = why + "; " + f.Why
	default:
		f.Doubtful = false // nothing is done, whoever did it
	}
	return f
}

// rewindFile says what takes steps back from a file.
func (s *Session) rewindFile(ctx context.Context, path string, steps []checkpoint.Step, later []laterStep) RewindFile {
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
			f.Change.Kind = cmp.Or(workspace.ChangeKind(step.Kind), workspace.Modify)
			return f.leave(RewindUnkept, unkeptWords(step))
		}
	}
	now, err := s.ws.Read(ctx, p)
	if err != nil {
		return f.leave(RewindConflict, err.Error())
	}
	if s.ws.Vanished(now) {
		now = workspace.Content{Path: now.Path}
	}
	back := stepsBack{s: s, later: later, now: now, state: RewindUnchanged}
	f.Change = workspace.Rewrite(now, now.Text)
	f.Change.Kind = kindBetween(now.Exists, steps[0].Before.Exists)
	for _, st := range slices.Backward(stretches(steps)) {
		if state, why := back.take(st); why != "" {
			return f.leave(state, why)
		}
	}
	f.State, f.Change = back.state, change(now, back.now)
	if now.Open {
		return s.rewindDocument(f, now, back.now, steps)
	}
	if f.mode = back.modeFor(p); f.Effective() && f.mode == 0 && same(now, back.now) {
		f.State = RewindUnchanged
	}
	return f
}

// unkeptWords say why what a file held is not there.
func unkeptWords(step checkpoint.Step) string {
	switch {
	case step.While != "" || step.Kind == "": // of no file, but of what nobody can name
		return step.Unkept
	case step.Kind == string(workspace.Create):
		return "a command made it, and " + step.Unkept
	}
	return "a command changed it, and " + step.Unkept
}

// rewindDocument says what becomes of a file that is open in the editor. Its text
// is changed there. A file that is to go must have no unsaved words in it but the
// agent's, and one that a command removed is written by the editor, which has it
// still.
func (s *Session) rewindDocument(f RewindFile, now, then workspace.Content, steps []checkpoint.Step) RewindFile {
	doc, _ := s.ws.Document(f.Change.Path)
	_, err := os.Lstat(f.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	left := steps[len(steps)-1].After
	switch {
	case !then.Exists && doc.Dirty && left != nil && left.Document && left.Sum == checkpoint.SumOf(now.Bytes()):
		f.unsaved = true
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
