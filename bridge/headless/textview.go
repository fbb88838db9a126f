package headless

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/rpc/protocol"
)

// TextView shows a turn to a person. What arrives while a question is open is
// held back until it is answered, so that nothing scrolls the question away.
type TextView struct {
	Out   io.Writer
	Color bool
	// Dir shortens paths.
	Dir string

	open     int // questions
	held     strings.Builder
	newline  bool // the last thing shown did not end its line
	thinking bool // the last piece of text was reasoning
	shown    map[string]bool
	calls    map[string]protocol.ToolCallStarted
	started  time.Time
	changed  []string
	ran      []string
	steps    int
	// terminals says that commands show their raw output, without our notes.
	terminals bool
}

// Colours of the view, as SGR parameters.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (v *TextView) paint(code, text string) string {
	if !v.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// print shows text, or holds it while a question is open.
func (v *TextView) print(text string) {
	if text == "" {
		return
	}
	if v.open > 0 {
		v.held.WriteString(text)
		return
	}
	v.newline = !strings.HasSuffix(text, "\n")
	_, _ = io.WriteString(v.Out, text) // a reader that is gone misses it; the turn goes on
}

// line shows text on lines of its own.
func (v *TextView) line(text string) {
	if v.newline && v.open == 0 {
		v.print("\n")
	}
	v.print(text + "\n")
}

func decode[T any](params json.RawMessage) (t T) {
	_ = json.Unmarshal(params, &t) // an event of another shape shows as empty
	return t
}

// Event shows a notification of the bridge.
func (v *TextView) Event(method string, params json.RawMessage) {
	switch method {
	case "turn/started":
		v.started, v.calls, v.shown = time.Now(), map[string]protocol.ToolCallStarted{}, map[string]bool{}
	case "message/chunk":
		v.say(decode[protocol.MessageChunk](params).Text, false)
	case "thought/chunk":
		v.say(decode[protocol.ThoughtChunk](params).Text, true)
	case "toolCall/started":
		v.callStarted(decode[protocol.ToolCallStarted](params))
	case "toolCall/updated":
		v.callUpdated(decode[protocol.ToolCallUpdated](params))
	case "toolCall/completed":
		v.callCompleted(decode[protocol.ToolCallCompleted](params))
	case "terminal/output":
		v.terminalOutput(decode[protocol.TerminalOutput](params))
	case "change/updated":
		v.changeUpdated(decode[protocol.ChangeUpdated](params))
	case "state/changed":
		v.stateChanged(decode[protocol.StateChanged](params))
	case "usage/updated":
		v.steps++
	case "window/logMessage", "window/showMessage":
		v.line(v.paint(yellow, decode[struct{ Message string }](params).Message))
	}
}

// say shows a piece of the answer, or of the reasoning, each on lines of its
// own.
func (v *TextView) say(text string, thought bool) {
	if thought != v.thinking && v.newline {
		v.print("\n")
	}
	v.thinking = thought
	if thought {
		text = v.paint(dim, text)
	}
	v.print(text)
}

func (v *TextView) callStarted(c protocol.ToolCallStarted) {
	if v.calls == nil {
		v.calls = map[string]protocol.ToolCallStarted{}
	}
	v.calls[c.CallID] = c
	v.line(v.paint(cyan, "● ") + v.paint(bold, c.Name) + " " + v.short(c.Title))
}

// callUpdated shows the live text of commands; the text of other tools is for
// the model.
func (v *TextView) callUpdated(u protocol.ToolCallUpdated) {
	if v.calls[u.CallID].Access == protocol.AccessExecute {
		v.print(v.paint(dim, u.Text))
	}
}

func (v *TextView) terminalOutput(o protocol.TerminalOutput) {
	v.terminals = true
	if o.Gap > 0 {
		v.line(v.paint(yellow, fmt.Sprintf("[%d bytes skipped]", o.Gap)))
	}
	v.print(o.Data)
}

func (v *TextView) callCompleted(c protocol.ToolCallCompleted) {
	call := v.calls[c.CallID]
	took := (time.Duration(c.DurationMs) * time.Millisecond).Round(10 * time.Millisecond)
	if call.Access == protocol.AccessExecute {
		v.ran = append(v.ran, fmt.Sprintf("%s (%s)", v.short(call.Title), c.Status))
	}
	switch c.Status {
	case protocol.CallCompleted:
		v.line(v.paint(green, "  ✓ ") + v.paint(dim, took.String()))
	case protocol.CallFailed:
		v.line(v.paint(red, "  ✗ ") + v.whyFailed(call, c) + v.paint(dim, took.String()))
	default:
		v.line(v.paint(yellow, "  – ") + strings.ReplaceAll(strings.TrimSpace(c.Text), "\n", "\n    "))
	}
}

