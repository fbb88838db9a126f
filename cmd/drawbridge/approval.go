package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"drawbridge/approval"
	"drawbridge/approval/rule"
	"drawbridge/bridge/headless"
)

// explainFlags are the flags of an explanation.
type explainFlags struct {
	toolFlags
	rules ruleFlags
	tool  string
	json  bool
	// checks shows every check that was made.
	checks bool
}

// explainedJSON is what an explanation prints as JSON.
type explainedJSON struct {
	Verdict    rule.Verdict    `json:"verdict"`
	Why        string          `json:"why"`
	Title      string          `json:"title,omitempty"`
	Mode       approval.Mode   `json:"mode"`
	Preset     approval.Preset `json:"preset"`
	Parts      []explainedPart `json:"parts"`
	Doubts     []string        `json:"doubts,omitempty"`
	Rules      []string        `json:"rules,omitempty"` // would allow it
	Derivation []string        `json:"derivation"`
}

type explainedPart struct {
	Argv    []string      `json:"argv"`
	Span    explainedSpan `json:"span"`
	Verdict rule.Verdict  `json:"verdict"`
	Why     string        `json:"why"`
	Rule    string        `json:"rule,omitempty"`
}

type explainedSpan struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

const approvalAbout = `explain says whether an effect would be allowed, asked about or denied, and why. Nothing is run, asked
or recorded. A RULE is a command and its leading arguments, such as 'git diff', or a file, such as
'write:docs/**'; your settings and remembered yeses count too. With --tool the arguments of a file tool
are read from stdin, as JSON. The exit code is 0 whatever the verdict.
rules lists what people have said beforehand, in the order in which it is looked at, and where each is from.
forget takes a remembered yes back, as rules lists it. What you wrote yourself, take out where it stands.`

func runApproval(args []string) int {
	about := newFlags("approval", "explain [flags] -- 'ONE SHELL LINE' | rules [flags] | forget 'RULE'", approvalAbout)
	if len(args) == 0 {
		about.SetOutput(os.Stderr)
		about.Usage()
		return exitUsage
	}
	switch args[0] {
	case "explain":
		return runExplain(args[1:])
	case "rules":
		return runRules(args[1:])
	case "forget":
		return runForget(args[1:])
	}
	if strings.HasPrefix(args[0], "-") {
		if _, exit := parse(about, args); exit >= 0 {
			return exit
		}
	}
	return fail(fmt.Errorf("approval has explain, rules and forget, not %q", args[0]))
}

func runExplain(args []string) int {
	var f explainFlags
	fs := newFlags("approval explain", "[flags] -- 'ONE SHELL LINE'", approvalAbout)
	fs.StringVar(&f.mode, "approve", "", "mode: always-ask (default), auto-edit, read-only, plan, allow-all, deny-all")
	fs.StringVar(&f.preset, "preset", "", presetHelp)
	fs.StringVar(&f.profile, "profile", "", profileHelp)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	fs.StringVar(&f.tool, "tool", "", "explain a call of this tool, its arguments as JSON on stdin")
	fs.BoolVar(&f.json, "json", false, "print one JSON object {verdict, why, parts, derivation}")
	fs.BoolVar(&f.checks, "checks", false, "show every check in its order")
	rules := addRuleFlags(fs)
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	f.rules = *rules
	if (f.tool == "") != (len(rest) == 1) {
		return fail(errors.New("give one shell line as a single argument, or --tool with arguments on stdin; see drawbridge approval explain --help"))
	}
	b, err := openToolbox(f.toolFlags, f.rules)
	if err != nil {
		return fail(err)
	}
	defer b.close()
	e, title, err := b.explain(f.tool, rest, os.Stdin)
	if err != nil {
		return fail(err)
	}
	if f.json {
		return printJSON(b.explained(e, title))
	}
	return show(b.explanation(e, title, strings.Join(rest, ""), f.checks))
}

// explain asks the session's gate about a line, or about a call of a tool.
func (b *toolbox) explain(tool string, rest []string, in io.Reader) (approval.Explanation, string, error) {
	if tool == "" {
		return b.session.ExplainCommand(rest[0]), "", nil
	}
	args, err := io.ReadAll(in)
	if err != nil {
		return approval.Explanation{}, "", fmt.Errorf("read arguments: %w", err)
	}
	return b.session.Explain(context.Background(), tool, string(args))
}

func (b *toolbox) explained(e approval.Explanation, title string) explainedJSON {
	info := b.session.Info()
	out := explainedJSON{
		Verdict: e.Verdict, Why: e.Why, Title: title, Mode: info.Mode, Preset: info.Preset,
		Parts: []explainedPart{}, Derivation: e.Derivation, Rules: e.Rules,
	}
	for _, p := range e.Parts {
		out.Parts = append(out.Parts, explainedPart{
			Argv: argv(p), Span: explainedSpan(p.Command.Span), Verdict: p.Verdict, Why: p.Why, Rule: p.Rule,
		})
	}
	for _, d := range e.Doubts {
		out.Doubts = append(out.Doubts, d.Why)
	}
	return out
}

func argv(p rule.Part) []string {
	words := []string{}
	for _, w := range p.Command.Argv {
		words = append(words, w.Text)
	}
	return words
}

