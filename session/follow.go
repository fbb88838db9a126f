package session

import (
	"os"
	"slices"
	"time"

	"drawbridge/shell"
)

// tailSize is how much of a terminal's end the log keeps.
const tailSize = 16 << 10

// drainLimit bounds how long the end of a terminal waits for a slow client.
const drainLimit = 5 * time.Second

// openTerminal announces a started command and follows it to its end.
func (s *Session) openTerminal(c *call, p shell.Process) *terminal {
	spec := p.Spec()
	o := TerminalOpened{
		Turn: c.turn, Call: c.id, Title: c.plan.Title, Dir: spec.Dir, Cols: spec.Cols, Rows: spec.Rows,
		ProcessID: p.ID(), Pipes: !spec.TTY, Process: p,
	}
	if spec.Confinement != nil {
		o.Sandbox = spec.Confinement.Backend()
	}
	t, dropped := s.terminals.add(c, o)
	for _, old := range dropped {
		s.sh.Forget(old.opened.ProcessID)
	}
	s.out.keep(record{Type: recOpened, Turn: c.turn, Call: c.id, Background: t.armed, Opened: &t.opened}, t.opened)
	var drained <-chan struct{}
	if s.host.o.Drained != nil {
		drained = s.host.o.Drained(t.opened)
	}
	s.wg.Go(func() { s.followTerminal(t, drained) })
	return t
}

// followTerminal tells what a command does, and at last that nothing is left of
// it.
func (s *Session) followTerminal(t *terminal, drained <-chan struct{}) {
	stop := s.keepTail(t)
	s.watchTerminal(t)
	stop()
	t.call.endVigil(false)
	s.awaitDrained(t, drained)
	p := t.opened.Process
	end := TerminalClosed{Turn: t.opened.Turn, Call: t.opened.Call, Terminal: t.opened.Terminal, Exit: p.Exit()}
	kept := end
	kept.Tail = tailOf(p, s.host.o.Redact)
	s.out.keep(record{Type: recTerminal, Turn: end.Turn, Call: end.Call, Terminal: &kept}, end)
	if t.tail != "" {
		os.Remove(t.tail)
	}
	t.mu.Lock()
	left := t.lost
	t.mu.Unlock()
	if left {
		s.notice(lost(t.opened, "the session", kept.Tail), true)
	}
	close(t.closed)
	t.tell()
}

// watchTerminal announces each change of what can be seen of a command until it
// is gone. While its call runs, the session's state says so when it waits for
// typing.
func (s *Session) watchTerminal(t *terminal) {
	p, background := t.opened.Process, false
	defer s.typing(t, false)
	for {
		status, changed := p.Status()
		s.typing(t, status.Waiting && !background)
		s.showStatus(t, background, status)
		select {
		case <-p.Gone():
			return
		case <-changed:
		case said := <-t.yields:
			background = true
			s.typing(t, false)
			status, _ := p.Status()
			s.showStatus(t, background, status)
			close(said)
		}
	}
}

// showStatus announces a status that is news. That a leader has ended is told by
// the terminal's end when it left nothing behind, else together with the end of
// the call, which follows at once. The log has what a terminal turned into, not
// each time it waited.
func (s *Session) showStatus(t *terminal, background bool, status shell.Status) {
	if status.Done && (len(status.Survivors) == 0 || !background) {
		return
	}
	next := t.shown // which only this goroutine writes
	next.Background, next.Status = background, status
	if !status.Done {
		next.Status.Survivors, next.Status.Exit = nil, shell.Exit{}
	}
	last := t.shown
	if sameStatus(last, next) {
		return
	}
	next.Yielded = background && !last.Background
	t.mu.Lock()
	t.shown = next
	t.mu.Unlock()
	if next.Yielded || !last.Status.Done && next.Status.Done {
		s.out.keep(record{Type: recUpdated, Turn: next.Turn, Call: next.Call, Updated: &next}, next)
	} else {
		s.out.send(next)
	}
	if status.Done {
		t.tell()
	}
}

func sameStatus(a, b TerminalUpdated) bool {
	return a.Background == b.Background && a.Status.Waiting == b.Status.Waiting && a.Status.Done == b.Status.Done &&
		slices.Equal(a.Status.Survivors, b.Status.Survivors)
}

// awaitDrained waits until the client has been sent the last byte, bounded.
func (s *Session) awaitDrained(t *terminal, drained <-chan struct{}) {
	if drained == nil {
		return
	}
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	select {
	case <-drained:
	case <-limit.C:
		s.log.Warn("terminal: the client is slow, its end is announced before its last output",
			"terminal", t.opened.Terminal)
	}
}

// release says that the call of a command ends while something of it runs on.
// It returns when the client was told, or of the command's end instead.
func (t *terminal) release() {
	said := make(chan struct{})
	select {
	case t.yields <- said:
		<-said
	case <-t.closed:
	}
}

// waitClosed waits for the terminal's end, bounded: a process that the system
// cannot kill must not hold its call, and is shown as one that runs on.
func (t *terminal) waitClosed() {
	limit := time.NewTimer(2 * drainLimit)
	defer limit.Stop()
	select {
	case <-t.closed:
	case <-limit.C:
		t.release()
	}
}

// tell notes that the client knows of the leader's end, for those who wait to
// speak after that.
func (t *terminal) tell() {
	t.mu.Lock()
	t.told = true
	after := t.after
	t.after = nil
	t.mu.Unlock()
	for _, f := range after {
		f()
	}
}

// onceTold has f called when the client knows of the leader's end; at once, if
// it does already.
func (t *terminal) onceTold(f func()) {
	t.mu.Lock()
	told := t.told
	if !told {
		t.after = append(t.after, f)
	}
	t.mu.Unlock()
	if told {
		f()
	}
}

// typing notes whether the command of a running call waits for typing. The
// state of the session is of the first call that does.
func (s *Session) typing(t *terminal, waits bool) {
	c := t.call
	s.mu.Lock()
	_, waited := s.waiting[c.id]
	if waits {
		s.waiting[c.id] = c
	} else {
		delete(s.waiting, c.id)
	}
	s.mu.Unlock()
	if waited != waits {
		s.workState(c.id, c.plan.Title)
	}
}

// workState announces what a step waits for, of which a call has news. A person's
// answer comes first, also to a subagent that a call waits for.
func (s *Session) workState(call, title string) {
	s.states.Lock()
	defer s.states.Unlock()
	if s.desk.some() {
		return
	}
	next := StateChanged{State: StateTool, Detail: title, Call: call}
	s.mu.Lock()
	for _, w := range s.waiting {
		next.firstOf(StateInput, w.id, w.plan.Title)
	}
	for id, asks := range s.asking {
		next.firstOf(StateApproval, id, asks)
	}
	s.mu.Unlock()
	s.setState(next)
}

// firstOf makes a state of the earliest call that it is about.
func (c *StateChanged) firstOf(state State, call, detail string) {
	if c.State != state || number(call) < number(c.Call) {
		c.State, c.Call, c.Detail = state, call, detail
	}
}
