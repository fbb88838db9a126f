package session

import (
	"context"
	"log/slog"
	"time"

	"drawbridge/approval"
	"drawbridge/approval/rule"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/tools"
	"drawbridge/workspace"
)

// Block is a piece of a prompt.
type Block struct {
	Kind     BlockKind `json:"kind"`
	Text     string    `json:"text,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	Data     string    `json:"data,omitempty"` // base64
	// StartLine and EndLine of a selection, from 1, inclusive.
	StartLine int `json:"startLine,omitempty"`
	EndLine   int `json:"endLine,omitempty"`
}

// BlockKind is the tag of a Block.
type BlockKind string

const (
	BlockText      BlockKind = "text"
	BlockImage     BlockKind = "image"
	BlockResource  BlockKind = "resource"     // URI with its Text
	BlockLink      BlockKind = "resourceLink" // URI and Name
	BlockSelection BlockKind = "selection"    // URI, lines, Text
	BlockDiagnosis BlockKind = "diagnostics"  // URI with its Text
)

// Info is the summary of a session.
type Info struct {
	ID       string
	Title    string
	Dir      string
	Roots    []string
	Model    string // "provider:name"
	Mode     approval.Mode
	Preset   approval.Preset
	Profile  string
	Thinking string
	Created  time.Time
	Updated  time.Time
	State    State
	Turn     string // the running turn, "" if none
	// Origin says whose subagent's session it is; nil for a person's.
	Origin *Origin `json:",omitempty"`
	// Chained says that each record of its log was chained, from the first on.
	Chained bool `json:",omitempty"`
	// Unfinished is the last turn if it ended before its work was done and can be
	// continued.
	Unfinished string
}

// Settings are what session/new and session/configure may set. Empty fields
// keep what is.
type Settings struct {
	Dir      string
	Roots    []string
	Model    string
	Mode     approval.Mode
	Preset   approval.Preset
	Profile  string
	Title    string
	Thinking string
	// MaxSteps bounds the requests to models that a prompt may lead to; 0 does not.
	MaxSteps int
}

// Approval is a question as it is put to a client. It is a snapshot.
type Approval struct {
	ID, Session, Turn, Call string
	Question                approval.Question
	Plan                    tools.Plan
	Change                  string // id of the proposed change, "" if none
	// Origin says whose subagent asks; nil when it is no subagent.
	Origin *Origin
	Args   string
	Asked  time.Time
	// Out is to be called when the question is on its way to the client: the next
	// one of the step is put then. That Ask returns does it too.
	Out func()
}

// Options of a Host. Callbacks must not call back into the Host or a Session
// from the same goroutine, except where said.
type Options struct {
	// StateDir holds sessions/ and scratch/. Private to the user.
	StateDir string
	// Models opens "provider:name" ("" = the default) and returns the
	// provider, the model's own name, and the full "provider:name". Each
	// session opens its own. It must not block.
	Models func(spec string) (p model.Provider, name, full string, err error)
	// Known is what is known of a model, "provider:name". It must not block. Nil knows
	// nothing.
	Known func(full string) model.Info
	// VisionModel is the model that describes pictures to one that takes none; nil, or
	// "": there is none.
	VisionModel func() string
	// Fetch asks for addresses that a model names; nil asks for none.
	Fetch tools.Fetcher
	// Tools returns what a profile gives a model; unknown profiles are an error.
	Tools    func(profile string) (tools.Toolset, error)
	NewShell func() shell.Runner
	Editor   workspace.Editor
	// Encodings are what the editor says about files; nil knows nothing.
	Encodings *workspace.Encodings
	// Watch makes what watches the files of a session's folders. Nil watches none:
	// of the changes of commands only those of files are seen that the session
	// knows. WatchDisk is the real one.
	Watch func(roots []string) Watcher
	// Protected are paths that no tool may touch, besides our own state.
	Protected []string
	// Environ returns the complete environment of a command of a session with
	// these folders, in a pty or over pipes. It is called before each start and may
	// wait for the user's shell to be asked, but not past the end of ctx. Nil is an
	// empty environment.
	Environ func(ctx context.Context, roots []string, tty bool) []string
	// Terminals says that the client shows terminals: commands get a pty.
	Terminals bool
	// Pipes has commands run over pipes though the client shows terminals, which
	// then show what they write.
	Pipes bool
	// NoInherit says that the model of the sessions is none that a subagent could be
	// given too, such as a person at a command line: a subagent's has to be named.
	NoInherit bool
	// WakeOnExit lets the end of a background command begin a turn when none runs.
	WakeOnExit bool
	// Redact replaces the values of known secrets in whatever is told, recorded
	// or given to the model. Nil replaces nothing. It must be safe for concurrent
	// use and leave text without a secret as it is.
	Redact func(text string) string
	// Confine returns what holds the commands of a session: nil holds nothing,
	// an error says why what should hold them cannot. Nil confines nothing.
	Confine func(c Confines) (shell.Confinement, error)
	// SaveBeforeCommands has the editor save what a session changed in open
	// documents before a command of it starts.
	SaveBeforeCommands bool
	// NoCheckpoints has nothing kept of what files held: no turn can be rewound.
	NoCheckpoints bool
	// CheckpointBytes are about how many bytes are kept of all sessions; 0 is
	// DefaultCheckpointBytes.
	CheckpointBytes int64
	// Ephemeral sessions leave no log and cannot be loaded again; archived
	// output of tools stays.
	Ephemeral bool
	Defaults  Settings
	// ApprovalTimeout ends an unanswered question; 0 waits for ever.
	ApprovalTimeout time.Duration
	// Policy is what people have said beforehand for a session of these folders,
	// as it holds now. It is called for each decision, from any goroutine, and
	// must not block. Nil: nothing was said.
	Policy func(dir string, roots []string) approval.Policy
	// Narrow returns the mode and the preset that a session of these folders
	// begins with, or goes on with once more is trusted, given what it has. Nil changes
	// nothing.
	Narrow func(roots []string, mode approval.Mode, preset approval.Preset) (approval.Mode, approval.Preset)
	// Keep saves a yes of scope Workspace, for the workspace dir, or User. What
	// it saved must be in the next Policy. Nil: such a yes is not offered.
	Keep func(dir string, scope approval.Scope, rules []rule.Rule) error
	// Remind is how long a question waits before the client is reminded of it;
	// the next time it is twice as long, and so on. 0 reminds never.
	Remind time.Duration
	// Emit receives every event in order. It must not block.
	Emit func(Event)
	// Ask puts a question to the client and waits; nil when nobody is there.
	// When ctx ends the question is withdrawn.
	Ask func(ctx context.Context, a Approval) (approval.Answer, error)
	// Diagnostics returns what the editor's programs say of an open document; it
	// gives them up to wait to look at its present text, and ends with ctx. Nil
	// tells the model of none.
	Diagnostics func(ctx context.Context, abs string, wait time.Duration) ([]Diagnostic, error)
	// DiagnosticsWait is how long the result of an edit waits for diagnostics; 0
	// asks for none.
	DiagnosticsWait time.Duration
	// Begin is called when a session is made or a turn begins that is no subagent's,
	// unless another turn runs, and returns by what all sessions go from then on, if
	// that changed. May be nil.
	Begin func() (now Live, changed bool)
	// Measure is told of each tool call when it is closed. It must not block. Nil
	// measures nothing.
	Measure func(m Measured)
	// Drained is called after TerminalOpened was emitted and returns a channel
	// that is closed when the client has been sent the last byte. May be nil.
	Drained func(opened TerminalOpened) <-chan struct{}
	Log     *slog.Logger
	NewID   func() string // session ids; nil: time and random
}

// Confines say what a session's commands may reach.
type Confines struct {
	Preset approval.Preset
	Roots  []string // absolute
	Tmp    string   // the session's private folder for temporary files; it exists
}

// Turn is a prompt on its way.
type Turn struct {
	ID   string
	done chan struct{}
	end  TurnCompleted
}

// Done is closed after TurnCompleted was emitted.
func (t *Turn) Done() <-chan struct{} { return t.done }

// End is how the turn ended; valid after Done.
func (t *Turn) End() TurnCompleted { return t.end }

// Error is a refusal that a client can act on. Kind is one word: turnRunning,
// noTurn, unknownSession, sessionBusy, sessionCorrupt, notInterrupted,
// unknownChange, unknownTerminal, invalid, closed.
type Error struct {
	Kind    string
	Message string
	Hint    string
}

func (e *Error) Error() string { return e.Message }