// whyFailed is the line in which a failed call says why. Of a command whose
// text was shown as it came, the person has read it already.
func (v *TextView) whyFailed(call protocol.ToolCallStarted, c protocol.ToolCallCompleted) string {
	if call.Access == protocol.AccessExecute && c.TerminalID != "" && !v.terminals {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(c.Text), "\n")
	return lines[len(lines)-1] + "  "
}

// changeUpdated shows what was applied, unless its question has shown it.
func (v *TextView) changeUpdated(c protocol.ChangeUpdated) {
	if c.State != protocol.ChangeApplied && c.State != protocol.ChangePartly {
		return
	}
	plus, minus := 0, 0
	for _, h := range c.Hunks {
		if h.State != protocol.HunkRejected {
			plus += strings.Count(h.NewText, "\n")
			minus += strings.Count(h.OldText, "\n")
		}
	}
	if !v.shown[c.ChangeID] {
		v.line(v.diff(hunksText(c.Hunks)))
	}
	v.changed = append(v.changed, fmt.Sprintf("%s  +%d −%d", v.short(c.URI), plus, minus))
}

func hunksText(hunks []protocol.Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		if h.State != protocol.HunkRejected {
			b.WriteString(hunkText(h))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// hunkText renders a hunk as a diff does.
func hunkText(h protocol.Hunk) string {
	var b strings.Builder
	b.WriteString(h.Header + "\n")
	for _, part := range []struct{ sign, text string }{{"-", h.OldText}, {"+", h.NewText}} {
		for line := range strings.Lines(part.text) {
			b.WriteString(part.sign + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}

// diff paints a diff's lines.
func (v *TextView) diff(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
			lines[i] = v.paint(bold, l)
		case strings.HasPrefix(l, "@@"):
			lines[i] = v.paint(cyan, l)
		case strings.HasPrefix(l, "+"):
			lines[i] = v.paint(green, l)
		case strings.HasPrefix(l, "-"):
			lines[i] = v.paint(red, l)
		}
	}
	return strings.Join(lines, "\n")
}

func (v *TextView) stateChanged(s protocol.StateChanged) {
	if s.State == protocol.StateRetry {
		v.line(v.paint(yellow, fmt.Sprintf("retry %d of %d: %s", s.Attempt, s.Max, s.Detail)))
	}
}

// Asked shows a question and holds back what follows.
func (v *TextView) Asked(q protocol.ApprovalRequestParams) {
	if v.open == 0 {
		v.line(v.question(q))
	}
	v.open++
	if q.Change != nil {
		v.markShown(q.Change.ChangeID)
	}
}

func (v *TextView) markShown(change string) {
	if v.shown == nil {
		v.shown = map[string]bool{}
	}
	v.shown[change] = true
}

func (v *TextView) question(q protocol.ApprovalRequestParams) string {
	head := v.paint(yellow, "? ") + v.short(q.Title) + v.paint(dim, "  ("+q.Reason+")")
	switch {
	case q.Command != nil:
		note := ""
		if q.Command.Unconfined {
			note = v.paint(dim, " [unconfined]")
		}
		return head + "\n  $ " + strings.ReplaceAll(q.Command.Text, "\n", "\n    ") + note + "\n  in " + v.short(q.Command.Cwd)
	case q.Change != nil:
		return head + "\n" + v.diff(strings.TrimSuffix(q.Change.Diff, "\n"))
	}
	return head
}

// Answered shows what was held back.
func (v *TextView) Answered(_ protocol.ApprovalRequestParams, a protocol.ApprovalAnswer) {
	v.open--
	if v.open > 0 {
		return
	}
	held := v.held.String()
	v.held.Reset()
	v.newline = false
	v.print(held)
}

// Ended shows the summary.
func (v *TextView) Ended(end Ending) {
	v.open = 0
	v.print(v.held.String())
	v.line("")
	for _, c := range v.changed {
		v.line(v.paint(dim, "changed  ") + c)
	}
	for _, r := range v.ran {
		v.line(v.paint(dim, "ran      ") + r)
	}
	took := ""
	if !v.started.IsZero() {
		took = fmt.Sprintf(", %s, %d steps, %d tokens in, %d out", time.Since(v.started).Round(100*time.Millisecond),
			v.steps, end.Usage.InputTokens, end.Usage.OutputTokens)
	}
	if end.Session != "" {
		v.line(v.paint(dim, "session  ") + end.Session + v.paint(dim, took))
	}
	v.reason(end)
}

func (v *TextView) reason(end Ending) {
	if end.Stop == protocol.StopEndTurn {
		return
	}
	text := string(end.Stop)
	if end.Cause != "" {
		text += ": " + end.Cause
	}
	v.line(v.paint(red, text))
	if end.Hint != "" {
		v.line(end.Hint)
	}
}

// short takes the workspace's folder off a path or URI.
func (v *TextView) short(text string) string {
	text = strings.TrimPrefix(text, "file://")
	if v.Dir == "" || text == v.Dir {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(v.Dir)+string(filepath.Separator), "")
}
