package headless

import (
	"encoding/json"
	"strings"

	"drawbridge/rpc/protocol"
)

// Question renders a question whole, and nothing twice: its title is left out
// where the line above has it, and a command that its title shows as it is.
func (v *TextView) Question(q protocol.ApprovalRequestParams) string {
	lines := []string{v.paint(yellow, "? ") + v.short(q.Title) + v.paint(dim, "  ("+oneLine(q.Reason)+")")}
	if v.titled(q) {
		lines[0] = v.paint(yellow, "? ") + "needs a yes" + v.paint(dim, "  ("+oneLine(q.Reason)+")")
	}
	switch {
	case q.Command != nil:
		lines = append(lines, v.command(q)...)
	case q.Change != nil:
		lines = append(lines, v.diff(q.Change.Diff))
	}
	return strings.Join(lines, "\n")
}

// titled says that the title of a question's call stands right above it. Behind
// an open question there is no telling what will.
func (v *TextView) titled(q protocol.ApprovalRequestParams) bool {
	c := v.call(q.CallID)
	return v.open == 0 && v.onScreen == q.CallID && !c.ran && c.Title == q.Title
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
	if words := v.described(q.CallID); words != "" {
		lines = append(lines, "  the model says: "+words)
	}
	if c.Escalation != "" {
		lines = append(lines, "  the model says why: "+indented(c.Escalation, "    "))
	}
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
