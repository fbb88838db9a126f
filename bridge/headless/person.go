package headless

import (
	"context"
	"fmt"
	"io"
	"strings"

	"drawbridge/rpc/protocol"
)

// Answer asks the person, in their turn: questions are shown whole, one after
// the other. No answer is a denial; asked again about the same effect, a person
// who gave none is not bothered twice.
func (t *Terminal) Answer(ctx context.Context, q protocol.ApprovalRequestParams, text string) protocol.ApprovalAnswer {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return dismissed
	}
	defer func() { <-t.turn }()
	same := effect(q)
	if ctx.Err() != nil || same == t.declined {
		return dismissed
	}
	t.listen()
	defer t.unlisten()
	fmt.Fprintln(t.out, text)
	ask := t.whole
	if q.Change != nil && len(q.Change.Hunks) > 1 {
		ask = t.byHunk
	}
	answer := ask(ctx, q)
	if answer.Outcome == protocol.ApprovalDismissed && ctx.Err() == nil {
		t.declined = same
	}
	return answer
}

var dismissed = protocol.ApprovalAnswer{Outcome: protocol.ApprovalDismissed}

// scopeLetters are what a person types for a yes that holds that long.
var scopeLetters = map[protocol.Scope]string{
	protocol.ScopeSession: "s", protocol.ScopeWorkspace: "w", protocol.ScopeUser: "a",
}

// scopes are those letters in the order in which they are offered.
var scopes = []protocol.Scope{protocol.ScopeSession, protocol.ScopeWorkspace, protocol.ScopeUser}

var scopeHelp = map[protocol.Scope]string{
	protocol.ScopeSession:   "yes, and to what the rule covers for the rest of this session",
	protocol.ScopeWorkspace: "yes, and to what the rule covers in this workspace from now on",
	protocol.ScopeUser:      "yes, and to what the rule covers anywhere from now on",
}

// offer is what may be answered to a question that is put whole.
type offer struct {
	q       protocol.ApprovalRequestParams
	letters []string          // in order
	ids     map[string]string // of options, by letter
	rules   map[string]string // by letter
	rule    string            // as the person rewrote it
	help    string
}

func offered(q protocol.ApprovalRequestParams) *offer {
	o := &offer{q: q, ids: map[string]string{}, rules: map[string]string{}}
	add := func(letter, id, help string) {
		if id != "" || letter == "e" || letter == "?" {
			o.letters, o.ids[letter] = append(o.letters, letter), id
			o.help += "  " + letter + "  " + help + "\n"
		}
	}
	add("y", option(q, protocol.OptionAllow, protocol.ScopeOnce), "yes, once")
	for _, scope := range scopes {
		add(scopeLetters[scope], option(q, protocol.OptionAllow, scope), scopeHelp[scope])
	}
	for _, p := range q.Options {
		if letter := scopeLetters[p.Scope]; p.Editable && letter != "" {
			o.rules[letter] = p.Rule
		}
	}
	if len(o.rules) > 0 {
		add("e", "", "change the rule first")
	}
	if len(q.Derivation) > 0 {
		add("?", "", "why it is asked, and these words")
	}
	add("n", option(q, protocol.OptionDeny, ""), "no")
	o.help += "  What follows the letter is a word to the model.\n"
	return o
}

// answer is the answer that a letter stands for; ok is false when it stands for
// none.
func (o *offer) answer(letter, words string) (a protocol.ApprovalAnswer, ok bool) {
	id := o.ids[letter]
	if id == "" {
		return a, false
	}
	a = chosen(id, words)
	if _, edits := o.rules[letter]; edits {
		a.Rule = o.rule
	}
	return a, true
}

// whole asks about all of an effect. Asked again about the same one, a rule that
// the person has rewritten is still there.
func (t *Terminal) whole(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	o := offered(q)
	if t.rewritten.of == effect(q) && len(o.rules) > 0 {
		o.rule = t.rewritten.rule
		t.showRule(o)
	}
	defer func() { t.rewritten = rewritten{effect(q), o.rule} }()
	prompt := answerMark + "Allow? [" + strings.Join(o.letters, "/") + "] "
	for {
		line, ok := t.ask(ctx, prompt)
		if !ok {
			return dismissed
		}
		word, rest, _ := strings.Cut(line, " ")
		if a, ok := o.answer(word, rest); ok {
			return a
		}
		switch {
		case word == "e" && len(o.rules) > 0:
			t.rewrite(ctx, o)
		case word == "?":
			fmt.Fprint(t.out, why(q)+o.help)
		default:
			fmt.Fprint(t.out, o.help)
		}
	}
}

