package session

import (
	"context"
	"fmt"
	"slices"

	"drawbridge/approval"
	"drawbridge/workspace"
)

// Choice names hunks of a change; the zero Choice names none.
type Choice struct {
	All   bool
	Hunks []string
}

func (c Choice) none() bool { return !c.All && len(c.Hunks) == 0 }

// of are the chosen ones of hunks that stand, in their order.
func (c Choice) of(standing []string) []string {
	chosen := setOf(c.Hunks)
	return slices.DeleteFunc(slices.Clone(standing), func(id string) bool { return !c.All && !chosen[id] })
}

// Verdict is a person's word about a change. Of one that waits, what is not
// accepted is refused; of one that was applied, what is in neither list stays as
// it is.
type Verdict struct {
	Accept, Reject Choice
	// Text, when set, is the whole content as the person wrote it, instead of both.
	Text    *string
	Comment string // for the model
}

// Resolution is what a Verdict led to.
type Resolution struct {
	Change Change
	// Own says that a text of the person's own was put in its place.
	Own bool
	// Stuck are hunks that could not be settled, and why.
	Stuck []workspace.Stuck
}

// wholeChange stands for the one piece that a change without hunks has, such as
// an empty file that was made.
const wholeChange = "all"

// standing are the pieces of a change that stand.
func (ch *Change) standing() []string {
	if ch.Done == nil {
		return nil
	}
	return piecesOf(*ch.Done)
}

func piecesOf(of workspace.Change) []string {
	if len(of.Hunks) == 0 {
		return []string{wholeChange}
	}
	ids := make([]string, len(of.Hunks))
	for i, h := range of.Hunks {
		ids[i] = h.ID
	}
	return ids
}

// Undecided are the pieces that stand without anybody's word, mostly hunks by
// their ids.
func (ch *Change) Undecided() []string {
	if ch.Gone {
		return nil
	}
	kept := setOf(ch.Kept)
	return slices.DeleteFunc(ch.standing(), func(id string) bool { return kept[id] })
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// keep notes that a person said of pieces that they shall stand.
func (ch *Change) keep(ids []string) {
	kept := setOf(ch.Kept)
	ch.Kept = slices.Concat(ch.Kept, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return kept[id] }))
}

// chosen are the pieces of what was done that a person chose: all of it, since
// what they did not choose was not done.
func (c *call) chosen(done workspace.Change) []string {
	if !c.byPerson {
		return nil
	}
	return piecesOf(done)
}

// Resolve carries out a person's word about a change. One that is still asked
// about is answered by it, and settled when Resolve returns. Of one that was
// applied hunks are marked as kept, or taken back as far as their lines still
// stand; the others are in Stuck. The model is told of what was taken back or
// written anew. Resolve waits for whoever resolves another change.
func (s *Session) Resolve(ctx context.Context, id string, v Verdict) (Resolution, error) {
	ch, err := s.Change(id)
	if err != nil {
		return Resolution{}, err
	}
	if ch.State == ChangeProposed {
		return s.answerProposal(ctx, ch, v)
	}
	d, err := s.settle(ctx, id, v, s.changes.stacks())
	if err != nil {
		return Resolution{}, err
	}
	s.tellOf(v.Comment, d)
	ch, err = s.Change(id)
	return Resolution{Change: ch, Own: d.own != nil, Stuck: d.stuck}, err
}

// Settled is what became of one of many changes.
type Settled struct {
	ID     string
	Before Change // as it was found
	Resolution
	Err error
}

// ResolveAll says the same word, to accept or to reject all, of every change of
// the session, or of one turn, that is not settled: those that wait are answered,
// and of those that are applied what nobody has decided is kept, or taken back
// from the newest to the oldest. What fails of one does not stop the others. The
// model is told once, or twice where an answer of a question lets it go on.
func (s *Session) ResolveAll(ctx context.Context, turn string, v Verdict) []Settled {
	waiting, clear, behind := s.unsettled(turn, v)
	comment := v.Comment
	if len(waiting) > 0 {
		comment = "" // the model reads it with the first answer
	}
	settled := s.settleEach(ctx, clear, v, comment)
	for _, ch := range waiting {
		done, err := s.answerProposal(ctx, ch, v)
		settled = append(settled, Settled{ch.ID, ch, done, err})
		v.Comment = ""
	}
	return append(settled, s.settleEach(ctx, behind, v, "")...)
}

// settleEach carries out a word about applied changes.
func (s *Session) settleEach(ctx context.Context, list []Change, v Verdict, comment string) []Settled {
	var settled []Settled
	var deeds []deed
	stacks := s.changes.stacks()
	for _, ch := range list {
		d, err := s.settle(ctx, ch.ID, v.about(ch.Undecided()), stacks)
		after, _ := s.Change(ch.ID)
		settled = append(settled, Settled{ch.ID, ch, Resolution{Change: after, Stuck: d.stuck}, err})
		if err == nil {
			deeds = append(deeds, d)
		}
	}
	s.tellOf(comment, deeds...)
	return settled
}

