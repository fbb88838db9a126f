package protocol

// SubagentState says what a subagent does.
type SubagentState string

const (
	// SubagentRunning: it works on a prompt.
	SubagentRunning SubagentState = "running"
	// SubagentWaiting: it waits for a person's answer.
	SubagentWaiting SubagentState = "waiting"
	// SubagentIdle: it has answered and takes a further prompt of the model's.
	SubagentIdle SubagentState = "idle"
	// SubagentEnded: it is gone; its session can still be loaded.
	SubagentEnded SubagentState = "ended"
)

// Subagent is a model at work for a session's model, in a session of its own.
type Subagent struct {
	// What the model calls it; begins with subagent-.
	SubagentID string `json:"subagentId"`
	// Its own session, of which events come marked with their origin.
	SessionID string `json:"sessionId"`
	// The call that started it.
	CallID string `json:"callId"`
	// One line: what it was started for.
	Title string `json:"title"`
	// PROVIDER:NAME.
	Model string `json:"model"`
	// What it does now.
	State SubagentState `json:"state"`
	// One line: how its last turn ended, or why it is gone; may be empty.
	Detail string `json:"detail,omitempty"`
	// It works on though its call has ended.
	Background bool `json:"background,omitempty"`
	// How many of its questions wait.
	Questions int `json:"questions,omitempty"`
	// When it was started.
	Since Time `json:"since"`
}

// SubagentUpdated says that a subagent of the session is there, or does something
// else.
type SubagentUpdated struct {
	Event
	// As it is now.
	Subagent Subagent `json:"subagent"`
}

// SubagentListResult holds a session's subagents.
type SubagentListResult struct {
	// Oldest first, those that have ended left out.
	Subagents List[Subagent] `json:"subagents"`
}

// SubagentParams names a subagent.
type SubagentParams struct {
	// The session that started it.
	SessionID string `json:"sessionId"`
	// Which of its subagents.
	SubagentID string `json:"subagentId"`
}
