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
	// pending is what the file held before the last attempt; nil: none is under way.
	pending *workspace.Content
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
	if r.journal != nil {
		r.pending = &before
	}
	return nil
}

// done notes what a take-back left.
func (r *retaking) done(out workspace.Outcome) {
	if r.pending == nil || out.State != workspace.Applied && out.State != workspace.Partly {
		return
	}
	left, text := leftBy(out)
	err := r.begin(*r.pending)
	if err == nil {
		err = r.journal.Left(r.id, r.path, left, &text)
	}
	if err != nil {
		r.s.log.Warn("a rewind will take for others' what was taken back", "path", r.path, "err", err)
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
		return nil
	}
	return r.journal.Keep(checkpoint.Kept{Checkpoint: r.id, Path: r.path, Before: state, Text: text, Sum: state.Sum})
}
