package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// maxKept bounds the file, in bytes, that is kept for a command: many are read
// before one, and few are changed by it.
const maxKept = 8 << 20

// keeper keeps what files held before a session's turns change them, so that a
// person can rewind. The nil keeper keeps nothing.
type keeper struct {
	store *checkpoint.Store
	path  string // of the journal

	mu      sync.Mutex // guards below, and the choice of a checkpoint
	journal *checkpoint.Journal
}

// open returns the journal. A fault may pass, so each call tries anew.
func (k *keeper) open() (*checkpoint.Journal, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.openLocked()
}

func (k *keeper) openLocked() (*checkpoint.Journal, error) {
	if k.journal != nil {
		return k.journal, nil
	}
	j, err := checkpoint.OpenJournal(k.path, k.store)
	if err == nil {
		k.journal = j
	}
	return j, err
}

// of returns the checkpoint of a turn, which it begins if there is none.
func (k *keeper) of(b checkpoint.Begin) (j *checkpoint.Journal, id string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if j, err = k.openLocked(); err != nil {
		return nil, "", err
	}
	for _, c := range slices.Backward(j.Checkpoints()) {
		if c.Turn == b.Turn {
			return j, c.ID, nil
		}
	}
	id, err = j.Begin(b)
	return j, id, err
}

func (k *keeper) close() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.journal != nil {
		k.journal.Close()
		k.journal = nil
	}
}

// checkpointOf returns the checkpoint of a turn. What a subagent does belongs to the
// turn that the session has which it works for.
func (s *Session) checkpointOf(turn string) (*checkpoint.Journal, string, error) {
	if s.under != nil {
		return s.under.of().checkpointOf(s.during())
	}
	return s.keeper.of(checkpoint.Begin{Turn: turn, Time: s.host.now(), Title: s.titleOfTurn(turn)})
}

// title is what a turn that begins so was asked for, in a line.
func (r record) title() string {
	switch {
	case r.Background:
		return "the end of a command"
	case r.Continues != "":
		return "continued: " + r.Continues
	}
	return cmp.Or(titleOf(r.Blocks), "a prompt without words")
}

// titleOfTurn is what a turn was asked for, as far as it still runs.
func (s *Session) titleOfTurn(turn string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range []*running{s.running, s.ending} {
		if t != nil && t.ID == turn {
			return t.title
		}
	}
	return "turn " + turn
}

// write is a call's change while it is carried out.
type write struct {
	s        *Session
	call     *call
	accepted workspace.Acceptance

	journal *checkpoint.Journal // nil until something was kept
	step    checkpoint.Step     // of the last attempt
	before  checkpoint.State    // of step
	text    string              // of before
	after   *checkpoint.State
	left    string // of after
}

// keepWrites has what a call's change replaces kept before it is written: what
// cannot be kept is not replaced. The returned function notes what was left.
func (s *Session) keepWrites(c *call, a *workspace.Acceptance) (done func(*workspace.Outcome)) {
	if s.keeper == nil || c.plan.Change == nil {
		return func(*workspace.Outcome) {}
	}
	w := &write{s: s, call: c, accepted: *a}
	a.Keep = w.keep
	return w.done
}

// keep is called right before a write. Its error stops the write, and says what
// to do: nobody else can.
func (w *write) keep(before workspace.Content) error {
	err := w.keepBefore(before)
	if err != nil {
		return fmt.Errorf("%w; make room or mend the rights of %s, or turn checkpoints.enabled off in the settings",
			err, w.s.host.o.StateDir)
	}
	return nil
}

func (w *write) keepBefore(before workspace.Content) error {
	journal, id, err := w.s.checkpointOf(w.call.turn)
	if err != nil {
		return err
	}
	w.settle(w.before, &w.text) // an attempt before this one came to nothing
	w.journal, w.text = nil, before.Bytes()
	w.before = stateOf(before)
	kept := checkpoint.Kept{
		Checkpoint: id, Path: before.Path.Abs, Before: w.before, Text: w.text,
		Dirs: w.s.missingDirs(before),
	}
	if planned := w.call.plan.Change; before.Encoding == "" && before.Text == planned.Old {
		kept.Sum = checkpoint.Sum(planned.Base)
	}
	kept.After, kept.Left = intended(w.call.plan.Change, w.accepted, before)
	w.after, w.left = kept.After, kept.Left
	defer w.s.makeRoom()
	if w.step, err = journal.Keep(kept); err == nil {
		w.journal = journal
	}
	return err
}

// done notes what a commit really left, where that is not what was intended.
func (w *write) done(out *workspace.Outcome) {
	if out == nil || out.State != workspace.Applied && out.State != workspace.Partly {
		w.settle(w.before, &w.text)
		return
	}
	left, text := leftBy(*out)
	w.settle(left, &text)
}

// leftBy is what a commit left, and its bytes.
func leftBy(out workspace.Outcome) (checkpoint.State, string) {
	return checkpoint.State{Exists: out.Change.Kind != workspace.Delete, Document: out.Open}, out.Change.After()
}

