package approval

import (
	"context"
	"fmt"
	"sync"
	"time"

	"drawbridge/approval/rule"
)

// Options of a Gate. With the zero Options everything is denied.
type Options struct {
	Mode   Mode
	Preset Preset
	// Timeout bounds the wait for a person, both questions together. 0 waits
	// for ever.
	Timeout time.Duration
	// Record receives every decision once, on the goroutine that called
	// Decide and before Decide returns. May be nil.
	Record func(Record)
	// Policy is what people have said beforehand, as it holds now. It is called
	// for each decision, from any goroutine. Nil: nothing was said.
	Policy func() Policy
	// World says what the words of a command mean. Nil: no command is
	// understood, so that no rule allows one.
	World World
	// Keep saves a yes of scope Workspace or User, from any goroutine; what it
	// saved must be in the next Policy. Nil: such a yes is not offered.
	Keep func(Scope, []rule.Rule) error
}

// Gate answers whether an effect may happen. One gate serves one session; its
// grants die with it. Safe for concurrent use.
type Gate struct {
	timeout time.Duration
	record  func(Record)

	mu     sync.Mutex // guards below; never held while a person is asked
	mode   Mode
	preset Preset
	grants grants
}

// NewGate returns a gate without grants.
func NewGate(o Options) *Gate {
	return &Gate{
		timeout: o.Timeout, record: o.Record,
		mode: o.Mode, preset: o.Preset, grants: grants{},
	}
}

// Mode returns the mode that the next decision goes by.
func (g *Gate) Mode() Mode {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mode
}

// Preset returns the preset that the next decision goes by.
func (g *Gate) Preset() Preset {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.preset
}

// SetMode counts from the next decision on. A question that already waits is
// still answered by the person it was put to. An unknown mode denies
// everything; ParseMode tells people so before it gets here.
func (g *Gate) SetMode(m Mode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode = m
}

// SetPreset counts at once: a yes to a question that was put before is checked
// against the preset of now, since no answer lifts a preset.
func (g *Gate) SetPreset(p Preset) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.preset = p
}

// Decide answers req, exactly once and never with an error. It asks at most
// one person at most twice, and returns only when they answered, ctx is done
// or the time limit has passed; ask must return when its context ends.
func (g *Gate) Decide(ctx context.Context, req Request, ask Ask) Decision {
	c := g.open(req)
	d := g.settle(ctx, c, ask)
	d.Derivation = c.trail
	if g.record != nil {
		g.record(c.recordOf(d))
	}
	return d
}

// Unasked is how req would be decided with nobody there to ask. It is no
// decision and is not recorded: it tells what may be said without one.
func (g *Gate) Unasked(req Request) Decision {
	return g.settle(context.Background(), g.open(req), nil)
}

// Covered reports whether a grant now answers req. After an answer of scope
// Session the caller withdraws the waiting questions that are covered: their
// Ask returns an error, and Decide finds the grant before it would ask again.
func (g *Gate) Covered(req Request) (Decision, bool) {
	c := g.open(req)
	d, ok := g.granted(c)
	d.Derivation = c.trail
	return d, ok
}

// hearing is one request on its way to a decision, with what was in force
// when it began.
type hearing struct {
	req     Request
	mode    Mode
	preset  Preset
	verdict verdict
	asked   int
	trail   []string
}

func (g *Gate) open(req Request) *hearing {
	g.mu.Lock()
	c := &hearing{req: req, mode: g.mode, preset: g.preset}
	g.mu.Unlock()
	c.verdict, c.trail = judge(req, c.mode, c.preset)
	return c
}

// settle goes from the cheapest answer to the dearest, which is a person's.
func (g *Gate) settle(ctx context.Context, c *hearing, ask Ask) Decision {
	if ctx.Err() != nil {
		return c.deny(ByCancel, "the turn ended before this was decided")
	}
	switch c.verdict.ruling {
	case refuse:
		return c.deny(ByRule, c.verdict.why)
	case pass:
		return c.allow(ByRule, c.verdict.why)
	}
	if d, ok := g.granted(c); ok {
		return d
	}
	if ask == nil {
		return c.deny(ByNobody, "nobody is there to ask ("+c.verdict.why+")")
	}
	return g.hear(ctx, c, ask)
}

// granted looks for a remembered yes. Verdicts that a grant cannot answer
// never find one.
func (g *Gate) granted(c *hearing) (Decision, bool) {
	if c.verdict.ruling != question || !c.verdict.keeps {
		return Decision{}, false
	}
	g.mu.Lock()
	ok := g.grants.cover(c.req)
	g.mu.Unlock()
	if !ok {
		return Decision{}, false
	}
	d := c.allow(ByGrant, "allowed for this session: "+describeGrant(c.req))
	d.Scope = Session
	return d, true
}

// note adds a check to the derivation.
func (c *hearing) note(format string, args ...any) {
	c.trail = append(c.trail, fmt.Sprintf(format, args...))
}

func (c *hearing) deny(by By, cause string) Decision {
	c.note("denied by %s: %s", by, cause)
	return Decision{Outcome: Denied, By: by, Cause: cause}
}

// allow lets the whole effect through, as it was shown.
func (c *hearing) allow(by By, cause string) Decision {
	c.note("allowed by %s: %s", by, cause)
	return Decision{Outcome: Allowed, By: by, Cause: cause, Scope: Once, All: true}
}
