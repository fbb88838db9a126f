package approval

import (
	"cmp"
	"fmt"
	"strings"

	"drawbridge/approval/rule"
)

const (
	maxLine   = 400 // bytes of one check in a derivation
	maxParts  = 60  // simple commands of which a derivation tells
	typingYes = "typing into this running command"
)

// check is one thing that may decide about a request before a person is asked.
type check struct {
	what    string
	verdict verdict
	decides bool
	ground  ground
}

// judge goes through everything that is said of a request, in its fixed order:
// what nobody may do, what the preset forbids, what rules forbid; what the mode
// refuses; what a person has to answer whatever was said before; what was allowed
// before; and last what the mode makes of the rest. typing says that whatever is
// typed into this process was allowed.
func (c *hearing) judge(typing bool) {
	c.noteParts()
	c.noteURL()
	mode := byMode(c.req, c.mode)
	for _, look := range []func() check{
		c.denial, c.beyondPreset, c.deniedByRule, c.deniedTool,
		func() check { return check{"refused by the mode", mode, mode.ruling == refuse, byItsMode} },
		c.presetInsists, c.codeAsks, c.askedByRule, c.askedTool,
		c.allowedByRule, c.allowedTool,
		func() check {
			return check{what: "remembered for the session", verdict: typingAllowed, decides: typing}
		},
	} {
		k := look()
		if k.decides {
			c.verdict, c.verdict.ground = k.verdict, k.ground
			c.note("%s: %s", k.what, k.verdict)
			return
		}
		c.note("%s: no", k.what)
	}
	c.verdict = mode
	if left, why := "mode "+string(c.mode), c.setAside(); why != "" && mode.ruling == question {
		c.verdict.why = left + "; " + why + strings.TrimPrefix(mode.why, left)
	}
	c.note("left to mode %s: %s", c.mode, mode)
}

var typingAllowed = verdict{ruling: pass, ruled: true, grant: Session, why: "allowed for this session: " + typingYes}

// noteParts tells how the rules see each simple command.
func (c *hearing) noteParts() {
	for i, p := range c.found.parts {
		if i == maxParts {
			c.note("and %d more commands", len(c.found.parts)-i)
			break
		}
		c.note("command %s: %s (%s)", quoted(p), cmp.Or(p.Verdict, "open"), p.Why)
	}
	for _, d := range c.found.doubts[:min(len(c.found.doubts), maxParts)] {
		c.note("not understood: %s", d.Why)
	}
}

// setAside says which rule would allow a part of a command, and what about the
// command was not understood, so that it does not.
func (c *hearing) setAside() string {
	if len(c.found.doubts) == 0 {
		return ""
	}
	for _, p := range c.found.parts {
		if p.Verdict == rule.Allow && p.Rule != "" {
			return "rule `" + cut(p.Rule, 80) + "` does not count: " + cut(oneLine(c.found.doubts[0].Why), maxLine)
		}
	}
	return ""
}

// noteURL tells what an address means for what holds commands.
func (c *hearing) noteURL() {
	if c.req.URL != "" {
		c.note("over the network: %s (a sandbox and its network hold commands, not this read)", c.req.URL)
	}
}

func quoted(p rule.Part) string {
	words := make([]string, len(p.Command.Argv))
	for i, w := range p.Command.Argv {
		words[i] = w.Text
	}
	return fmt.Sprintf("%q", cut(strings.Join(words, " "), 80))
}

// denial is what no setting lifts.
func (c *hearing) denial() check {
	const what = "denied to everybody"
	if c.req.Tool == "" || c.req.Access < Execute || c.req.Access > Read {
		return check{what, verdict{why: "the request does not say what would be done"}, true, toEverybody}
	}
	for _, t := range c.req.Paths {
		if t.Protected != "" {
			return check{what, verdict{why: fmt.Sprintf("%s is protected: %s", t.Abs, t.Protected)}, true, toEverybody}
		}
	}
	return check{what, verdict{why: c.found.why, ruled: true}, c.found.hard && c.found.verdict == rule.Deny, toEverybody}
}

func (c *hearing) beyondPreset() check {
	v := limits(c.req, c.preset)
	return check{"beyond preset " + string(c.preset), v, v.ruling == refuse, byPreset}
}

func (c *hearing) deniedByRule() check {
	return check{"denied by a rule", verdict{why: c.found.why, ruled: true}, c.found.verdict == rule.Deny, byARule}
}

func (c *hearing) deniedTool() check {
	const what = "the tool is denied"
	switch p := c.tools[c.req.Tool]; p {
	case "", ToolAllow, ToolAsk:
		return check{what: what}
	case ToolDeny:
		return check{what, verdict{why: c.req.Tool + " is " + string(p), ruled: true}, true, byToolPolicy}
	default:
		return check{what, verdict{why: fmt.Sprintf("unknown policy %q of %s", p, c.req.Tool), ruled: true}, true, byToolPolicy}
	}
}

// presetInsists sends to a person what no mode lifts.
func (c *hearing) presetInsists() check {
	v := limits(c.req, c.preset)
	if !escalates(c.req) {
		v.why = toKnow(c.req, "mode "+string(c.mode))
	}
	return check{what: "preset " + string(c.preset) + " wants a person", verdict: v, decides: v.ruling == question}
}

// codeAsks has a person look at what will be run later without anybody asking,
// unless a rule of theirs names that very file, which rules see to.
func (c *hearing) codeAsks() check {
	why := toKnow(c.req, "mode "+string(c.mode))
	decides := codeReason(c.req) != "" && c.found.verdict != rule.Allow
	return check{what: "files that run code", verdict: verdict{ruling: question, why: why}, decides: decides}
}

// askedByRule has a person answer also where a rule cannot be read that was to
// forbid or to ask: nobody knows what it was about.
func (c *hearing) askedByRule() check {
	const what = "asked by a rule"
	if c.found.verdict == rule.Ask {
		return check{what: what, verdict: verdict{ruling: question, why: toKnow(c.req, c.found.why)}, decides: true}
	}
	why := c.closed()
	return check{what: what, verdict: verdict{ruling: question, why: toKnow(c.req, why)}, decides: why != ""}
}

// closed says which rule cannot be read that may be about a request. A command may
// touch any file.
func (c *hearing) closed() string {
	if own(c.req) {
		return ""
	}
	why := c.rules.Closed(true)
	if c.req.Access == Execute {
		why = cmp.Or(c.rules.Closed(false), why)
	}
	return why
}

func (c *hearing) askedTool() check {
	const why = " is " + string(ToolAsk)
	asks := c.tools[c.req.Tool] == ToolAsk && !c.req.Look
	return check{what: "the tool asks", verdict: verdict{ruling: question, why: toKnow(c.req, c.req.Tool+why)}, decides: asks}
}

// allowedByRule is about files and commands: no rule speaks of addresses.
func (c *hearing) allowedByRule() check {
	v := verdict{ruling: pass, why: c.found.why, ruled: true, grant: c.found.grant}
	return check{what: "allowed by rules", verdict: v, decides: c.found.verdict == rule.Allow && c.req.URL == ""}
}

// allowedTool answers for ordinary files and for addresses only: a file outside the
// workspace, or one with secrets, has to be named by a rule.
func (c *hearing) allowedTool() check {
	ordinary := c.req.Access == Execute || own(c.req) || online(c.req) || inside(c.req) && secretReason(c.req) == ""
	v := verdict{ruling: pass, why: c.req.Tool + " is " + string(ToolAllow), ruled: true}
	return check{what: "the tool is allowed", verdict: v, decides: c.tools[c.req.Tool] == ToolAllow && ordinary}
}

// cut bounds a line.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
