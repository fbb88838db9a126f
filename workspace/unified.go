package workspace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DiffOptions say how a change is printed. Limits of zero are none.
type DiffOptions struct {
	// Context is how many unchanged lines surround a hunk: 0 means 3, less than
	// 0 none.
	Context int
	// Header adds the ---/+++ lines, with /dev/null for what is not there.
	Header   bool
	MaxHunks int
	// MaxBytes bounds the text. Hunks that do not fit are left out whole.
	MaxBytes int
	// MaxLine is how many characters of a line are shown.
	MaxLine int
	// NoNewline marks a last line that lacks its line end, as git does.
	NoNewline bool
	// StripCR leaves out the \r before a line end.
	StripCR bool
}

// Printed is a change as text.
type Printed struct {
	Text string
	// Shown and Dropped are ids of hunks; together they are all.
	Shown, Dropped []string
}

// Unified prints the change as a unified diff.
func (c Change) Unified(o DiffOptions) string { return c.Print(o).Text }

// Print prints the change as a unified diff and says which hunks it shows.
// Hunks whose contexts touch are printed under one header line. The text ends
// with a line end unless it is empty.
func (c Change) Print(o DiffOptions) Printed {
	switch {
	case o.Context == 0:
		o.Context = 3
	case o.Context < 0:
		o.Context = 0
	}
	p := printer{c: c, o: o}
	if o.Header {
		p.header()
	}
	var out Printed
	groups := c.groups(o.Context)
	for i, g := range groups {
		full := o.MaxHunks > 0 && i >= o.MaxHunks
		ids := &out.Shown
		if full || !p.group(g) {
			ids = &out.Dropped
		}
		for _, h := range g {
			*ids = append(*ids, h.ID)
		}
	}
	out.Text = p.b.String()
	return out
}

// groups splits the hunks where more than both contexts' lines lie between.
func (c Change) groups(context int) [][]Hunk {
	var out [][]Hunk
	for i, h := range c.Hunks {
		if i > 0 && h.OldLine-(c.Hunks[i-1].OldLine+c.Hunks[i-1].OldLines) <= 2*context {
			out[len(out)-1] = append(out[len(out)-1], h)
			continue
		}
		out = append(out, c.Hunks[i:i+1:i+1])
	}
	return out
}

type printer struct {
	c Change
	o DiffOptions
	b strings.Builder
}

func (p *printer) header() {
	from, to := quoted("a/"+p.name()), quoted("b/"+p.name())
	switch p.c.Kind {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	}
	fmt.Fprintf(&p.b, "--- %s\n+++ %s\n", from, to)
}

func (p *printer) name() string { return strings.TrimPrefix(p.c.Path.Rel, "/") }

// quoted writes a file name as patch programs read it back: in quotes with
// escapes when it holds what would end or change it, and with a tab after it
// when it holds a space.
func quoted(name string) string {
	plain := true
	for i := range len(name) {
		if b := name[i]; b < 0x20 || b == '"' || b == '\\' || b == 0x7f {
			plain = false
		}
	}
	switch {
	case !plain:
		return octal(name)
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

func octal(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// group prints hunks under one header line, or reports that they do not fit
// and prints nothing.
func (p *printer) group(hunks []Hunk) bool {
	old, first, last := p.c.Old, hunks[0], hunks[len(hunks)-1]
	before := backLines(old, first.OldStart, p.o.Context)
	after := skipLines(old, last.OldEnd, p.o.Context)
	if p.o.MaxBytes > 0 && p.b.Len()+p.leastSize(hunks) > p.o.MaxBytes {
		return false
	}
	q := printer{c: p.c, o: p.o}
	q.rangeLine(first, last, countLines(old[before:first.OldStart]), countLines(old[last.OldEnd:after]))
	at := before
	for _, h := range hunks {
		q.lines(' ', old[at:h.OldStart])
		q.lines('-', old[h.OldStart:h.OldEnd])
		q.lines('+', p.c.New[h.NewStart:h.NewEnd])
		at = h.OldEnd
	}
	q.lines(' ', old[at:after])
	if p.o.MaxBytes > 0 && p.b.Len()+q.b.Len() > p.o.MaxBytes {
		return false
	}
	p.b.WriteString(q.b.String())
	return true
}

// leastSize is what the changed lines take at the very least, so that a huge
// hunk is refused without printing it.
func (p *printer) leastSize(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		n += 2 * (h.OldLines + h.NewLines)
	}
	return n
}

func (p *printer) rangeLine(first, last Hunk, before, after int) {
	start, newStart := first.OldLine-before, first.NewLine-before
	count := last.OldLine + last.OldLines + after - start
	newCount := last.NewLine + last.NewLines + after - newStart
	p.b.WriteString("@@ -" + side(start, count) + " +" + side(newStart, newCount) + " @@\n")
}

// side writes one side of a range. With no lines it names the line before, as
// patch programs expect.
func side(start, count int) string {
	if count == 0 {
		start--
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(count)
}

func (p *printer) lines(sign byte, text string) {
	for text != "" {
		end := nextLine(text, 0)
		p.line(sign, text[:end])
		text = text[end:]
	}
}

func (p *printer) line(sign byte, line string) {
	body, ended := strings.CutSuffix(line, "\n")
	if ended && p.o.StripCR {
		body = strings.TrimSuffix(body, "\r")
	}
	p.b.WriteByte(sign)
	p.b.WriteString(clip(body, p.o.MaxLine))
	p.b.WriteByte('\n')
	if !ended && p.o.NoNewline {
		p.b.WriteString("\\ No newline at end of file\n")
	}
}

// clip cuts s after limit characters.
func clip(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	at := 0
	for range limit {
		if at >= len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	if at >= len(s) {
		return s
	}
	return s[:at] + "…"
}
