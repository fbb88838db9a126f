package session

import (
	"cmp"
	"context"
	"slices"

	"drawbridge/model"
	"drawbridge/tools"
)

// newChild makes the session in which a subagent works. It shares what decides,
// what is kept for a rewind, and who writes what, with the session that it works
// for; all else is its own.
func (h *Host) newChild(a *subagent, start tools.SubagentStart, full string) error {
	of := a.of()
	parent, now := of.Info(), h.now()
	id := h.o.NewID()
	a.id = "subagent-" + lastEight(id)
	info := Info{
		ID: id, Title: a.title, Dir: parent.Dir, Roots: parent.Roots, Model: full, Mode: parent.Mode, Preset: parent.Preset,
		Profile: parent.Profile, Thinking: parent.Thinking, Created: now, Updated: now, State: StateIdle, Chained: true,
		Origin: &Origin{Session: of.id, Call: a.call, Subagent: a.id, Title: a.title},
	}
	if start.Thinking != "" {
		info.Thinking = start.Thinking
	}
	info = redacted(info, h.o.Redact)
	a.title = info.Title
	set := Settings{
		Dir: info.Dir, Roots: info.Roots, Model: full, Mode: info.Mode, Preset: info.Preset, Profile: info.Profile,
		Thinking: info.Thinking,
	}
	s, err := h.build(info, set, &past{}, a)
	if err != nil {
		return err
	}
	s.out.keep(record{Type: recSession, Info: &info})
	h.saveMeta(info)
	return nil
}

// join makes a new session a subagent's, before anybody else knows it.
func (s *Session) join(a *subagent) {
	of := a.of()
	s.under, a.child = a, s
	s.gate, s.keeper, s.vigils = of.gate, of.keeper, of.vigils
}

// lastEight is the end of a session's id, by which a subagent goes.
func lastEight(id string) string { return id[max(0, len(id)-8):] }

// mark is what the ids of calls, changes, terminals, questions and turns end in:
// those of a subagent's session are not to be taken for another's.
func (i Info) mark() string {
	if i.Origin == nil {
		return ""
	}
	return "-" + lastEight(i.ID)
}

// parent is the session that this one works for, "" if none.
func (i Info) parent() string {
	if i.Origin == nil {
		return ""
	}
	return i.Origin.Session
}

// errChild refuses what only the session may do that a subagent works for.
func errChild(i Info) error {
	return &Error{
		Kind: "invalid", Message: "session " + i.ID + " is a subagent's: it is told what to do by the model of session " + i.Origin.Session,
		Hint: "prompt, steer or configure that session; subagent/kill ends the subagent",
	}
}

// isChild says that the session is, or was, a subagent's.
func (s *Session) isChild() bool { return s.out.origin != nil }

// name is what a subagent's session goes by in questions, "" for all others.
func (s *Session) name() string {
	if !s.isChild() {
		return ""
	}
	return s.out.origin.Subagent
}

// withoutSubagents leaves out what those are not given who are subagents
// themselves.
func withoutSubagents(list []tools.Tool) []tools.Tool {
	names := tools.SubagentTools()
	return slices.DeleteFunc(slices.Clone(list), func(t tools.Tool) bool { return slices.Contains(names, t.Spec().Name) })
}

func (c *call) aboutSubagents() bool {
	return c.tool != nil && slices.Contains(tools.SubagentTools(), c.tool.Spec().Name)
}

// inOrder has the calls of a step that are about subagents begin in the order of
// the calls: which of them finds no place, and which subagent gives way to it, is
// not by chance. One has begun when it waits for its subagent, or is over.
func (s *Session) inOrder(ctx context.Context, c *call, earlier []*call) (over func()) {
	s.mu.Lock()
	s.ordered[c.id] = c
	s.mu.Unlock()
	for _, e := range earlier {
		if !e.aboutSubagents() {
			continue
		}
		select {
		case <-e.begun:
		case <-e.settled:
		case <-ctx.Done():
		}
	}
	return func() { s.begun(c.id) }
}

// begun lets the calls begin that come after one about subagents.
func (s *Session) begun(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.ordered[id]; c != nil {
		delete(s.ordered, id)
		close(c.begun)
	}
}

// archives are where the long outputs lie of those that work together: what one
// of them says names them to another.
func (s *Session) archives() []string {
	root := s.root()
	dirs := []string{root.scratch}
	for _, id := range root.subs.sessions() {
		if validID(id) { // the log had it
			dirs = append(dirs, s.host.scratch(id))
		}
	}
	return dirs
}

// inherit takes over the settings of the session that a subagent works for, but
// for those that are the subagent's own.
func (a *subagent) inherit(set Settings, full string) {
	set.Title = ""
	if a.ownModel {
		full = ""
	}
	if a.ownThinking {
		set.Thinking = ""
	}
	s := a.child
	s.mu.Lock()
	before := s.info
	s.info.apply(set, full)
	same := s.info.Mode == before.Mode && s.info.Preset == before.Preset && s.info.Model == before.Model && s.info.Thinking == before.Thinking
	s.mu.Unlock()
	if !same {
		s.updated()
		a.refresh()
	}
}

// spend adds to the session's total what its subagents have cost, and to that of
// its turn, where a call of the turn waits for the subagent.
func (s *Session) spend(u model.Usage, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addUsage(&s.total, u)
	if s.running != nil && waits {
		addUsage(&s.running.usage, u)
	}
}

// childAsks notes what a subagent asks a person that a call waits for; asks is ""
// when it asks nothing any more.
func (s *Session) childAsks(call, title, asks string) {
	s.mu.Lock()
	before := s.asking[call]
	if asks == "" {
		delete(s.asking, call)
	} else {
		s.asking[call] = asks
	}
	s.mu.Unlock()
	if before != asks {
		s.workState(call, title)
	}
}

// during is the turn in which what happens now counts for a rewind: that of the
// session that a subagent works for, "" where it is the session's own. What a
// subagent does after that session's turn counts for the turn before.
func (s *Session) during() string {
	if s.under == nil {
		return ""
	}
	return s.under.of().present()
}

// during is the turn in which a rewind takes the change back.
func (ch *Change) during() string { return cmp.Or(ch.under, ch.Turn) }

// present is the turn that runs, or the last one.
func (s *Session) present() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return s.running.ID
	}
	return s.turnID(s.turns)
}

// cancelWith ends the running turn for a cause.
func (s *Session) cancelWith(cause error) {
	s.mu.Lock()
	t := s.running
	s.mu.Unlock()
	if t != nil {
		t.cancel(cause)
	}
}
