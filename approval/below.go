package approval

import "drawbridge/approval/rule"

// Below returns whether files may be read that lie below a folder whose reading
// was decided: a rule says so, or none says that reading the file is denied or
// asked about and it holds no secrets. Those of the kind why hold secrets that were
// part of the decision; "" if none were. What it goes by is what is in force now.
// The function is safe for concurrent use.
func (g *Gate) Below(why string) func(t Target) bool {
	c := g.open(Request{})
	return func(t Target) bool {
		if t.Protected != "" {
			return false
		}
		switch v, _, _ := c.rules.File(false, t); v {
		case rule.Deny, rule.Ask:
			return false
		case rule.Allow:
			return true
		}
		return t.Secret == "" || t.Secret == why || c.mode == AllowAll
	}
}