// rewrite lets the person change each line of the rule. An empty line leaves one
// as it is, a dash leaves it out.
func (t *Terminal) rewrite(ctx context.Context, o *offer) {
	current := o.rule
	for _, scope := range scopes {
		if rule := o.rules[scopeLetters[scope]]; current == "" {
			current = rule
		}
	}
	var lines []string
	for _, old := range strings.Split(current, "\n") {
		line, ok := t.ask(ctx, "  "+oneLine(old)+"\n"+answerMark+"In its place (empty: as it is; -: leave it out): ")
		switch {
		case !ok:
			return
		case line == "":
			lines = append(lines, old)
		case line != "-":
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		fmt.Fprintln(t.out, "  nothing would be left to remember; y says yes once")
		return
	}
	o.rule = strings.Join(lines, "\n")
	t.showRule(o)
	if strings.Contains(current, heldMark) && !strings.Contains(o.rule, heldMark) {
		fmt.Fprintln(t.out, "  without "+strings.TrimSpace(heldMark)+" it counts outside a sandbox too")
	}
}

// heldMark begins a rule that counts only in a sandbox.
const heldMark = "held: "

func (t *Terminal) showRule(o *offer) {
	fmt.Fprint(t.out, "  remembers: "+indented(o.rule, "    ")+"\n")
}

// rewritten is a rule as a person wrote it, for one effect.
type rewritten struct{ of, rule string }

// effect names what a question is about, however often it is asked.
func effect(q protocol.ApprovalRequestParams) string { return q.CallID + " " + q.Digest }

const hunkHelp = "  y  take this hunk\n  n  leave this hunk out\n  a  take this and all that follow\n" +
	"  d  leave this and all that follow out\n  q  no to the whole change\n" +
	"  s  where it is offered: take all, and further changes of this file in this session\n" +
	"  What follows the letter is a word to the model.\n"

// choice is what a person has said of the hunks of a change so far.
type choice struct {
	hunks []protocol.Hunk
	next  int // the hunk that is asked about
	taken protocol.HunkIDs
	words []string
	scope protocol.Scope
}

// byHunk asks about each hunk of a change.
func (t *Terminal) byHunk(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	c := choice{hunks: q.Change.Hunks, taken: protocol.HunkIDs{}, scope: protocol.ScopeOnce}
	session := option(q, protocol.OptionAllow, protocol.ScopeSession) != ""
	for c.next < len(c.hunks) {
		// A yes to a part covers no class.
		letters := "y/n/a/d/q"
		if session && len(c.taken) == c.next {
			letters = "y/n/a/s/d/q"
		}
		line, ok := t.ask(ctx, fmt.Sprintf("%s%sTake hunk %d of %d? [%s] ", indent(hunkText(c.hunks[c.next])),
			answerMark, c.next+1, len(c.hunks), letters))
		if !ok {
			return dismissed
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "q" {
			c.say("", rest)
			return chosen(option(q, protocol.OptionDeny, ""), c.comment())
		}
		if word == "s" && letters != "y/n/a/d/q" {
			word, c.scope = "a", protocol.ScopeSession
		}
		if !c.hear(word, rest) {
			fmt.Fprint(t.out, hunkHelp)
		}
	}
	if len(c.taken) == 0 {
		return chosen(option(q, protocol.OptionDeny, ""), c.comment())
	}
	a := chosen(option(q, protocol.OptionAllow, c.scope), c.comment())
	if len(c.taken) < len(c.hunks) {
		a.Hunks = c.taken
	}
	return a
}

// hear takes an answer about the next hunk; false is what is none.
func (c *choice) hear(word, rest string) bool {
	end := c.next + 1
	if word == "a" || word == "d" {
		end = len(c.hunks)
	}
	switch word {
	case "y", "a":
		for _, h := range c.hunks[c.next:end] {
			c.taken = append(c.taken, h.HunkID)
		}
	case "n", "d":
	default:
		return false
	}
	about := fmt.Sprintf("hunk %d: ", end)
	if end > c.next+1 {
		about = fmt.Sprintf("hunks %d to %d: ", c.next+1, end)
	}
	c.say(about, rest)
	c.next = end
	return true
}

func (c *choice) say(about, words string) {
	if words = strings.TrimSpace(words); words != "" {
		c.words = append(c.words, about+words)
	}
}

func (c *choice) comment() string { return strings.Join(c.words, "\n") }

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// option finds the id of an option; any scope of a denial will do.
func option(q protocol.ApprovalRequestParams, kind protocol.OptionKind, scope protocol.Scope) string {
	for _, o := range q.Options {
		if o.Kind == kind && (kind == protocol.OptionDeny || o.Scope == scope) {
			return o.OptionID
		}
	}
	return ""
}

func chosen(id, comment string) protocol.ApprovalAnswer {
	return protocol.ApprovalAnswer{Outcome: protocol.ApprovalSelected, OptionID: id, Comment: strings.TrimSpace(comment)}
}

// Yes allows everything once, as it was asked.
type Yes struct{ Out io.Writer }

// Answer says yes, and writes to what.
func (y Yes) Answer(_ context.Context, q protocol.ApprovalRequestParams, text string) protocol.ApprovalAnswer {
	fmt.Fprint(y.Out, text+"\n"+answerMark+"Allow? yes (answered by itself)\n")
	return chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), "")
}
