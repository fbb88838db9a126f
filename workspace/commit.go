package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// maxTries is how often a change is planned anew onto a document that somebody
	// types in while the editor is asked to change it.
	maxTries = 3
	// maxDiskTries is how often it is planned anew onto a file that somebody else
	// writes in the same moment. Our own processes give way to each other at the
	// second try at the latest.
	maxDiskTries = 20
)

// Commit carries out what was accepted of a change, and nothing else. Under
// the lock of the resolved path it looks at the file again. If that is not what
// the change was planned from, the change is moved along when the lines it
// touches and those around them are as they were, and else it is stale. An open
// document is changed by its editor in one call, and what its buffer shows
// afterwards says what was done; any other file is replaced as a whole.
//
// Other processes of this program do the same, and no change of theirs is lost
// to one of ours, nor the reverse: see folderTurn for where that ends.
//
// The error is for what the world refused (a *FileError), for an acceptance of
// hunks that are not there, and for an ended ctx; the file is then as it was.
func (w *Workspace) Commit(ctx context.Context, c Change, a Acceptance) (Outcome, error) {
	if err := w.mayWrite(c.Path); err != nil {
		return Outcome{}, err
	}
	want, rejected, err := c.accept(a)
	if lost := new(lostBytes); errors.As(err, &lost) {
		return (&commit{plan: c}).refused(Rejected, lost.Error()), nil
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("commit: %w", err)
	}
	job := commit{w: w, plan: c, want: want, rejected: rejected, own: a.Text != nil, keep: a.Keep, others: a.Others}
	if job.nothing(a) {
		return job.refused(Rejected, ""), nil
	}
	release, err := w.Lock(ctx, c.Path.Abs)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	return job.run(ctx)
}

// HoldsProtected is why nothing is written at a path where our own folders lie,
// or are to lie once they are made.
const HoldsProtected = "the program's own state and settings lie in it"

// mayWrite judges once more, and by the path itself, what may never be
// written: whoever made the Change may have forgotten.
func (w *Workspace) mayWrite(p Path) error {
	if p.Abs == "" {
		return errors.New("commit: the change has no path")
	}
	reason := p.Protected
	if reason == "" {
		reason = w.protectedBy(p.Abs, p.Lexical)
	}
	if reason == "" && w.holdsProtected(p.Abs, p.Lexical) {
		reason = HoldsProtected
	}
	if reason != "" {
		return &FileError{Op: "write", Path: p.Rel, Kind: Protected, Detail: reason}
	}
	return nil
}

// commit is one Commit under way.
type commit struct {
	w        *Workspace
	plan     Change
	want     Change // the accepted part of plan, or the person's own change
	rejected []string
	own      bool // want is a person's own text
	keep     func(before Content) error
	others   func() bool
	// apart has each hunk moved by itself, beyond later changes of ours; stuck are
	// those that cannot be moved.
	apart bool
	later []Change
	stuck []Stuck

	folder folderTurn
}

// nothing reports whether there is nothing to carry out.
func (j *commit) nothing(a Acceptance) bool {
	if j.own {
		return j.plan.Kind != Create && j.want.New == j.plan.Old
	}
	return !a.All && len(j.want.Hunks) == 0
}

