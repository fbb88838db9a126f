package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
