package session

import (
	"slices"

	"drawbridge/workspace"
)

// step is what happened to a change that stands in a file. A log tells of the
// same steps as the run that wrote it: both are known from how the change stood
// before and after.
type step struct {
	change string
	kind   stepKind
	texts  int      // applied, rewritten: which of the change's texts
	back   []string // hunks taken back; of one that is applied, those of before
}

type stepKind int

const (
	stepApplied   stepKind = iota
	stepTakenBack          // some of it
	stepRewritten          // its text is another one
	stepGone               // nothing of it stands
)

func (ch *Change) stands() bool { return ch.State == ChangeApplied || ch.State == ChangePartly }

// stepTo is the step that leads from one state of a change to another, if any.
func (ch *Change) stepTo(now *Change) (step, bool) {
	s := step{change: now.ID, texts: now.texts}
	switch {
	case !ch.stands() && now.stands():
		s.kind, s.back = stepApplied, now.back
	case ch.stands() && !now.stands():
		s.kind = stepGone
	case ch.stands() && now.texts > ch.texts:
		s.kind = stepRewritten
	case ch.stands() && len(now.back) > len(ch.back):
		s.kind, s.back = stepTakenBack, now.back[len(ch.back):]
	default:
		return step{}, false
	}
	return s, true
}

// noteLocked enters what led from one state of a change to another.
func (b *book) noteLocked(was, now *Change) {
	s, ok := was.stepTo(now)
	if !ok {
		return
	}
	if (s.kind == stepApplied || s.kind == stepRewritten) && !now.resting {
		now.did = now.Done
	}
	if b.steps == nil {
		b.steps = map[string][]step{}
	}
	b.steps[now.Summary.Path] = append(b.steps[now.Summary.Path], s)
}

// since are the steps of a file's changes after the first n.
func (b *book) since(path string, n int) []step {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.steps[path][n:]
}

// did is a change as it was applied, whatever was taken back of it since, with
// one of its texts; nil if they are not kept.
func (b *book) did(id string, texts int) *workspace.Change {
	ch, _ := b.update(id, func(*Change) {})
	if ch.texts == texts && ch.did != nil {
		return ch.did
	}
	ch.texts = texts
	kept, err := b.shelf.get(ch.shelved())
	if err != nil {
		return nil
	}
	return kept.done
}

// stacks are the changes of files as they stand on top of each other, for as long
// as one word of a person is carried out.
type stacks struct {
	book  *book
	files map[string]*stacked
}

type stacked struct {
	workspace.Stack
	steps int // that it has taken in
}

func (b *book) stacks() *stacks { return &stacks{book: b, files: map[string]*stacked{}} }

// on returns a change as it stands in its file now, and those above it with their
// names.
func (k *stacks) on(ch Change) (on workspace.Change, above []workspace.Change, names []string) {
	f := k.files[ch.Summary.Path]
	if f == nil {
		f = &stacked{}
		k.files[ch.Summary.Path] = f
	}
	for rest := k.book.since(ch.Summary.Path, f.steps); len(rest) > 0; {
		n := takes(rest)
		for _, s := range fromAbove(rest[:n]) {
			k.book.follow(&f.Stack, s)
		}
		f.steps, rest = f.steps+n, rest[n:]
	}
	on, above, names, ok := f.On(ch.ID)
	if !ok {
		return *ch.Done, nil, nil
	}
	return on, above, names
}

// takes counts the steps at the beginning that only take something out; it is at
// least 1.
func takes(steps []step) int {
	n := slices.IndexFunc(steps, func(s step) bool { return s.kind == stepApplied || s.kind == stepRewritten })
	if n < 0 {
		return len(steps)
	}
	return max(n, 1)
}

// fromAbove puts steps that only take something out into the order in which the
// fewest changes stand above each: what they come to is the same.
func fromAbove(steps []step) []step {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b step) int { return number(b.change) - number(a.change) })
	return steps
}

// follow takes a step into a file's stack. What is not kept is as if somebody else
// had done it.
func (b *book) follow(stack *workspace.Stack, s step) {
	switch s.kind {
	case stepApplied:
		if did := b.did(s.change, s.texts); did != nil {
			stack.Push(s.change, *did)
			if len(s.back) > 0 {
				stack.Take(s.change, s.back)
			}
		}
	case stepTakenBack:
		stack.Take(s.change, s.back)
	case stepRewritten:
		if did := b.did(s.change, s.texts); did != nil {
			stack.Replace(s.change, *did)
		}
	case stepGone:
		stack.Take(s.change, nil)
	}
}
