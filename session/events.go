package session

import (
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/tools"
	"drawbridge/workspace"
)

// Event is something that happened in a session. Seq counts from 1 and has no
// holes for a listener that was there from the start; events of one session
// arrive in its order. Body is one of the types below.
type Event struct {
	Session  string
	Seq      int64
	Time     time.Time
	Replayed bool
	// Origin says whose subagent's session it is; nil for a person's.
	Origin *Origin
	Body   any
}

// Origin says for whom a subagent works.
type Origin struct {
	Session, Call string
	Subagent      string // what the model calls it
	Title         string // one line: what it was started for
}

// SubagentState says what a subagent does.
type SubagentState string

const (
	SubagentRunning SubagentState = "running"
	SubagentWaiting SubagentState = "waiting" // for a person's answer
	SubagentIdle    SubagentState = "idle"    // it takes a further prompt of the model's
	SubagentEnded   SubagentState = "ended"
)

// Subagent is a model at work for a session's model, in a session of its own.
type Subagent struct {
	ID, Session, Call string
	Title             string
	Model             string // "provider:name"
	State             SubagentState
	Detail            string // one line
	Background        bool
	Questions         int
	Since             time.Time
}

// SubagentUpdated says that a subagent is there, or does something else.
type SubagentUpdated struct{ Subagent Subagent }

// TurnStarted is the first event of a turn.
type TurnStarted struct {
	Turn   string
	Prompt []Block // empty when the turn takes up another one
	// Background turns have no prompt: the end of a command began them.
	Background bool
	// Continues is the turn that this one takes up, Replaces the one whose place
	// it takes, together with those that took that one up.
	Continues, Replaces string
}

// TurnSteered says that the model reads steering text with its next request.
type TurnSteered struct {
	Turn    string
	Content []Block
}

// TurnNotified says that the model reads of the ends of background commands
// with its next request.
type TurnNotified struct {
	Turn    string
	Notices []Notice
	// Remarks are what a person did meanwhile, as the model reads it.
	Remarks []string
}

// Notice is the end of a background command, by itself or with its session, or
// that a subagent in the background has answered.
type Notice struct {
	Process, Call, Terminal string
	Title                   string
	OK                      bool
	Detail                  string // "exit code 1"
	Tail                    string // of the output that the model has not read
	// Lost commands ended with their session or with the bridge. What the model
	// has read of them is not known any more: Tail is the end of all.
	Lost bool `json:",omitempty"`
	// Subagent is set where it is a subagent that has answered, or ended, and
	// Answer counts its answers from 1.
	Subagent string `json:",omitempty"`
	Answer   int    `json:",omitempty"`
}

// State is what a session is waiting for.
type State string

const (
	StateIdle     State = "idle"
	StateModel    State = "model"
	StateApproval State = "approval"
	StateTool     State = "tool"
	StateInput    State = "input"
	StateRetry    State = "retry"
)

// StateChanged says what is waited for now, since when, and in words why.
type StateChanged struct {
	State   State
	Since   time.Time
	Detail  string
	Call    string // StateApproval, StateTool: the call it is about
	Attempt int    // StateRetry: n of Max
	Max     int
}

// MessageChunk is the next piece of the answer.
type MessageChunk struct{ Turn, Text string }

// ThoughtChunk is the next piece of the model's reasoning.
type ThoughtChunk struct{ Turn, Text string }

// CallStarted announces a tool call, before it is decided.
type CallStarted struct {
	Turn, Call string
	Name       string
	Title      string
	Access     tools.Access
	Args       string // as the model sent them
}

// CallUpdated carries the next piece of a running command's text, sent only
// when no terminal shows it; or a title, when the person changed the command.
type CallUpdated struct {
	Turn, Call string
	Title      string
	Text       string
}

// CallCompleted is the authoritative end of a call. Nothing of the call
// follows it but the output of a command that runs on.
type CallCompleted struct {
	Turn, Call string
	Status     tools.Status
	Text       string
	// Note is the tool's own closing text, which Text holds too.
	Note     string
	Images   []model.Image
	Change   string // id, "" if none
	Terminal string // id, "" if none
	Process  string // the command, or what it left behind, runs on under this id; "" if none
	// Duration is from start to end, Waited the part of it in which a question
	// was open.
	Duration, Waited time.Duration
	// Decision is which rule or remembered yes decided, "" where a person, the
	// mode or the preset did.
	Decision string
}

// ChangeState is what became of a proposed change.
type ChangeState string

