package protocol

// Verdict is what the rules say about a part of a command.
type Verdict string

const (
	// VerdictDeny: a rule forbids it.
	VerdictDeny Verdict = "deny"
	// VerdictAsk: no rule covers it.
	VerdictAsk Verdict = "ask"
	// VerdictAllow: a rule allows it.
	VerdictAllow Verdict = "allow"
)

// OptionKind says what choosing an option means.
type OptionKind string

const (
	// OptionDeny: the effect does not happen.
	OptionDeny OptionKind = "deny"
	// OptionAllow: the effect happens.
	OptionAllow OptionKind = "allow"
)

// Scope says how long an allow holds.
type Scope string

const (
	// ScopeOnce: for this effect.
	ScopeOnce Scope = "once"
	// ScopeSession: for what its rule covers until the session is closed.
	ScopeSession Scope = "session"
	// ScopeWorkspace: for what its rule covers in this workspace, from now on.
	ScopeWorkspace Scope = "workspace"
	// ScopeUser: for what its rule covers in any workspace, from now on.
	ScopeUser Scope = "user"
)

// ApprovalRequestParams is a question to a person. It waits until it is
// answered or withdrawn.
type ApprovalRequestParams struct {
	// The question, begins with a.
	ApprovalID string `json:"approvalId"`
	// The session that asks.
	SessionID string `json:"sessionId"`
	// The turn that asks.
	TurnID string `json:"turnId"`
	// The call that waits.
	CallID string `json:"callId"`
	// It is a subagent that asks: the session, turn and call are its own, and this
	// says whose it is.
	Origin *Origin `json:"origin,omitempty"`
	// When it was first asked.
	Since Time `json:"since"`
	// One line: the effect.
	Title string `json:"title"`
	// One line: why a person is asked.
	Reason string `json:"reason"`
	// What the effect does.
	Access Access `json:"access"`
	// Names exactly what is shown; the answer counts for nothing else.
	Digest string `json:"digest"`
	// How it came to be asked: the checks in the order they were made, a line each.
	Derivation List[string] `json:"derivation"`
	// For execute.
	Command *CommandQuestion `json:"command,omitempty"`
	// For write.
	Change *ChangeQuestion `json:"change,omitempty"`
	// For a read over the network: the address that would be asked.
	URL string `json:"url,omitempty"`
	// What may be chosen; at least one allow and one deny.
	Options List[ApprovalOption] `json:"options"`
}

// CommandQuestion is a command as it would run.
type CommandQuestion struct {
	// The whole command.
	Text string `json:"text"`
	// The simple commands in it, each as it was judged, in the order of the text.
	// Absent when it could not be taken apart, and for typing.
	Parts []CommandPart `json:"parts,omitempty"`
	// The absolute folder it starts in.
	Cwd string `json:"cwd"`
	// The preset it runs under.
	Preset Preset `json:"preset"`
	// No sandbox holds it: it can do whatever the user can.
	Unconfined bool `json:"unconfined"`
	// What would hold it; absent when unconfined.
	Sandbox string `json:"sandbox,omitempty"`
	// Why the model asks to run it outside the sandbox, in the model's words; of
	// typing, why the running command is outside.
	Escalation string `json:"escalation,omitempty"`
	// It would run in the background from the start.
	Background bool `json:"background,omitempty"`
	// The running command that text would be typed into, in one line; text is
	// then no command but what is typed.
	TypedInto string `json:"typedInto,omitempty"`
}

// CommandPart is one simple command within a larger one.
type CommandPart struct {
	// Its words, without quotes; one that is known only at run time is as written.
	// Empty for what only redirects or assigns.
	Argv List[string] `json:"argv"`
	// Where it stands in text; of one that another command runs, where that is
	// written.
	Span Span `json:"span"`
	// What the rules say.
	Verdict Verdict `json:"verdict"`
	// Why, in one line: which rule and where it is from, or what no rule covers.
	Why string `json:"why,omitempty"`
}

// Span is a part of a text.
type Span struct {
	// First byte, in UTF-8.
	Start int `json:"start"`
	// Byte after the last.
	End int `json:"end"`
}

// ChangeQuestion is a change as it would be applied.
type ChangeQuestion struct {
	// The change; change/show has more of it.
	ChangeID string `json:"changeId"`
	// The file.
	URI string `json:"uri"`
	// What it does to the file.
	Kind ChangeKind `json:"kind"`
	// The document's version when it is open.
	Version *int32 `json:"version,omitempty"`
	// Names the content the hunks are about.
	Base string `json:"base"`
	// In the order of the file, not overlapping.
	Hunks List[Hunk] `json:"hunks"`
	// Unified, with file headers; cut at maxDiff with a line that says so.
	Diff string `json:"diff"`
}

