package protocol

import "encoding/json"

// PromptParams starts a turn.
type PromptParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// What the person says; not empty.
	Content List[Block] `json:"content"`
	// What the editor adds unasked: open documents, the selection.
	Context []Block `json:"context,omitempty"`
	// The last turn that a prompt began, when this prompt takes its place: the
	// model forgets it, and the turns that took it up. What they did stays done.
	Replaces string `json:"replaces,omitempty"`
}

// PromptResult says how the turn ended; it follows turn/completed.
type PromptResult struct {
	// The turn, begins with t.
	TurnID string `json:"turnId"`
	// Why it ended.
	StopReason StopReason `json:"stopReason"`
	// One line for people, where the reason needs one.
	Cause string `json:"cause,omitempty"`
	// What a person can do about it.
	Hint string `json:"hint,omitempty"`
	// Tokens of the whole turn, with those of subagents whose answers its calls waited for.
	Usage Usage `json:"usage"`
}

// Usage counts tokens.
type Usage struct {
	// Tokens sent, those from the cache included.
	InputTokens int64 `json:"inputTokens"`
	// Tokens received, reasoning included.
	OutputTokens int64 `json:"outputTokens"`
	// Part of inputTokens that the service read from its cache.
	CacheReadTokens int64 `json:"cacheReadTokens,omitempty"`
	// Part of inputTokens that the service wrote to its cache.
	CacheWriteTokens int64 `json:"cacheWriteTokens,omitempty"`
}

// SteerParams says something to a running turn.
type SteerParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Refuse unless this turn runs.
	ExpectedTurnID string `json:"expectedTurnId,omitempty"`
	// What the person says; not empty.
	Content List[Block] `json:"content"`
}

// Delivery says what became of a steering text.
type Delivery string

const (
	// DeliveredTurn: tool calls run; the model reads it together with their results.
	DeliveredTurn Delivery = "turn"
	// DeliveredQueued: the model is answering; it reads it after that. When the
	// turn ends first, the text comes back in turn/completed.
	DeliveredQueued Delivery = "queued"
)

// SteerResult answers at once, not when the model has read the text.
type SteerResult struct {
	// Where the text is.
	Delivered Delivery `json:"delivered"`
}

// CancelParams ends a turn.
type CancelParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Only this turn; absent: whichever runs.
	TurnID string `json:"turnId,omitempty"`
	// What ends it, when it is not the user: one line that the model and people
	// read, such as a limit that was reached.
	Cause string `json:"cause,omitempty"`
}

// TurnStarted is the first event of a turn.
type TurnStarted struct {
	Event
	// The turn, begins with t.
	TurnID string `json:"turnId"`
	// What the person said; empty when the turn takes up another one.
	Prompt List[Block] `json:"prompt"`
	// Nobody prompted it: a background command ended, see turn/notified.
	Background bool `json:"background,omitempty"`
	// The turn that this one takes up.
	Continues string `json:"continues,omitempty"`
	// The turn whose place this one takes, with those that took it up.
	Replaces string `json:"replaces,omitempty"`
}

// TurnSteered says that the model reads steering text with its next request.
type TurnSteered struct {
	Event
	// The turn.
	TurnID string `json:"turnId"`
	// What the person said.
	Content List[Block] `json:"content"`
}

// TurnNotified says that the model learns of the ends of background commands,
// and of what a person did with its changes since it last heard.
type TurnNotified struct {
	Event
	// The turn.
	TurnID string `json:"turnId"`
	// One for each command, in the order of their ends.
	Notices List[Notice] `json:"notices"`
	// What a person did meanwhile, in the words that the model reads.
	Remarks List[string] `json:"remarks,omitempty"`
}

// Notice is the end of a background command.
type Notice struct {
	// What the model calls the command; begins with proc-. Empty where it is about a
	// subagent.
	ProcessID string `json:"processId"`
	// It is a subagent that has answered or ended; what the model calls it.
	SubagentID string `json:"subagentId,omitempty"`
	// The call that started it.
	CallID string `json:"callId"`
	// Its terminal.
	TerminalID string `json:"terminalId,omitempty"`
	// One line: the command.
	Title string `json:"title"`
	// It did what it was started for.
	OK bool `json:"ok"`
	// One line: how it ended.
	Detail string `json:"detail"`
	// The end of the output that the model had not read; of a command that ended
	// with its session, of all its output.
	Tail string `json:"tail,omitempty"`
}