// settle notes what is left of a file that was kept.
func (w *write) settle(left checkpoint.State, text *string) {
	if w.journal == nil || w.after != nil && w.after.Exists && left.Exists && *text == w.left {
		return
	}
	if left.Exists {
		left.Sum = checkpoint.SumOf(*text)
	}
	if w.after != nil && w.after.Same(left) {
		return
	}
	if err := w.journal.Left(w.step, left, text); err != nil {
		w.s.log.Warn("a rewind will not know what a change left", "call", w.call.id, "err", err)
	}
}

// intended is what an accepted change is going to leave, if it is carried out on
// what it was planned from; nil where it has to be moved along first.
func intended(planned *workspace.Change, a workspace.Acceptance, before workspace.Content) (*checkpoint.State, string) {
	if before.Exists == (planned.Kind == workspace.Create) || before.Text != planned.Old {
		return nil, ""
	}
	left := &checkpoint.State{Exists: true, Document: before.Open}
	switch {
	case a.All && planned.Kind == workspace.Delete:
		return &checkpoint.State{}, ""
	case planned.Kind == workspace.Delete:
		return nil, ""
	case a.All && a.Text == nil:
		return left, planned.After()
	}
	text, _, _, err := planned.Select(a)
	switch {
	case err != nil:
		return nil, ""
	case before.Encoding == "" || before.Open:
		return left, text
	}
	return left, workspace.Rewrite(before, text).After()
}

// stateOf describes what a path holds; its bytes are named when they are kept.
func stateOf(c workspace.Content) checkpoint.State {
	s := checkpoint.State{Exists: c.Exists, Document: c.Open}
	if info, err := os.Lstat(c.Path.Abs); err == nil && c.Exists {
		s.Mode = uint32(info.Mode() & workspace.ModeBits)
	}
	return s
}

// missingDirs are the folders that have to be made for a file, outermost first.
func (s *Session) missingDirs(c workspace.Content) (dirs []string) {
	if c.Exists {
		return nil
	}
	for dir := filepath.Dir(c.Path.Abs); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			slices.Reverse(dirs)
			return dirs
		}
		dirs = append(dirs, dir)
	}
}

func sumOf(state checkpoint.State, text string) checkpoint.Sum {
	if !state.Exists {
		return checkpoint.Sum{}
	}
	return checkpoint.SumOf(text)
}

// noteCommandChange enters that a command of the turn has changed a file. A
// rewind takes it back if the file was kept before, or if there was none, and
// else lists it. Of the step its Path, Kind, While and Dirs count.
func (s *Session) noteCommandChange(turn string, step checkpoint.Step) {
	if s.keeper == nil {
		return
	}
	journal, id, err := s.checkpointOf(turn)
	if err == nil {
		step.Checkpoint = id
		err = noteChange(journal, step)
	}
	if err != nil {
		s.log.Warn("a rewind will not know what a command changed", "path", step.Path, "err", err)
	}
}

func noteChange(journal *checkpoint.Journal, step checkpoint.Step) error {
	id, path := step.Checkpoint, step.Path
	last, kept := journal.Latest(id, path)
	kept = kept && last.Command && last.After == nil && last.Unkept == ""
	now, text, err := onDisk(path)
	switch {
	case !kept && err != nil: // nor could it be kept before, or be brought back
		step.Unkept = err.Error()
		return journal.Unkept(step)
	case !kept && step.Kind != string(workspace.Create):
		step.Unkept = "it was not read before"
		return journal.Unkept(step)
	case !kept:
		_, err = journal.Keep(checkpoint.Kept{Checkpoint: id, Path: path, After: &now, Left: text, Command: true, While: step.While, Dirs: step.Dirs})
		return err
	case err != nil:
		return journal.Left(last, checkpoint.State{Exists: true}, nil)
	}
	return journal.Left(last, now, &text)
}

// errTooLarge says why a file is not read for a command.
var errTooLarge = fmt.Errorf("it is larger than %d MiB", maxKept>>20)

// unreadable says of what is no regular file that it is not read for a command.
func unreadable(mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link")
	case mode.IsDir():
		return errors.New("it is a folder")
	}
	return errors.New("it is no regular file")
}

// onDisk reads a regular file of at most maxKept bytes. A name that is not there
// is no error.
func onDisk(path string) (state checkpoint.State, text string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return checkpoint.State{}, "", nil
	}
	if err != nil {
		return checkpoint.State{}, "", err
	}
	if !info.Mode().IsRegular() {
		return checkpoint.State{}, "", unreadable(info.Mode())
	}
	if info.Size() > maxKept {
		return checkpoint.State{}, "", errTooLarge
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return checkpoint.State{}, "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxKept+1))
	switch {
	case err != nil:
		return checkpoint.State{}, "", err
	case len(raw) > maxKept:
		return checkpoint.State{}, "", errTooLarge
	}
	return checkpoint.State{Exists: true, Size: int64(len(raw)), Mode: uint32(info.Mode() & workspace.ModeBits)}, string(raw), nil
}
