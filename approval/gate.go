package approval

import (
	"cmp"
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
	// World is what the words of a command mean at the time. Nil: no command is
	// understood, so that no rule allows one.
	World func() World
	// Root is the folder that relative paths in remembered rules are meant from.
	Root string
	// Keep saves a yes of scope Workspace or User, from any goroutine; what it
	// saved must be in the next Policy. Nil: such a yes is not offered.
	Keep func(Scope, []rule.Rule) error
	// Redact replaces secrets in a text. A rule that has one is neither offered
	// nor kept. Nil knows none.
	Redact func(string) string
}

// Gate answers whether an effect may happen. One gate serves one session; what
// is remembered for the session dies with it. Safe for concurrent use.
type Gate struct {
	o Options

	mu     sync.Mutex // guards below; never held while a person is asked
	mode   Mode
	preset Preset
	memory memory
	lines  lines
}

// NewGate returns a gate that remembers nothing.
func NewGate(o Options) *Gate {
	if o.World == nil {
		o.World = func() World { return darkness{} }
	}
	return &Gate{o: o, mode: o.Mode, preset: o.Preset, lines: lines{}}
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

// SetPreset counts at once: a yes to a question that was put under another
// preset is void, since no answer lifts a preset.
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
	if d.Outcome == Allowed {
		d = g.noteTyped(c, d)
	}
	d = c.close(d)
	if g.o.Record != nil {
		g.o.Record(c.recordOf(d))
	}
	return d
}

// Unasked is how req would be decided with nobody there to ask. It is no
// decision and is not recorded: it tells what may be said without one.
func (g *Gate) Unasked(req Request) Decision {
	return g.settle(context.Background(), g.open(req), nil)
}

// Covered reports whether a rule or a remembered yes now answers req with yes.
// After an answer that is remembered the caller withdraws the waiting questions
// that are covered: their Ask returns an error, and Decide finds the yes before
// it would ask again. A mode that would let req pass does not count.
func (g *Gate) Covered(req Request) (Decision, bool) {
	c := g.open(req)
	if c.verdict.ruling != pass || !c.verdict.ruled {
		return Decision{}, false
	}
	return c.close(c.pass()), true
}

// hearing is one request on its way to a decision, with what was in force
// when it began.
type hearing struct {
	req     Request
	mode    Mode
	preset  Preset
	rules   *rules
	tools   map[string]ToolPolicy
	found   finding
	line    string // what was typed before into the same process
	verdict verdict
	asked   int
	trail   []string
}

// open judges a request by what is in force now, once.
func (g *Gate) open(req Request) *hearing {
	c := &hearing{req: req}
	said := Policy{}
	if g.o.Policy != nil {
		said = g.o.Policy()
	}
	g.mu.Lock()
	c.mode, c.preset = g.mode, g.preset
	c.rules, c.tools = g.memory.with(said.Rules), said.Tools
	typing := g.memory.typing(req)
	c.line = g.lines.of(req)
	g.mu.Unlock()
	c.found = find(req, c.rules, c.line, g.o.World())
	c.judge(typing)
	return c
}

// settle goes from the cheapest answer to the dearest, which is a person's.
func (g *Gate) settle(ctx context.Context, c *hearing, ask Ask) Decision {
	if ctx.Err() != nil {
		return c.deny(ByCancel, "the turn ended before this was decided")
	}
	switch c.verdict.ruling {
	case refuse:
		return c.refuse()
	case pass:
		return c.pass()
	}
	if ask == nil {
		return c.deny(ByNobody, "nobody is there to ask ("+c.verdict.why+")")
	}
	return g.hear(ctx, c, ask)
}

// note adds a check to the derivation.
func (c *hearing) note(format string, args ...any) {
	c.trail = append(c.trail, cut(oneLine(fmt.Sprintf(format, args...)), maxLine))
}

func (c *hearing) deny(by By, cause string) Decision {
	c.note("%s", joinCause("denied by "+string(by), cause))
	return Decision{Outcome: Denied, By: by, Cause: cause}
}

// refuse denies by what rules, preset or mode say.
func (c *hearing) refuse() Decision {
	d := c.deny(ByRule, c.verdict.why)
	d.Ruled, d.ground = c.verdict.ruled, c.verdict.ground
	return d
}

// allow lets the whole effect through, as it was shown.
func (c *hearing) allow(by By, cause string) Decision {
	c.note("allowed by %s: %s", by, cause)
	return Decision{Outcome: Allowed, By: by, Cause: cause, Scope: Once, All: true}
}

// pass allows by what rules or mode say.
func (c *hearing) pass() Decision {
	by := ByRule
	if c.verdict.grant != "" {
		by = ByGrant
	}
	d := c.allow(by, c.verdict.why)
	d.Ruled = c.verdict.ruled
	d.Scope = cmp.Or(c.verdict.grant, d.Scope)
	return d
}

// close adds to a decision how it came about.
func (c *hearing) close(d Decision) Decision {
	d.Mode, d.Preset, d.Derivation = c.mode, c.preset, c.trail
	return d
}
