package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"drawbridge/shell"
)

const (
	// maxHeld is how many commands a session holds.
	maxHeld = 64
	// idleLimit is how long a command may go unused.
	idleLimit  = 10 * 24 * time.Hour
	sweepEvery = time.Hour
	// evictGrace is what a command that is ended for another one's sake has
	// from SIGTERM to SIGKILL.
	evictGrace = time.Second
	// maxTail is how many characters of unread output an Ended carries.
	maxTail = 4000
)

// Commands are a session's commands by process id: those that run in the
// background and those that left processes behind, until their end was told.
// They hold no process alive; what runs is ended with the shell.Runner.
//
// A command that was started in the background has one goroutine, which waits
// for its leader, and one that is ended for want of room has one too. Close
// waits for all. Safe for concurrent use.
type Commands struct {
	now  func() time.Time
	quit chan struct{} // closed by Close
	wg   sync.WaitGroup

	mu     sync.Mutex // guards below
	closed bool
	held   map[string]*held
	// stopped are those that a person ended and the model has not read of, with
	// what it is told.
	stopped fates
	fates   fates
	told    fates // of whose end a call has told the model
	swept   time.Time
	onEnd   func(Ended)
	early   []Ended // ends that nobody was there to hear of; at most maxHeld
}

// CommandsOptions are the surroundings of Commands.
type CommandsOptions struct {
	Now func() time.Time // nil: time.Now
	// OnEnd is what Commands.OnEnd sets. May be nil.
	OnEnd func(Ended)
}

// Ended is the end of a command that was started in the background.
type Ended struct {
	Process, Call string // ids
	Title         string // its first line
	OK            bool   // exit code 0
	Detail        string // "exit code 3", "terminated by signal SIGTERM"
	// Tail is the end of the output that the model has not read, at most 4000
	// characters. It stays unread.
	Tail string
	// ByUser says that a person ended it.
	ByUser bool
}

// CommandInfo is what can be seen of a held command.
type CommandInfo struct {
	ID, Title string
	Started   time.Time
	Running   bool // its leader has not ended
	Waiting   bool // for typing
	Survivors []shell.Survivor
	// Background says that it was started there, so that its end is reported.
	Background bool
}

// NewCommands makes an empty set.
func NewCommands(o CommandsOptions) *Commands {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Commands{
		now: o.Now, quit: make(chan struct{}), held: map[string]*held{}, swept: o.Now(), onEnd: o.OnEnd,
	}
}

// OnEnd sets what is called once for each command that was started in the
// background when its leader has ended, unless kill_command ended it. Ends
// before are delivered now. f is called on a goroutine that Close waits for, so
// it must not wait for a caller of Close.
func (c *Commands) OnEnd(f func(Ended)) {
	c.mu.Lock()
	early := c.early
	c.onEnd, c.early = f, nil
	c.mu.Unlock()
	for _, e := range early {
		f(e)
	}
}

// List returns the held commands, oldest first. To look is not to use.
func (c *Commands) List() []CommandInfo {
	c.mu.Lock()
	c.sweepLocked()
	all := make([]*held, 0, len(c.held))
	for _, h := range c.held {
		all = append(all, h)
	}
	c.mu.Unlock()
	slices.SortFunc(all, func(a, b *held) int {
		return cmp.Or(a.process.Started().Compare(b.process.Started()), cmp.Compare(a.process.ID(), b.process.ID()))
	})
	list := make([]CommandInfo, len(all))
	for i, h := range all {
		list[i] = h.info()
	}
	return list
}

// all are the held commands. Nil has none.
func (c *Commands) all() []*held {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.held))
}

// StoppedByUser says that a person is about to end a command, held or in the
// foreground, or what one left behind, so that what is told of its end says whose
// deed it was.
func (c *Commands) StoppedByUser(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.held[id]
	if h != nil && closed(h.process.Done()) {
		c.stopped.add(id, "[the user ended what the command had left behind]")
		c.fates.add(id, "What it had left behind was ended by the user.")
		return
	}
	if h != nil {
		h.why = byUser
	}
	c.stopped.add(id, "[the user stopped the command]")
	c.fates.add(id, "It was stopped by the user.")
}

// takeStopped is what is told, once, of a command that a person ended; "" of
// others. Nil knows of none.
func (c *Commands) takeStopped(id string) string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped.take(id)
}

// Close forgets all commands: no end is reported any more, no id is known, and
// no command can be started. It does not end what runs; see shell.Runner.
func (c *Commands) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.quit)
	}
	c.held, c.early = map[string]*held{}, nil
	c.mu.Unlock()
	c.wg.Wait()
}

