package protocol

import (
	"slices"

	"drawbridge/rpc"
)

// Section is a group of methods as the documentation shows them.
type Section struct {
	Title   string
	Methods []Method
}

// Sections are the groups, in the order of the documentation.
var Sections = []Section{
	{"Sessions", sessionMethods},
	{"Turns", turnMethods},
	{"Changes", changeMethods},
	{"Checkpoints", checkpointMethods},
	{"Questions", approvalMethods},
	{"Rules and trust", ruleMethods},
	{"Subagents", subagentMethods},
	{"Terminals", terminalMethods},
	{"The editor's documents", editorMethods},
	{"Models and tools", listMethods},
	{"Language Server Protocol, editor to bridge", lspToBridge},
	{"Language Server Protocol, bridge to editor", lspToEditor},
}

// Methods is the whole method table.
var Methods = slices.Concat(
	sessionMethods, turnMethods, changeMethods, checkpointMethods, approvalMethods, ruleMethods, subagentMethods, terminalMethods, editorMethods, listMethods,
	lspToBridge, lspToEditor,
)

var sessionMethods = []Method{
	{
		Name: "session/new", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionNewParams{}, Result: SessionResult{},
		Doc: "Makes a session. No model is asked: a missing key shows at the first prompt.",
	},
	{
		Name: "session/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionListParams{}, Result: SessionListResult{},
		Doc: "Lists sessions, those on disk included, latest change first.",
	},
	{
		Name: "session/load", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionLoadParams{}, Result: SessionLoadResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrSessionBusy, ErrSessionCorrupt},
		Doc: "Opens a session from disk and replays its events, marked as replayed, before it answers. " +
			"A turn that was cut off ends with stop reason interrupted; what had arrived of its answer and its " +
			"commands' output is shown.",
	},
	{
		Name: "session/continue", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionParams{}, Result: PromptResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrTurnRunning, ErrNotInterrupted},
		When:   "when the session's last turn ended interrupted, cancelled, at a limit or by an error",
		Doc: "Takes up a turn that ended before its work was done and answers as session/prompt does; after an " +
			"error it asks the model again. Effects that had not begun are planned and decided anew.",
	},
	{
		Name: "session/configure", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionConfigureParams{}, Result: SessionResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Changes the title, who answers, what is allowed or which model is asked; also during a turn.",
	},
	{
		Name: "session/close", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Ends the session's turn and commands; answers when they are gone. The log stays.",
	},
	{
		Name: "session/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: SessionUpdated{},
		Doc:    "The session's description changed: title, mode, preset, model.",
	},
}

var turnMethods = []Method{
	{
		Name: "session/prompt", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: PromptParams{}, Result: PromptResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrTurnRunning},
		When:   "when the session is loaded and runs no turn",
		Doc: "Starts a turn and answers when it has ended, also when no model can be asked: then with stop reason error " +
			"and a hint that says what to set. $/cancelRequest of it does what session/cancel does: " +
			"the answer is a result with stop reason cancelled, not an error.",
	},
	{
		Name: "session/steer", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SteerParams{}, Result: SteerResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrNoTurn},
		When:   "during a turn",
		Doc:    "Says something to the running turn; the model reads it after the tool calls of its step.",
	},
	{
		Name: "session/cancel", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Preempt,
		Params: CancelParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc: "Cancels the turn and answers after turn/completed and the prompt's own answer. " +
			"When no turn runs, or another than the named one, it answers at once.",
	},
	{
		Name: "turn/started", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TurnStarted{}, Doc: "A turn began.",
	},
	{
		Name: "turn/steered", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TurnSteered{}, Doc: "Steering text reached the model.",
	},
	{
		Name: "turn/notified", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TurnNotified{},
		Doc: "The model reads, with its next request, that background commands ended. A turn that the bridge " +
			"began for that has no prompt: turn/started says background.",
	},
	{
		Name: "state/changed", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: StateChanged{}, Doc: "The session waits for something else than before.",
	},
	{
		Name: "message/chunk", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: MessageChunk{}, Doc: "The model says something.",
	},
	{
		Name: "thought/chunk", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ThoughtChunk{}, Doc: "The model reasons.",
	},
	{
		Name: "toolCall/started", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ToolCallStarted{}, Doc: "The model asked for a tool.",
	},
	{
		Name: "toolCall/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ToolCallUpdated{}, Doc: "A tool call goes on.",
	},
	{
		Name: "toolCall/completed", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ToolCallCompleted{}, Doc: "A tool call ended. There is exactly one for every toolCall/started.",
	},
	{
		Name: "usage/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: UsageUpdated{}, Doc: "A step cost tokens.",
	},
	{
		Name: "turn/completed", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TurnCompleted{}, Doc: "A turn ended.",
	},
}

