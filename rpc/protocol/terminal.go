package protocol

// Exit says how a command ended.
type Exit struct {
	// The exit code; absent when a signal ended it.
	Code *int `json:"code,omitempty"`
	// The signal's name, such as SIGTERM.
	Signal string `json:"signal,omitempty"`
}

// Terminal is the byte stream of one command.
type Terminal struct {
	// The terminal, begins with x.
	TerminalID string `json:"terminalId"`
	// Its session.
	SessionID string `json:"sessionId"`
	// The call that started it.
	CallID string `json:"callId"`
	// One line: the command.
	Title string `json:"title"`
	// The absolute folder it started in.
	Cwd string `json:"cwd"`
	// Width in cells.
	Cols uint16 `json:"cols"`
	// Height in cells.
	Rows uint16 `json:"rows"`
	// The first byte that terminal/read still has.
	Start int64 `json:"start"`
	// How many bytes the command has written.
	End int64 `json:"end"`
	// What the model calls the command; begins with proc-.
	ProcessID string `json:"processId,omitempty"`
	// It has pipes instead of a terminal: lines end with \n alone, typing is not
	// echoed and goes to its standard input, a size means nothing.
	Pipes bool `json:"pipes,omitempty"`
	// What holds it; absent: nothing does.
	Sandbox string `json:"sandbox,omitempty"`
	TerminalStatus
	// How its leader ended; absent while it runs.
	Exit *Exit `json:"exit,omitempty"`
}

// TerminalStatus is what can be seen of a command besides its output.
type TerminalStatus struct {
	// Its call has ended and it runs on.
	Background bool `json:"background,omitempty"`
	// It waits for typing.
	Waiting bool `json:"waiting,omitempty"`
	// Processes that its leader left behind and that still run.
	Survivors []Survivor `json:"survivors,omitempty"`
}

// Survivor is a process that outlived the leader of its command.
type Survivor struct {
	// Its process id on this machine.
	PID int `json:"pid"`
	// Its command line, cut to one line.
	Name string `json:"name"`
}

// TerminalParams names a terminal.
type TerminalParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which terminal.
	TerminalID string `json:"terminalId"`
}

// TerminalListParams selects terminals.
type TerminalListParams struct {
	// Only of this session.
	SessionID string `json:"sessionId,omitempty"`
}

// TerminalListResult holds running and ended terminals, oldest first.
type TerminalListResult struct {
	// Those whose bytes are still kept.
	Terminals List[Terminal] `json:"terminals"`
}

// TerminalReadParams asks for kept output.
type TerminalReadParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which terminal.
	TerminalID string `json:"terminalId"`
	// The first byte wanted.
	Offset int64 `json:"offset"`
	// At most this many bytes; absent or above maxRead: maxRead.
	Max int `json:"max,omitempty"`
}

// TerminalReadResult is a piece of output.
type TerminalReadResult struct {
	// The text of bytes offset to end, cut at character boundaries, bad bytes
	// replaced, and secrets that are known. One that a read ends within is
	// replaced in that read; offsets stay those of the bytes.
	Data string `json:"data"`
	// Where data begins: later than asked when the bytes before are no longer
	// kept.
	Offset int64 `json:"offset"`
	// Where data ends; read on from here.
	End int64 `json:"end"`
	// The command has ended and end is its last byte.
	EOF bool `json:"eof"`
}

// TerminalWriteParams types text.
type TerminalWriteParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which terminal.
	TerminalID string `json:"terminalId"`
	// As typed: return is \r, Ctrl-C is \u0003.
	Text string `json:"text"`
}

// TerminalResizeParams says how large the view is.
type TerminalResizeParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which terminal.
	TerminalID string `json:"terminalId"`
	// Width in cells, at least 1.
	Cols uint16 `json:"cols"`
	// Height in cells, at least 1.
	Rows uint16 `json:"rows"`
}

// TerminalAckParams says what the client has shown.
type TerminalAckParams struct {
	// Which session.
	SessionID string `json:"sessionId"`
	// Which terminal.
	TerminalID string `json:"terminalId"`
	// The end of the newest terminal/output that was shown.
	Offset int64 `json:"offset"`
}

// TerminalOpened says that a command started.
type TerminalOpened struct {
	Event
	// The terminal, begins with x.
	TerminalID string `json:"terminalId"`
	// The call that started it.
	CallID string `json:"callId"`
	// One line: the command.
	Title string `json:"title"`
	// The absolute folder it starts in.
	Cwd string `json:"cwd"`
	// Width in cells.
	Cols uint16 `json:"cols"`
	// Height in cells.
	Rows uint16 `json:"rows"`
	// What the model calls the command; begins with proc-.
	ProcessID string `json:"processId,omitempty"`
	// It has pipes instead of a terminal: lines end with \n alone, typing is not
	// echoed and goes to its standard input, a size means nothing.
	Pipes bool `json:"pipes,omitempty"`
	// What holds it; absent: nothing does.
	Sandbox string `json:"sandbox,omitempty"`
}

// TerminalUpdated says what a command does now; it holds the whole status.
type TerminalUpdated struct {
	Event
	// The terminal.
	TerminalID string `json:"terminalId"`
	TerminalStatus
	// How its leader ended, when only survivors are left of it.
	Exit *Exit `json:"exit,omitempty"`
}

// TerminalOutput is the next piece of a command's output.
type TerminalOutput struct {
	Event
	// The terminal.
	TerminalID string `json:"terminalId"`
	// Where data begins, counted in the command's bytes.
	Offset int64 `json:"offset"`
	// Where data ends, counted in the command's bytes.
	End int64 `json:"end"`
	// The text of these bytes, cut at character boundaries, bad bytes replaced.
	Data string `json:"data"`
	// How many bytes before offset were skipped because the client was slow;
	// terminal/read may still have them.
	Gap int64 `json:"gap,omitempty"`
}

// TerminalClosed says that nothing is left of a command and that all its output
// was sent.
type TerminalClosed struct {
	Event
	// The terminal.
	TerminalID string `json:"terminalId"`
	// How it ended.
	Exit Exit `json:"exit"`
	// Replayed only: the end of its output, since no terminal/output is replayed.
	Tail string `json:"tail,omitempty"`
}