// TurnCompleted is the last event of a turn.
type TurnCompleted struct {
	Event
	// The turn.
	TurnID string `json:"turnId"`
	// Why it ended.
	StopReason StopReason `json:"stopReason"`
	// One line for people, where the reason needs one.
	Cause string `json:"cause,omitempty"`
	// What a person can do about it.
	Hint string `json:"hint,omitempty"`
	// Tokens of the whole turn, with those of subagents whose answers its calls waited for.
	Usage Usage `json:"usage"`
	// Queued steering text that the model never read.
	Returned []Block `json:"returned,omitempty"`
}

// StateChanged says what the session waits for from now on.
type StateChanged struct {
	Event
	// What it waits for.
	State State `json:"state"`
	// Since when.
	Since Time `json:"since"`
	// One line for people: the command, the cause of a retry; may be empty.
	Detail string `json:"detail"`
	// For retry: which attempt comes next, from 1.
	Attempt int `json:"attempt,omitempty"`
	// For retry: how many attempts there may be.
	Max int `json:"max,omitempty"`
	// The call it is about, where it is one call's.
	CallID string `json:"callId,omitempty"`
}

// MessageChunk is the next piece of the model's answer.
type MessageChunk struct {
	Event
	// Append it to what came before; Markdown.
	Text string `json:"text"`
}

// ThoughtChunk is the next piece of the model's reasoning.
type ThoughtChunk struct {
	Event
	// Append it to what came before.
	Text string `json:"text"`
}

// ToolCallStarted says that the model asked for a tool.
type ToolCallStarted struct {
	Event
	// The call, begins with c.
	CallID string `json:"callId"`
	// The tool's name.
	Name string `json:"name"`
	// One line for people.
	Title string `json:"title"`
	// What it does at most.
	Access Access `json:"access"`
	// The model's arguments; absent when they are no JSON
	// object or longer than maxArgs.
	Args json.RawMessage `json:"args,omitempty"`
}

// ToolCallUpdated is progress of a call.
type ToolCallUpdated struct {
	Event
	// The call.
	CallID string `json:"callId"`
	// A better title: the person changed the command.
	Title string `json:"title,omitempty"`
	// The next piece of its text, as a preview: toolCall/completed has what
	// counts, which of long output may be another part.
	Text string `json:"text,omitempty"`
}

// ToolCallCompleted is the end of a call and the only authority about it.
type ToolCallCompleted struct {
	Event
	// The call.
	CallID string `json:"callId"`
	// How it ended.
	Status CallStatus `json:"status"`
	// Exactly what the model reads, notes included; replaces all updates.
	Text string `json:"text"`
	// The change it proposed, if it did.
	ChangeID string `json:"changeId,omitempty"`
	// The terminal of its command, if it ran one.
	TerminalID string `json:"terminalId,omitempty"`
	// The command runs on in the background, or left processes behind, under
	// this id; begins with proc-.
	ProcessID string `json:"processId,omitempty"`
	// The pictures that the model was given with the text.
	Images []Picture `json:"images,omitempty"`
	// From started to completed, waiting for people included.
	DurationMs int64 `json:"durationMs"`
	// How much of it a question waited for a person.
	WaitedMs int64 `json:"waitedMs,omitempty"`
	// One line: which rule or remembered yes decided about it, where nobody was
	// asked.
	Decision string `json:"decision,omitempty"`
}

// Picture is an image as a model is given it.
type Picture struct {
	// Such as image/png.
	MimeType string `json:"mimeType"`
	// Its bytes, in base64.
	Data string `json:"data"`
}

// UsageUpdated counts tokens after a step.
type UsageUpdated struct {
	Event
	// The turn.
	TurnID string `json:"turnId"`
	// The turn so far, with subagents whose answers its calls waited for.
	Usage Usage `json:"usage"`
	// The session so far, with all its subagents.
	Total Usage `json:"total"`
	// How full the model's context is; absent: unknown.
	ContextTokens int64 `json:"contextTokens,omitempty"`
	// How much it holds; absent: unknown.
	ContextLimit int64 `json:"contextLimit,omitempty"`
}