var changeMethods = []Method{
	{
		Name: "change/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ChangeListParams{}, Result: ChangeListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Lists the session's changes, settled ones included.",
	},
	{
		Name: "change/show", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ChangeShowParams{}, Result: ChangeShowResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownChange},
		Doc:    "Shows a change, also one whose file is not open.",
	},
	{
		Name: "change/resolve", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ChangeResolveParams{}, Result: ChangeResolveResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownChange, ErrStale},
		Doc: "Accepts or rejects hunks of a change that waits, keeps or takes back hunks of one that is applied. " +
			"It answers when the file or document shows the result.",
	},
	{
		Name: "change/resolveAll", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ChangeResolveAllParams{}, Result: ChangeResolveAllResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Accepts or rejects all that is not decided, of a turn or of the session.",
	},
	{
		Name: "change/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ChangeUpdated{}, Doc: "A change came up, or something became of it.",
	},
}

var checkpointMethods = []Method{
	{
		Name: "checkpoint/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: CheckpointListParams{}, Result: CheckpointListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc: "Lists the session's checkpoints, oldest first: what a turn's files held before its first write to each, " +
			"and what a rewind replaced.",
	},
	{
		Name: "checkpoint/preview", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: CheckpointPreviewParams{}, Result: CheckpointPreviewResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownCheckpoint},
		Doc:    "Says what a rewind would do to each file, and does nothing.",
	},
	{
		Name: "checkpoint/restore", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: CheckpointRestoreParams{}, Result: CheckpointRestoreResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownCheckpoint, ErrTurnRunning, ErrStale},
		When:   "while no turn runs",
		Doc: "Rewinds: gives the files that the agent changed what they held at the checkpoint, keeps what others " +
			"changed in them since, and touches nothing else. It makes a checkpoint of its own, by which it is undone.",
	},
}

var approvalMethods = []Method{
	{
		Name: "approval/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ApprovalListParams{}, Result: ApprovalListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Lists the open questions.",
	},
	{
		Name: "approval/request", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: ApprovalRequestParams{}, Result: ApprovalAnswer{},
		When: "to clients with approvals",
		Doc: "Asks whether an effect may happen. It has no deadline unless the user set one; " +
			"$/cancelRequest withdraws it.",
	},
	{
		Name: "approval/resolved", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ApprovalResolved{}, Doc: "A question is settled or withdrawn; take it off the screen.",
	},
	{
		Name: "approval/reminder", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: ApprovalReminder{},
		Doc: "A question still waits for its answer. The first comes after the time that the user set, each further one " +
			"after twice as long.",
	},
}

var ruleMethods = []Method{
	{
		Name: "rules/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: RulesListParams{}, Result: RulesListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Lists the rules and remembered yeses that a session goes by, and where each is from.",
	},
	{
		Name: "rules/forget", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: RulesForgetParams{}, Result: RulesForgetResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Takes back a remembered yes. What is in a file that people write is theirs to change.",
	},
	{
		Name: "trust/required", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TrustRequired{},
		When:   "to clients with trust, when a session is made or loaded and before a turn",
		Doc: "The workspace brings settings of its own that the user has not answered about in this form. They do not " +
			"count; nothing waits for the answer.",
	},
	{
		Name: "trust/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TrustListParams{}, Result: TrustListResult{},
		Doc: "Lists what trust/required announced and nobody has answered.",
	},
	{
		Name: "trust/answer", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TrustAnswerParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrStale},
		Doc: "Trusts the workspace's settings or not. They count from the next decision on. When they have changed since, it is " +
			"stale, and trust/required follows with what there is now.",
	},
}

var subagentMethods = []Method{
	{
		Name: "subagent/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SessionParams{}, Result: SubagentListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Lists the subagents of a session.",
	},
	{
		Name: "subagent/kill", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: SubagentParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownSubagent},
		Doc: "Ends a subagent, its commands and its questions; answers when they are gone. The session's turn goes on, " +
			"and its model is told.",
	},
	{
		Name: "subagent/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: SubagentUpdated{}, When: "to clients with events",
		Doc: "A subagent was started, or does something else. Of what it does itself, the events of its own session tell, " +
			"which come unasked and carry origin.",
	},
}