func (j *commit) run(ctx context.Context) (Outcome, error) {
	if why, err := j.leadsAstray(); err != nil || why != "" {
		return j.refused(Stale, why), err
	}
	defer j.folder.end()
	for try := 1; ; try++ {
		now, err := j.w.look(ctx, j.plan.Path, j.plan.Before(), j.plan.Encoding)
		if err != nil {
			return Outcome{}, err
		}
		if j.onlyShown(now) {
			out, _, err := j.bringBack(ctx, now)
			return out, err
		}
		if j.stands(now) {
			if j.others != nil && j.others() {
				return j.refused(Stale, standsAlready), nil
			}
			return j.done(j.want.leaving(now), now), nil
		}
		want, why := j.current(now)
		if why != "" {
			return j.refused(Stale, why), nil
		}
		if why := j.w.spoils(now, want); why != "" {
			return j.refused(Rejected, why), nil
		}
		if fault := new(FileError); errors.As(j.w.Fault(want), &fault) {
			return j.refused(Rejected, fault.Detail), nil
		}
		if err := j.keepBefore(now); err != nil {
			return Outcome{}, err
		}
		if !now.Open || want.Kind == Delete {
			out, raced, err := j.toDisk(ctx, want, now)
			if !raced || try == maxDiskTries || ctx.Err() != nil {
				return out, err
			}
			continue
		}
		j.folder.end() // an editor may take its time
		out, raced := j.toDocument(ctx, want, now)
		if !raced || try >= maxTries || ctx.Err() != nil {
			return out, nil
		}
	}
}

// keepBefore has somebody keep what is about to be replaced.
func (j *commit) keepBefore(now Content) error {
	if j.keep == nil {
		return nil
	}
	if err := j.keep(now); err != nil {
		return &FileError{Op: "write", Path: j.plan.Path.Rel, Kind: NotKept, Detail: err.Error()}
	}
	return nil
}

// leadsAstray says why the path is not the one that was judged: a link or a
// parent has been replaced since.
func (j *commit) leadsAstray() (why string, err error) {
	if j.plan.Path.Lexical == "" {
		return "", nil
	}
	p, err := j.w.Resolve(j.plan.Path.Lexical)
	if err != nil {
		return "", err
	}
	if p.Abs != j.plan.Path.Abs {
		return fmt.Sprintf("the path now leads to %s; before it led to %s", p.Rel, j.plan.Path.Rel), nil
	}
	return "", nil
}

// stands reports whether the file holds already what the change would leave:
// somebody else has made it, for instance an editor that applies what is
// accepted in its own view. Then nothing is written a second time.
func (j *commit) stands(now Content) bool {
	return len(j.later) == 0 && now.Exists && now.Text == j.want.New && j.want.Kind != Delete && j.want.New != j.want.Old &&
		(now.Open || j.want.Open || now.Encoding == j.want.Encoding)
}

const standsAlready = "another call has made the same change meanwhile, so it stands already"

// onlyShown reports whether the file that the change makes is missing, while an
// editor still shows what it held.
func (j *commit) onlyShown(now Content) bool {
	return j.want.Kind == Create && now.Text == j.want.New && j.w.Vanished(now)
}

// Vanished reports whether c is a document without unsaved changes whose file is
// not there: it was deleted while it was open, or never written. What it shows is
// then no content of a file.
func (w *Workspace) Vanished(c Content) bool {
	doc, open := w.Document(c.Path)
	if !c.Open || !open || doc.Dirty {
		return false
	}
	_, err := os.Lstat(c.Path.Abs)
	return errors.Is(err, fs.ErrNotExist)
}

// bringBack writes a file whose text is left in its document alone; the document
// needs no edit.
func (j *commit) bringBack(ctx context.Context, now Content) (out Outcome, raced bool, err error) {
	if err := j.keepBefore(Content{Path: now.Path}); err != nil {
		return Outcome{}, false, err
	}
	return j.toDisk(ctx, j.want, now)
}

// current moves the change onto what is there now, or says why it cannot.
func (j *commit) current(now Content) (Change, string) {
	want := j.want
	if now.Exists && now.Text != want.Old {
		want = respelled(want, now)
	}
	now.Base = want.Base
	if now.Exists && now.Bytes() != want.Before() {
		now.Base = Sum(now.Bytes())
	}
	if j.apart {
		return j.currentApart(want, now)
	}
	moved, ok := Rebase(want, now)
	switch {
	case ok:
		return moved, ""
	case !now.Exists:
		return want, "the file no longer exists"
	case want.Kind == Create:
		return want, "a file of that name exists by now"
	}
	return want, "the file has changed since it was read, where this change applies:\n" + whatChanged(j.want.Old, now.Text)
}

