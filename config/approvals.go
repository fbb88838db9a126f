package config

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Approval is what is said beforehand about effects, and how long a question
// to a person waits.
type Approval struct {
	Timeout time.Duration // 0 waits for ever
	Remind  time.Duration // 0 never reminds
	Rules   []RuleText
	Tools   []ToolText
	Denials Denials
}

// RuleText is a rule as it was written. What it means is not known here.
type RuleText struct {
	Verdict string // "allow", "ask", "deny"
	Text    string
	Where   string // file:line:column
	// Problem is why it cannot be a rule. Its Verdict is then the strictest that
	// may have been meant, and its Text "" where nothing was readable. Guessed says
	// that no verdict was readable.
	Problem string
	Guessed bool
}

// ToolText is what becomes of all calls of a tool.
type ToolText struct {
	Name, Policy string
	Where        string // file:line:column
}

// Denials are command lines that are never run. Own says that Rules stand in
// place of those that are built in, also when there are none.
type Denials struct {
	Enabled bool
	Own     bool
	Rules   []DenialText
}

// DenialText is a pattern of command lines, as it was written; without one it
// names what is built in.
type DenialText struct {
	Name, Pattern string
	Enabled       bool
	Where         string
}

var (
	verdictWords = []string{"allow", "ask", "deny"}
	policyWords  = []string{"always_allow", "always_ask", "always_deny"}
)

func approvalRows() []setting {
	return []setting{
		of(setting{
			path: "approval.timeout", kind: "duration", when: AfterRestart, shape: durationShape(),
			doc: "How long a question waits before it is answered with no. Without it: for ever.",
		}, readDuration, func(c *Config) *time.Duration { return &c.Approval.Timeout }),
		waiting("approval.remind", "24h", "1m", 24*time.Hour,
			"After what time a question that nobody has answered is brought to mind; then again after twice as long, and so on. "+
				"With `0` never.",
			func(c *Config) *time.Duration { return &c.Approval.Remind }),
		placed("approval.rules", "list of rules", rulesShape(),
			"What is allowed, asked about or denied beforehand: entries such as `allow: git diff`, `ask: git push` or "+
				"`deny: rm` ([rules.md](rules.md)). An entry that cannot be read counts for nothing and is told about; while one "+
				"is there that may have been a denial or a question, no rule of its kind allows anything.",
			func(n *yaml.Node, c *Config) error { return readRules(n, c.File, &c.Approval.Rules) },
			func(c *Config) any { return without(c.Approval.Rules, func(r *RuleText) *string { return &r.Where }) }),
		placed("approval.tools", "names of tools with a policy", shape{"type": "object", "additionalProperties": oneOf(policyWords...)},
			"What becomes of all calls of a tool: `always_allow`, `always_ask` or `always_deny`.",
			func(n *yaml.Node, c *Config) error { return readPolicies(n, c.File, &c.Approval.Tools) },
			func(c *Config) any { return without(c.Approval.Tools, func(t *ToolText) *string { return &t.Where }) }),
		switched("approval.denials.enabled", "true", AtOnce,
			"Whether some command lines are never run, whoever agrees: those that wipe disks or whole folders. It guards against "+
				"accidents; it is no wall.",
			func(c *Config) *bool { return &c.Approval.Denials.Enabled }),
		placed("approval.denials.rules", "list of patterns", denialsShape(),
			"Denials in place of those that are built in, each with `name`, `pattern` (a regular expression, looked for in the "+
				"command line without quotes and with single blanks; without one the built-in denial of that name) and `enabled`. "+
				"One that cannot be read is passed over and told about. An empty list denies nothing.",
			func(n *yaml.Node, c *Config) error {
				c.Approval.Denials.Own = true
				return readDenials(n, c.File, &c.Approval.Denials.Rules)
			},
			func(c *Config) any {
				if !c.Approval.Denials.Own {
					return nil
				}
				return without(c.Approval.Denials.Rules, func(d *DenialText) *string { return &d.Where })
			}),
	}
}

// placed is a setting whose entries remember where they stand, which get leaves
// out: that they moved is no change.
func placed(path, kind string, s shape, doc string, read func(n *yaml.Node, c *Config) error, get func(c *Config) any) setting {
	return setting{
		path: path, kind: kind, when: AtOnce, shape: s, doc: doc, get: get, show: get,
		read: func(c *Config, n *yaml.Node) error { return read(n, c) },
	}
}

// without copies a list and empties a text of each entry.
func without[T any](list []T, text func(entry *T) *string) []T {
	all := slices.Clone(list)
	for i := range all {
		*text(&all[i]) = ""
	}
	return all
}

// rulesShape names the verdicts. An entry that is none is no fault, but counts
// for nothing: an editor may mark it all the same.
func rulesShape() shape {
	verdicts := map[string]any{}
	for _, v := range verdictWords {
		verdicts[v] = textShape()
	}
	rule := section(verdicts)
	rule["minProperties"], rule["maxProperties"] = 1, 1
	return listOf(rule)
}

