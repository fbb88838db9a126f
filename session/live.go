package session

import "time"

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

// begin takes over what counts from now on, when a turn or a session begins.
func (h *Host) begin() {
	if h.o.Begin == nil {
		return
	}
	if l, changed := h.o.Begin(); changed {
		h.changing.Store(&l)
	}
}
