package protocol

// ClientCapabilities is the client's capabilities.experimental.drawbridge in
// initialize. Each flag says that the client implements that part; a missing
// flag means the plain fall-back for it.
type ClientCapabilities struct {
	// The newest protocol version the client speaks.
	Version int `json:"version"`
	// Answers approval/request. Absent: window/showMessageRequest. False: nobody
	// is there, and whatever would ask is denied.
	Approvals bool `json:"approvals,omitempty"`
	// Shows change/updated and resolves changes. Else: none.
	Review bool `json:"review,omitempty"`
	// Shows terminal/output and types into terminals; commands then run in a
	// pty. Else: over pipes, and their text arrives by toolCall/updated.
	Terminals bool `json:"terminals,omitempty"`
	// Shows the other events. Else: work-done progress and window/logMessage.
	Events bool `json:"events,omitempty"`
	// Answers editor/save. Else: what is unsaved stays so, and the model is told.
	Saves bool `json:"saves,omitempty"`
	// Answers editor/refresh. Else: the bridge waits for the editor to see by itself
	// that a file was changed.
	Refreshes bool `json:"refreshes,omitempty"`
	// Answers editor/diagnostics. Else: none are told to the model.
	Diagnostics bool `json:"diagnostics,omitempty"`
	// Shows trust/required and answers it. Else: window/showMessageRequest.
	Trust bool `json:"trust,omitempty"`
}

// ServerCapabilities is the bridge's capabilities.experimental.drawbridge in
// the answer to initialize.
type ServerCapabilities struct {
	// The protocol version that counts: the lower of both.
	Version int `json:"version"`
	// The bridge's own version, for people.
	ServerVersion string `json:"serverVersion"`
	// The profiles that session/new takes.
	Profiles List[Profile] `json:"profiles"`
	// The modes that session/new and session/configure take.
	Modes List[Mode] `json:"modes"`
	// The presets that session/new and session/configure take.
	Presets List[Preset] `json:"presets"`
	// Models that are known without asking a provider; model/list asks.
	Models List[string] `json:"models"`
	// Bounds of this connection.
	Limits Limits `json:"limits"`
}

// Limits are the bounds of a connection.
type Limits struct {
	// The largest frame that is accepted, in bytes.
	FrameBytes int64 `json:"frameBytes"`
	// How many bytes of one terminal may be under way unacknowledged.
	UnackedBytes int64 `json:"unackedBytes"`
}
