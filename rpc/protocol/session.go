package protocol

// Session is what is known of a session without loading it.
type Session struct {
	// Id, begins with s.
	SessionID string `json:"sessionId"`
	// One line for people: as given, else from the first prompt.
	Title string `json:"title"`
	// The absolute folder in which commands start.
	Cwd string `json:"cwd"`
	// The absolute folders of the workspace; cwd is the first.
	Roots List[string] `json:"roots"`
	// PROVIDER:NAME.
	Model string `json:"model"`
	// Who answers.
	Mode Mode `json:"mode"`
	// What the system allows.
	Preset Preset `json:"preset"`
	// Which tools the model sees.
	Profile Profile `json:"profile"`
	// How much the model reasons; absent: its default.
	Thinking Thinking `json:"thinking,omitempty"`
	// When it was made.
	CreatedAt Time `json:"createdAt"`
	// When it last changed.
	UpdatedAt Time `json:"updatedAt"`
	// What it waits for.
	State State `json:"state"`
	// The turn that runs, or that ended before its work was done and can be continued.
	TurnID string `json:"turnId,omitempty"`
	// It is a subagent's, of which this says whose: it takes no prompt of a person.
	Origin *Origin `json:"origin,omitempty"`
}

// SessionNewParams asks for a session. Everything may be left out.
type SessionNewParams struct {
	// The absolute folder in which commands start; absent: the editor's first
	// workspace folder.
	Cwd string `json:"cwd,omitempty"`
	// Absolute folders of the workspace; absent: the editor's.
	Roots []string `json:"roots,omitempty"`
	// PROVIDER:NAME or a name that only one provider has; absent: the default.
	Model string `json:"model,omitempty"`
	// Who answers; absent: always-ask.
	Mode Mode `json:"mode,omitempty"`
	// What the system allows; absent: workspace-write.
	Preset Preset `json:"preset,omitempty"`
	// Which tools the model sees; absent: default.
	Profile Profile `json:"profile,omitempty"`
	// One line for people.
	Title string `json:"title,omitempty"`
	// How much the model reasons; absent: its default.
	Thinking Thinking `json:"thinking,omitempty"`
	// At most this many requests to models for a prompt: of its turn, of its subagents, and of turns that begin by
	// themselves before the next prompt. session/continue counts anew. Absent: no limit.
	MaxSteps int `json:"maxSteps,omitempty"`
}

// SessionResult is the session after the request.
type SessionResult struct {
	// As it is now.
	Session Session `json:"session"`
}

// SessionListParams selects sessions, latest change first.
type SessionListParams struct {
	// Only sessions of this folder.
	Cwd string `json:"cwd,omitempty"`
	// Only those of the subagents of this session, which are else left out.
	Parent string `json:"parent,omitempty"`
	// Where the page before ended.
	Cursor string `json:"cursor,omitempty"`
	// At most this many; absent or above maxPage: maxPage.
	Limit int `json:"limit,omitempty"`
}

// SessionListResult is a page of sessions.
type SessionListResult struct {
	// Loaded ones and those that are only on disk.
	Sessions List[Session] `json:"sessions"`
	// For the next page; absent: this was the last.
	NextCursor string `json:"nextCursor,omitempty"`
}

// SessionLoadParams asks for a session that is on disk, or for the history of
// one that is loaded.
type SessionLoadParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Replay events after this seq; absent: all.
	FromSeq int64 `json:"fromSeq,omitempty"`
}

// SessionLoadResult comes after the replayed events.
type SessionLoadResult struct {
	// As it is now.
	Session Session `json:"session"`
	// The seq of the newest event.
	LastSeq int64 `json:"lastSeq"`
}

// SessionParams names a session.
type SessionParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
}

// SessionConfigureParams changes a session; what is absent stays.
type SessionConfigureParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// PROVIDER:NAME, from the next step on.
	Model string `json:"model,omitempty"`
	// Who answers, from the next decision on.
	Mode Mode `json:"mode,omitempty"`
	// What the system allows, from the next decision on.
	Preset Preset `json:"preset,omitempty"`
	// How much the model reasons, from the next step on.
	Thinking Thinking `json:"thinking,omitempty"`
	// One line for people.
	Title string `json:"title,omitempty"`
}

// SessionUpdated says that a session's description changed.
type SessionUpdated struct {
	Event
	// As it is now.
	Session Session `json:"session"`
}