// whatChanged is a short diff of what others did to a file.
func whatChanged(old, now string) string {
	c := Change{Kind: Modify, Old: old, New: now, Hunks: number(old, differences(old, now))}
	p := c.Print(DiffOptions{Context: 1, MaxHunks: 3, MaxBytes: 1500, MaxLine: 200, StripCR: true, NoNewline: true})
	text := p.Text
	for _, h := range c.Hunks {
		if len(p.Shown) == 0 { // too large to show, so say where
			text += fmt.Sprintf("lines %d-%d\n", h.NewLine, h.NewLine+max(h.NewLines, 1)-1)
			break
		}
	}
	if n := len(p.Dropped); n > 0 && len(p.Shown) > 0 {
		text += fmt.Sprintf("(and %d more places)\n", n)
	}
	return strings.TrimSuffix(text, "\n")
}

// respelled turns a change planned from an editor's buffer into one of the
// file, or the reverse, when nothing differs but the line ends and the byte
// order mark that the editor hides. Any other change comes back as it was.
func respelled(c Change, found Content) Change {
	now := found.Text
	if strings.TrimPrefix(fold(c.Old), bom) != strings.TrimPrefix(fold(now), bom) {
		return c
	}
	spell := fold
	if allCRLF(now) {
		spell = unfold
	} else if strings.Contains(now, "\r\n") {
		return c // mixed ends: which are whose is not known
	}
	patches := make([]patch, 0, len(c.Hunks))
	at, line := len(now)-len(strings.TrimPrefix(now, bom)), 1
	for _, p := range c.patches() {
		h := c.Hunks[len(patches)]
		at, line = skipLines(now, at, h.OldLine-line), h.OldLine
		p.end = skipLines(now, at, h.OldLines)
		p.start, p.text = at, spell(strings.TrimPrefix(p.text, bom))
		p.raw, p.spelled = "", ""
		patches = append(patches, p)
		at, line = p.end, line+h.OldLines
	}
	c.Old, c.Open, c.Encoding, c.Raw = now, found.Open, found.Encoding, found.Raw
	c.Base = Sum(found.Bytes())
	return c.patched(patches)
}

// toDisk writes or removes the file. raced says that nothing was done because
// somebody else changed it first.
func (j *commit) toDisk(ctx context.Context, want Change, now Content) (out Outcome, raced bool, err error) {
	if now.Open {
		doc, _ := j.w.Document(j.plan.Path)
		if doc.Dirty {
			return j.refused(Rejected, "the file has unsaved changes in the editor"), false, nil
		}
	}
	if want.Kind == Modify && want.After() == now.Bytes() {
		return j.done(want, now), false, nil
	}
	if size := len(want.After()); size > MaxFile {
		return Outcome{}, false, fileError("write", want.Path.Rel, tooLarge(int64(size)))
	}
	note, err := j.w.put(ctx, want, &j.folder)
	switch {
	case errors.Is(err, errRaced):
		return j.refused(Stale, err.Error()), true, nil
	case errors.Is(err, errTaken), errors.Is(err, errMoved):
		return j.refused(Stale, err.Error()), false, nil
	case err != nil:
		return Outcome{}, false, fileError("write", want.Path.Rel, err)
	}
	out = j.done(want, now)
	out.Note = note
	return out, false, nil
}

