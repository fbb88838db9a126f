package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drawbridge/approval/rule"
)

// errPanic marks an asker that crashed: it is not asked again.
var errPanic = errors.New("the question crashed")

// Unaskable is the error of an Ask whose question cannot be put, however often:
// the effect is denied for that reason.
type Unaskable struct{ Why string }

func (u Unaskable) Error() string { return u.Why }

// hear puts the question, and once more when the first try brought no answer:
// editors drop a dialogue by accident more often than by intent. What made an
// answer none is told with the second question.
func (g *Gate) hear(ctx context.Context, c *hearing, ask Ask) Decision {
	wait, stop := g.limit(ctx)
	defer stop()
	q := Question{Request: c.req, Reason: c.verdict.why, Offers: g.offers(c)}
	if len(c.found.doubts) == 0 && !types(c.req) {
		q.Parts = c.found.parts
	}
	none := ""
	for range 2 {
		a, err := c.put(wait, ask, q)
		if d, ends := g.ended(ctx, wait, c, err); ends {
			return d
		}
		why := ""
		if err == nil {
			d, unfit := g.take(c, q, a)
			if unfit == "" {
				return d
			}
			why = unfit
		}
		if d, ok := g.Covered(c.req); ok {
			d.Derivation = append(c.trail, d.Derivation...)
			c.trail = d.Derivation
			return d
		}
		q.Again = true
		if why != noAnswer && why != "" {
			c.note("that was no answer: %s", why)
			none, q.Reason = ": "+why, "that was no answer: "+why+"; "+c.verdict.why
		}
	}
	return c.deny(ByNobody, "asked twice, no answer came"+none)
}

// ended says whether no answer is wanted any more, or can come.
func (g *Gate) ended(ctx, wait context.Context, c *hearing, err error) (Decision, bool) {
	switch {
	case ctx.Err() != nil:
		return c.deny(ByCancel, "the turn ended before an answer came"), true
	case wait.Err() != nil:
		return c.deny(ByTimeout, "no answer came within "+g.o.Timeout.String()), true
	case errors.Is(err, errPanic), errors.As(err, new(Unaskable)):
		return c.deny(ByNobody, err.Error()), true
	}
	if now := g.Preset(); now != c.preset {
		return c.deny(BySuperseded, fmt.Sprintf("the preset changed from %s to %s while the question waited", c.preset, now)), true
	}
	return Decision{}, false
}

// limit bounds the wait. Its context ends no later than ctx.
func (g *Gate) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if g.o.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, g.o.Timeout)
}

// put asks once. A crash of the asker is an error like any other, so that a
// bug in a client's adapter never becomes a yes.
func (c *hearing) put(ctx context.Context, ask Ask, q Question) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{}, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	c.asked++
	q = c.copied(q)
	a, err = ask(ctx, q)
	c.note("asked (%d): %s", c.asked, outcomeOf(a, err))
	return a, err
}

// copied is the question as it is handed out: nothing that the asker does to it
// changes what is decided, remembered or recorded.
func (c *hearing) copied(q Question) Question {
	q.Derivation = slices.Clone(c.trail)
	q.Parts, q.Offers = slices.Clone(q.Parts), slices.Clone(q.Offers)
	q.Request.Paths = slices.Clone(c.req.Paths)
	if c.req.Command != nil {
		command := *c.req.Command
		q.Request.Command = &command
	}
	return q
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

// noAnswer is why an answer is none when there is nothing to say about it.
const noAnswer = "-"

// take turns an answer into the decision. unfit says why it is none.
func (g *Gate) take(c *hearing, q Question, a Answer) (d Decision, unfit string) {
	if !c.fits(a) {
		return Decision{}, noAnswer
	}
	if a.Outcome == Allowed && a.Command != nil {
		if why := g.unlifted(c, *a.Command); why != "" {
			d = c.deny(ByRule, "the command as the user rewrote it: "+why)
			d.Comment = strings.TrimSpace(a.Comment)
			return d, ""
		}
	}
	var kept []string
	scope := Once
	if offer, ok := offered(q, a); ok && whole(a) {
		var err error
		if kept, err = g.remember(c, offer, a); err != nil {
			return Decision{}, oneLine(err.Error())
		}
		scope = offer.Scope
	} else if a.Rule != "" && a.Outcome == Allowed {
		return Decision{}, "a rule came with what cannot be remembered"
	}
	d = c.answered(a)
	d.Comment, d.Remembered = strings.TrimSpace(a.Comment), kept
	if d.Outcome == Allowed {
		d.Scope = scope
	}
	if len(kept) > 0 {
		c.note("remembered (%s): %s", scope, strings.Join(kept, " · "))
	}
	return d, ""
}

// offered finds what a yes is to leave behind.
func offered(q Question, a Answer) (Offer, bool) {
	i := slices.IndexFunc(q.Offers, func(o Offer) bool { return o.Scope == a.Scope })
	if i < 0 || a.Outcome != Allowed {
		return Offer{}, false
	}
	return q.Offers[i], true
}

// whole says that a yes is to what was shown: one to a part of it, or to other
// words, covers nothing else.
func whole(a Answer) bool {
	return a.Hunks == nil && a.Text == nil && a.Command == nil
}

// unlifted says what a person's own command runs into that no person lifts.
func (g *Gate) unlifted(c *hearing, text string) string {
	cmd := *c.req.Command
	cmd.Text = text
	req := c.req
	req.Command = &cmd
	f := find(req, c.rules, c.line, g.o.World())
	if f.verdict == rule.Deny {
		c.note("rewritten as %q: %s", cut(text, 80), f.why)
		return f.why
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