var terminalMethods = []Method{
	{
		Name: "terminal/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TerminalListParams{}, Result: TerminalListResult{},
		Errors: []ErrorKind{ErrUnknownSession},
		Doc:    "Lists terminals whose output is still kept.",
	},
	{
		Name: "terminal/read", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TerminalReadParams{}, Result: TerminalReadResult{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownTerminal},
		Doc:    "Reads kept output, for example what a gap left out. It does not wait for more.",
	},
	{
		Name: "terminal/write", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TerminalWriteParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownTerminal, ErrClosed},
		Doc:    "Types into a command.",
	},
	{
		Name: "terminal/resize", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TerminalResizeParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownTerminal, ErrClosed},
		Doc:    "Tells the command the size of its view.",
	},
	{
		Name: "terminal/kill", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: TerminalParams{}, Result: Empty{},
		Errors: []ErrorKind{ErrUnknownSession, ErrUnknownTerminal},
		Doc:    "Ends a command and what it started; answers when they are gone. The turn goes on.",
	},
	{
		Name: "terminal/ack", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TerminalAckParams{},
		Doc:    "Says how far the client has shown a terminal. Unknown terminals are ignored.",
	},
	{
		Name: "terminal/opened", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TerminalOpened{}, When: "to clients with terminals", Doc: "A command started.",
	},
	{
		Name: "terminal/output", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TerminalOutput{}, When: "to clients with terminals",
		Doc: "A command wrote something.",
	},
	{
		Name: "terminal/updated", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TerminalUpdated{}, When: "to clients with terminals",
		Doc: "A command began or ceased to wait for typing, went to the background, or its leader ended and " +
			"left processes behind.",
	},
	{
		Name: "terminal/closed", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: TerminalClosed{}, When: "to clients with terminals",
		Doc: "A command ended, with all it had started.",
	},
}

var editorMethods = []Method{
	{
		Name: "editor/save", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: EditorSaveParams{}, Result: EditorSaveResult{},
		When: "to clients with saves",
		Doc: "Saves an open document, so that a command about to start reads what the agent wrote into it. " +
			"Nobody is asked: saved is false when it takes a person. The bridge waits five seconds; " +
			"textDocument/didSave goes out before the answer.",
	},
	{
		Name: "editor/refresh", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: EditorRefreshParams{}, Result: EditorRefreshResult{},
		When: "to clients with refreshes",
		Doc: "Has an open document without unsaved changes read from its file, which somebody has changed. " +
			"The bridge waits two seconds; textDocument/didChange goes out before the answer.",
	},
	{
		Name: "editor/diagnostics", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: EditorDiagnosticsParams{}, Result: EditorDiagnosticsResult{},
		When: "to clients with diagnostics",
		Doc: "Asks what other programs of the editor say of an open document: right now with waitMs 0, else when they " +
			"have looked at its present version, or when waitMs are over.",
	},
	{
		Name: "document/encoding", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: DocumentEncodingParams{},
		Doc: "Says which encoding the editor reads and writes a document with. The bridge goes by it for the file, also " +
			"when the document is closed, unless a byte order mark in the file says otherwise. Into a file of an encoding " +
			"that it does not know it puts ASCII only.",
	},
}

var listMethods = []Method{
	{
		Name: "model/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ModelListParams{}, Result: ModelListResult{},
		Doc: "Asks the providers which models they serve. A provider that does not answer is listed as not ready.",
	},
	{
		Name: "model/key", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ModelKeyParams{}, Result: ModelKeyResult{},
		Errors: []ErrorKind{ErrUnknownProvider, ErrAuth, ErrProvider},
		Doc:    "Hands over a key and checks it by one request.",
	},
	{
		Name: "settings/changed", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: SettingsChanged{}, When: "to clients with events; others: window/showMessage",
		Doc: "A settings file was changed. What it says counts from the next turn on, or, with a fault in it, not at all.",
	},
	{
		Name: "tool/list", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: ToolListParams{}, Result: ToolListResult{},
		Doc: "Lists the tools of a profile as a model sees them.",
	},
}
