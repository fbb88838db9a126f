package session

import (
	"strconv"
	"sync"

	"drawbridge/workspace"
)

// keptText bounds the bytes of old and new texts that a session keeps for
// review. Beyond it the oldest changes keep only their summary.
const keptText = 64 << 20

// summaryDiff bounds the diff in a summary, in bytes.
const summaryDiff = 16 << 10

// largeTexts is from where on texts are brought to the shelf behind the turn's
// back: the next request to the model does not wait for so many bytes.
const largeTexts = 1 << 20

// book keeps the changes of a session, oldest first. The texts of old ones and
// of those of an earlier run rest on the shelf.
type book struct {
	shelf *shelf
	mark  string // in which ids end
	// turn is the turn of another session that changes count for; "" is their own, and
	// so is nil.
	turn func() string

	mu    sync.Mutex // guards below
	n     int
	list  []*Change
	bytes int
	steps map[string][]step // by path, in their order
}

func (b *book) add(ch Change) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	ch.ID, ch.settled = "g"+strconv.Itoa(b.n)+b.mark, make(chan struct{})
	if b.turn != nil {
		ch.under = b.turn()
	}
	b.list = append(b.list, &ch)
	b.bytes += size(&ch)
	b.shrinkLocked(&ch)
	return ch.ID
}

// restore adds a change of an earlier run, of which the log has the summary.
func (b *book) restore(ch Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, old := range b.list {
		if old.ID == ch.ID {
			b.list[i] = &ch
			b.noteLocked(old, &ch)
			return
		}
	}
	b.n = max(b.n, number(ch.ID))
	b.list = append(b.list, &ch)
	b.noteLocked(&Change{}, &ch)
}

func size(ch *Change) int { return len(ch.Planned.Old) + len(ch.Planned.New) }

// shrinkLocked lets the oldest settled changes rest until the others fit, but
// not the one that is wanted now.
func (b *book) shrinkLocked(wanted *Change) {
	for _, ch := range b.list {
		if b.bytes <= keptText {
			return
		}
		if !ch.resting && ch.State != ChangeProposed && ch != wanted {
			b.bytes -= size(ch)
			ch.rest()
		}
	}
}

// rest lets go of the texts of a change.
func (ch *Change) rest() {
	ch.resting, ch.Planned, ch.Done, ch.did = true, workspace.Change{}, nil, nil
}

// wake brings a change's texts back from the shelf, and is how it stands then.
func (b *book) wake(ch Change) Change {
	kept, err := b.shelf.get(ch.shelved())
	woken, _ := b.update(ch.ID, func(ch *Change) {
		if err == nil && ch.resting {
			ch.take(kept)
			b.bytes += size(ch)
			b.shrinkLocked(ch)
		}
	})
	woken.Gone = woken.resting
	return woken
}

// whole is a change with its texts, if they are kept anywhere.
func (b *book) whole(ch Change) Change {
	if !ch.resting {
		return ch
	}
	kept, err := b.shelf.get(ch.shelved())
	if err != nil {
		ch.Gone = true
		return ch
	}
	ch.take(kept)
	return ch
}

// take puts back the texts of a change, without the hunks that were taken back.
func (ch *Change) take(kept texts) {
	ch.resting, ch.Planned, ch.did = false, kept.planned, kept.done
	if kept.done == nil || ch.State == ChangeReverted {
		return
	}
	ch.Done = kept.done
	ch.narrow(ch.back)
}

// narrow takes hunks out of what was applied.
func (ch *Change) narrow(back []string) {
	var keep []string
	gone := setOf(back)
	for _, h := range ch.Done.Hunks {
		if !gone[h.ID] {
			keep = append(keep, h.ID)
		}
	}
	if done, err := ch.Done.Narrow(keep); err == nil {
		ch.Done = &done
	}
}

// update changes one change in place and returns how it stands then.
func (b *book) update(id string, f func(ch *Change)) (Change, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.list {
		if ch.ID == id {
			was := *ch
			f(ch)
			b.noteLocked(&was, ch)
			return *ch, true
		}
	}
	return Change{}, false
}

// shelves says that a file of the shelf is of a change in the book. One that a
// later run was about to write for it is not.
func (b *book) shelves(name string) bool {
	id, texts := shelvedAs(name)
	ch, ok := b.update(id, func(*Change) {})
	return ok && texts >= 0 && texts <= ch.texts
}