// about is a word about all, said of some.
func (v Verdict) about(pieces []string) Verdict {
	some := func(c *Choice) {
		if c.All {
			*c = Choice{Hunks: pieces}
		}
	}
	some(&v.Accept)
	some(&v.Reject)
	return v
}

// unsettled are the changes that a word is about, each in the order in which it
// is carried out: those that wait, and those that are applied. Applied ones behind
// a question about their file come after it: else it would be asked anew.
func (s *Session) unsettled(turn string, v Verdict) (waiting, clear, behind []Change) {
	asked := map[string]bool{}
	all := s.Changes()
	for _, ch := range all {
		asked[ch.Summary.Path] = asked[ch.Summary.Path] || ch.State == ChangeProposed
	}
	if v.Reject.All {
		slices.Reverse(all)
	}
	for _, ch := range all {
		switch {
		case turn != "" && ch.Turn != turn:
		case ch.State == ChangeProposed:
			waiting = append(waiting, ch)
		case len(ch.Undecided()) == 0:
		case asked[ch.Summary.Path]:
			behind = append(behind, ch)
		default:
			clear = append(clear, ch)
		}
	}
	return waiting, clear, behind
}

// answerProposal gives an answer to the question that shows the change, and
// waits until that is carried out.
func (s *Session) answerProposal(ctx context.Context, ch Change, v Verdict) (Resolution, error) {
	open := s.desk.all()
	asked := slices.IndexFunc(open, func(q *question) bool { return q.approval.Change == ch.ID })
	if asked < 0 || ch.settled == nil {
		return Resolution{Change: ch}, &Error{Kind: "invalid", Message: "change " + ch.ID + " is being settled"}
	}
	select {
	case open[asked].answers <- v.answer():
	default: // answered already; the first one counts
	}
	select {
	case <-ch.settled:
	case <-ctx.Done():
		return Resolution{Change: ch}, context.Cause(ctx)
	}
	ch, err := s.Change(ch.ID)
	return Resolution{Change: ch, Own: v.Text != nil}, err
}

// answer is what a verdict says to a question. Nothing is accepted by leaving it
// out.
func (v Verdict) answer() approval.Answer {
	a := approval.Answer{Answered: true, Scope: approval.Once, Comment: v.Comment, Text: v.Text}
	if v.Text == nil {
		a.All = v.Accept.All && v.Reject.none()
		a.Hunks = v.Accept.Hunks
	}
	if a.All || len(a.Hunks) > 0 || a.Text != nil {
		a.Outcome = approval.Allowed
	}
	return a
}

// settle carries out a word about a change that was applied.
func (s *Session) settle(ctx context.Context, id string, v Verdict, stacks *stacks) (deed, error) {
	select {
	case s.settling <- struct{}{}:
		defer func() { <-s.settling }()
	case <-ctx.Done():
		return deed{}, context.Cause(ctx)
	}
	ch, err := s.Change(id) // as it is now that it is our turn
	if err == nil {
		err = ch.resolvable()
	}
	if err != nil {
		return deed{}, err
	}
	if v.Text != nil && ch.Done.Kind == workspace.Rename {
		return deed{}, &Error{
			Kind: "invalid", Message: "change " + ch.ID + " gave a file another name: that has no text",
			Hint: "edit the file itself, or reject the change to take the name back",
		}
	}
	if v.Text != nil {
		return s.rewrite(ctx, ch, *v.Text)
	}
	return s.sort(ctx, ch, v, stacks)
}

// resolvable says why nothing can be said of a change any more.
func (ch *Change) resolvable() error {
	switch {
	case ch.Gone:
		return &Error{
			Kind:    "invalid",
			Message: "change " + ch.ID + " is " + string(ch.State) + " and its texts are not kept any more",
		}
	case ch.Done == nil:
		return &Error{
			Kind:    "stale",
			Message: "change " + ch.ID + " is " + string(ch.State) + " already: nothing of it stands",
			Hint:    "change/show has it as it is now",
		}
	}
	return nil
}

// sort marks what is kept of an applied change and takes back what is not.
func (s *Session) sort(ctx context.Context, ch Change, v Verdict, stacks *stacks) (deed, error) {
	d := deed{change: ch, kept: v.Accept.of(ch.standing())}
	if back := v.Reject.of(ch.standing()); len(back) > 0 {
		var err error
		if d.back, d.stuck, err = s.takeBack(ctx, ch, back, stacks); err != nil {
			return deed{}, err
		}
	}
	kept := setOf(ch.Kept)
	news := slices.ContainsFunc(d.kept, func(id string) bool { return !kept[id] })
	if !news && len(d.back) == 0 {
		return d, nil
	}
	left := len(ch.standing()) - len(d.back)
	s.announce(ch.ID, func(c *Change) {
		c.keep(d.kept)
		if len(d.back) > 0 {
			c.afterTakeBack(d.back, left)
		}
	})
	return d, nil
}

