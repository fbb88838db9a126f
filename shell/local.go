package shell

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrClosed is why a closed runner starts nothing.
var ErrClosed = errors.New("the command runner is closed")

// Options are settings of a Local. All may be left out.
type Options struct {
	Shell string        // path; "" asks Find at each start
	Login bool          // each command reads the shell's login profile
	Grace time.Duration // SIGTERM to SIGKILL for what outlives its leader; 0 is one second
	Log   *slog.Logger  // nil logs nothing
	IDs   func() string // hex digits after "proc-"; nil draws them
}

const (
	defaultGrace = time.Second
	closeGrace   = 200 * time.Millisecond // the editor is gone: nobody waits for tidy ends
)

// Local runs commands on this machine as the bridge's user.
//
// Besides two goroutines a command it has, from the first command on: the
// forking thread, one that reaps orphans, and one that waits for the guard.
// Close ends and waits for all.
type Local struct {
	opts  Options // immutable
	token string  // makes the marks of this runner its own
	watch *guard

	mu       sync.Mutex // guards below
	closed   bool
	forks    *forker // nil until the first start
	commands map[string]*command
	order    []string

	wg   sync.WaitGroup // starts and commands; Add under mu while not closed, or by a member
	stop chan struct{}  // closed when all commands are gone
	rest sync.WaitGroup // what lives until stop
}

var _ Runner = (*Local)(nil)

// NewRunner makes a Local. It costs nothing until the first start.
func NewRunner(o Options) *Local {
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.IDs == nil {
		o.IDs = func() string { return randomHex(4) }
	}
	theGuard.join(o.Log)
	return &Local{
		opts: o, token: randomHex(8), watch: &theGuard,
		commands: map[string]*command{}, stop: make(chan struct{}),
	}
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Ready implements Runner.
func (l *Local) Ready() {}

// Start implements Runner.
func (l *Local) Start(s Spec) (Process, error) {
	s.Env = slices.Clone(s.Env)
	c, err := l.start(s)
	if err != nil {
		return nil, &SpawnError{Dir: s.Dir, Err: err}
	}
	return c, nil
}

func (l *Local) start(s Spec) (*command, error) {
	if err := checkDir(s.Dir); err != nil {
		return nil, err
	}
	shell, err := l.shell()
	if err != nil {
		return nil, err
	}
	forks, id, err := l.admit()
	if err != nil {
		return nil, err
	}
	defer l.wg.Done()
	c, err := l.spawn(forks, shell, id, s)
	if err != nil {
		l.Forget(id)
		return nil, err
	}
	return c, l.register(c)
}

func (l *Local) shell() (string, error) {
	if l.opts.Shell != "" {
		return l.opts.Shell, nil
	}
	return Find()
}

// admit counts a start and reserves its id, unless the runner is closed.
func (l *Local) admit() (*forker, string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, "", ErrClosed
	}
	l.wg.Add(1)
	if l.forks == nil {
		l.awakeLocked()
	}
	id := "proc-" + l.opts.IDs()
	for _, taken := l.commands[id]; taken; _, taken = l.commands[id] {
		id = "proc-" + l.opts.IDs()
	}
	l.commands[id] = nil
	return l.forks, id, nil
}

// awakeLocked starts what every command needs.
func (l *Local) awakeLocked() {
	if err := prepare(); err != nil {
		l.opts.Log.Warn("orphans of commands will not be found", "err", err)
	}
	l.forks = newForker()
	l.rest.Go(l.reapOrphans)
}

func (l *Local) spawn(forks *forker, shell, id string, s Spec) (*command, error) {
	e, err := openEnds(s)
	if err != nil {
		return nil, err
	}
	defer e.closeChilds()
	mark := markName + "=" + id + "." + l.token
	var leader *os.Process
	forks.do(func() { leader, err = launch(shell, l.opts.Login, s, mark, e) })
	if err != nil {
		e.closeOurs()
		var pathErr *os.PathError
		if errors.As(err, &pathErr) && pathErr.Op == "fork/exec" {
			err = &os.PathError{Op: "run", Path: pathErr.Path, Err: pathErr.Err}
		}
		return nil, err
	}
	return newCommand(l, id, s, e, leader, mark), nil
}

// register makes a command known and sets it going. One that a Close overtook
// is ended at once.
func (l *Local) register(c *command) error {
	l.mu.Lock()
	l.commands[c.id] = c
	l.order = append(l.order, c.id)
	closed := l.closed
	l.mu.Unlock()
	l.watch.tell(c.claim)
	l.wg.Go(c.read)
	l.wg.Go(c.wait)
	if !closed {
		return nil
	}
	c.claim.end(0)
	return ErrClosed
}

// Get implements Runner.
func (l *Local) Get(id string) (Process, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.commands[id]
	if c == nil {
		return nil, false // also one that is being started
	}
	return c, true
}

// List implements Runner.
func (l *Local) List() []Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Process, 0, len(l.order))
	for _, id := range l.order {
		list = append(list, l.commands[id])
	}
	return list
}

// Forget implements Runner. A running command is not forgotten.
func (l *Local) Forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.commands[id]; c != nil && !c.exited() {
		return
	}
	delete(l.commands, id)
	l.order = slices.DeleteFunc(l.order, func(o string) bool { return o == id })
}

// Close implements Runner. When ctx is done first, what is left has been sent
// SIGKILL and is waited for in the background.
func (l *Local) Close(ctx context.Context) error {
	running, first := l.shut()
	for _, c := range running {
		c.startEnd(closeGrace)
	}
	gone := make(chan struct{})
	go func() { // ends when all commands are gone
		defer close(gone)
		l.wg.Wait()
		if first {
			l.retire()
		}
		l.rest.Wait()
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		for _, c := range running {
			c.startEnd(0)
		}
		return ctx.Err()
	}
}

// shut refuses later starts and lists what may have processes left.
func (l *Local) shut() (running []*command, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first = !l.closed
	l.closed = true
	for c := range maps.Values(l.commands) {
		if c != nil {
			running = append(running, c)
		}
	}
	return running, first
}

// retire ends what outlives each command but not the runner.
func (l *Local) retire() {
	close(l.stop)
	l.watch.leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.forks != nil {
		l.forks.stop()
	}
}

// reapOrphans waits for adopted orphans some time after a child has died. It
// ends when the runner stops.
func (l *Local) reapOrphans() {
	died := make(chan os.Signal, 1)
	notifyOrphans(died)
	defer ignoreOrphans(died)
	for {
		select {
		case <-died:
		case <-l.stop:
			return
		}
		select {
		case <-time.After(reapDelay):
		case <-l.stop:
			return
		}
		reapOrphans()
	}
}

// reapDelay gathers the deaths of a whole tree into one look at /proc.
const reapDelay = 100 * time.Millisecond
