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
	"syscall"
	"time"
)

// ErrClosed is why a closed runner starts nothing.
var ErrClosed = errors.New("the command runner is closed")

// Options are settings of a Local. All may be left out.
type Options struct {
	Shell string        // path; "" asks Find at each start
	Login bool          // each command reads the shell's login profile
	Log   *slog.Logger  // nil logs nothing
	IDs   func() string // hex digits after "proc-"; nil draws them
	// Secrets are replaced in what commands write before anybody sees it. May be
	// nil, and added to at any time.
	Secrets *Secrets
}

// closeGrace is short: the editor is gone, and nobody waits for tidy ends.
const closeGrace = 200 * time.Millisecond

// Local runs commands on this machine as the bridge's user. It has no
// goroutines but those of its commands; Close ends and waits for all.
type Local struct {
	opts  Options // immutable
	token string  // makes the marks of this runner its own

	mu       sync.Mutex // guards below
	closed   bool
	commands map[string]*command
	order    []string

	wg sync.WaitGroup // starts and commands; Add under mu while not closed, or by a member
}

var _ Runner = (*Local)(nil)

// NewRunner makes a Local. It costs nothing until the first start.
func NewRunner(o Options) *Local {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.IDs == nil {
		o.IDs = func() string { return randomHex(4) }
	}
	theGuards.join()
	return &Local{opts: o, token: randomHex(8), commands: map[string]*command{}}
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// Ready implements Runner: it warms a guard.
func (l *Local) Ready() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		theGuards.rouse(0, l.opts.Log)
	}
}

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
	shell := s.Shell
	if shell == "" {
		var err error
		if shell, err = l.shell(s.Dir); err != nil {
			return nil, err
		}
	}
	id, err := l.admit()
	if err != nil {
		return nil, err
	}
	defer l.wg.Done()
	defer theGuards.rouse(afterStart, l.opts.Log)
	c, err := l.spawn(shell, id, s)
	if err != nil {
		l.Forget(id)
		return nil, err
	}
	return c, l.register(c)
}

func (l *Local) shell(dir string) (string, error) {
	if l.opts.Shell != "" {
		return l.opts.Shell, nil
	}
	return Find(dir)
}

// admit counts a start and reserves its id, unless the runner is closed.
func (l *Local) admit() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return "", ErrClosed
	}
	l.wg.Add(1)
	id := "proc-" + l.opts.IDs()
	for _, taken := l.commands[id]; taken; _, taken = l.commands[id] {
		id = "proc-" + l.opts.IDs()
	}
	l.commands[id] = nil
	return id, nil
}

func (l *Local) spawn(shell, id string, s Spec) (*command, error) {
	mark := markName + "=" + id + "." + l.token + "." + ownerName()
	launch := Launch{
		Path: shell, Args: l.args(shell, s), Dir: s.Dir,
		Env: override(slices.Clone(s.Env), []string{mark}),
	}
	pipes, err := openBeside(s.Pipes)
	if err != nil {
		return nil, err
	}
	for _, p := range pipes {
		launch.Files = append(launch.Files, p.to)
	}
	if s.Confinement != nil {
		confined, err := s.Confinement.Wrap(launch)
		if err != nil {
			closeBeside(pipes)
			return nil, err
		}
		launch = confined
	}
	c, err := l.launch(launch, id, s, mark, pipes)
	if err != nil {
		closeBeside(pipes)
	}
	closeAll(launch.Files...)
	if err != nil && launch.Release != nil {
		launch.Release()
	}
	return c, err
}

// args are the arguments of the shell.
func (l *Local) args(shell string, s Spec) []string {
	switch {
	case len(s.Args) == 0:
		return shellArgs(shell, s.Script, l.opts.Login)
	case l.opts.Login:
		return slices.Concat([]string{shell, "-l"}, s.Args)
	}
	return slices.Concat([]string{shell}, s.Args)
}

func (l *Local) launch(launch Launch, id string, s Spec, mark string, pipes []beside) (*command, error) {
	e, err := openEnds(s)
	if err != nil {
		return nil, err
	}
	defer e.closeChilds()
	held, err := l.hold(launch, e, mark)
	if err != nil {
		e.closeOurs()
		return nil, runError(launch.Path, err)
	}
	c := newCommand(l, id, s, e, held, pipes)
	c.release = launch.Release
	return c, nil
}

// runError names the program that could not be run.
func runError(path string, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &os.PathError{Op: "run", Path: path, Err: errno}
	}
	return err
}

// register makes a command known and sets it going. One that a Close overtook
// is ended at once.
func (l *Local) register(c *command) error {
	l.mu.Lock()
	l.commands[c.id] = c
	l.order = append(l.order, c.id)
	closed := l.closed
	l.mu.Unlock()
	for _, s := range c.outlets {
		l.wg.Go(s.read)
	}
	l.wg.Go(c.wait)
	l.wg.Go(func() { c.quiet.run(c.done) })
	if !closed {
		return nil
	}
	c.startEnd(0)
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

// Forget implements Runner.
func (l *Local) Forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.commands[id]; c != nil && !c.isGone() {
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
			theGuards.leave()
		}
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