// ApprovalOption is one possible answer.
type ApprovalOption struct {
	// Hand it back to choose the option.
	OptionID string `json:"optionId"`
	// What it means.
	Kind OptionKind `json:"kind"`
	// How long it holds.
	Scope Scope `json:"scope"`
	// One line for a button.
	Label string `json:"label"`
	// What would be remembered, to the letter: rules, a line each; absent for once.
	Rule string `json:"rule,omitempty"`
	// The answer may bring the rule back rewritten.
	Editable bool `json:"editable,omitempty"`
}

// ApprovalOutcome says whether a person answered.
type ApprovalOutcome string

const (
	// ApprovalDismissed: no answer.
	ApprovalDismissed ApprovalOutcome = "dismissed"
	// ApprovalSelected: optionId was chosen.
	ApprovalSelected ApprovalOutcome = "selected"
)

// ApprovalAnswer is the result of approval/request. Anything but a selected,
// known option is no answer: asked once more, then denied.
type ApprovalAnswer struct {
	// Whether a person answered.
	Outcome ApprovalOutcome `json:"outcome"`
	// The chosen option.
	OptionID string `json:"optionId,omitempty"`
	// The option's rule as the person rewrote it, where that is editable. One that
	// cannot be read, or does not cover what was asked, makes it no answer.
	Rule string `json:"rule,omitempty"`
	// With allow: what of the change is accepted. Absent: all. Empty: none,
	// which is a denial.
	Hunks HunkIDs `json:"hunks,omitzero"`
	// With allow: the whole content as the person wrote it; excludes hunks.
	Text *string `json:"text,omitempty"`
	// With allow: the command as the person rewrote it; not empty.
	Command *string `json:"command,omitempty"`
	// A word to the model, with allow and with deny.
	Comment string `json:"comment,omitempty"`
}

// Resolution says how a question ended.
type Resolution string

const (
	// ResolvedDenied: the effect does not happen.
	ResolvedDenied Resolution = "denied"
	// ResolvedAllowed: the effect happens, in whole or in part.
	ResolvedAllowed Resolution = "allowed"
	// ResolvedWithdrawn: the question no longer stands.
	ResolvedWithdrawn Resolution = "withdrawn"
)

// ResolvedBy says who or what ended a question.
type ResolvedBy string

const (
	// ByPerson: an answer.
	ByPerson ResolvedBy = "person"
	// ByRule: a rule, the mode or the preset, as they are now.
	ByRule ResolvedBy = "rule"
	// ByGrant: a yes that was given meanwhile covers it.
	ByGrant ResolvedBy = "grant"
	// ByCancel: the turn was cancelled.
	ByCancel ResolvedBy = "cancel"
	// BySuperseded: the document or the preset changed; a new question follows, as
	// far as one is still needed.
	BySuperseded ResolvedBy = "superseded"
	// ByClosed: the session or the connection was closed.
	ByClosed ResolvedBy = "closed"
	// ByNobody: no answer came, twice.
	ByNobody ResolvedBy = "nobody"
	// ByTimeout: the time limit that the user set ran out.
	ByTimeout ResolvedBy = "timeout"
)

// ApprovalResolved says that a question needs no answer any more.
type ApprovalResolved struct {
	Event
	// The question.
	ApprovalID string `json:"approvalId"`
	// The call that waited.
	CallID string `json:"callId"`
	// How it ended.
	Outcome Resolution `json:"outcome"`
	// Who or what ended it.
	By ResolvedBy `json:"by"`
	// One line for people: which rule, whose words.
	Cause string `json:"cause,omitempty"`
}

// ApprovalReminder says that a question still waits.
type ApprovalReminder struct {
	Event
	// The question.
	ApprovalID string `json:"approvalId"`
	// The call that waits.
	CallID string `json:"callId"`
	// One line: the effect.
	Title string `json:"title"`
	// When it was first asked.
	Since Time `json:"since"`
	// Which reminder this is, from 1.
	Count int `json:"count"`
}

// ApprovalListParams selects open questions.
type ApprovalListParams struct {
	// Only of this session.
	SessionID string `json:"sessionId,omitempty"`
}

// ApprovalListResult holds open questions, in the order of their calls.
type ApprovalListResult struct {
	// As they were asked; they are answered where they were asked.
	Approvals List[ApprovalRequestParams] `json:"approvals"`
}