func denialsShape() shape {
	return listOf(section(map[string]any{"name": textShape(), "pattern": textShape(), "enabled": shape{"type": "boolean"}}, "name"))
}

// readRules takes a list of rules. An entry that is none is kept with its
// problem: whoever judges must know that something was meant there.
func readRules(n *yaml.Node, file string, into *[]RuleText) error {
	if n.Kind != yaml.SequenceNode {
		return faultf(n, "want a list of rules such as - allow: git diff, have a %s", nodeWord(n))
	}
	rules := make([]RuleText, len(n.Content))
	for i, item := range n.Content {
		rules[i] = readRule(item, file)
	}
	*into = rules
	return nil
}

func readRule(n *yaml.Node, file string) RuleText {
	r := RuleText{Verdict: "deny", Guessed: true, Where: place(file, n)}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		r.Problem = "want one verdict with one rule, such as allow: git diff; have a " + nodeWord(n)
		return r
	}
	key, value := n.Content[0], n.Content[1]
	if value.Kind == yaml.ScalarNode {
		r.Text = value.Value
	}
	if !slices.Contains(verdictWords, key.Value) {
		r.Problem = fmt.Sprintf("unknown verdict %q: choose %s%s", key.Value, strings.Join(verdictWords, ", "), meant(key.Value, verdictWords))
		return r
	}
	r.Verdict, r.Guessed, r.Where = key.Value, false, place(file, value)
	if err := readText(value, &r.Text); err != nil {
		r.Problem = err.Error()
	}
	return r
}

func place(file string, n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", file, n.Line, n.Column) }

// problems are those of entries that are no rules, a line each.
func problems(rules []RuleText) []string {
	var lines []string
	for _, r := range rules {
		if r.Problem != "" {
			lines = append(lines, r.Where+": approval.rules: this entry does not count: "+r.Problem)
		}
	}
	return lines
}

// readPolicies takes names of tools, which are not known here; CheckTools looks
// at them.
func readPolicies(n *yaml.Node, file string, into *[]ToolText) error {
	if n.Kind != yaml.MappingNode {
		return faultf(n, "want names of tools with a policy, have a %s", nodeWord(n))
	}
	var list []ToolText
	var errs []error
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		t := ToolText{Name: key.Value, Where: place(file, key)}
		if slices.ContainsFunc(list, func(o ToolText) bool { return o.Name == t.Name }) {
			errs = append(errs, faultf(key, "%s is set twice", t.Name))
			continue
		}
		if err := readChoice(value, policyWords, &t.Policy); err != nil {
			errs = append(errs, faultf(value, "%s: %s", t.Name, err.Error()))
		}
		list = append(list, t)
	}
	*into = list
	return errors.Join(errs...)
}

// CheckTools refuses policies of tools that there are not: one that is spelled
// wrong would leave the tool to what its author did not want.
func (a *Approval) CheckTools(known []string) error {
	var errs []error
	for _, t := range a.Tools {
		if !slices.Contains(known, t.Name) {
			errs = append(errs, At(t.Where, fmt.Sprintf("approval.tools: there is no tool %q: choose %s%s", t.Name, strings.Join(known, ", "), meant(t.Name, known))))
		}
	}
	return errors.Join(errs...)
}

func readDenials(n *yaml.Node, file string, into *[]DenialText) error {
	if n.Kind != yaml.SequenceNode {
		return faultf(n, "want a list of patterns, have a %s", nodeWord(n))
	}
	denials := []DenialText{} // without those at fault: nothing else is to be said of them
	var errs []error
	for _, item := range n.Content {
		d, err := readDenial(item, file)
		if err == nil {
			denials = append(denials, d)
		}
		errs = append(errs, err)
	}
	*into = denials
	return errors.Join(errs...)
}

func readDenial(n *yaml.Node, file string) (DenialText, error) {
	d := DenialText{Enabled: true, Where: place(file, n)}
	if n.Kind != yaml.MappingNode {
		return d, faultf(n, "want name, pattern and enabled, have a %s", nodeWord(n))
	}
	pattern := n
	var errs []error
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "name":
			errs = append(errs, readText(value, &d.Name))
		case "pattern":
			pattern = value
			errs = append(errs, readText(value, &d.Pattern))
		case "enabled":
			errs = append(errs, readBool(value, &d.Enabled))
		default:
			keys := []string{"name", "pattern", "enabled"}
			errs = append(errs, faultf(key, "unknown key %q: choose %s%s", key.Value, strings.Join(keys, ", "), meant(key.Value, keys)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return d, err // a name may be what a key was meant to be
	}
	if d.Name == "" {
		return d, errors.Join(faultf(n, "want a name, and a pattern unless a built-in one has that name"), badPattern(pattern, d.Pattern))
	}
	return d, nil
}

// badPattern is what keeps text from being a regular expression. Of a denial with a
// name it is no fault, but told of by its name.
func badPattern(n *yaml.Node, text string) error {
	_, err := regexp.Compile(text)
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return nil
	}
	return faultf(n, "%q is no regular expression: %s", text, bad.Code)
}