// toDocument has the editor change its document. raced says that nothing of
// the change stands because somebody else changed the document first.
func (j *commit) toDocument(ctx context.Context, want Change, now Content) (out Outcome, raced bool) {
	if want.New == now.Text {
		return j.done(want, now), false
	}
	_, name, _ := j.w.document(j.plan.Path)
	shown, edits := now.Text, want.edits()
	if now.Behind { // one edit brings what the file has and the change
		shown, edits = now.Shown, between(now.Shown, want.New)
	}
	if editor, ok := j.w.editor.(Refresher); ok && now.Behind {
		defer editor.Holds(name, now.Text)
	}
	doc, err := j.w.editor.Apply(ctx, name, now.Version, edits, "Edit "+filepath.Base(name))
	if _, open := j.w.Document(j.plan.Path); !open {
		return j.refused(Rejected, because("the editor closed the document", err)), false
	}
	if want.New == "" && doc.Text == "\n" { // some editors have no document without a line
		want.New, want.Hunks = doc.Text, number(now.Text, differences(now.Text, doc.Text))
	}
	if doc.Text == want.New {
		return j.done(want, now), false
	}
	if doc.Text == shown {
		return j.refused(Rejected, because("the editor did not apply the change", err)), false
	}
	left := want
	left.New, left.Hunks = doc.Text, number(now.Text, differences(now.Text, doc.Text))
	standing, missing := want.standsIn(doc.Text)
	if len(standing) == 0 {
		return j.refused(Stale, because("the document was changed in the editor meanwhile", err)), true
	}
	return j.partly(left, now, standing, missing), false
}

func because(what string, err error) string {
	if err == nil {
		return what
	}
	return what + ": " + err.Error()
}

// standsIn sorts c's hunks by whether they stand in a text that came of c.New,
// or of c.Old if nobody applied c, and that others may have changed as well. A
// hunk that was not applied shows as a difference from c.New in its own lines.
func (c Change) standsIn(text string) (standing, missing []string) {
	others := differences(c.New, text)
	for _, h := range c.Hunks {
		// A hunk that only takes lines away has no lines of its own; there, what
		// touches the place counts.
		first, end := h.NewStart+1, h.NewEnd
		if h.NewStart == h.NewEnd {
			first, end = h.NewStart, h.NewEnd+1
		}
		for len(others) > 0 && others[0].end < first {
			others = others[1:]
		}
		if len(others) > 0 && others[0].start < end {
			missing = append(missing, h.ID)
		} else {
			standing = append(standing, h.ID)
		}
	}
	return standing, missing
}

// between are the edits that lead from one text to another.
func between(old, text string) []Edit {
	return Change{Old: old, New: text, Hunks: number(old, differences(old, text))}.edits()
}

// edits are the change's hunks without what both sides share, so that cursors
// and marks in a document stay where they are.
func (c Change) edits() []Edit {
	out := make([]Edit, 0, len(c.Hunks))
	for _, p := range c.patches() {
		old := c.Old[p.start:p.end]
		head := cutAt(old, p.text, sharedHead(old, p.text))
		tail := sharedTail(old[head:], p.text[head:])
		tail = len(old) - cutAfter(old, p.text, len(old)-tail, len(p.text)-tail)
		out = append(out, Edit{p.start + head, p.end - tail, p.text[head : len(p.text)-tail]})
	}
	return out
}

// done is the outcome of a change that stands as wanted.
func (j *commit) done(want Change, now Content) Outcome {
	out := Outcome{State: Applied, Applied: j.want.ids(), Rejected: j.rejected, Change: want, UserText: j.own}
	out.Open = now.Open && want.Kind != Delete
	if j.own {
		out.Applied, out.Rejected = j.plan.standing(j.want)
	} else if len(out.Rejected) > 0 {
		out.State = Partly
	}
	return out
}

// partly is the outcome of a change of which a part stands in the document, or
// all with somebody else's words next to it.
func (j *commit) partly(left Change, now Content, standing, missing []string) Outcome {
	out := j.done(left, now)
	if !j.own {
		out.Applied = standing
		out.Rejected = append(append([]string(nil), j.rejected...), missing...)
	}
	if len(missing) > 0 {
		out.State = Partly
		out.Why = "the editor's buffer holds only part of the change"
	}
	return out
}

// refused is the outcome of a change of which nothing was done.
func (j *commit) refused(state State, why string) Outcome {
	kept := j.plan
	kept.New, kept.newRaw, kept.Hunks, kept.fault = kept.Old, kept.Raw, nil, nil
	return Outcome{State: state, Rejected: j.plan.ids(), Change: kept, Why: why}
}