// explanation is for people: the verdict, each command of the line, and the
// checks in their order.
func (b *toolbox) explanation(e approval.Explanation, title, line string, checks bool) string {
	info := b.session.Info()
	var t strings.Builder
	fmt.Fprintf(&t, "%s: %s\n", e.Verdict, headless.Visible(e.Why))
	if title != "" {
		fmt.Fprintf(&t, "  %s\n", headless.Visible(title))
	}
	for _, p := range e.Parts {
		fmt.Fprintf(&t, "  %-5s  %s\n", p.Verdict, headless.Visible(words(p, line)))
		fmt.Fprintf(&t, "         %s\n", headless.Visible(p.Why))
	}
	for _, d := range e.Doubts {
		fmt.Fprintf(&t, "  not understood: %s\n", headless.Visible(d.Why))
	}
	for _, r := range e.Rules {
		fmt.Fprintf(&t, "  a rule that allows it: %s\n", headless.Visible(r))
	}
	fmt.Fprintf(&t, "in mode %s, preset %s\n", info.Mode, info.Preset)
	for i, line := range e.Derivation {
		if !checks {
			break
		}
		fmt.Fprintf(&t, "  %d. %s\n", i+1, headless.Visible(line))
	}
	return t.String()
}

func runRules(args []string) int {
	var f toolFlags
	var asJSON bool
	fs := newFlags("approval rules", "[flags]", approvalAbout)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	fs.BoolVar(&asJSON, "json", false, "print a JSON array of {verdict, rule, source, where, problem}; the verdict of an entry that cannot be read is ?")
	flags := addRuleFlags(fs)
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("approval rules takes no argument %q", rest[0]))
	}
	b, err := openToolbox(f, *flags)
	if err != nil {
		return fail(err)
	}
	defer b.close()
	return b.showRules(asJSON)
}

func runForget(args []string) int {
	var f toolFlags
	fs := newFlags("approval forget", "[flags] 'RULE'", approvalAbout)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) != 1 {
		return fail(errors.New("name one rule as a single argument, as approval rules lists it"))
	}
	b, err := openToolbox(f, nil)
	if err != nil {
		return fail(err)
	}
	defer b.close()
	return b.forget(rest[0])
}

// forget takes a yes back wherever it is remembered.
func (b *toolbox) forget(text string) int {
	var done []string
	for _, source := range []rule.Source{rule.GrantWorkspace, rule.GrantUser} {
		forgotten, err := b.setup.said.forget(b.session.Info().Dir, source, text)
		if err != nil {
			return fail(err)
		}
		if forgotten {
			done = append(done, grantWords[source])
		}
	}
	if len(done) == 0 {
		fmt.Fprintf(os.Stderr, "drawbridge: no remembered yes is %q; approval rules lists them\n", text)
		return exitFault
	}
	return show("forgotten, " + strings.Join(done, " and ") + ": " + headless.Visible(text) + "\n")
}

// grantWords say for how long a yes is remembered.
var grantWords = map[rule.Source]string{
	rule.GrantWorkspace: "remembered in this workspace", rule.GrantUser: "remembered always",
	rule.GrantSession: "remembered for this session", rule.Factory: "built in",
}

// listedRule is a rule as it is printed.
type listedRule struct {
	Verdict rule.Verdict `json:"verdict"`
	Rule    string       `json:"rule"`
	Source  rule.Source  `json:"source"`
	Where   string       `json:"where,omitempty"`
	Problem string       `json:"problem,omitempty"`
}

// listedVerdict is the verdict as it was written. One that cannot be read protects
// like a denial, but is none.
func listedVerdict(r rule.Rule) rule.Verdict {
	if r.Guessed {
		return "?"
	}
	return r.Verdict
}

func (b *toolbox) showRules(asJSON bool) int {
	rules := []listedRule{}
	for _, r := range b.session.Rules() {
		rules = append(rules, listedRule{listedVerdict(r), r.Text, r.Source, r.Where, r.Problem})
	}
	if asJSON {
		return printJSON(rules)
	}
	if len(rules) == 0 {
		return show("no rules: the mode decides about everything; see docs/approval.md\n")
	}
	var t strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&t, "%-5s  %-40s  %s\n", r.Verdict, headless.Visible(cmp.Or(r.Rule, "(unreadable)")), headless.Visible(cmp.Or(grantWords[r.Source], r.Where, string(r.Source))))
		if r.Problem != "" {
			fmt.Fprintf(&t, "       does not count: %s\n", headless.Visible(r.Problem))
			if r.Verdict != rule.Allow {
				t.WriteString("       while it is there, no rule of its kind allows anything\n")
			}
		}
	}
	return show(t.String())
}

// words are those of a command, else what it is in the line.
func words(p rule.Part, line string) string {
	if argv := argv(p); len(argv) > 0 {
		return strings.Join(quoteWords(argv), " ")
	}
	at := p.Command.Span
	if at.Start < 0 || at.End > len(line) || at.Start > at.End {
		return ""
	}
	return line[at.Start:at.End]
}

// quoteWords are words as a shell would read them again.
func quoteWords(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?[]{}#~!") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return quoted
}
