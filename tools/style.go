package tools

import "time"

// Style is how a call is closed out: how its budget is counted, which end of a
// long output stays, and the words of the markers. The zero Style is that of the
// profile "default".
type Style struct {
	// Bytes has Limits.MaxOutput count bytes, not characters. Text is cut between
	// two characters either way.
	Bytes bool
	// MaxLines bounds the lines of the body; 0 does not.
	MaxLines int
	// Tail keeps the end of a long output. What is streamed of it meanwhile is then
	// not yet the result.
	Tail bool
	// Inside has the markers and the note count within the limit: of the whole text
	// they are what is never cut.
	Inside bool
	// NoNUL takes NUL characters out before anything is counted.
	NoNUL bool
	// NoArchive keeps no file of what is cut.
	NoArchive bool
	// First puts the note and how the call ended before the output.
	First bool
	// Empty is the text of a result that has none; "" is "[no output]".
	Empty string
	// Cut is the marker of a truncated output: limit is Limits.MaxOutput, file holds
	// the output, "" when none does. Nil is the default profile's.
	Cut func(limit int, file string) string
	// TimedOut is said when the time limit was reached. Nil is the default profile's.
	TimedOut func(limit time.Duration) string
}