func (b *book) all() []Change {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Change, len(b.list))
	for i, ch := range b.list {
		out[i] = *ch
	}
	return out
}

// Changes lists the session's changes, oldest first, resolved ones too.
func (s *Session) Changes() []Change {
	all := s.changes.all()
	for i, ch := range all {
		all[i] = s.changes.whole(ch)
	}
	return all
}

// withTexts completes a replayed event about a change.
func (s *Session) withTexts(e Event) Event {
	if of, ok := e.Body.(ChangeUpdated); ok {
		of.Change = s.changes.whole(of.Change)
		e.Body = of
	}
	return e
}

// Change finds a change by id.
func (s *Session) Change(id string) (Change, error) {
	ch, ok := s.changes.update(id, func(*Change) {})
	if !ok {
		return Change{}, &Error{
			Kind: "unknownChange", Message: "no change " + id,
			Hint: "change/list names those that exist",
		}
	}
	if ch.resting {
		ch = s.changes.wake(ch)
	}
	return ch, nil
}

// proposeChange enters a call's planned change; "" if it plans none. A change
// that was planned anew keeps its id.
func (s *Session) proposeChange(c *call) string {
	if c.plan.Change == nil {
		return ""
	}
	planned := *c.plan.Change
	if c.change != "" {
		s.changes.update(c.change, func(ch *Change) { ch.Planned, ch.Summary = planned, summary(planned) })
		return c.change
	}
	ch := Change{
		Turn: c.turn, Call: c.id, State: ChangeProposed, Planned: planned,
		Time: s.host.now(), Summary: summary(planned),
	}
	ch.ID = s.changes.add(ch)
	s.out.keep(ch.record())
	return ch.ID
}

// record is how the log remembers a change.
func (ch *Change) record() record {
	return record{
		Type: recChange, Turn: ch.Turn, Call: ch.Call,
		Change: &changeRecord{ID: ch.ID, State: ch.State, Edited: ch.Edited, Why: ch.Why, ByCommand: ch.ByCommand, Under: ch.under, Back: ch.back, Kept: ch.Kept, Texts: ch.texts, Summary: ch.Summary},
	}
}

func summary(ch workspace.Change) ChangeSummary {
	text := ch.Unified(workspace.DiffOptions{Header: true, Context: 3, MaxBytes: summaryDiff, NoNewline: true})
	plus, minus := ch.Stat()
	return ChangeSummary{Path: ch.Path.Abs, Kind: ch.Kind, Diff: text, Plus: plus, Minus: minus}
}

// settleChange records what a commit really did.
func (s *Session) settleChange(c *call, out workspace.Outcome) {
	if c.change == "" {
		c.change = s.proposeChange(c)
	}
	if c.change == "" {
		return
	}
	s.announce(c.change, func(ch *Change) {
		ch.State, ch.Why, ch.under = ChangeState(out.State), out.Why, s.during()
		if out.State == workspace.Applied || out.State == workspace.Partly {
			done := out.Change
			ch.Done, ch.Summary = &done, summary(done)
			ch.keep(c.chosen(done))
		}
		if out.UserText && ch.State == ChangeApplied {
			ch.State, ch.Edited = ChangePartly, true // what stands is not what was proposed
		}
	})
}

// rejectChange settles a proposed change that nothing was done of.
func (s *Session) rejectChange(c *call, why string) string {
	s.announce(c.change, func(ch *Change) { ch.State, ch.Why = ChangeRejected, why })
	return c.change
}

// announce records and shows what became of a change.
func (s *Session) announce(id string, f func(*Change)) {
	first := false
	ch, ok := s.changes.update(id, func(ch *Change) {
		first = ch.State == ChangeProposed
		f(ch)
	})
	if !ok {
		return
	}
	if first && !ch.resting {
		s.shelve(ch)
	}
	s.out.keep(ch.record(), ChangeUpdated{Change: s.changes.whole(ch)})
	if first && ch.settled != nil {
		close(ch.settled) // after it was told
	}
}

// shelve keeps the texts of a change that is settled, before the log says so.
func (s *Session) shelve(ch Change) {
	put := func() {
		if err := s.changes.shelf.put(ch); err != nil {
			s.log.Warn("the change cannot be taken back by a later run", "change", ch.ID, "err", err)
		}
	}
	if size(&ch) < largeTexts {
		put()
	} else {
		s.wg.Go(put) // the turn that settles it is one of wg's
	}
}
