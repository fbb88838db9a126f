package headless

import (
	"encoding/json"
	"fmt"
	"strings"

	"drawbridge/rpc/protocol"
)

// Question renders a question whole, and nothing twice: its title is left out
// where the line above has it, and a command that its title shows as it is.
func (v *TextView) Question(q protocol.ApprovalRequestParams) string {
	who := ""
	if q.Origin != nil {
		who = oneLine(q.Origin.SubagentID) + ": "
		if q.Origin.Title != "" {
			who = oneLine(q.Origin.SubagentID) + " (" + oneLine(q.Origin.Title) + "): "
		}
	}
	lines := []string{v.paint(yellow, "? ") + who + v.short(q.Title) + v.paint(dim, "  ("+oneLine(q.Reason)+")")}
	if v.titled(q) {
		lines[0] = v.paint(yellow, "? ") + who + "needs a yes" + v.paint(dim, "  ("+oneLine(q.Reason)+")")
	}
	switch {
	case q.Command != nil:
		lines = append(lines, v.command(q)...)
	case q.Change != nil:
		lines = append(lines, v.diff(q.Change.Diff))
	case q.URL != "":
		lines = append(lines, "  from "+oneLine(q.URL))
	}
	return strings.Join(append(lines, v.remembered(q)...), "\n")
}

// parts are the commands within a command, each with what the rules say. One
// alone that no rule covers is said by the question itself.
func (v *TextView) parts(c protocol.CommandQuestion) (lines []string) {
	if len(c.Parts) == 1 && c.Parts[0].Verdict == protocol.VerdictAsk && strings.HasPrefix(c.Parts[0].Why, "no rule covers ") {
		return nil
	}
	colours := map[protocol.Verdict]string{protocol.VerdictAllow: green, protocol.VerdictAsk: yellow, protocol.VerdictDeny: red}
	for _, p := range c.Parts {
		text := oneLine(strings.Join(p.Argv, " "))
		if at := p.Span; text == "" && 0 <= at.Start && at.Start <= at.End && at.End <= len(c.Text) {
			text = oneLine(c.Text[at.Start:at.End])
		}
		lines = append(lines, "    "+v.paint(colours[p.Verdict], fmt.Sprintf("%-5s ", p.Verdict))+text+v.paint(dim, "  "+oneLine(p.Why)))
	}
	return lines
}

// remembered are the rules that a yes for longer would leave behind, each once,
// with the answers that leave it.
func (v *TextView) remembered(q protocol.ApprovalRequestParams) (lines []string) {
	if !v.Typing {
		return nil // nobody is there to choose
	}
	letters := map[string]string{}
	var rules []string
	for _, o := range q.Options {
		letter := scopeLetters[o.Scope]
		if q.Change != nil && len(q.Change.Hunks) > 1 && o.Scope != protocol.ScopeSession {
			continue // hunk by hunk, those letters mean something else
		}
		if o.Kind == protocol.OptionAllow && o.Rule != "" && letter != "" {
			if letters[o.Rule] == "" {
				rules = append(rules, o.Rule)
			}
			letters[o.Rule] += "/" + letter
		}
	}
	for _, r := range rules {
		lines = append(lines, v.paint(dim, "  "+letters[r][1:]+" remembers: ")+indented(r, "    "))
	}
	return lines
}

// why is how a question came to be asked.
func why(q protocol.ApprovalRequestParams) string {
	var b strings.Builder
	for _, line := range q.Derivation {
		b.WriteString("  · " + oneLine(line) + "\n")
	}
	return b.String()
}

// titled says that the title of a question's call stands right above it. Behind
// an open question there is no telling what will.
func (v *TextView) titled(q protocol.ApprovalRequestParams) bool {
	c := v.call(q.CallID)
	return q.Origin == nil && v.open == 0 && v.onScreen == q.CallID && !c.ran && c.Title == q.Title
}

// command renders what would run, or be typed, what it is for and what would
// hold it.
func (v *TextView) command(q protocol.ApprovalRequestParams) (lines []string) {
	c := q.Command
	switch {
	case c.TypedInto != "":
		lines = append(lines, "  typed into "+v.short(c.TypedInto), "  › "+indented(c.Text, "    "))
	case strings.TrimSpace(c.Text) != v.short(q.Title):
		lines = append(lines, "  $ "+indented(c.Text, "    "))
	}
	if words := v.asker(q).described(q.CallID); words != "" {
		lines = append(lines, "  the model says: "+words)
	}
	if c.Escalation != "" {
		lines = append(lines, "  the model says why: "+indented(c.Escalation, "    "))
	}
	lines = append(lines, v.parts(*c)...)
	where := "  in " + v.short(c.Cwd)
	if notes := held(*c); len(notes) > 0 {
		where += v.paint(dim, " ["+strings.Join(notes, "; ")+"]")
	}
	return append(lines, where)
}

// described is what the model says that a call does.
func (v *TextView) described(callID string) string {
	var args struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(v.call(callID).Args, &args) // arguments of another shape say nothing
	return oneLine(strings.TrimSpace(args.Description))
}

func held(c protocol.CommandQuestion) (notes []string) {
	switch {
	case c.Escalation != "":
		notes = append(notes, "outside the sandbox")
	case c.Unconfined:
		notes = append(notes, "unconfined")
	case c.Sandbox != "":
		notes = append(notes, "held by "+oneLine(c.Sandbox)+", "+oneLine(string(c.Preset)))
	}
	if c.Background {
		notes = append(notes, "in the background")
	}
	return notes
}
