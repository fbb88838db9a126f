package protocol

// ChangeKind says what a change does to its file.
type ChangeKind string

const (
	// ChangeCreate makes a file that was not there.
	ChangeCreate ChangeKind = "create"
	// ChangeModify changes a file's content.
	ChangeModify ChangeKind = "modify"
	// ChangeDelete removes a file.
	ChangeDelete ChangeKind = "delete"
	// ChangeRename gives a file another name, and perhaps other content.
	ChangeRename ChangeKind = "rename"
)

// ChangeState says what became of a change.
type ChangeState string

const (
	// ChangeProposed: it waits for a decision.
	ChangeProposed ChangeState = "proposed"
	// ChangeApplied: all of it stands in the file or the open document.
	ChangeApplied ChangeState = "applied"
	// ChangePartly: some of its hunks stand, or a person's own text does.
	ChangePartly ChangeState = "partly"
	// ChangeRejected: nothing of it was applied.
	ChangeRejected ChangeState = "rejected"
	// ChangeReverted: it was applied and taken back.
	ChangeReverted ChangeState = "reverted"
	// ChangeStale: the file is no longer what the change was planned from.
	ChangeStale ChangeState = "stale"
)

// HunkState says what became of one hunk.
type HunkState string

const (
	// HunkProposed: it waits for a decision.
	HunkProposed HunkState = "proposed"
	// HunkApplied: it stands, and nobody has said yet whether it shall.
	HunkApplied HunkState = "applied"
	// HunkKept: it stands, and a person said that it shall.
	HunkKept HunkState = "kept"
	// HunkRejected: it does not stand.
	HunkRejected HunkState = "rejected"
)

// Hunk is one contiguous difference of whole lines.
type Hunk struct {
	// Unique in its change, begins with h.
	HunkID string `json:"hunkId"`
	// What it replaces, in the text the change was planned from; empty for a
	// pure insertion.
	OldRange Range `json:"oldRange"`
	// Where newText stands when every hunk is applied.
	NewRange Range `json:"newRange"`
	// The replaced lines, line ends included.
	OldText string `json:"oldText"`
	// The lines that come instead, line ends included.
	NewText string `json:"newText"`
	// Its line in a unified diff: @@ -1,3 +1,3 @@.
	Header string `json:"header"`
	// What became of it; absent in a question and where it is not known.
	State HunkState `json:"state,omitempty"`
}

// Change is an edit of one file without its text.
type Change struct {
	// The change, begins with g.
	ChangeID string `json:"changeId"`
	// The call that planned it.
	CallID string `json:"callId"`
	// The turn of that call.
	TurnID string `json:"turnId"`
	// The file.
	URI string `json:"uri"`
	// Its name before, of a rename.
	From string `json:"from,omitempty"`
	// A command did it, or somebody while one ran; no tool planned it.
	ByCommand bool `json:"byCommand,omitempty"`
	// How many hunks stand that nobody has decided about; of an empty file that
	// was made, which has none, 1.
	Undecided int `json:"undecided,omitempty"`
	// What it does to the file.
	Kind ChangeKind `json:"kind"`
	// What became of it.
	State ChangeState `json:"state"`
	// Names the content it was planned from, once it is applied the content it
	// left; change/resolve hands it back.
	Base string `json:"base"`
	// What stands is a text of the person's own.
	Edited bool `json:"edited,omitempty"`
	// Why it is stale, rejected or only partly applied, or too large to be shown.
	Why string `json:"why,omitempty"`
	// Its texts are not kept, as of the oldest changes of a session with many and
	// of a file that a command changed before anybody had read it: change/show has
	// the diff alone, if any, and it cannot be resolved.
	Gone bool `json:"gone,omitempty"`
}

// ChangeUpdated says that a change came up or became something else.
type ChangeUpdated struct {
	Event
	Change
	// Its hunks with their states; none where they do not fit into a message, as why
	// says.
	Hunks List[Hunk] `json:"hunks"`
}

// ChangeListParams selects changes, oldest first.
type ChangeListParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Only changes of this turn.
	TurnID string `json:"turnId,omitempty"`
}

// ChangeListResult holds changes of every state.
type ChangeListResult struct {
	// Without their text; change/show has it.
	Changes List[Change] `json:"changes"`
}

// ChangeShowParams names a change.
type ChangeShowParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which change.
	ChangeID string `json:"changeId"`
	// Send the whole old and new text too, for a native diff view.
	Texts bool `json:"texts,omitempty"`
}

// ChangeShowResult is a change with its text.
type ChangeShowResult struct {
	// Which and what became of it.
	Change Change `json:"change"`
	// Its hunks with their states; none where they do not fit into a message, as why
	// says.
	Hunks List[Hunk] `json:"hunks"`
	// Unified, with file headers; cut at maxDiff with a line that says so.
	Diff string `json:"diff"`
	// The text it was planned from; absent for a new file, unless asked for, and where
	// both texts do not fit into a message.
	OldText *string `json:"oldText,omitempty"`
	// The text with every hunk applied; absent for a deletion, unless asked for, and
	// where both texts do not fit into a message.
	NewText *string `json:"newText,omitempty"`
}

// ChangeResolveParams settles a change. One that waits is answered, whole: of
// it only what accept names is applied, and hunks named in neither list are
// rejected. Of one that is applied hunks stay (accept) or are taken back
// (reject), and what is named in neither list stays as it is.
type ChangeResolveParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which change.
	ChangeID string `json:"changeId"`
	// The base that was shown; another one is error stale.
	Base string `json:"base"`
	// Hunks that shall stand.
	Accept HunkChoice `json:"accept,omitzero"`
	// Hunks that shall not stand.
	Reject HunkChoice `json:"reject,omitzero"`
	// The whole content as the person wrote it, instead of accept and reject.
	Text *string `json:"text,omitempty"`
	// A word to the model.
	Comment string `json:"comment,omitempty"`
}

// ChangeResolveResult says what really happened.
type ChangeResolveResult struct {
	// What the change is now.
	State ChangeState `json:"state"`
	// Ids of hunks that stand.
	Applied List[string] `json:"applied"`
	// Ids of hunks that do not stand.
	Rejected List[string] `json:"rejected"`
	// Ids of hunks that could not be settled: their lines changed meanwhile.
	Stale List[string] `json:"stale"`
	// Why hunks are stale, a line for each: h2: line 12 was changed since, by
	// change g3.
	Why string `json:"why,omitempty"`
}

// ChangeResolveAllParams settles all changes of a turn or of the session that
// are not settled: those that wait are answered, and of those that are applied
// the hunks that nobody has decided are kept or taken back. What a person said
// yes to, when it was asked about or since, stays: it goes by change/resolve.
type ChangeResolveAllParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Only changes of this turn.
	TurnID string `json:"turnId,omitempty"`
	// Whether they shall stand.
	Accept bool `json:"accept"`
	// A word to the model.
	Comment string `json:"comment,omitempty"`
}

// ChangeResolveAllResult says what really happened, change by change.
type ChangeResolveAllResult struct {
	// Those that were looked at, newest first when they were taken back.
	Changes List[ChangeSettled] `json:"changes"`
}

// ChangeSettled says what became of one of many changes.
type ChangeSettled struct {
	// Which change.
	ChangeID string `json:"changeId"`
	ChangeResolveResult
	// Why it could not be settled, or not all of it; absent when it was.
	Error string `json:"error,omitempty"`
}
