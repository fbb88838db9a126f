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
	// Typing says that what the person types reaches a command that waits for it.
	Typing bool
	// Undo says how the changes are taken back, where that makes sense afterwards.
	Undo bool

	begun    bool // something was shown
	open     int  // questions
	held     strings.Builder
	newline  bool // the last thing shown did not end its line
	thinking bool // the last piece of text was reasoning
	stepOver bool // what the model says next is of another step
	shown    map[string]bool
	calls    map[string]*callView
	onScreen string // the call that the last lines are of
	byTerm   map[string]*callView
	started  time.Time
	changed  []changeView
	ran      []string
	beyond   int // calls that the preset refused
	steps    int

	children  map[string]*TextView // by the subagent's id
	subagents map[string]protocol.SubagentState
	by        string // whose it is, of a child's
	inset     bool   // it is a child's
	writer    *inset // of the child that the last text is of; nil: of none
}

// callView is what was shown of a call.
type callView struct {
	protocol.ToolCallStarted
	output
	ran    bool   // its command wrote, or has a terminal
	live   bool   // in a terminal, without our notes
	tail   string // the end of what it wrote
	partly string // how much of its change stands, when not all
	left   int    // processes that its command left behind
	waits  bool   // its command waits for typing in the background
	// attended is when the person was last told that it waits, or typed into it.
	attended time.Time
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

// paint colours text that has no colours of its own, but for the ends of its
// last lines: who looks for a line's end looks for \n.
func (v *TextView) paint(code, text string) string {
	body := strings.TrimRight(text, "\n")
	if !v.Color || body == "" {
		return text
	}
	return "\x1b[" + code + "m" + body + "\x1b[0m" + text[len(body):]
}

// print shows text, or holds it while a question is open. Out's owner knows
// when it cannot be written.
func (v *TextView) print(text string) {
	if text == "" {
		return
	}
	v.newline, v.begun, v.writer = !strings.HasSuffix(text, "\n"), true, nil
	if v.open > 0 {
		v.held.WriteString(text)
		return
	}
	_, _ = io.WriteString(v.Out, text)
}

// line shows text on lines of its own.
func (v *TextView) line(text string) {
	v.freshLine()
	v.print(text + "\n")
}

// freshLine ends what others wrote: their line and their colours.
func (v *TextView) freshLine() {
	for _, c := range v.calls {
		v.print(c.rest())
	}
	if v.newline {
		v.print("\n")
	}
}

func decode[T any](params json.RawMessage) (t T) {
	_ = json.Unmarshal(params, &t) // an event of another shape shows as empty
	return t
}

// Event shows a notification of the bridge.
func (v *TextView) Event(method string, params json.RawMessage) {
	if o := ofChild(params); o != nil && !v.inset {
		v.childEvent(*o, method, params)
		return
	}
	switch method {
	case "turn/started":
		v.started = time.Now()
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
	case "terminal/opened":
		v.terminalOpened(decode[protocol.TerminalOpened](params))
	case "terminal/updated":
		v.terminalUpdated(decode[protocol.TerminalUpdated](params))
	case "terminal/output":
		v.terminalOutput(decode[protocol.TerminalOutput](params))
	case "change/updated":
		v.changeUpdated(decode[protocol.ChangeUpdated](params))
	case "state/changed":
		v.stateChanged(decode[protocol.StateChanged](params))
	case "turn/notified":
		v.notified(decode[protocol.TurnNotified](params))
	case "usage/updated":
		v.steps++
		v.stepOver = true
	case "approval/reminder":
		v.remind()
	case "trust/required":
		if !v.started.IsZero() { // before the turn the person is asked
			v.Untrusted(decode[protocol.TrustRequired](params))
		}
	case "subagent/updated":
		v.subagentUpdated(decode[protocol.SubagentUpdated](params))
	case "settings/changed":
		v.settingsChanged(decode[protocol.SettingsChanged](params))
	case "window/logMessage", "window/showMessage":
		v.line(v.paint(yellow, indented(decode[struct{ Message string }](params).Message, "  ")))
	}
}

// remind calls a person back who has gone from a question: it stands on the
// screen already.
func (v *TextView) remind() {
	if v.open > 0 && v.Color {
		_, _ = io.WriteString(v.Out, "\a")
	}
}

// Continued says which session is gone on with, and who answers in it.
func (v *TextView) Continued(c Continued) {
	title := ""
	if c.Title != "" {
		title = fmt.Sprintf(" “%s”", oneLine(c.Title))
	}
	mode := "mode " + string(c.Mode)
	if c.Lowered != "" {
		mode += fmt.Sprintf(": it was %s, which holds only when --approve %s says so", c.Lowered, c.Lowered)
	}
	if c.Profile != "" && c.Profile != protocol.ProfileDefault {
		mode = "profile " + oneLine(string(c.Profile)) + ", " + mode
	}
	v.line(v.paint(dim, "continues session "+c.Session+title+", "+mode))
}

// say shows a piece of the answer, or of the reasoning, each on lines of its
// own.
func (v *TextView) say(text string, thought bool) {
	if thought != v.thinking || v.stepOver || v.onScreen != "" || v.writer != nil {
		v.freshLine()
	}
	v.thinking, v.stepOver, v.onScreen = thought, false, ""
	text = Visible(text)
	if thought {
		text = v.paint(dim, text)
	}
	v.print(text)
}

func (v *TextView) stateChanged(s protocol.StateChanged) {
	switch s.State {
	case protocol.StateRetry:
		v.line(v.paint(yellow, fmt.Sprintf("retry %d of %d: %s", s.Attempt, s.Max, oneLine(s.Detail))))
	case protocol.StateInput:
		v.waits(v.call(s.CallID), v.short(s.Detail))
	}
}

// waitsAgain is how long nothing is said of a command that waits for typing
// anew, after it was said or the person has typed into it: who talks to it
// knows.
const waitsAgain = 30 * time.Second

// waits says that a command waits for typing.
func (v *TextView) waits(c *callView, title string) {
	if now := time.Now(); now.Sub(c.attended) >= waitsAgain {
		c.attended = now
	} else {
		return
	}
	how := "nobody is there to type"
	if v.Typing {
		how = "what you type goes to it"
	}
	v.line(v.paint(yellow, title+" waits for typing; "+how))
}

// Typed notes that the person has an eye on a command.
func (v *TextView) Typed(terminal string) {
	if c := v.byTerm[terminal]; c != nil {
		c.attended = time.Now()
	}
}

// notified shows what the model reads of commands in the background, and of what
// was done with its changes since the run before.
func (v *TextView) notified(n protocol.TurnNotified) {
	for _, remark := range n.Remarks {
		v.line(v.paint(dim, "the model is told: ") + indented(remark, "  "))
	}
	for _, one := range n.Notices {
		v.line(v.paint(dim, "ended in the background: ") + v.short(one.Title) + v.paint(dim, "  "+oneLine(one.Detail)))
	}
	v.onScreen = ""
}

// Asked holds back what follows.
func (v *TextView) Asked(q protocol.ApprovalRequestParams) {
	if v.open == 0 {
		v.freshLine()
	}
	v.open++
	if q.Change == nil {
		return
	}
	asker := v.asker(q)
	if asker.shown == nil {
		asker.shown = map[string]bool{}
	}
	asker.shown[q.Change.ChangeID] = true
}

// Answered shows what was held back.
func (v *TextView) Answered(protocol.ApprovalRequestParams, protocol.ApprovalAnswer) {
	v.open--
	if v.open == 0 {
		v.release()
	}
}

func (v *TextView) release() {
	held := v.held.String()
	v.held.Reset()
	v.print(held)
}

// Ended shows the summary.
func (v *TextView) Ended(end Ending) {
	if v.open > 0 {
		v.open = 0
		v.release()
	}
	v.freshLine()
	if v.begun {
		v.print("\n")
	}
	for _, one := range v.family() {
		for _, r := range one.ran {
			v.line(v.paint(dim, "ran      ") + r + v.paint(dim, one.by))
		}
	}
	v.changeSummary(end.Session)
	v.presetSummary()
	for _, title := range end.Stopped {
		v.line(v.paint(dim, "stopped  ") + v.short(title) + v.paint(dim, "  (it still ran)"))
	}
	took := ""
	if !v.started.IsZero() {
		took = fmt.Sprintf(", %s, %d steps, %d tokens in, %d out", time.Since(v.started).Round(100*time.Millisecond),
			v.steps, end.Usage.InputTokens, end.Usage.OutputTokens)
	}
	if end.Session != "" {
		v.line(v.paint(dim, "session  ") + oneLine(end.Session) + v.paint(dim, took))
	}
	v.reason(end)
}

func (v *TextView) reason(end Ending) {
	if end.Stop == protocol.StopEndTurn {
		return
	}
	text := string(end.Stop)
	if end.Cause != "" {
		text += ": " + indented(end.Cause, "  ")
	}
	v.line(v.paint(red, text))
	if end.Hint != "" {
		v.line(indented(end.Hint, "  "))
	}
}

// short makes one line of a title, a path or a URI, without the workspace's
// folder.
func (v *TextView) short(text string) string {
	text = strings.TrimPrefix(text, "file://")
	if v.Dir != "" && text != v.Dir {
		text = strings.ReplaceAll(text, filepath.Clean(v.Dir)+string(filepath.Separator), "")
	}
	return oneLine(text)
}
