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
		return joinCause("timed out", d.Cause) + "; the user has not said no: ask them in words before you send it again"
	case ByCancel:
		return joinCause("cancelled", d.Cause)
	case ByNobody:
		return oneLine(d.Cause) + "; go on without it, and tell the user what was left out"
	case ByRule:
		return d.refusal()
	case BySuperseded:
		return joinCause("not decided", d.Cause) + "; send it again if it is still wanted"
	}
	return "no decision was made"
}

// ground is what refuses an effect before anyone is asked, or for all that was
// answered.
type ground int

const (
	unnamed ground = iota
	toEverybody
	byPreset
	byARule
	byToolPolicy
	byItsMode
)

const (
	tellUser = "; if the task needs it, tell the user"
	noDetour = "; do not work around it" + tellUser
)

// refusal says what refused, and what is left to do. A denial for safety says that
// itself.
func (d Decision) refusal() string {
	cause := oneLine(d.Cause)
	switch d.ground {
	case toEverybody, byARule:
		return d.deniedBefore(cause)
	case byPreset:
		return "denied by the " + kindBefore("preset", cause) + "; no answer lifts a preset" + tellUser
	case byToolPolicy:
		return joinCause("denied by the settings", cause) + noDetour
	case byItsMode:
		if d.Mode == Plan {
			return "denied by the " + cause
		}
		return "denied by the " + kindBefore("mode", cause) + tellUser
	}
	return joinCause("denied", cause)
}

// deniedBefore is about what rules forbid, those that nobody lifts too.
func (d Decision) deniedBefore(cause string) string {
	switch {
	case strings.HasPrefix(cause, "denied for safety"):
		return cause
	case strings.HasPrefix(cause, "denied "): // it names the rule
		return cause + noDetour
	case d.ground == toEverybody:
		return joinCause("denied to everybody", cause) + "; no answer and no setting lifts this"
	}
	return joinCause("denied by a rule", cause) + noDetour
}

// kindBefore has a cause begin with what kind of thing it is.
func kindBefore(kind, cause string) string {
	if strings.HasPrefix(cause, kind+" ") {
		return cause
	}
	return joinCause(kind, cause)
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
