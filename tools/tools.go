// Package tools plans effects. A Tool turns arguments into a Plan, which is
// one intended effect that can be shown and carried out later; CarryOut closes
// a running plan out into exactly one Outcome. Tools know the workspace and
// the shell; they know no editor, session, approval or model.
//
// Each call has one goroutine besides its caller's, which runs the tool and
// ends with it; CarryOut waits for it, but not for ever.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"drawbridge/internal/fetch"
	"drawbridge/shell"
	"drawbridge/workspace"
)

// Access is what a tool may do at most.
type Access string

const (
	Read    Access = "read"
	Write   Access = "write"
	Execute Access = "execute"
)

// Spec describes a tool to a model and to the session.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage
	Access      Access
	Limits      Limits
	// Style closes its calls out.
	Style Style
	// ForModel is ForVision or ForTextOnly for a tool that only such models are
	// given, "" for one that is for all.
	ForModel string
}

// Models that a tool is for.
const (
	ForVision   = "vision"
	ForTextOnly = "text-only"
)

// Limits of one call. Zero or less switches a limit off.
type Limits struct {
	Timeout   time.Duration
	MaxOutput int // of the body; in characters, with markers and notes on top, unless the Style says otherwise
}

// Env is what tools work on. It is fixed for a session.
type Env struct {
	Workspace *workspace.Workspace
	Shell     shell.Runner
	// Environ returns the complete environment of a command, in a terminal or
	// over pipes. It may wait for what the user's shell says, but not past the
	// end of ctx. A nil Environ is an empty environment.
	Environ func(ctx context.Context, tty bool) []string
	// TTY says that the client shows terminals: commands get a pty.
	TTY        bool
	Cols, Rows uint16
	// Confine returns what holds commands under the present preset: nil holds
	// nothing, an error means that what should hold them cannot. A nil Confine
	// is full access.
	Confine func() (shell.Confinement, error)
	// Commands are the session's commands by process id. Nil knows none: then
	// no command goes to the background.
	Commands *Commands
	// Subagents are the session's. Nil: there can be none.
	Subagents Subagents
	// Offers are what the model has that made the call.
	Offers Offers
	// Limits of the tool in use.
	Limits Limits
	// NewFile are the permission bits of a file that is made; 0 leaves them to the
	// umask.
	NewFile fs.FileMode
	// StateDir is the session's private folder for what its tools remember between
	// calls, such as the state of a shell. It is made when first needed; "" if there
	// is none.
	StateDir string
	// Archives returns where archives lie (see Call) of this session and of those that
	// work together with it: the only places among our own state that may be read. A
	// nil Archives knows of none.
	Archives func() []string
	// Defines says that a text defines a function of bash by this name, does nothing
	// else, and means to bash what it says here. A nil Defines knows of none.
	Defines func(text, name string) bool
	// MayRead returns which files below a folder, whose reading was decided, may be
	// read along with it, without a question of their own. A nil MayRead goes by
	// workspace.IgnoreFile alone. What it returns is safe for concurrent use.
	MayRead func(root workspace.Path) func(workspace.Path) bool
	// Reads are what the model has seen of files; nil remembers nothing.
	Reads *Reads
	// Fetch asks for addresses that the model names; nil asks for none.
	Fetch Fetcher
	// Redact is Call.Redact, for what a plan may not tell anybody; nil knows no secret.
	Redact func(text string) string
	// Seer finds the model that looks at pictures for one that does not see; it or
	// what it returns is nil where there is none.
	Seer func() (Seer, error)
}

// Fetcher reads what lies at an address, at most limit bytes. Its errors are
// *fetch.Error, or those of ctx. Safe for concurrent use.
type Fetcher interface {
	// Refuse is why an address is not asked for, as far as that is known without
	// asking anybody; nil: it may be.
	Refuse(address *url.URL) error
	Get(ctx context.Context, address, accept string, limit int64) (fetch.Answer, error)
}

// Tool is one capability of the model. Safe for concurrent use.
type Tool interface {
	Spec() Spec
	// Plan only reads. A *Failure is for the model; any other error is ours. The
	// Plan that comes with one names the paths that were looked at, if any were.
	Plan(ctx context.Context, env Env, args json.RawMessage) (Plan, error)
}

// Plan is one intended effect.
type Plan struct {
	Title  string // one line for people: "Edit src/a.go", the command itself
	Access Access
	// URL is what it asks for over the network; "" for what stays on this machine.
	URL string
	// Paths are what it reads or writes; effects of one path run in order.
	Paths   []workspace.Path
	Change  *workspace.Change // for writes
	Command *Command          // for executes
	// Own says that the effect touches only what the session itself started,
	// such as the end of one of its commands: there is nothing to ask.
	Own bool
	// Justification is why the model wants it, for the person who is asked; "" if it
	// does not say.
	Justification string
	// Timeout is the call's own time limit; 0 is that of its Limits.
	Timeout time.Duration
	// Run carries the effect out. It writes its text to out as it comes.
	Run func(ctx context.Context, ok Accepted, out Output) (Result, error)
}