// over says that Close was called. Nil is never over.
func (c *Commands) over() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// add enters a command, at the cost of another one when there is no room. It is
// false after Close.
func (c *Commands) add(h *held) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.sweepLocked()
	if len(c.held) >= maxHeld {
		c.evictLocked(c.leastLocked(), "to make room for newer commands")
	}
	h.used = c.now()
	c.held[h.process.ID()] = h
	if h.background {
		h.armed = true
		c.wg.Go(func() { c.watch(h) })
	}
	return true
}

// get finds a command in order to use it. Nil knows none.
func (c *Commands) get(id string) (*held, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweepLocked()
	h, ok := c.held[id]
	if ok {
		h.used = c.now()
	}
	return h, ok
}

// fate is why a command is not known, "" if nothing special has befallen it.
// Nil knows none.
func (c *Commands) fate(id string) string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fates.of(id)
}

func (c *Commands) remove(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, h.process.ID())
	c.stopped.take(h.process.ID())
}

// disarm takes back that the end of h is to be reported: a call tells of it.
func (c *Commands) disarm(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.armed = false
	c.told.add(h.process.ID(), "told")
}

// EndTold says that a call has told the model how a command ended: an Ended of it
// that is still on its way is no news. Of the newest 256 it is known.
func (c *Commands) EndTold(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told.of(id) != ""
}

// whyEnded is why h was ended, "" if by itself or by a call.
func (c *Commands) whyEnded(h *held) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.why
}

// attend keeps the end of h from being reported until the function it returns
// is called: who reads on from h tells of its end, if it comes, and disarms it.
func (c *Commands) attend(h *held) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.readers++; h.readers == 1 {
		h.unattended = make(chan struct{})
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if h.readers--; h.readers == 0 {
			close(h.unattended)
		}
	}
}

// leastLocked is the command whose loss costs least: one that is gone before
// one that is not, and of these the least recently used.
func (c *Commands) leastLocked() *held {
	var least *held
	for _, h := range c.held {
		if least == nil || h.gone() && !least.gone() || h.gone() == least.gone() && h.used.Before(least.used) {
			least = h
		}
	}
	return least
}

func (c *Commands) evictLocked(h *held, why string) {
	id := h.process.ID()
	delete(c.held, id)
	c.stopped.take(id)
	if h.gone() {
		c.fates.add(id, "It had ended ("+exitDetail(h.process.Exit())+") and was cleared "+why+", with what was unread of it.")
		return
	}
	h.why = "ended " + why
	c.fates.add(id, "It was killed "+why+".")
	c.wg.Go(func() { c.end(h) })
}

// end waits no longer than the kernel takes after SIGKILL, or for Close. What
// cannot be killed is the runner's to report.
func (c *Commands) end(h *held) {
	ctx, cancel := context.WithTimeout(context.Background(), evictGrace+killWait)
	c.wg.Go(func() {
		defer cancel()
		select {
		case <-c.quit:
		case <-ctx.Done():
		}
	})
	_ = h.process.Kill(ctx, evictGrace)
	cancel()
}

// sweepLocked ends what nobody has used for long.
func (c *Commands) sweepLocked() {
	now := c.now()
	if now.Sub(c.swept) < sweepEvery {
		return
	}
	c.swept = now
	for _, h := range c.held {
		if now.Sub(h.used) >= idleLimit {
			c.evictLocked(h, "because nobody used it for ten days")
		}
	}
}

// watch reports the end of a command that was started in the background.
func (c *Commands) watch(h *held) {
	select {
	case <-h.process.Done():
	case <-c.quit:
		return
	}
	for {
		tail := h.tail(maxTail)
		e, tell, wait := c.report(h, tail)
		switch {
		case tell != nil:
			tell(e)
			return
		case wait == nil:
			return
		}
		select {
		case <-wait:
		case <-c.quit:
			return
		}
	}
}

// report returns who is to be told of the end of h, nil for nobody, or what to
// wait for before that is certain.
func (c *Commands) report(h *held, tail string) (e Ended, tell func(Ended), wait <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !h.armed {
		return Ended{}, nil, nil
	}
	if h.readers > 0 {
		return Ended{}, nil, h.unattended
	}
	h.armed = false
	e = h.report(h.why, tail)
	if c.onEnd == nil {
		c.early = append(c.early[max(0, len(c.early)-maxHeld+1):], e)
	}
	return e, c.onEnd, nil
}
