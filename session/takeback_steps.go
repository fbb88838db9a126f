package session

import (
	"path/filepath"
	"slices"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// retaking has a rewind know of what is taken back of a change: it is a part of
// what the change's turn did to the file. Unlike a change itself it is not held up
// by what cannot be kept: the file then counts as changed by others.
type retaking struct {
	s       *Session
	journal *checkpoint.Journal
	id      string // of the checkpoint
	path    string
	// step is the one that the last attempt belongs to, nil if there is none; fresh
	// says that it began with that attempt, which found before.
	step   *checkpoint.Step
	fresh  bool
	before workspace.Content
}

// retake begins to look after a take-back. Its journal is nil where a rewind knows
// nothing of the change either.
func (s *Session) retake(ch Change) *retaking {
	r := &retaking{s: s, path: ch.Done.Path.Abs}
	if s.keeper == nil || ch.Turn == "" {
		return r
	}
	journal, err := s.keeper.open()
	if err != nil {
		return r
	}
	for _, c := range slices.Backward(journal.Checkpoints()) {
		if _, known := journal.Latest(c.ID, r.path); known && c.Turn == ch.during() {
			r.journal, r.id = journal, c.ID
			return r
		}
	}
	return r
}

// keep is called right before a write.
func (r *retaking) keep(before workspace.Content) error {
	r.s.host.written.note(r.path, r)
	if r.journal == nil {
		return nil
	}
	r.cameToNothing() // an attempt before this one
	if err := r.begin(before); err != nil {
		r.warn(err)
	}
	return nil
}

func (r *retaking) warn(err error) {
	r.s.log.Warn("a rewind will take for others' what was taken back", "path", r.path, "err", err)
}

// cameToNothing notes that the step of an attempt left what it found.
func (r *retaking) cameToNothing() {
	if r.step != nil && r.fresh {
		text := r.before.Bytes()
		if err := r.journal.Left(*r.step, stateOf(r.before), &text); err != nil {
			r.warn(err)
		}
	}
	r.step = nil
}

// done notes what a take-back left.
func (r *retaking) done(out workspace.Outcome) {
	defer r.s.host.written.tell(r.path)
	if r.journal == nil {
		return
	}
	if out.State != workspace.Applied && out.State != workspace.Partly {
		r.cameToNothing()
		return
	}
	left, text := leftBy(out)
	if r.step != nil {
		if err := r.journal.Left(*r.step, left, &text); err != nil {
			r.warn(err)
		}
	}
	if !left.Exists {
		r.clearFolders()
	}
}

// clearFolders removes the folders that were made for a file which is gone again,
// as far as nothing is in them.
func (r *retaking) clearFolders() {
	made := map[string]bool{}
	for _, step := range r.journal.Steps() {
		for _, dir := range step.Dirs {
			made[dir] = true
		}
	}
	for dir := filepath.Dir(r.path); made[dir] && r.s.ws.RemoveEmpty(dir); {
		dir = filepath.Dir(dir)
	}
}

// begin keeps what the file held, unless that is what the turn had left of it.
func (r *retaking) begin(before workspace.Content) error {
	state, text := stateOf(before), before.Bytes()
	state.Sum = sumOf(state, text)
	if last, ok := r.journal.Latest(r.id, r.path); ok && last.After != nil && last.After.Same(state) && last.After.Document == state.Document {
		r.step, r.fresh = &last, false
		return nil
	}
	step, err := r.journal.Keep(checkpoint.Kept{Checkpoint: r.id, Path: r.path, Before: state, Text: text, Sum: state.Sum})
	if err == nil {
		r.step, r.fresh, r.before = &step, true, before
	}
	return err
}