// Command is a planned shell command.
type Command struct {
	Script string // the command, or the text to type
	Dir    string
	// Sandbox names what would hold it; "" says that nothing does.
	Sandbox string
	// Escalation is why the model wants it outside the sandbox; "" when it does
	// not.
	Escalation string
	Background bool // from the start
	// TypedInto is the title of the running command that Script is typed into,
	// Process its id.
	TypedInto, Process string
	// Shell is the path of the shell that runs it; "" is that of the session.
	Shell string
	// Inherited is what the shell begins with that is not in the environment of
	// commands; nil for a new shell.
	Inherited *Inherited
}

// Inherited is what commands before have left in a shell.
type Inherited struct {
	Functions, Aliases []string // names
	Exports            []string // NAME=value
	Unset              []string // names of the environment that are not there
	Readonly           []string // names that take no other value
	Options            []string // of set and shopt, that are not as in a new shell
}

// Accepted is what may be done of a plan: for changes the accepted part, for
// commands the text to run when a person rewrote it. Comment is a person's
// word to the model. Unsaved names the documents whose file a command finds
// without what was changed in the editor.
type Accepted struct {
	Change  workspace.Acceptance
	Script  *string
	Comment string
	Unsaved []string
}

// Output receives the text of a running call in order. What is written is
// what the model reads, up to the limit. Safe for concurrent use.
type Output interface {
	Write(text string)
	// Terminal announces the process whose bytes the editor may show. Live is
	// implied.
	Terminal(p shell.Process)
	// Live says that what is written from now on comes from a process: it is
	// passed on at once, since the shell took secrets out of it already; what
	// it wrote in parts is taken out of the Outcome.
	Live()
	// Len counts what was written so far, beyond the limit too, as the call's
	// Style counts.
	Len() int
	// Call is the id of the call.
	Call() string
	// Limit gives the call the time d from now, whatever it had before. Then its
	// context ends with cause: ErrTimeout, or a failure that says what is true
	// instead of the limit.
	Limit(d time.Duration, cause error)
	// Redact is a text without the values of known secrets.
	Redact(text string) string
}

// Status is how a call ended.
type Status string

const (
	Completed Status = "completed"
	Failed    Status = "failed"
	Aborted   Status = "aborted"
)

// Result is what a plan's Run reports besides the text it wrote.
type Result struct {
	Status Status // "" is Completed
	// Note is the tool's own closing text; it survives truncation.
	Note   string
	Images []Image
	// Outcome is set when a change was committed (or not).
	Outcome *workspace.Outcome
	// ProcessID names a command that runs on.
	ProcessID string

	// lead is a line before the output: what the tool itself has lost of it.
	lead string
	// capture, when set, holds more of the output than was written: a command
	// stops writing at the limit.
	capture *capture
}

// Image is a picture for the model; Data is base64.
type Image struct {
	MimeType string
	Data     string
}

// Failure is a message the model can act on.
type Failure struct {
	Text string
	// Again is what is said in place of Text when the same call fails for the
	// same reason once more; "" says that Text is short enough to be repeated.
	Again string
	// Blind is what is said in place of both where nobody has allowed to read the
	// plan's paths: they tell of what a file holds. "" says that they do not.
	Blind string
}

func (f *Failure) Error() string { return f.Text }

// Failf makes a Failure.
func Failf(format string, args ...any) error {
	return &Failure{Text: fmt.Sprintf(format, args...)}
}

// Outcome is a closed-out call: exactly one per call.
type Outcome struct {
	Status Status
	// Text is what the model reads: body, markers, notes, in that order unless the
	// Style says otherwise. It equals the concatenation of all deltas given to the
	// sink, but for secrets that a process wrote in parts: only the Text is without
	// those. Under Style.First, and where Style.Tail or Style.Inside cut something,
	// the deltas are a preview of it.
	Text string
	// Note is the tool's own closing text, which Text holds too.
	Note   string
	Images []Image
	// Archive is the file that holds the whole output, "" if none.
	Archive   string
	Change    *workspace.Outcome
	ProcessID string
	Duration  time.Duration
	// Err is a fault of ours or of the world that the model cannot mend; the
	// Text says so too.
	Err error
}

// Call is one call to be carried out by CarryOut.
type Call struct {
	ID, Name string
	Limits   Limits
	Style    Style
	// ArchiveDir is where oversized output is kept; "" keeps none. It is made
	// when first needed.
	ArchiveDir string
	// Delta receives each piece of the text as it is written. May be nil.
	Delta func(text string)
	// Terminal is told of a started process. May be nil.
	Terminal func(p shell.Process)
	// Redact replaces the values of known secrets in what a model reads, before
	// it is counted, streamed or archived. It leaves text without a secret as it
	// is. May be nil.
	Redact func(text string) string
	// Warn receives one line (a code and the tool's name, no path) when the
	// archive could not be written. May be nil.
	Warn func(line string)
}