const (
	ChangeProposed ChangeState = "proposed"
	ChangeApplied  ChangeState = "applied"
	ChangePartly   ChangeState = "partly"
	ChangeRejected ChangeState = "rejected"
	ChangeReverted ChangeState = "reverted"
	ChangeStale    ChangeState = "stale"
)

// Change is a file change as the session keeps it for review.
type Change struct {
	ID, Turn, Call string
	State          ChangeState
	// Planned is what was proposed. Done is what was really applied; it is
	// nil until then.
	Planned workspace.Change
	Done    *workspace.Change
	// Edited says that a text of the person's own stands.
	Edited bool
	// ByCommand says that a command did it, or somebody else while one ran.
	ByCommand bool
	// Why explains a change that is not applied as it was proposed, and one of
	// which the texts are not known.
	Why  string
	Time time.Time
	// Gone says that the texts are not kept any more; Summary is what is left.
	Gone    bool
	Summary ChangeSummary
	// Kept are the hunks of Done that a person said shall stand.
	Kept []string

	// under is the turn of the session that a subagent works for, in which the
	// subagent did it; "" where Turn says it all.
	under string
	// texts counts the texts of a person's own that were put in its place since it
	// was applied.
	texts int
	// settled is closed once it is no longer proposed; nil for one of an earlier run.
	settled chan struct{}
	// did is Done without anything taken back of it; nil while it rests.
	did *workspace.Change
	// back are the hunks that were taken back since it was applied.
	back []string
	// resting says that the texts are not in memory; the shelf may have them.
	resting bool
}

// ChangeSummary outlives the texts of a change.
type ChangeSummary struct {
	Path        string // absolute
	From        string `json:",omitempty"` // its name before, of a rename
	Kind        workspace.ChangeKind
	Diff        string // unified, bounded
	Plus, Minus int
}

// ChangeUpdated says that a change took a new state.
type ChangeUpdated struct{ Change Change }

// UsageUpdated counts tokens of the turn so far and of the session.
type UsageUpdated struct {
	Turn        string
	TurnUsage   model.Usage
	TotalUsage  model.Usage
	ContextUsed int // tokens of the last request and its answer
	// ContextLimit is how many tokens the model holds; 0: not known.
	ContextLimit int
}

// ApprovalResolved ends a question, however it ended.
type ApprovalResolved struct {
	Turn, Call, Approval string
	Outcome              approval.Outcome
	By                   string // person, rule, grant, cancel, superseded, closed
	Cause                string
}

// ApprovalReminder says that a question still waits. It is not kept.
type ApprovalReminder struct {
	Turn, Call, Approval string
	Title                string
	Asked                time.Time
	Count                int // from 1
}

// TerminalOpened announces a command's terminal. Process is nil in a replay.
type TerminalOpened struct {
	Turn, Call, Terminal string
	Title, Dir           string
	Cols, Rows           uint16
	ProcessID            string
	Pipes                bool          // it has pipes instead of a terminal
	Sandbox              string        // what holds it; "" is nothing
	Process              shell.Process `json:"-"`
}

// TerminalUpdated says what a command does now; it holds the whole status. With
// Status.Done its leader has ended, and what is left of it are the survivors.
type TerminalUpdated struct {
	Turn, Call, Terminal string
	Title                string
	Background           bool // its call has ended
	Yielded              bool // it ends just now
	Status               shell.Status
}

// TerminalClosed says that nothing is left of a command. It follows the last
// byte of its terminal. In a replay Tail holds
// the end of its output.
type TerminalClosed struct {
	Turn, Call, Terminal string
	Exit                 shell.Exit
	Tail                 string
}

// StopReason says why a turn ended.
type StopReason string

const (
	StopEndTurn     StopReason = "endTurn"
	StopMaxTokens   StopReason = "maxTokens"
	StopMaxSteps    StopReason = "maxSteps"
	StopRefusal     StopReason = "refusal"
	StopCancelled   StopReason = "cancelled"
	StopInterrupted StopReason = "interrupted"
	StopError       StopReason = "error"
)

// TurnCompleted is the last event of a turn. Cause is set for every stop but
// endTurn.
type TurnCompleted struct {
	Turn     string
	Stop     StopReason
	Cause    string
	Hint     string
	Usage    model.Usage
	Returned []Block // steering text that the end overtook
}

// SessionUpdated says that the summary changed (title, mode, model…).
type SessionUpdated struct{ Info Info }
