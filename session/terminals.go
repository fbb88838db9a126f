package session

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"drawbridge/shell"
)

// keptTerminals is how many closed terminals are kept for readers. Those of
// commands that run are all kept.
const keptTerminals = 32

// terminals are those of a session, oldest first.
type terminals struct {
	mark string // in which ids end

	mu   sync.Mutex // guards below
	n    int
	list []*terminal
}

// terminal is a command's output as the client sees it. Its follower alone says
// what becomes of it.
type terminal struct {
	opened TerminalOpened
	call   *call
	armed  bool // the model was promised to be told its end
	// escalation is why it runs outside the sandbox; "" if it did not ask to.
	escalation string
	yields     chan chan struct{} // to the follower: the call ends, the command does not
	closed     chan struct{}      // after TerminalClosed
	tail       string             // the file beside the log, once the command has ended; "" if there is none

	mu    sync.Mutex // guards below
	shown TerminalUpdated
	told  bool     // the client knows of the leader's end
	after []func() // what waits for that
	lost  bool     // it is armed, and the session closed before it ended
}

// Terminal is a terminal as it is now.
type Terminal struct {
	TerminalOpened
	Background bool // its call has ended and it runs on
	Status     shell.Status
}

// add enters a terminal and returns those that are dropped for it.
func (ts *terminals) add(c *call, o TerminalOpened) (t *terminal, dropped []*terminal) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.n++
	cmd := c.plan.Command
	o.Terminal = "x" + strconv.Itoa(ts.n) + ts.mark
	t = &terminal{
		opened: o, call: c, yields: make(chan chan struct{}), closed: make(chan struct{}),
		shown: TerminalUpdated{Turn: o.Turn, Call: o.Call, Terminal: o.Terminal, Title: o.Title},
	}
	ts.list = append(ts.list, t)
	if cmd != nil {
		t.armed, t.escalation = cmd.Background, cmd.Escalation
	}
	return t, ts.dropLocked()
}

// dropLocked takes the oldest closed terminals out beyond those that are kept.
func (ts *terminals) dropLocked() (dropped []*terminal) {
	closed := 0
	for _, t := range ts.list {
		if t.over() {
			closed++
		}
	}
	ts.list = slices.DeleteFunc(ts.list, func(t *terminal) bool {
		if closed <= keptTerminals || !t.over() {
			return false
		}
		closed--
		dropped = append(dropped, t)
		return true
	})
	return dropped
}

func (t *terminal) over() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// EndTerminal ends a terminal's command, with what it left behind, and returns
// when its end was announced, or ctx is done.
func (s *Session) EndTerminal(ctx context.Context, id string, grace time.Duration) error {
	t := s.terminals.find(func(t *terminal) bool { return t.opened.Terminal == id })
	if t == nil {
		return noTerminal(id)
	}
	if status, _ := t.opened.Process.Status(); !status.Done || len(status.Survivors) > 0 {
		s.commands.StoppedByUser(t.opened.ProcessID)
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

// find returns the newest terminal of which is holds, nil if there is none.
func (ts *terminals) find(is func(*terminal) bool) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range slices.Backward(ts.list) {
		if is(t) {
			return t
		}
	}
	return nil
}

// Terminals lists the terminals of this run of the bridge, oldest first, without
// secrets.
func (s *Session) Terminals() []Terminal {
	list := s.terminals.all()
	out := make([]Terminal, len(list))
	for i, t := range list {
		out[i] = redacted(t.now(), s.host.o.Redact)
	}
	return out
}

func (t *terminal) now() Terminal {
	status, _ := t.opened.Process.Status()
	t.mu.Lock()
	defer t.mu.Unlock()
	return Terminal{TerminalOpened: t.opened, Background: t.shown.Background && !t.over(), Status: status}
}

// all are the terminals, oldest first.
func (ts *terminals) all() []*terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.Clone(ts.list)
}

// Terminal finds a terminal by id.
func (s *Session) Terminal(id string) (TerminalOpened, error) {
	if t := s.terminals.find(func(t *terminal) bool { return t.opened.Terminal == id }); t != nil {
		return t.opened, nil
	}
	return TerminalOpened{}, noTerminal(id)
}
