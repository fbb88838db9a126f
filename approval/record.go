package approval

import (
	"strings"
	"time"
)

// Record is what is kept of one decision: what was asked for, what was in
// force, who answered and how it came to that.
type Record struct {
	Time    time.Time
	Tool    string
	Title   string
	Access  Access
	Digest  string
	Mode    Mode
	Preset  Preset
	Outcome Outcome
	By      By
	Cause   string
	Comment string
	Scope   Scope
	// Remembered are the rules that a yes left behind.
	Remembered []string
	// Asked counts how often the question was put.
	Asked int
	// Derivation lists the checks in the order they were made.
	Derivation []string
}

func (c *hearing) recordOf(d Decision) Record {
	return Record{
		Time: time.Now(), Tool: c.req.Tool, Title: c.req.Title, Access: c.req.Access,
		Digest: c.req.Digest, Mode: c.mode, Preset: c.preset,
		Outcome: d.Outcome, By: d.By, Cause: d.Cause, Comment: d.Comment,
		Scope: d.Scope, Remembered: d.Remembered, Asked: c.asked, Derivation: d.Derivation,
	}
}

// deniedLine is the first line of every denial that a model reads. Models and
// scripts know it to the letter.
const deniedLine = "Tool call denied by user."

// ModelText is what the model reads of a denial: the line it knows, then the
// true cause, so that it need not take a rule for a person's will. It is ""
// for an allowed effect.
func (d Decision) ModelText() string {
	if d.Outcome == Allowed {
		return ""
	}
	return deniedLine + "\n" + d.trueCause()
}

func (d Decision) trueCause() string {
	switch d.By {
	case ByPerson:
		return withComment(joinCause("declined by the user", d.Cause), d.Comment)
	case ByTimeout:
		return joinCause("timed out", d.Cause)
	case ByCancel:
		return joinCause("cancelled", d.Cause)
	case ByNobody:
		return oneLine(d.Cause)
	case ByRule:
		if strings.HasPrefix(d.Cause, "denied ") {
			return oneLine(d.Cause) // which names the rule already
		}
		if strings.HasPrefix(d.Cause, "preset ") || strings.HasPrefix(d.Cause, "mode ") {
			return "denied by the " + oneLine(d.Cause)
		}
		return joinCause("denied by a rule", d.Cause)
	case BySuperseded:
		return joinCause("not decided", d.Cause)
	}
	return "no decision was made"
}

func joinCause(what, cause string) string {
	if cause == "" {
		return what
	}
	return what + ": " + oneLine(cause)
}

// withComment quotes the person's words on the same line, as they are but for
// line breaks.
func withComment(line, comment string) string {
	if comment = oneLine(comment); comment == "" {
		return line
	}
	return line + `: "` + comment + `"`
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
