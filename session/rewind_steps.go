package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// steps are what was done to a file.
type steps struct {
	// sure are the agent's, doubtful what was merely seen while a command ran.
	sure, doubtful []checkpoint.Step
	all            []checkpoint.Step
}

// sorted tells steps apart. A rewind that comes after something doubtful took
// that back, or may have: it is as doubtful.
func (r Rewind) sorted(all []checkpoint.Step) steps {
	st := steps{all: all}
	for _, step := range all {
		rewound := slices.ContainsFunc(r.span, func(c checkpoint.Checkpoint) bool { return c.ID == step.Checkpoint && c.RewindTo != "" })
		if step.While != "" || rewound && len(st.doubtful) > 0 {
			st.doubtful = append(st.doubtful, step)
		} else {
			st.sure = append(st.sure, step)
		}
	}
	return st
}

// while names the commands that ran.
func (st steps) while() string {
	var names []string
	for _, step := range st.doubtful {
		if name := "`" + step.While + "`"; step.While != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
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
	later []laterStep       // what came after all that is taken back
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
	case !step.After.Exists && b.onlyShown():
		return RewindConflict, "the agent removed it, and the editor still has it, with unsaved changes: save it there"
	case !step.After.Exists:
		return RewindConflict, "the agent removed it, and others have made it anew since"
	case !b.now.Exists:
		return RewindConflict, "others have removed it since"
	}
	return b.merge(step.Step)
}

// onlyShown reports whether the file is not there, while the editor shows a
// document of that name.
func (b *stepsBack) onlyShown() bool {
	_, err := os.Lstat(b.now.Path.Abs)
	return b.now.Open && errors.Is(err, fs.ErrNotExist)
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
	if len(conflicts) > 0 {
		return RewindConflict, b.who(base, theirs) + " changed the same lines since: " + linesWord(conflicts)
	}
	if merged != b.now.Bytes() {
		b.now, b.state = b.at(checkpoint.State{Document: b.now.Open}, merged), RewindMerge
	}
	return "", ""
}

// laterStep is a step of the session's own, and what it was done by.
type laterStep struct {
	checkpoint.Step
	by string
}

// who was the first to change lines that a stretch changed from theirs to base:
// a later turn, or others.
func (b *stepsBack) who(base, theirs workspace.Content) string {
	clashes := func(state checkpoint.State) bool {
		had, err := b.kept(state)
		if err != nil {
			return false
		}
		_, conflicts := workspace.Merge(base.Bytes(), had.Bytes(), theirs.Bytes())
		return len(conflicts) > 0
	}
	for _, step := range b.later {
		switch {
		case step.Unkept != "" || step.After == nil || !step.Before.Exists || !step.After.Exists:
		case clashes(step.Before):
			return "others have"
		case clashes(*step.After):
			return step.by
		}
	}
	return "others have"
}

// maxPlaces bounds the places that are named one by one.
const maxPlaces = 5

// linesWord names lines.
func linesWord(places []workspace.Lines) string {
	var words []string
	for i, l := range places {
		switch {
		case i == maxPlaces:
			return fmt.Sprintf("%s and %d other places", strings.Join(words, ", "), len(places)-i)
		case l.Last > l.First:
			words = append(words, fmt.Sprintf("lines %d–%d", l.First, l.Last))
		case l.Last == l.First:
			words = append(words, fmt.Sprintf("line %d", l.First))
		default:
			words = append(words, fmt.Sprintf("before line %d", l.First))
		}
	}
	return strings.Join(words, ", ")
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
