// Package rule reads, matches and proposes rules: what people have said
// beforehand about commands and files. The same matcher reads what was written,
// what was remembered, and tests what is about to be remembered. It asks nobody,
// keeps nothing and starts no goroutine.
package rule

// Verdict is what rules say. The zero value is that none does.
type Verdict string

const (
	// Open: no rule covers it; the mode decides.
	Open  Verdict = ""
	Allow Verdict = "allow"
	Ask   Verdict = "ask" // a person decides, in any mode
	Deny  Verdict = "deny"
)

// strictness orders verdicts: what may run least comes last.
func (v Verdict) strictness() int {
	switch v {
	case Open:
		return 1
	case Ask:
		return 2
	case Deny:
		return 3
	}
	return 0
}

// stricter is the one of the two that lets less through.
func stricter(a, b Verdict) Verdict {
	if b.strictness() > a.strictness() {
		return b
	}
	return a
}

// Source is where a rule is from.
type Source string

const (
	Factory        Source = "factory"
	User           Source = "user"
	Flag           Source = "flag"
	Repository     Source = "repository"
	GrantUser      Source = "grantUser"
	GrantWorkspace Source = "grantWorkspace"
	GrantSession   Source = "grantSession"
)

// Rule is one line of what people have said beforehand.
type Rule struct {
	Verdict Verdict
	// Text is the rule in its one spelling: what Parse makes of it again is equal.
	Text   string
	Source Source
	Where  string // file and line, or the setting
	// Problem is why it does not count; such a rule only has what was written.
	Problem string
	// Guessed says of a rule with a Problem that no verdict was readable either: it
	// is the strictest that may have been meant.
	Guessed bool
	// Root is the folder that relative paths in it are meant from, with links
	// followed; "" when it has none.
	Root string
}

// says names the rule for people, with where it is from.
func (r Rule) says() string {
	word := "allowed"
	switch r.Verdict {
	case Ask:
		word = "asked"
	case Deny:
		word = "denied"
	}
	where := r.Where // of a yes it is a file that nobody should have to know
	switch r.Source {
	case GrantSession:
		where = "remembered for this session"
	case GrantWorkspace:
		where = "remembered in this workspace"
	case GrantUser:
		where = "remembered always"
	}
	if where != "" {
		return word + " by rule `" + r.Text + "` (" + where + ")"
	}
	return word + " by rule `" + r.Text + "`"
}
