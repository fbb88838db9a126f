package approval

import (
	"strings"
	"testing"

	"drawbridge/approval/rule"
)

// A rule that was to forbid and cannot be read protects in every mode: what it may
// be about is asked, whatever else would let it pass.
func TestAnUnreadableDenialAsksInEveryMode(t *testing.T) {
	const files, commands, both = "read:[", "'git push", ""
	mine := owned(read(""))
	mine.Paths = nil
	for _, c := range []struct {
		text string
		req  Request
		want ruling
	}{
		{files, read("/w/a"), question},
		{files, edit("/w/a"), question},
		{files, run("make"), question}, // which may touch any file
		{commands, run("make"), question},
		{commands, edit("/w/a"), pass},
		{commands, read("/w/a"), pass},
		{both, run("make"), question},
		{both, edit("/w/a"), question},
		{"deny: write:docs/**", edit("/w/docs/a"), question},
		{both, mine, pass},
		{files, edit("/w/.envrc"), question},
		{both, run("rm -rf /"), refuse},
	} {
		for _, v := range []rule.Verdict{rule.Deny, rule.Ask} {
			bad := rule.Rule{Verdict: v, Text: c.text, Source: rule.User, Where: "settings", Problem: "it cannot be read"}
			said := Policy{Rules: rule.NewSet(bad), Tools: map[string]ToolPolicy{"exec_command": ToolAllow}}
			for _, m := range []Mode{AllowAll, AutoEdit} {
				g := NewGate(Options{Mode: m, Preset: PresetWorkspaceWrite, World: theWorld, Root: "/w", Policy: func() Policy { return said }})
				h := g.open(c.req)
				if h.verdict.ruling != c.want && m == AllowAll {
					t.Errorf("%s %q, %s: %s is %v (%s)", v, c.text, m, c.req.Title, h.verdict, strings.Join(h.trail, "\n"))
				}
				if c.want == question && !strings.Contains(h.verdict.why, "runs code") && !strings.Contains(h.verdict.why, "settings") {
					t.Errorf("the reason is %q", h.verdict.why)
				}
				if d := g.Unasked(c.req); c.want != pass && d.Outcome != Denied {
					t.Errorf("nobody is there, and %s passes", c.req.Title)
				}
			}
		}
	}
}
