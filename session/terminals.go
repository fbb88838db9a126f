package session

import (
	"context"
	"os"
	"strconv"
	"sync"
	"time"

	"drawbridge/shell"
)

// tailSize is how much of a terminal's end the log keeps.
const tailSize = 16 << 10

// drainLimit bounds how long the end of a terminal waits for a slow client.
const drainLimit = 5 * time.Second

// terminal is a command's output as the client sees it.
type terminal struct {
	opened TerminalOpened
	tail   string        // the file beside the log, once the command has ended; "" if there is none
	closed chan struct{} // after TerminalClosed
}

// waitClosed waits for the terminal's end, bounded: a process that the system
// cannot kill must not hold its call.
func (t *terminal) waitClosed() {
	limit := time.NewTimer(2 * drainLimit)
	defer limit.Stop()
	select {
	case <-t.closed:
	case <-limit.C:
	}
}

// terminals are those of a session, oldest first; of the closed ones the
// newest few are kept for readers.
type terminals struct {
	mu   sync.Mutex // guards below
	n    int
	list []*terminal
}

const keptTerminals = 32

// add enters a terminal and returns those that are dropped for it.
func (ts *terminals) add(o TerminalOpened) (t *terminal, dropped []*terminal) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.n++
	o.Terminal = "x" + strconv.Itoa(ts.n)
	t = &terminal{opened: o, closed: make(chan struct{})}
	ts.list = append(ts.list, t)
	for i := 0; len(ts.list) > keptTerminals && i < len(ts.list); {
		if ts.list[i].over() {
			dropped = append(dropped, ts.list[i])
			ts.list = append(ts.list[:i:i], ts.list[i+1:]...)
		} else {
			i++
		}
	}
	return t, dropped
}

func (t *terminal) over() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// openTerminal announces a started command and follows it to its end.
func (s *Session) openTerminal(c *call, p shell.Process) *terminal {
	spec := p.Spec()
	t, dropped := s.terminals.add(TerminalOpened{
		Turn: c.turn, Call: c.id, Title: c.plan.Title, Dir: spec.Dir,
		Cols: spec.Cols, Rows: spec.Rows, Process: p,
	})
	for _, old := range dropped {
		s.sh.Forget(old.opened.Process.ID())
	}
	s.out.keep(record{Type: recOpened, Turn: c.turn, Call: c.id, Opened: &t.opened}, t.opened)
	var drained <-chan struct{}
	if s.host.o.Drained != nil {
		drained = s.host.o.Drained(t.opened)
	}
	s.wg.Go(func() { s.followTerminal(t, drained) })
	return t
}

func (s *Session) followTerminal(t *terminal, drained <-chan struct{}) {
	p := t.opened.Process
	stop := s.keepTail(t)
	<-p.Done()
	stop()
	if drained != nil {
		limit := time.NewTimer(drainLimit)
		defer limit.Stop()
		select {
		case <-drained:
		case <-limit.C:
			s.log.Warn("terminal: the client is slow, its end is announced before its last output",
				"terminal", t.opened.Terminal)
		}
	}
	end := TerminalClosed{Turn: t.opened.Turn, Call: t.opened.Call, Terminal: t.opened.Terminal, Exit: p.Exit()}
	kept := end
	kept.Tail = tailOf(p)
	s.out.keep(record{Type: recTerminal, Turn: end.Turn, Call: end.Call, Terminal: &kept}, end)
	if t.tail != "" {
		os.Remove(t.tail)
	}
	close(t.closed)
}

// EndTerminal ends a terminal's command and returns when its end was
// announced, or ctx is done.
func (s *Session) EndTerminal(ctx context.Context, id string, grace time.Duration) error {
	t := s.terminals.find(id)
	if t == nil {
		return noTerminal(id)
	}
	if err := t.opened.Process.Kill(ctx, grace); err != nil {
		return err
	}
	select {
	case <-t.closed:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func noTerminal(id string) error {
	return &Error{Kind: "unknownTerminal", Message: "no terminal " + id, Hint: "terminal/list names those that exist"}
}

func (ts *terminals) find(id string) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.list {
		if t.opened.Terminal == id {
			return t
		}
	}
	return nil
}

// Terminals lists the terminals of this run of the bridge, oldest first.
func (s *Session) Terminals() []TerminalOpened {
	s.terminals.mu.Lock()
	defer s.terminals.mu.Unlock()
	out := make([]TerminalOpened, len(s.terminals.list))
	for i, t := range s.terminals.list {
		out[i] = t.opened
	}
	return out
}

// Terminal finds a terminal by id.
func (s *Session) Terminal(id string) (TerminalOpened, error) {
	if t := s.terminals.find(id); t != nil {
		return t.opened, nil
	}
	return TerminalOpened{}, noTerminal(id)
}
