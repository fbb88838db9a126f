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

// book keeps the changes of a session, oldest first.
type book struct {
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
	b.shrinkLocked()
	return ch.ID
}

// restore adds a change of an earlier run, of which the log has the summary.
func (b *book) restore(ch Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch.Gone = true
	for i, old := range b.list {
		if old.ID == ch.ID {
			b.list[i] = &ch
			return
		}
	}
	b.n = max(b.n, number(ch.ID))
	b.list = append(b.list, &ch)
}

// drop settles what an earlier run proposed and never settled.
func (b *book) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.list {
		if ch.State == ChangeProposed {
			ch.State, ch.Why = ChangeRejected, "the bridge ended before this was decided"
		}
	}
}

func size(ch *Change) int { return len(ch.Planned.Old) + len(ch.Planned.New) }

func (b *book) shrinkLocked() {
	for _, ch := range b.list {
		if b.bytes <= keptText {
			return
		}
		if !ch.Gone && ch.State != ChangeProposed {
			b.bytes -= size(ch)
			ch.Gone, ch.Planned, ch.Done = true, workspace.Change{}, nil
		}
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
func (s *Session) Changes() []Change { return s.changes.all() }

// Change finds a change by id.
func (s *Session) Change(id string) (Change, error) {
	ch, ok := s.changes.update(id, func(*Change) {})
	if !ok {
		return Change{}, &Error{
			Kind: "unknownChange", Message: "no change " + id,
			Hint: "change/list names those that exist",
		}
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
		Change: &changeRecord{ID: ch.ID, State: ch.State, Why: ch.Why, Summary: ch.Summary},
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
			ch.State = ChangePartly // what stands is not what was proposed
		}
	})
	return c.change
}

// rejectChange settles a proposed change that nothing was done of.
func (s *Session) rejectChange(c *call, why string) string {
	s.announce(c.change, func(ch *Change) { ch.State, ch.Why = ChangeRejected, why })
	return c.change
}

func (s *Session) announce(id string, f func(*Change)) {
	ch, ok := s.changes.update(id, f)
	if !ok {
		return
	}
	s.out.keep(ch.record(), ChangeUpdated{Change: ch})
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
	case ch.Gone || ch.Done == nil:
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
	if len(back) == 0 {
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
	if left == 0 {
		ch.State, ch.Done = ChangeReverted, nil
		return
	}
	var keep []string
	for _, h := range ch.Done.Hunks {
		if !slices.Contains(back, h.ID) {
			keep = append(keep, h.ID)
		}
	}
	ch.State = ChangePartly
	if done, err := ch.Done.Narrow(keep); err == nil {
		ch.Done, ch.Summary = &done, summary(done)
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
	out, err := s.ws.Commit(ctx, workspace.Rewrite(left, text), workspace.Acceptance{All: true})
	if err == nil && out.State == workspace.Applied {
		s.announce(ch.ID, func(c *Change) { c.State = ChangePartly })
	}
	return out, err
}
