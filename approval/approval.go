// Package approval decides whether a planned effect may happen. It knows
// modes, presets, rules, what was remembered and how to ask; it knows no tool
// and no wire. It starts no goroutine. The zero Decision denies.
package approval

import (
	"context"

	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

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
	// URL is what a Read asks for over the network, to the letter; "" for what stays
	// on this machine. Whoever is asked learns the address: it may say anything.
	URL string
	// Justification is why the agent wants it, in its own words; "" if it does not
	// say. A person reads it; it allows nothing.
	Justification string
	// Paths are the resolved paths the effect writes or reads.
	Paths []Target
	// Command is set for effects of Execute.
	Command *Command
	// Origin is the name of the subagent that asks; "" is the session itself.
	Origin string
	// Look says that nothing is to be done any more: it is about telling what was
	// found when the effect was planned.
	Look bool
	// Own effects touch only what the session itself started. It counts for reads
	// that name no path and no command: whatever else is claimed to be one's own is
	// judged as anybody's.
	Own bool
}

// Command is a shell command to be judged.
type Command struct {
	Text string
	Dir  string
	// Shell is the path of the shell that runs it, "" for bash. What it may read
	// otherwise than bash is not understood.
	Shell string
	// Unconfined says that no sandbox holds the command.
	Unconfined bool
	// Escalation is why it asks to leave the sandbox, or why what is typed into has
	// left it; "" when neither holds.
	Escalation string
	// TypedInto is the running command that Text is typed into, "" for a command.
	// Process is its id, unique in the session: a yes for the session is one to
	// that process alone.
	TypedInto, Process string
	// Inherited is what commands before have left in the shell; nil for a new one.
	Inherited *command.Inherited
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
	// BySuperseded: the preset changed under the question, and nothing that was
	// asked or answered before counts. It denies; whoever can asks anew.
	BySuperseded By = "superseded"
)

// Answer is what an Asker brought back. The zero Answer is no answer.
type Answer struct {
	Outcome  Outcome
	Answered bool
	Scope    Scope
	// Rule, when set, is what is remembered instead of what was offered: rules, a
	// line each.
	Rule    string
	Comment string
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
	// Parts are the simple commands of a command, as the rules see them; nil when
	// it could not be taken apart, and for all else.
	Parts []rule.Part
	// Offers are the ways in which a yes may be remembered.
	Offers []Offer
	// Derivation lists the checks that led to the question.
	Derivation []string
}

// Offer is what a yes of a longer scope would leave behind.
type Offer struct {
	Scope Scope
	// Rule is what would be remembered: rules to the letter, a line each; where it
	// is not Editable it is said in words.
	Rule     string
	Editable bool
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
	// Remembered are the rules that a yes left behind.
	Remembered []string
	// Ruled says that a rule, a tool's policy or a remembered yes decided, and
	// neither a person nor the mode.
	Ruled bool
	// ground is what refused, where By is ByRule.
	ground ground
	// Mode and Preset were in force.
	Mode   Mode
	Preset Preset
	// Derivation lists the checks in the order they were made.
	Derivation []string
}
