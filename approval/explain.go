package approval

import (
	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// Explanation is how a request would be decided now. Ask says that a person
// would be asked.
type Explanation struct {
	Verdict rule.Verdict // Allow, Ask or Deny
	Why     string
	// Parts are the simple commands; what no rule covers has the verdict of the
	// mode.
	Parts  []rule.Part
	Doubts []command.Doubt
	// Rules would allow what is asked about, as a yes for longer would be
	// remembered; nil when it must not be.
	Rules []string
	// Derivation lists the checks in the order they were made.
	Derivation []string
}

// Explain says how req would be decided now. It asks nobody and is not
// recorded.
func (g *Gate) Explain(req Request) Explanation {
	c := g.open(req)
	left := said(byMode(req, c.mode).ruling)
	e := Explanation{Verdict: said(c.verdict.ruling), Why: c.verdict.why, Doubts: c.found.doubts, Derivation: c.trail}
	if e.Verdict == rule.Ask && e.Why == "mode "+string(c.mode) && c.found.verdict == rule.Open && c.found.why != "" {
		e.Why = c.found.why // which says more than that the mode asks
	}
	for _, p := range c.found.parts {
		if p.Verdict == rule.Open {
			p.Verdict = left
		}
		e.Parts = append(e.Parts, p)
	}
	if e.Verdict == rule.Ask && len(c.found.parts) > 0 {
		e.Rules = rule.Propose(c.found.judgement, !unconfined(req))
	}
	return e
}

// said is a ruling in the words of rules.
func said(r ruling) rule.Verdict {
	switch r {
	case pass:
		return rule.Allow
	case question:
		return rule.Ask
	}
	return rule.Deny
}
