package session

import (
	"sync"
	"time"
)

// Live are those of the Options that may change while sessions are open.
type Live struct {
	// Defaults are those of new sessions.
	Defaults           Settings
	WakeOnExit         bool
	SaveBeforeCommands bool
	Remind             time.Duration
	DiagnosticsWait    time.Duration
	CheckpointBytes    int64
}

// Live are the options that may change, as they begin.
func (o Options) Live() Live {
	return Live{
		Defaults: o.Defaults, WakeOnExit: o.WakeOnExit, SaveBeforeCommands: o.SaveBeforeCommands,
		Remind: o.Remind, DiagnosticsWait: o.DiagnosticsWait, CheckpointBytes: o.CheckpointBytes,
	}
}

// live is what may have changed since the host was made.
func (h *Host) live() Live { return *h.changing.Load() }

// turns counts those of all sessions that run, subagents' among them.
type turns struct {
	mu      sync.Mutex // guards below
	running int
}

// begin takes over what counts from now on, when a turn or a session begins. While
// another turn runs nothing changes: a turn ends by what it began with. That
// holds for whatever a subagent does meanwhile, which takes over nothing itself.
func (h *Host) begin(fresh bool) {
	if h.turns.running > 0 || !fresh || h.o.Begin == nil {
		return
	}
	if l, changed := h.o.Begin(); changed {
		h.changing.Store(&l)
	}
}

// beginSession is begin for a session that is made.
func (h *Host) beginSession() {
	h.turns.mu.Lock()
	defer h.turns.mu.Unlock()
	h.begin(true)
}

// beginTurn is begin for a turn, to which ended belongs.
func (h *Host) beginTurn(child bool) {
	h.turns.mu.Lock()
	defer h.turns.mu.Unlock()
	h.begin(!child)
	h.turns.running++
}

func (h *Host) ended() {
	h.turns.mu.Lock()
	defer h.turns.mu.Unlock()
	h.turns.running--
}