// takeBack reverses pieces of an applied change and returns those of which
// nothing stands now.
func (s *Session) takeBack(ctx context.Context, ch Change, ids []string, stacks *stacks) (back []string, stuck []workspace.Stuck, err error) {
	if ch.Done.Kind == workspace.Rename {
		return s.moveBack(ctx, ch)
	}
	named := ids
	if len(ch.Done.Hunks) == 0 {
		named = nil
	}
	on, above, names := stacks.on(ch)
	journaled := s.retake(ch)
	out, stuck, err := s.ws.TakeBack(ctx, on, named, journaled.keep, above...)
	if err != nil {
		return nil, nil, &Error{Kind: "invalid", Message: "not taken back: " + err.Error()}
	}
	journaled.done(out)
	if out.State == workspace.Applied || out.State == workspace.Partly {
		back = out.Applied
	}
	if named == nil && out.State == workspace.Applied {
		back = ids
	}
	for i, st := range stuck {
		if st.By > 0 {
			stuck[i].Why += ", by change " + names[st.By-1]
		}
	}
	return back, withRest(stuck, ids, back, out.Why), nil
}

// withRest adds to stuck hunks those that were neither taken back nor are among
// them.
func withRest(stuck []workspace.Stuck, ids, back []string, why string) []workspace.Stuck {
	known := setOf(back)
	for _, st := range stuck {
		known[st.Hunk] = true
	}
	for _, id := range ids {
		if !known[id] {
			stuck = append(stuck, workspace.Stuck{Hunk: id, Why: why})
		}
	}
	return stuck
}

// afterTakeBack notes that hunks are gone from what was applied.
func (ch *Change) afterTakeBack(back []string, left int) {
	ch.back = slices.Concat(ch.back, back)
	gone := setOf(back)
	ch.Kept = slices.DeleteFunc(slices.Clone(ch.Kept), func(id string) bool { return gone[id] })
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

// rewrite puts the person's own text in place of what a change left, and makes it
// what the change did. The text was written from what it left; where the file has
// gone on since, only the difference is carried over, if its lines still stand.
func (s *Session) rewrite(ctx context.Context, ch Change, text string) (deed, error) {
	left := ch.Done.Left()
	plan := workspace.Rewrite(left, left.Text)
	out, err := s.ws.Commit(ctx, plan, workspace.Acceptance{Text: &text})
	if err != nil {
		return deed{}, &Error{Kind: "invalid", Message: "not written: " + err.Error()}
	}
	d := deed{change: ch}
	switch {
	case out.State == workspace.Rejected && out.Why == "": // it is what stands
		return s.sort(ctx, ch, Verdict{Accept: Choice{All: true}}, nil)
	case out.State != workspace.Applied && out.State != workspace.Partly:
		for _, id := range ch.standing() {
			d.stuck = append(d.stuck, workspace.Stuck{Hunk: id, Why: out.Why})
		}
		return d, nil
	}
	now := out.Change.New
	if out.Change.Old != left.Text { // what others did since is not the change's
		if now, _, _, err = plan.Select(workspace.Acceptance{Text: &text}); err != nil {
			return deed{}, fmt.Errorf("rewrite change %s: %w", ch.ID, err)
		}
	}
	d.own = &out.Change
	return d, s.restate(ch, now)
}

// restate makes text what a change left: its hunks lead from what it was planned
// from to that. All of it is the person's own word.
func (s *Session) restate(ch Change, text string) error {
	done := workspace.Rewrite(workspace.Content{
		Path: ch.Done.Path, Exists: ch.Done.Kind != workspace.Create, Text: ch.Done.Old, Base: ch.Done.Base,
		Open: ch.Done.Open, Version: ch.Done.Version, Encoding: ch.Done.Encoding, Raw: ch.Done.Raw,
	}, text)
	ch.Done, ch.Edited, ch.back = &done, true, nil
	ch.State, ch.Kept, ch.texts = ChangePartly, piecesOf(done), ch.texts+1
	ch.Summary = summary(done)
	if done.Kind != workspace.Create && len(done.Hunks) == 0 {
		ch.State, ch.Done, ch.Kept = ChangeReverted, nil, nil
	}
	s.shelve(ch)
	s.announce(ch.ID, func(c *Change) {
		c.Edited, c.back, c.State, c.Kept, c.texts, c.Summary = true, nil, ch.State, ch.Kept, ch.texts, ch.Summary
		if !c.resting {
			c.Done = ch.Done
		}
	})
	return nil
}
