package tools

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Style is how a call is closed out: how its budget is counted, which end of a
// long output stays, and the words of the markers. The zero Style is that of the
// profile "default".
type Style struct {
	// Bytes has Limits.MaxOutput count bytes, not characters. Text is cut between
	// two characters either way.
	Bytes bool
	// MaxLines bounds the lines of the body; 0 does not. What follows the last line
	// end is a line, unless it is empty.
	MaxLines int
	// Tail keeps the end of a long output. What is streamed of it meanwhile is then
	// not yet the result.
	Tail bool
	// Inside has the markers and the note count within the limit: of the whole text
	// they are what is never cut.
	Inside bool
	// NoNUL takes NUL characters out before anything is counted or kept.
	NoNUL bool
	// NoArchive keeps no file of what is cut.
	NoArchive bool
	// First puts the note and how the call ended before the output.
	First bool
	// Empty is the text of a result that has none; "" is "[no output]".
	Empty string
	// Cut is the marker of a truncated output, with the line end before it if it is
	// to have a line of its own. Nil is the default profile's, which has the file in
	// a line of its own.
	Cut func(Loss) string
	// TimedOut is said when the time limit was reached. Nil is the default profile's.
	TimedOut func(limit time.Duration) string
}

func (s Style) empty() string { return cmp.Or(s.Empty, "[no output]") }

// cut is the marker of a truncated output. The default profile's begins exactly
// one character after the limit.
func (s Style) cut(l Loss) string {
	if s.Cut != nil {
		return s.Cut(l)
	}
	return fmt.Sprintf("\n[output truncated: exceeded %d chars]", l.Limit)
}

// archiveNote is the note about the file, where the marker has no place for it.
func (s Style) archiveNote(note string) string {
	if s.Cut != nil {
		return ""
	}
	return note
}

func (s Style) timedOut(limit time.Duration) string {
	if s.TimedOut != nil {
		return s.TimedOut(limit)
	}
	return fmt.Sprintf("[tool timeout: exceeded %dms]", limit.Milliseconds())
}

// size is how much a text counts.
func (s Style) size(text string) int {
	if s.Bytes {
		return len(text)
	}
	return utf8.RuneCountInString(text)
}

// head is the beginning of text that counts at most n, cut between characters.
func (s Style) head(text string, n int) string {
	switch {
	case !s.Bytes:
		return head(text, n)
	case n >= len(text):
		return text
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// tail is the end of text that counts at most n, cut between characters.
func (s Style) tail(text string, n int) string {
	switch {
	case !s.Bytes:
		return tail(text, n)
	case n >= len(text):
		return text
	}
	at := len(text) - max(n, 0)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// last is the end of text that fits into MaxLines and counts at most limit.
func (s Style) last(text string, limit int) string {
	if s.MaxLines > 0 {
		text = lastLines(text, s.MaxLines)
	}
	return s.tail(text, limit)
}

// firstLines is the first n lines of text with their ends.
func firstLines(text string, n int) string {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}

// lastLines is the last n lines of text with their ends.
func lastLines(text string, n int) string {
	at := len(strings.TrimSuffix(text, "\n"))
	for ; n > 0; n-- {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			return text
		}
	}
	return text[at+1:]
}

// Loss is what there is to tell of a truncated output.
type Loss struct {
	Limit int    // Limits.MaxOutput
	File  string // holds the output; "" if nothing does
	// Gap says that File holds the beginning and the end of the output, but not
	// what lies between.
	Gap bool
}

// noOutput is the empty result of the profiles other than "default".
const noOutput = "(no output)"

const (
	compactOutput = 50 << 10  // bytes of a result of the profile "compact"
	compactLines  = 2000      // and its lines
	agentOutput   = 100 << 10 // bytes of a result of "agent_toolset_20260401", markers included
)

// The styles of the profile "compact". A file is kept of what bash cuts only: of
// a file that is read, there is one already.
var (
	compactReadStyle = Style{
		Bytes: true, MaxLines: compactLines, NoArchive: true, Empty: noOutput, TimedOut: timedOut,
		Cut: func(Loss) string { return "\n[Output truncated; use offset/limit to continue.]" },
	}
	compactBashStyle = Style{
		Bytes: true, MaxLines: compactLines, Tail: true, First: true, Empty: noOutput, Cut: compactCut,
		TimedOut: func(limit time.Duration) string { return "Command timed out after " + inSeconds(limit) + "." },
	}
	compactFileStyle = Style{Bytes: true, MaxLines: compactLines, NoArchive: true, Empty: noOutput, Cut: compactCut, TimedOut: timedOut}
)

func compactCut(l Loss) string {
	switch {
	case l.File == "":
		return "\n[Output truncated.]"
	case l.Gap:
		return "\n[Output truncated. Its beginning and its end: " + l.File + "]"
	}
	return "\n[Output truncated. Full output: " + l.File + "]"
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%g seconds", d.Seconds()) }

func timedOut(limit time.Duration) string { return "timed out after " + limit.String() }

// The styles of the profile "agent_toolset_20260401".
var (
	agentStyle = Style{Bytes: true, Inside: true, NoNUL: true, Empty: noOutput, Cut: agentCut, TimedOut: timedOut}
	// What was cut of a file that is read is in the file.
	agentReadStyle = Style{Bytes: true, Inside: true, NoNUL: true, NoArchive: true, Empty: noOutput, Cut: agentCut, TimedOut: timedOut}
	agentBashStyle = Style{
		Bytes: true, Inside: true, NoNUL: true, Empty: noOutput, Cut: agentCut,
		TimedOut: func(limit time.Duration) string {
			return "command " + timedOut(limit) + "; this call's shell state changes were dropped"
		},
	}
)

func agentCut(l Loss) string {
	switch {
	case l.File == "":
		return "\n[output truncated]"
	case l.Gap:
		return "\n[output truncated; its beginning and its end written to " + l.File + "]"
	}
	return "\n[output truncated; full output written to " + l.File + "]"
}
