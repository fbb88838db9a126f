package headless

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"drawbridge/rpc/protocol"
)

func (v *TextView) callStarted(c protocol.ToolCallStarted) {
	if v.calls == nil {
		v.calls = map[string]*callView{}
	}
	v.calls[c.CallID] = &callView{ToolCallStarted: c, output: output{colours: v.Color}}
	name, title := v.named(c)
	v.line(v.paint(cyan, "● ") + v.paint(bold, name) + title)
	v.onScreen = c.CallID
}

// named is a call's name, and behind it its title, if it has one of its own.
func (v *TextView) named(c protocol.ToolCallStarted) (name, title string) {
	name, title = oneLine(c.Name), v.short(c.Title)
	if title == name {
		return name, ""
	}
	return name, " " + title
}

// call is what is known of a call, also of one whose start was not seen.
func (v *TextView) call(id string) *callView {
	if c := v.calls[id]; c != nil {
		return c
	}
	return &callView{}
}

// callUpdated shows the live text of commands; the text of other tools is for
// the model.
func (v *TextView) callUpdated(u protocol.ToolCallUpdated) {
	c := v.call(u.CallID)
	if u.Title != "" {
		c.Title = u.Title
	}
	if c.Access == protocol.AccessExecute && u.Text != "" {
		v.wrote(c, Visible(u.Text), dim)
	}
}

// maxTail is how much of a command's text is kept to know its end again.
const maxTail = 4 << 10

// wrote shows a piece of a command's output, below its title when another
// call's lines stand between.
func (v *TextView) wrote(c *callView, text, code string) {
	if v.onScreen != c.CallID && c.CallID != "" {
		v.line(v.paint(dim, "● "+oneLine(c.Name)+" ") + v.short(c.Title))
		v.onScreen = c.CallID
	}
	c.ran = true
	c.tail += text
	c.tail = c.tail[max(0, len(c.tail)-maxTail):]
	if code != "" {
		text = v.paint(code, text)
	}
	v.print(text)
}

func (v *TextView) terminalOpened(o protocol.TerminalOpened) {
	if v.byTerm == nil {
		v.byTerm = map[string]*callView{}
	}
	v.byTerm[o.TerminalID] = v.call(o.CallID)
}

// terminalUpdated notes what a command left behind, and says that one in the
// background waits; of a running call the state of the session says so.
func (v *TextView) terminalUpdated(u protocol.TerminalUpdated) {
	c := v.byTerm[u.TerminalID]
	if c == nil {
		return
	}
	waits := u.Background && u.Waiting
	if waits && !c.waits {
		v.waits(c, v.short(c.Title))
	}
	c.waits, c.left = waits, len(u.Survivors)
}

func (v *TextView) terminalOutput(o protocol.TerminalOutput) {
	c := v.byTerm[o.TerminalID]
	if c == nil {
		c = &callView{}
	}
	c.live = true
	if o.Gap > 0 {
		v.line(v.paint(yellow, fmt.Sprintf("[%d bytes skipped]", o.Gap)))
	}
	v.wrote(c, c.write(o.Data), "")
}

func (v *TextView) callCompleted(done protocol.ToolCallCompleted) {
	c := v.call(done.CallID)
	took := (time.Duration(done.DurationMs-done.WaitedMs) * time.Millisecond).Round(10 * time.Millisecond)
	if c.Access == protocol.AccessExecute && (c.ran || done.TerminalID != "") {
		v.ran = append(v.ran, fmt.Sprintf("%s (%s)", v.short(c.Title), c.fate(done)))
	}
	which := ""
	if v.onScreen != done.CallID && c.Name != "" {
		name, title := v.named(c.ToolCallStarted)
		which = name + title + "  "
	}
	v.onScreen = done.CallID
	switch done.Status {
	case protocol.CallCompleted:
		v.line(v.paint(green, "  ✓ ") + which + c.partly + pictures(done) + c.goesOn(done) + v.paint(dim, took.String()+decided(done)))
	case protocol.CallFailed:
		v.line(v.paint(red, "  ✗ ") + which + c.whyFailed(done) + v.paint(dim, took.String()+decided(done)))
	default:
		if PresetAdvice(done.Text) != "" {
			v.beyond++
		}
		v.line(v.paint(yellow, "  – ") + which + indented(c.unshown(done.Text), "    "))
	}
}

// decided says which rule let a call be done that nobody was asked about.
func decided(done protocol.ToolCallCompleted) string {
	if done.Decision == "" {
		return ""
	}
	return "  " + oneLine(done.Decision)
}

// fate is how a command stands when its call has ended.
func (c *callView) fate(done protocol.ToolCallCompleted) string {
	if on := strings.TrimSpace(c.goesOn(done)); on != "" {
		return on
	}
	return string(done.Status)
}

// goesOn says what of a command goes on after its call.
func (c *callView) goesOn(done protocol.ToolCallCompleted) string {
	switch {
	case done.ProcessID == "" || done.TerminalID == "":
		return ""
	case c.left > 0:
		return fmt.Sprintf("left running: %d  ", c.left)
	}
	return "runs on in the background  "
}

// whyFailed is the line in which a failed call says why: the first of a tool's
// words and of a command that was not begun, the last of a command's. Of one whose text was shown as it came,
// the person has read it already.
func (c *callView) whyFailed(done protocol.ToolCallCompleted) string {
	if c.Access == protocol.AccessExecute && done.TerminalID != "" && !c.live {
		return ""
	}
	if c.Access != protocol.AccessExecute || !c.ran && done.TerminalID == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(done.Text), "\n")
		return oneLine(first) + "  "
	}
	return oneLine(lastLine(done.Text)) + "  "
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], "\r")
}

var colour = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// unshown is a call's text without what its command wrote, which was shown as
// it came: the lines that say how it ended. They follow the last line of the
// output, or begin with the last one in brackets.
func (c *callView) unshown(text string) string {
	text = strings.TrimSpace(text)
	if !c.ran {
		return text
	}
	tail := lastLine(colour.ReplaceAllString(c.tail, ""))
	if last := tail[strings.LastIndexByte(tail, '\r')+1:]; last != "" {
		if i := strings.LastIndex("\n"+text+"\n", "\n"+last+"\n"); i >= 0 {
			return strings.TrimSpace(text[min(i+len(last), len(text)):])
		}
	}
	if i := strings.LastIndex("\n"+text, "\n["); i >= 0 {
		return text[i:]
	}
	return lastLine(text)
}

func hunksText(hunks []protocol.Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		if h.State != protocol.HunkRejected {
			b.WriteString(hunkText(h))
		}
	}
	return b.String()
}

// hunkText renders a hunk as a diff does, fit to be shown.
func hunkText(h protocol.Hunk) string {
	var b strings.Builder
	b.WriteString(oneLine(h.Header) + "\n")
	for _, part := range []struct{ sign, text string }{{"-", h.OldText}, {"+", h.NewText}} {
		for line := range strings.Lines(part.text) {
			b.WriteString(part.sign + Visible(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	return b.String()
}

// diff makes a diff fit to be shown and paints its lines. A line that is none
// of a diff's is set in.
func (v *TextView) diff(text string) string {
	lines := strings.Split(Visible(strings.TrimSuffix(text, "\n")), "\n")
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
		case !strings.HasPrefix(l, " ") && !strings.HasPrefix(l, `\`):
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
