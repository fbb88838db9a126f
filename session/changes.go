package session

import (
	"context"
	"slices"
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

	mu    sync.Mutex // guards below
	n     int
	list  []*Change
	bytes int
}

func (b *book) add(ch Change) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	ch.ID = "g" + strconv.Itoa(b.n)
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
			return
		}
	}
	b.n = max(b.n, number(ch.ID))
	b.list = append(b.list, &ch)
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
			ch.resting, ch.Planned, ch.Done = true, workspace.Change{}, nil
		}
	}
}

// wake brings a change's texts back from the shelf, and is how it stands then.
func (b *book) wake(ch Change) Change {
	kept, err := b.shelf.get(ch.ID)
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
	kept, err := b.shelf.get(ch.ID)
	if err != nil {
		ch.Gone = true
		return ch
	}
	ch.take(kept)
	return ch
}

// take puts back the texts of a change, without the hunks that were taken back.
func (ch *Change) take(kept texts) {
	ch.resting, ch.Planned = false, kept.planned
	if kept.done == nil || ch.State == ChangeReverted {
		return
	}
	ch.Done = kept.done
	ch.narrow(ch.back)
}

// narrow takes hunks out of what was applied.
func (ch *Change) narrow(back []string) {
	var keep []string
	for _, h := range ch.Done.Hunks {
		if !slices.Contains(back, h.ID) {
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
			f(ch)
			return *ch, true
		}
	}
	return Change{}, false
}

func (b *book) has(id string) bool {
	_, ok := b.update(id, func(*Change) {})
	return ok
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
		Change: &changeRecord{ID: ch.ID, State: ch.State, Edited: ch.Edited, Why: ch.Why, Back: ch.back, Summary: ch.Summary},
	}
}

func summary(ch workspace.Change) ChangeSummary {
	text := ch.Unified(workspace.DiffOptions{Header: true, Context: 3, MaxBytes: summaryDiff, NoNewline: true})
	plus, minus := ch.Stat()
	return ChangeSummary{Path: ch.Path.Abs, Kind: ch.Kind, Diff: text, Plus: plus, Minus: minus}
}

// settleChange records what a commit really did and returns the change's id.
func (s *Session) settleChange(c *call, out workspace.Outcome) string {
	if c.change == "" {
		c.change = s.proposeChange(c)
	}
	if c.change == "" {
		return ""
	}
	s.announce(c.change, func(ch *Change) {
		ch.State, ch.Why = ChangeState(out.State), out.Why
		if out.State == workspace.Applied || out.State == workspace.Partly {
			done := out.Change
			ch.Done, ch.Summary = &done, summary(done)
		}
		if out.UserText && ch.State == ChangeApplied {
			ch.State, ch.Edited = ChangePartly, true // what stands is not what was proposed
		}
	})
	return c.change
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
	if first {
		s.shelve(ch)
	}
	s.out.keep(ch.record(), ChangeUpdated{Change: s.changes.whole(ch)})
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

// Resolve decides about a change. One that is still asked about is answered by
// it. Of one that was applied, the hunks that are not accepted are taken back,
// as far as their lines still stand.
func (s *Session) Resolve(ctx context.Context, id string, ok workspace.Acceptance, comment string) (Change, workspace.Outcome, error) {
	ch, err := s.Change(id)
	if err != nil {
		return Change{}, workspace.Outcome{}, err
	}
	switch {
	case ch.State == ChangeProposed:
		return s.answerProposal(ch, ok, comment)
	case !ch.Gone && ch.Done == nil:
		return Change{}, workspace.Outcome{}, &Error{
			Kind:    "stale",
			Message: "change " + id + " is " + string(ch.State) + " already: nothing of it stands",
			Hint:    "change/show has it as it is now",
		}
	case ch.Gone:
		return Change{}, workspace.Outcome{}, &Error{
			Kind:    "invalid",
			Message: "change " + id + " is " + string(ch.State) + " and its texts are not kept any more",
		}
	}
	out, err := s.takeBack(ctx, ch, ok)
	if err != nil {
		return Change{}, workspace.Outcome{}, err
	}
	ch, err = s.Change(id)
	return ch, out, err
}

// answerProposal gives an answer to the question that shows the change.
func (s *Session) answerProposal(ch Change, ok workspace.Acceptance, comment string) (Change, workspace.Outcome, error) {
	for _, q := range s.desk.all() {
		if q.approval.Change != ch.ID {
			continue
		}
		select {
		case q.answers <- answerOf(ok, comment):
		default: // answered already; the first one counts
		}
		return ch, workspace.Outcome{}, nil
	}
	return ch, workspace.Outcome{}, &Error{Kind: "invalid", Message: "change " + ch.ID + " is being settled"}
}

// takeBack reverses the hunks of an applied change that are not accepted.
func (s *Session) takeBack(ctx context.Context, ch Change, ok workspace.Acceptance) (workspace.Outcome, error) {
	if ok.Text != nil {
		return s.rewrite(ctx, ch, *ok.Text)
	}
	var back []string
	for _, h := range ch.Done.Hunks {
		if !ok.All && !slices.Contains(ok.Hunks, h.ID) {
			back = append(back, h.ID)
		}
	}
	// An empty file that was made has no hunks, and is still taken back.
	if len(back) == 0 && (ok.All || len(ch.Done.Hunks) > 0) {
		return workspace.Outcome{State: workspace.Applied}, nil
	}
	out, err := s.ws.Commit(ctx, ch.Done.Reverse(back), workspace.Acceptance{All: true})
	if err != nil || out.State != workspace.Applied {
		return out, err
	}
	left := len(ch.Done.Hunks) - len(back)
	s.announce(ch.ID, func(c *Change) { c.afterTakeBack(back, left) })
	return out, nil
}

// afterTakeBack notes that hunks are gone from what was applied.
func (ch *Change) afterTakeBack(back []string, left int) {
	ch.back = slices.Concat(ch.back, back)
	if left == 0 {
		ch.State, ch.Done = ChangeReverted, nil
		return
	}
	ch.State = ChangePartly
	if ch.Done != nil { // else it rests
		ch.narrow(back)
		ch.Summary = summary(*ch.Done)
	}
}

// rewrite puts the person's own text in place of what a change left. The text
// was written from that; where the file has gone on since, only the difference
// is carried over, if its lines still stand.
func (s *Session) rewrite(ctx context.Context, ch Change, text string) (workspace.Outcome, error) {
	left := workspace.Content{
		Path: ch.Done.Path, Exists: true, Text: ch.Done.New, Base: workspace.Sum(ch.Done.New),
		Open: ch.Done.Open, Version: ch.Done.Version,
	}
	out, err := s.ws.Commit(ctx, workspace.Rewrite(left, left.Text), workspace.Acceptance{Text: &text})
	if out.State == workspace.Rejected && out.Why == "" {
		out.State = workspace.Applied // it is what stands
	} else if err == nil && out.State == workspace.Applied {
		s.announce(ch.ID, func(c *Change) { c.State, c.Edited = ChangePartly, true })
	}
	return out, err
}
