package bridge

import (
	"slices"
	"strings"
	"sync"

	"drawbridge/bridge/lsp"
	"drawbridge/session"
	"drawbridge/workspace"
)

// maxMarks is how many hunks of one change are marked. Commands for a whole
// file answer all of them.
const maxMarks = 500

// plainReview is the review of a client that has none: the changes that wait
// for an answer, and those that stand and that nobody has decided about. The
// client sees their hunks as marks and answers them by commands.
type plainReview struct {
	s *Server

	mu   sync.Mutex // guards below, and the changes of list
	list []*marked  // oldest first
}

// marked is a change with hunks to decide about.
type marked struct {
	session, change string
	approval        string // the question that shows it; "" when it stands already
	base            string
	path            string
	// shown leads from what the document holds to what it does not: forward for
	// a proposal, backward for what stands.
	shown workspace.Change
	// whole is the change as a diff shows it.
	whole    workspace.Change
	verdicts map[string]bool // of a proposal's hunks, until all are decided
	sent     bool            // the answer is on its way
	closed   chan struct{}   // of a proposal: closed with its document
	where    placing
	disk     looked
}

// pending says that nothing of the change was done yet.
func (m *marked) pending() bool { return m.approval != "" }

func newPlainReview(s *Server) *plainReview { return &plainReview{s: s} }

// serves says that the client is one that needs us.
func (r *plainReview) serves() bool { return !r.s.face.Client().Ours.Review }

// ask notes that a change is asked about. The same question put again keeps
// what was decided about its hunks.
func (r *plainReview) ask(a session.Approval) {
	if a.Plan.Change == nil || !r.serves() {
		return
	}
	ch := *a.Plan.Change
	m := &marked{
		session: a.Session, change: a.Change, approval: a.ID, path: ch.Path.Abs,
		base:  base(session.Change{Planned: ch}),
		shown: ch, whole: ch, verdicts: map[string]bool{}, closed: make(chan struct{}),
	}
	r.mu.Lock()
	if old := r.findLocked(a.Session, a.Change); old != nil && old.approval == a.ID && old.base == m.base {
		m.verdicts, m.sent = old.verdicts, old.sent
	}
	r.putLocked(m)
	r.mu.Unlock()
	r.s.face.Remark()
}

// see follows what becomes of questions and changes.
func (r *plainReview) see(e session.Event) {
	if !r.serves() {
		r.s.seeShown(e)
		return
	}
	switch b := e.Body.(type) {
	case session.ApprovalResolved:
		r.drop(func(m *marked) bool { return m.session == e.Session && m.approval == b.Approval && b.Approval != "" })
	case session.ChangeUpdated:
		r.settle(e.Session, b.Change)
	case session.TurnCompleted:
		r.s.diffs.endTurn(e.Session)
	}
}

// seeShown ends what a message showed to a client that has a review of its own.
func (s *Server) seeShown(e session.Event) {
	switch b := e.Body.(type) {
	case session.ChangeUpdated:
		if b.Change.State != session.ChangeProposed {
			s.diffs.changed(e.Session, b.Change.ID)
		}
	case session.TurnCompleted:
		s.diffs.endTurn(e.Session)
	}
}

// settle keeps a change as long as hunks of it stand undecided.
func (r *plainReview) settle(id string, ch session.Change) {
	open := undecided(ch)
	if len(open) == 0 {
		r.drop(func(m *marked) bool { return m.session == id && m.change == ch.ID })
		return
	}
	back := ch.Done.Reverse(open)
	back.Kind = workspace.Modify // of a new file the text is what counts
	r.mu.Lock()
	r.putLocked(&marked{
		session: id, change: ch.ID, base: base(ch), path: ch.Done.Path.Abs,
		shown: back, whole: *ch.Done,
	})
	r.mu.Unlock()
	r.s.diffs.changed(id, ch.ID)
	r.s.face.Remark()
}

// undecided are the hunks that stand and that nobody said anything about.
func undecided(ch session.Change) []string {
	if ch.Gone || ch.Done == nil || ch.Done.Kind == workspace.Delete || ch.State == session.ChangeProposed {
		return nil
	}
	ids := hunkIDs(*ch.Done)
	return slices.DeleteFunc(ch.Undecided(), func(id string) bool { return !slices.Contains(ids, id) })
}

// leave forgets a session that is closed.
func (r *plainReview) leave(id string) {
	r.drop(func(m *marked) bool { return m.session == id })
	r.s.diffs.endTurn(id)
}

func (r *plainReview) drop(which func(*marked) bool) {
	var gone []*marked
	r.mu.Lock()
	r.list = slices.DeleteFunc(r.list, func(m *marked) bool {
		if which(m) {
			gone = append(gone, m)
			return true
		}
		return false
	})
	r.mu.Unlock()
	for _, m := range gone {
		r.s.diffs.changed(m.session, m.change)
	}
	if len(gone) > 0 {
		r.s.face.Remark()
	}
}

// documentClosed ends the wait for an answer by marks that are not in sight
// any more.
func (r *plainReview) documentClosed(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.list {
		if m.pending() && path != "" && !r.visible(m) && !isClosed(m.closed) {
			close(m.closed)
		}
	}
}

// waitsAtMarks returns what ends when the marks of a question are out of sight;
// false when they are not in sight: the client shows none, or the document is
// not open.
func (r *plainReview) waitsAtMarks(a session.Approval) (gone <-chan struct{}, ok bool) {
	c := r.s.face.Client()
	if a.Plan.Change == nil || !r.serves() || !c.Diagnostics || !c.Actions {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.findLocked(a.Session, a.Change)
	if m == nil || m.approval != a.ID || isClosed(m.closed) || !r.visible(m) || len(m.shown.Hunks) == 0 {
		return nil, false
	}
	return m.closed, true
}

// visible says that the client has the document open.
func (r *plainReview) visible(m *marked) bool {
	_, open := r.s.face.Documents().URIOf(m.path)
	return open
}

func (r *plainReview) findLocked(session, change string) *marked {
	for _, m := range r.list {
		if m.session == session && m.change == change {
			return m
		}
	}
	return nil
}

func (r *plainReview) putLocked(m *marked) {
	for i, old := range r.list {
		if old.session == m.session && old.change == m.change {
			r.list[i] = m
			return
		}
	}
	r.list = append(r.list, m)
}

// Marked are the marks of all documents. It may run beside anything.
func (r *plainReview) Marked() []lsp.Marked {
	r.mu.Lock()
	defer r.mu.Unlock()
	var docs []lsp.Marked
	for _, m := range r.list {
		marks, version := r.marksLocked(m)
		if len(marks) == 0 {
			continue
		}
		u := r.s.fileURI(m.path)
		i := slices.IndexFunc(docs, func(d lsp.Marked) bool { return d.URI == u })
		if i < 0 {
			docs, i = append(docs, lsp.Marked{URI: u, Version: version}), len(docs)
		}
		for _, k := range marks {
			docs[i].Marks = append(docs[i].Marks, k.Mark)
		}
	}
	for _, d := range docs {
		slices.SortStableFunc(d.Marks, func(a, b lsp.Mark) int { return compareAt(a.Range.Start, b.Range.Start) })
	}
	slices.SortFunc(docs, func(a, b lsp.Marked) int { return strings.Compare(a.URI, b.URI) })
	return docs
}
