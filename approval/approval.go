// Package approval decides whether a planned effect may happen. It knows
// modes, presets, rules, grants and how to ask; it knows no tool and no wire.
// It starts no goroutine. The zero Decision denies.
package approval

import "context"

// Access is what an effect does to the world.
type Access int

const (
	Execute Access = iota // the zero value is the strictest
	Write
	Read
)

// Mode says who answers what no rule covers.
type Mode string

const (
	AlwaysAsk Mode = "always-ask"
	AutoEdit  Mode = "auto-edit"
	ReadOnly  Mode = "read-only"
	Plan      Mode = "plan"
	AllowAll  Mode = "allow-all"
	DenyAll   Mode = "deny-all"
)

// Preset says what the system allows at all. No answer lifts it.
type Preset string

const (
	PresetReadOnly       Preset = "read-only"
	PresetWorkspaceWrite Preset = "workspace-write"
	PresetFullAccess     Preset = "full-access"
)

// Request is one effect to be decided, complete enough to judge and to show.
type Request struct {
	Tool   string
	Title  string
	Access Access
	// Digest binds the answer to what was shown; an answer to another digest
	// is none.
	Digest string
	// Paths are the resolved paths the effect writes or reads.
	Paths []Target
	// Command is set for effects of Execute.
	Command *Command
	// Own effects touch only what the session itself started. It counts for reads
	// that name no path and no command: whatever else is claimed to be one's own is
	// judged as anybody's.
	Own bool
}

// Command is a shell command to be judged.
type Command struct {
	Text string
	Dir  string
	// Unconfined says that no sandbox holds the command.
	Unconfined bool
	// Escalation is why it asks to leave the sandbox, or why what is typed into has
	// left it; "" when neither holds.
	Escalation string
	// TypedInto is the running command that Text is typed into, "" for a command.
	// Process is its id, unique in the session: a yes for the session is one to
	// that process alone.
	TypedInto, Process string
}

// Scope is how long a yes holds.
type Scope string

const (
	Once      Scope = "once"
	Session   Scope = "session"
	Workspace Scope = "workspace" // kept on the disk for the workspace
	User      Scope = "user"      // kept on the disk for any workspace
)

// Outcome of a decision. The zero value denies.
type Outcome int

const (
	Denied Outcome = iota
	Allowed
)

// By says who or what decided.
type By string

const (
	ByPerson  By = "person"
	ByRule    By = "rule"   // a rule, a mode or a preset
	ByGrant   By = "grant"  // a remembered yes
	ByCancel  By = "cancel" // the turn ended first
	ByNobody  By = "nobody" // there was no one to ask, or no answer came
	ByTimeout By = "timeout"
)

// Answer is what an Asker brought back. The zero Answer is no answer.
type Answer struct {
	Outcome  Outcome
	Answered bool
	Scope    Scope
	Comment  string
	// Hunks, All and Text say what part of a change is accepted; they are
	// handed through. A yes to a Write must set exactly one of them: empty
	// Hunks accept nothing and so deny.
	All   bool
	Hunks []string
	Text  *string
	// Command, when set, replaces the command.
	Command *string
}

// Question is a Request that needs a person, with why.
type Question struct {
	Request Request
	Reason  string
	// Again says that the first try brought no answer.
	Again bool
	// Grant is the class of effects that an answer of scope Session would
	// cover, in words; "" when the answer cannot be remembered.
	Grant string
}

// Ask puts a question to a person and waits. An error or an unanswered Answer
// is no answer. A nil Ask means that nobody is there.
type Ask func(ctx context.Context, q Question) (Answer, error)

// Decision is the one answer to a Request.
type Decision struct {
	Outcome Outcome
	By      By
	// Cause is one line for the model and the record: which rule, which mode,
	// whose words.
	Cause   string
	Comment string
	Scope   Scope
	All     bool
	Hunks   []string
	Text    *string
	Command *string
	// Derivation lists the checks in the order they were made.
	Derivation []string
}
