package headless

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drawbridge/rpc/protocol"
)

// ofChild says whose subagent's event it is; nil for the session's own.
func ofChild(params json.RawMessage) *protocol.Origin {
	return decode[protocol.Event](params).Origin
}

// child is the view of a subagent: like that of its parent, but set in behind a
// bar, and without an end of its own.
func (v *TextView) child(o protocol.Origin) *TextView {
	c := v.children[o.SubagentID]
	if c == nil {
		c = &TextView{Color: v.Color, Dir: v.Dir, Typing: v.Typing, inset: true}
		c.Out, c.by = &inset{parent: v, id: o.SubagentID}, "  (by "+oneLine(o.SubagentID)+")"
		if v.children == nil {
			v.children = map[string]*TextView{}
		}
		v.children[o.SubagentID] = c
	}
	return c
}

// childEvent shows what a subagent does. Its reasoning is left out.
func (v *TextView) childEvent(o protocol.Origin, method string, params json.RawMessage) {
	switch method {
	case "thought/chunk", "trust/required", "approval/reminder":
	default:
		v.child(o).Event(method, params)
	}
}

// asker is the view that a question's call stands in.
func (v *TextView) asker(q protocol.ApprovalRequestParams) *TextView {
	if q.Origin == nil {
		return v
	}
	return v.child(*q.Origin)
}

// family are the views of the session and of its subagents, in the order of
// their names.
func (v *TextView) family() []*TextView {
	all := []*TextView{v}
	for _, id := range slices.Sorted(maps.Keys(v.children)) {
		all = append(all, v.children[id])
	}
	return all
}

// inset writes the lines of a subagent into its parent's view.
type inset struct {
	parent *TextView
	id     string
	within bool // a line of its own has begun
}

// bar begins a line; where there are several subagents it says whose it is.
func (w *inset) bar() string {
	if len(w.parent.children) < 2 {
		return w.parent.paint(dim, "  │ ")
	}
	return w.parent.paint(dim, "  │"+oneLine(w.id[max(0, len(w.id)-4):])+" ")
}

func (w *inset) Write(p []byte) (int, error) {
	text := string(p)
	if w.parent.writer != w {
		if w.within { // its line was ended when others wrote
			text = strings.TrimPrefix(text, "\n")
		}
		w.parent.freshLine()
		w.within = false
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !w.within {
			b.WriteString(w.bar())
		}
		b.WriteString(line)
		w.within = !strings.HasSuffix(line, "\n")
	}
	w.parent.print(b.String())
	w.parent.writer, w.parent.onScreen = w, ""
	return len(p), nil
}

// subagentUpdated says that a subagent came, waits in the background, or is gone.
func (v *TextView) subagentUpdated(u protocol.SubagentUpdated) {
	a := u.Subagent
	if v.subagents == nil {
		v.subagents = map[string]protocol.SubagentState{}
	}
	before, known := v.subagents[a.SubagentID]
	v.subagents[a.SubagentID] = a.State
	switch {
	case !known && a.State != protocol.SubagentEnded:
		v.line(v.paint(dim, "  │ "+oneLine(a.SubagentID)+" ") + oneLine(a.Title) + v.paint(dim, "  "+oneLine(a.Model)))
	case a.State == protocol.SubagentEnded && (before == protocol.SubagentRunning || before == protocol.SubagentWaiting):
		v.line(v.paint(dim, "  │ "+oneLine(a.SubagentID)+" is gone  "+oneLine(a.Detail)))
	}
}

// Waiting says what a run still waits for.
func (v *TextView) Waiting(subagents int) {
	what := "a subagent that works"
	if subagents > 1 {
		what = fmt.Sprintf("%d subagents that work", subagents)
	}
	v.line(v.paint(dim, "waits for "+what+" in the background; Ctrl-C ends it all"))
}

// pictures names what the model was given to see.
func pictures(done protocol.ToolCallCompleted) string {
	if len(done.Images) == 0 {
		return ""
	}
	kinds := make([]string, len(done.Images))
	for i, p := range done.Images {
		kinds[i] = oneLine(p.MimeType)
	}
	return fmt.Sprintf("shown to the model: %s  ", strings.Join(kinds, ", "))
}

// settingsChanged says what became of settings that were changed during the run.
func (v *TextView) settingsChanged(s protocol.SettingsChanged) {
	if s.Applied && len(s.Changed) > 0 {
		v.line(v.paint(dim, "settings changed: "+oneLine(strings.Join(s.Changed, ", "))))
	}
	for _, p := range s.Problems {
		code := red
		if p.Warning {
			code = yellow
		}
		v.line(v.paint(code, fmt.Sprintf("%s:%d:%d: %s", oneLine(p.File), p.Line, p.Column, oneLine(p.Message))))
	}
	if !s.Applied && len(s.Problems) > 0 {
		v.line(v.paint(dim, "the settings as they were go on to count"))
	}
}
