package protocol

// Mode says who answers when an effect needs a yes.
type Mode string

const (
	// ModeAlwaysAsk asks a person for every write and every command.
	ModeAlwaysAsk Mode = "always-ask"
	// ModeAutoEdit applies edits at once, to be reviewed afterwards; the rest asks.
	ModeAutoEdit Mode = "auto-edit"
	// ModeReadOnly allows reading without a question; everything else asks.
	ModeReadOnly Mode = "read-only"
	// ModePlan denies every effect; the model proposes what it would do.
	ModePlan Mode = "plan"
	// ModeAllowAll allows everything that the preset allows.
	ModeAllowAll Mode = "allow-all"
	// ModeDenyAll denies every tool call that needs a decision.
	ModeDenyAll Mode = "deny-all"
)

// Preset says what the system lets a session do at all. No answer lifts it.
type Preset string

const (
	// PresetReadOnly lets nothing be written.
	PresetReadOnly Preset = "read-only"
	// PresetWorkspaceWrite lets files below the session's roots be written.
	PresetWorkspaceWrite Preset = "workspace-write"
	// PresetFullAccess sets no limit beyond the user's own.
	PresetFullAccess Preset = "full-access"
)

// Profile names the set of tools that the model sees.
type Profile string

const (
	// ProfileDefault is the ordinary set: read, edit, write, execute.
	ProfileDefault Profile = "default"
	// ProfileCompact is a small set: read, bash, edit, write.
	ProfileCompact Profile = "compact"
	// ProfileAgent is bash, read, write, edit, glob and grep, under the names and
	// with the schemas of that toolset's version.
	ProfileAgent Profile = "agent_toolset_20260401"
)

// Thinking says how much a model reasons before it answers, where it can.
type Thinking string

const (
	// ThinkingOff asks for none.
	ThinkingOff Thinking = "off"
	// ThinkingLow asks for a little.
	ThinkingLow Thinking = "low"
	// ThinkingMedium asks for more.
	ThinkingMedium Thinking = "medium"
	// ThinkingHigh asks for the most.
	ThinkingHigh Thinking = "high"
)

// StopReason says why a turn ended.
type StopReason string

const (
	// StopEndTurn: the model had no more to say.
	StopEndTurn StopReason = "endTurn"
	// StopMaxTokens: the answer reached the model's limit and was cut.
	StopMaxTokens StopReason = "maxTokens"
	// StopMaxSteps: the turn reached its limit of steps or time, or repeated
	// itself; cause says which.
	StopMaxSteps StopReason = "maxSteps"
	// StopRefusal: the model's service declined to answer.
	StopRefusal StopReason = "refusal"
	// StopCancelled: a person cancelled the turn.
	StopCancelled StopReason = "cancelled"
	// StopInterrupted: the bridge or its editor ended in mid-turn;
	// session/continue takes the turn up again.
	StopInterrupted StopReason = "interrupted"
	// StopError: something broke; cause says what.
	StopError StopReason = "error"
)

// State says what a session waits for.
type State string

const (
	// StateModel: the model's answer is awaited or arriving.
	StateModel State = "model"
	// StateApproval: a person's answer is awaited.
	StateApproval State = "approval"
	// StateTool: a tool call runs.
	StateTool State = "tool"
	// StateInput: the command of a running call waits for typing.
	StateInput State = "input"
	// StateRetry: a request to the model failed and is tried again.
	StateRetry State = "retry"
	// StateCompacting: the history is being shortened. Reserved: nothing sends it yet.
	StateCompacting State = "compacting"
	// StateIdle: no turn runs.
	StateIdle State = "idle"
)

// Access is what a tool call does at most.
type Access string

const (
	// AccessRead changes nothing.
	AccessRead Access = "read"
	// AccessWrite changes one file.
	AccessWrite Access = "write"
	// AccessExecute runs a command.
	AccessExecute Access = "execute"
)

// CallStatus is how a tool call ended.
type CallStatus string

const (
	// CallCompleted: it did what it was asked.
	CallCompleted CallStatus = "completed"
	// CallFailed: it ran and did not succeed; text says why.
	CallFailed CallStatus = "failed"
	// CallAborted: it was denied, declined or cancelled.
	CallAborted CallStatus = "aborted"
)

// ErrorKind is the word in data.kind of an error answer. The code says how the
// request failed as a message, the kind what to do about it.
type ErrorKind string

const (
	// ErrInvalidParams: the params do not have the method's shape, or ask for
	// something that cannot be: a model or a folder that does not exist.
	ErrInvalidParams ErrorKind = "invalid"
	// ErrTurnRunning: the session runs a turn; use session/steer.
	ErrTurnRunning ErrorKind = "turnRunning"
	// ErrNoTurn: no turn runs, or another than the expected one.
	ErrNoTurn ErrorKind = "noTurn"
	// ErrNotInterrupted: the last turn was not cut off, so that there is nothing to continue.
	ErrNotInterrupted ErrorKind = "notInterrupted"
	// ErrSessionBusy: another process owns the session; the hint names it.
	ErrSessionBusy ErrorKind = "sessionBusy"
	// ErrSessionCorrupt: the session's log cannot be read; the hint names the file.
	ErrSessionCorrupt ErrorKind = "sessionCorrupt"
	// ErrUnknownSession: no session has this id, or it is not loaded.
	ErrUnknownSession ErrorKind = "unknownSession"
	// ErrUnknownChange: the session has no change of this id.
	ErrUnknownChange ErrorKind = "unknownChange"
	// ErrUnknownCheckpoint: the session has no checkpoint of this id.
	ErrUnknownCheckpoint ErrorKind = "unknownCheckpoint"
	// ErrUnknownTerminal: the session has no terminal of this id.
	ErrUnknownTerminal ErrorKind = "unknownTerminal"
	// ErrUnknownSubagent: no subagent of this id lives.
	ErrUnknownSubagent ErrorKind = "unknownSubagent"
	// ErrUnknownProvider: no provider has this name.
	ErrUnknownProvider ErrorKind = "unknownProvider"
	// ErrAuth: the provider refused the key.
	ErrAuth ErrorKind = "auth"
	// ErrProvider: the provider did not answer, or not in its protocol.
	ErrProvider ErrorKind = "provider"
	// ErrStale: the change was shown from another content than there is now.
	ErrStale ErrorKind = "stale"
	// ErrClosed: the session is closed, or the terminal's command has ended.
	ErrClosed ErrorKind = "closed"
	// ErrBusy: more requests are under way than the bridge takes on; ask later.
	ErrBusy ErrorKind = "busy"
	// ErrPanic: a fault of the bridge, recorded in its log; the connection lives.
	ErrPanic ErrorKind = "panic"
	// ErrInternal: another fault of the bridge.
	ErrInternal ErrorKind = "internal"
)
