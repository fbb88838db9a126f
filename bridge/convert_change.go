package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"drawbridge/approval"
	"drawbridge/internal/mirror"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/workspace"
)

func (s *Server) toChange(ch session.Change) protocol.Change {
	from := ""
	if ch.Summary.From != "" {
		from = s.fileURI(ch.Summary.From)
	}
	return protocol.Change{
		From: from, ByCommand: ch.ByCommand,
		ChangeID: ch.ID, CallID: ch.Call, TurnID: ch.Turn, URI: s.fileURI(ch.Summary.Path),
		Kind: protocol.ChangeKind(ch.Summary.Kind), State: protocol.ChangeState(ch.State), Base: base(ch), Edited: ch.Edited, Why: ch.Why, Gone: ch.Gone,
		Undecided: len(ch.Undecided()),
	}
}

// standing is what a change did, or would do.
func standing(ch session.Change) workspace.Change {
	if ch.Done != nil {
		return *ch.Done
	}
	return ch.Planned
}

// base names what a change was shown as. It covers the content it starts from
// and every hunk, so it changes with either, at a cost that does not grow with
// the file.
func base(ch session.Change) string {
	if ch.Gone {
		return ""
	}
	shown := standing(ch)
	h := sha256.New()
	h.Write(shown.Base[:])
	for _, k := range shown.Hunks {
		fmt.Fprintf(h, "%s %d %d %d\n", k.ID, k.OldStart, k.OldEnd, k.NewEnd-k.NewStart)
		h.Write([]byte(shown.New[k.NewStart:k.NewEnd]))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func hunkIDs(c workspace.Change) []string {
	ids := make([]string, len(c.Hunks))
	for i, h := range c.Hunks {
		ids[i] = h.ID
	}
	return ids
}

// hunks shows a change's hunks with what became of them.
func (s *Server) hunks(ch session.Change) protocol.List[protocol.Hunk] {
	if ch.Gone {
		return nil
	}
	list, kept := s.toHunks(standing(ch)), setOf(ch.Kept)
	for i := range list {
		list[i].State = hunkState(ch, kept[list[i].HunkID])
	}
	if ch.Done == nil || !narrowed(ch) {
		return list
	}
	stand := setOf(hunkIDs(*ch.Done))
	for _, h := range s.toHunks(ch.Planned) {
		if !stand[h.HunkID] {
			h.State = protocol.HunkRejected
			list = append(list, h)
		}
	}
	return list
}

// narrowed says that what was done is a part of what was planned, hunk by hunk;
// a person's own text has hunks of its own.
func narrowed(ch session.Change) bool {
	if ch.State != session.ChangePartly {
		return false
	}
	planned := make(map[string]workspace.Hunk, len(ch.Planned.Hunks))
	for _, p := range ch.Planned.Hunks {
		planned[p.ID] = p
	}
	for _, h := range ch.Done.Hunks {
		p, ok := planned[h.ID]
		if !ok || ch.Planned.New[p.NewStart:p.NewEnd] != ch.Done.New[h.NewStart:h.NewEnd] {
			return false
		}
	}
	return true
}

func hunkState(ch session.Change, kept bool) protocol.HunkState {
	switch ch.State {
	case session.ChangeProposed:
		return protocol.HunkProposed
	case session.ChangeApplied, session.ChangePartly:
		if kept {
			return protocol.HunkKept
		}
		return protocol.HunkApplied
	}
	return protocol.HunkRejected
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// toHunks gives hunks the editor's coordinates. Only what changed is sent.
func (s *Server) toHunks(c workspace.Change) protocol.List[protocol.Hunk] {
	enc := s.face.Client().Encoding
	old, now := mirror.NewLocator(c.Old, enc), mirror.NewLocator(c.New, enc)
	list := make(protocol.List[protocol.Hunk], len(c.Hunks))
	for i, h := range c.Hunks {
		list[i] = protocol.Hunk{
			HunkID: h.ID, OldText: c.Old[h.OldStart:h.OldEnd], NewText: c.New[h.NewStart:h.NewEnd],
			OldRange: toRange(mirror.Range{Start: old.Position(h.OldStart), End: old.Position(h.OldEnd)}),
			NewRange: toRange(mirror.Range{Start: now.Position(h.NewStart), End: now.Position(h.NewEnd)}),
			Header:   header(h),
		}
	}
	return list
}

// header is a hunk's line in a diff without context.
func header(h workspace.Hunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", diffLine(h.OldLine, h.OldLines), h.OldLines,
		diffLine(h.NewLine, h.NewLines), h.NewLines)
}

// diffLine is where a side of a hunk begins; an empty one stands behind the
// line before.
func diffLine(line, count int) int {
	if count == 0 {
		return line - 1
	}
	return line
}

func diff(c workspace.Change) string {
	return cutDiff(c.Print(workspace.DiffOptions{Header: true, NoNewline: true, MaxBytes: protocol.MaxDiff - 100}))
}

// cutDiff says what a diff leaves out.
func cutDiff(p workspace.Printed) string {
	if len(p.Dropped) == 0 {
		return p.Text
	}
	return p.Text + fmt.Sprintf("[diff cut: %d of %d hunks shown]\n", len(p.Shown), len(p.Shown)+len(p.Dropped))
}

// toQuestion shows a command and a change as they are: a person says yes to no
// other one, and may hand them back. What only tells of them has no secret.
func (s *Server) toQuestion(a session.Approval) protocol.ApprovalRequestParams {
	q := protocol.ApprovalRequestParams{
		ApprovalID: a.ID, SessionID: a.Session, TurnID: a.Turn, CallID: a.Call,
		Title: s.redacted(a.Plan.Title), Reason: s.redacted(a.Question.Reason), Access: protocol.Access(a.Plan.Access),
		Digest: a.Question.Request.Digest, Options: options(a.Question.Grant),
	}
	if cmd := a.Question.Request.Command; cmd != nil {
		q.Command = s.toCommandQuestion(a, *cmd)
		q.Options = commandOptions(a.Question.Grant, *cmd)
	}
	if ch := a.Plan.Change; ch != nil {
		q.Change = s.toChangeQuestion(a.Change, *ch)
	}
	return q
}

func (s *Server) toCommandQuestion(a session.Approval, cmd approval.Command) *protocol.CommandQuestion {
	q := &protocol.CommandQuestion{
		Text: cmd.Text, Cwd: cmd.Dir, Preset: s.presetOf(a.Session), Unconfined: cmd.Unconfined,
		Escalation: s.redacted(cmd.Escalation), TypedInto: s.redacted(cmd.TypedInto),
	}
	if planned := a.Plan.Command; planned != nil {
		q.Background = planned.Background
		if !cmd.Unconfined {
			q.Sandbox = planned.Sandbox
		}
	}
	return q
}

func (s *Server) toChangeQuestion(id string, ch workspace.Change) *protocol.ChangeQuestion {
	q := &protocol.ChangeQuestion{
		ChangeID: id, URI: s.fileURI(ch.Path.Abs), Kind: protocol.ChangeKind(ch.Kind),
		Base: base(session.Change{Planned: ch}), Hunks: s.toHunks(ch), Diff: diff(ch),
	}
	if ch.Open {
		q.Version = &ch.Version
	}
	return q
}

// options are what a person can choose; remembering is offered only where a
// yes covers a class.
func options(grant string) protocol.List[protocol.ApprovalOption] {
	return labelled(grant, titleAllow, titleSession, titleDeny)
}

// commandOptions say on their buttons what a yes to a command does.
func commandOptions(grant string, cmd approval.Command) protocol.List[protocol.ApprovalOption] {
	switch {
	case cmd.Escalation != "" && cmd.TypedInto == "":
		return labelled(grant, titleUnheld, titleSession, titleDeny)
	case cmd.TypedInto != "":
		return labelled(grant, titleType, titleTypeAll, titleDeny)
	}
	return options(grant)
}

func labelled(grant, allow, session, deny string) protocol.List[protocol.ApprovalOption] {
	list := protocol.List[protocol.ApprovalOption]{
		{OptionID: "allow", Kind: protocol.OptionAllow, Scope: protocol.ScopeOnce, Label: allow},
	}
	if grant != "" {
		list = append(list, protocol.ApprovalOption{
			OptionID: "allow-session", Kind: protocol.OptionAllow,
			Scope: protocol.ScopeSession, Label: session, Rule: grant,
		})
	}
	return append(list, protocol.ApprovalOption{
		OptionID: "deny", Kind: protocol.OptionDeny,
		Scope: protocol.ScopeOnce, Label: deny,
	})
}

func (s *Server) presetOf(id string) protocol.Preset {
	sess, err := s.session(id)
	if err != nil {
		return protocol.PresetReadOnly
	}
	return protocol.Preset(sess.Info().Preset)
}
