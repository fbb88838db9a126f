package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// errPanic marks an asker that crashed: it is not asked again.
var errPanic = errors.New("the question crashed")

// Unaskable is the error of an Ask whose question cannot be put, however often:
// the effect is denied for that reason.
type Unaskable struct{ Why string }

func (u Unaskable) Error() string { return u.Why }

// hear puts the question, and once more when the first try brought no answer:
// editors drop a dialogue by accident more often than by intent.
func (g *Gate) hear(ctx context.Context, c *hearing, ask Ask) Decision {
	wait, stop := g.limit(ctx)
	defer stop()
	for _, again := range []bool{false, true} {
		a, err := c.put(wait, ask, again)
		switch {
		case ctx.Err() != nil:
			return c.deny(ByCancel, "the turn ended before an answer came")
		case wait.Err() != nil:
			return c.deny(ByTimeout, "no answer came within "+g.timeout.String())
		case errors.Is(err, errPanic), errors.As(err, new(Unaskable)):
			return c.deny(ByNobody, err.Error())
		case err == nil && c.fits(a):
			return g.take(c, a)
		}
		if d, ok := g.granted(c); ok {
			return d
		}
	}
	return c.deny(ByNobody, "asked twice, no answer came")
}

// limit bounds the wait. Its context ends no later than ctx.
func (g *Gate) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if g.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, g.timeout)
}

// put asks once. A crash of the asker is an error like any other, so that a
// bug in a client's adapter never becomes a yes.
func (c *hearing) put(ctx context.Context, ask Ask, again bool) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{}, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	c.asked++
	q := Question{Request: c.req, Reason: c.verdict.why, Again: again}
	if c.verdict.keeps {
		q.Grant = describeGrant(c.req)
	}
	a, err = ask(ctx, q)
	c.note("asked (%d): %s", c.asked, outcomeOf(a, err))
	return a, err
}

func outcomeOf(a Answer, err error) string {
	switch {
	case err != nil:
		return "no answer: " + oneLine(err.Error())
	case !a.Answered:
		return "no answer"
	case a.Outcome == Allowed:
		return "yes"
	default:
		return "no"
	}
}

// fits tells an answer from noise. A yes that says what cannot be meant (two
// parts of a change at once, a command for a file) is no answer.
func (c *hearing) fits(a Answer) bool {
	switch {
	case !a.Answered:
		return false
	case a.Outcome == Denied:
		return true
	case a.Outcome != Allowed:
		return false
	case c.req.Access == Write:
		return a.Command == nil && parts(a) <= 1
	case c.req.Access == Execute:
		return a.Text == nil && len(a.Hunks) == 0
	default:
		return a.Text == nil && len(a.Hunks) == 0 && a.Command == nil
	}
}

// parts counts the ways in which an answer says what it accepts.
func parts(a Answer) int {
	n := 0
	for _, set := range []bool{a.All, len(a.Hunks) > 0, a.Text != nil} {
		if set {
			n++
		}
	}
	return n
}

// nothingAccepted finds the yes that names no part of a change. A list of
// hunks that is there and empty says "none", whatever was asked.
func nothingAccepted(req Request, a Answer) bool {
	return parts(a) == 0 && (req.Access == Write || a.Hunks != nil)
}

// take turns an answer into the decision. The preset is read again: it may
// have been tightened while the person thought.
func (g *Gate) take(c *hearing, a Answer) Decision {
	comment := strings.TrimSpace(a.Comment)
	d := c.answered(a)
	if d.Outcome == Allowed {
		if why := g.overtaken(c); why != "" {
			return c.deny(ByRule, "while the question waited, "+why)
		}
	}
	d.Comment = comment
	if d.Scope == Session {
		g.mu.Lock()
		g.grants.add(c.req)
		g.mu.Unlock()
		c.note("remembered for this session: %s", describeGrant(c.req))
	}
	return d
}

// overtaken says what changed under a yes, "" if it still means what was asked.
// A yes to leaving the sandbox was one to leaving that sandbox.
func (g *Gate) overtaken(c *hearing) string {
	now := g.Preset()
	if v := limits(c.req, now); v.ruling == refuse {
		return "the limits changed: " + v.why
	}
	if escalates(c.req) && now != c.preset {
		return fmt.Sprintf("the preset changed from %s to %s", c.preset, now)
	}
	return ""
}

// answered reads what the person said, without their comment.
func (c *hearing) answered(a Answer) Decision {
	switch {
	case a.Outcome != Allowed:
		return c.deny(ByPerson, "")
	case nothingAccepted(c.req, a):
		return c.deny(ByPerson, "none of the hunks accepted")
	case a.Command != nil && emptied(c.req.Command, *a.Command):
		return c.deny(ByPerson, "the command was emptied")
	}
	d := c.allow(ByPerson, c.verdict.why)
	d.Hunks, d.Text, d.Command = a.Hunks, a.Text, a.Command
	d.All = len(a.Hunks) == 0 && a.Text == nil
	if a.Scope == Session && c.verdict.keeps && d.All && a.Command == nil {
		d.Scope = Session // a yes to a part, or to other words, covers no class
	}
	return d
}

// emptied says that nothing is left of what was asked for. A line end alone is
// something to type.
func emptied(asked *Command, text string) bool {
	if asked != nil && asked.TypedInto != "" {
		return text == ""
	}
	return strings.TrimSpace(text) == ""
}
