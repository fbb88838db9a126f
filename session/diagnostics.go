package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"drawbridge/tools"
	"drawbridge/workspace"
)

// Diagnostic is what a program of the editor says of a line of a document.
type Diagnostic struct {
	Line     int // from 1
	Severity Severity
	Message  string
	Source   string // who says it, may be ""
	Code     string // may be ""
}

// Severity is how bad a diagnostic is.
type Severity string

// The severities that the model is told of; others are passed over.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

const (
	// answerSlack is how much longer than it was asked to wait an editor may take.
	answerSlack = 500 * time.Millisecond
	// maxDiagnostics bounds the lines that the model is told, maxDiagnosticsText
	// their bytes, maxDiagnosticsLine those of one.
	maxDiagnostics     = 9
	maxDiagnosticsText = 1500
	maxDiagnosticsLine = 200
)

// diagnosticsBefore asks what is said of the open document that a call is about
// to change; ok is false where the model is not to be told, or the editor does
// not answer at once.
func (s *Session) diagnosticsBefore(ctx context.Context, c *call) (before []Diagnostic, ok bool) {
	ch := c.plan.Change
	if ch == nil || !ch.Open || s.host.o.Diagnostics == nil || s.host.live().DiagnosticsWait <= 0 {
		return nil, false
	}
	return s.diagnostics(ctx, ch.Path.Abs, 0)
}

// tellDiagnostics adds to the result of a change what its editor says since. The
// change is done either way: an editor that is slow or fails costs no more than
// the wait, and the end of the turn ends it.
func (s *Session) tellDiagnostics(ctx context.Context, before []Diagnostic, out *tools.Outcome) {
	did := out.Change
	if did == nil || !did.Open || did.State != workspace.Applied && did.State != workspace.Partly {
		return
	}
	after, ok := s.diagnostics(ctx, did.Change.Path.Abs, s.host.live().DiagnosticsWait)
	if !ok {
		return
	}
	note := diagnosticsNote(compareDiagnostics(before, after, did.Change.Hunks))
	if note == "" {
		return
	}
	out.Text = strings.TrimSuffix(out.Text, "\n") + "\n" + note
	out.Note = strings.TrimPrefix(out.Note+"\n"+note, "\n")
}

func (s *Session) diagnostics(ctx context.Context, abs string, wait time.Duration) ([]Diagnostic, bool) {
	ctx, cancel := context.WithTimeout(ctx, wait+answerSlack)
	defer cancel()
	list, err := s.host.o.Diagnostics(ctx, abs, wait)
	if err != nil {
		s.log.Debug("no diagnostics", "path", abs, "err", err)
		return nil, false
	}
	return slices.DeleteFunc(list, func(d Diagnostic) bool {
		return d.Severity != SeverityError && d.Severity != SeverityWarning
	}), true
}

// compareDiagnostics finds those that came and those that went with a change. One
// that only moved with its line did neither. Where lines were changed, one that
// is said again of what stands there now stayed.
func compareDiagnostics(before, after []Diagnostic, hunks []workspace.Hunk) (came, went []Diagnostic) {
	lines := map[Diagnostic][]int{} // of those not found again yet, by what they say
	for _, d := range after {
		lines[d.said()] = append(lines[d.said()], d.Line)
	}
	for _, l := range lines {
		slices.Sort(l)
	}
	for _, old := range before {
		from, to := movedLine(old.Line, hunks)
		left := lines[old.said()]
		i, _ := slices.BinarySearch(left, from)
		if i == len(left) || left[i] > to {
			went = append(went, old)
			continue
		}
		lines[old.said()] = slices.Delete(left, i, i+1)
	}
	for _, d := range after {
		left := lines[d.said()]
		if i, found := slices.BinarySearch(left, d.Line); found {
			came = append(came, d)
			lines[d.said()] = slices.Delete(left, i, i+1)
		}
	}
	return came, went
}

// said is a diagnostic without its place.
func (d Diagnostic) said() Diagnostic {
	d.Line = 0
	return d
}

// movedLine says between which lines a line is found after a change.
func movedLine(line int, hunks []workspace.Hunk) (from, to int) {
	moved := 0
	for _, h := range hunks {
		switch {
		case line < h.OldLine:
			return line + moved, line + moved
		case line < h.OldLine+h.OldLines:
			return h.NewLine, h.NewLine + h.NewLines - 1
		}
		moved += h.NewLines - h.OldLines
	}
	return line + moved, line + moved
}

// diagnosticsNote is what the model reads: errors first, what came before what
// went.
func diagnosticsNote(came, went []Diagnostic) string {
	if len(came)+len(went) == 0 {
		return ""
	}
	text := fmt.Sprintf("Diagnostics after the edit: %d new, %d gone", len(came), len(went))
	lines := append(diagnosticLines("line", came), diagnosticLines("gone: line", went)...)
	for i, line := range lines {
		more := fmt.Sprintf("\n  (%d more)", len(lines)-i)
		if last := i == len(lines)-1; len(text)+len(line)+len(more) > maxDiagnosticsText || i == maxDiagnostics-1 && !last {
			return text + more
		}
		text += line
	}
	return text
}

// inOneLine is text without line breaks and control characters.
func inOneLine(text string) string {
	blank := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	return strings.Join(strings.Fields(strings.Map(blank, text)), " ")
}

func diagnosticLines(at string, list []Diagnostic) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		if a.Severity != b.Severity { // there are two
			return strings.Compare(string(a.Severity), string(b.Severity))
		}
		return a.Line - b.Line
	})
	lines := make([]string, len(list))
	for i, d := range list {
		says := cut(inOneLine(d.Message), maxDiagnosticsLine)
		if by := cut(inOneLine(d.Source+" "+d.Code), maxQuote); by != "" {
			says += " (" + by + ")"
		}
		lines[i] = fmt.Sprintf("\n  %s %d: %s: %s", at, d.Line, d.Severity, says)
	}
	return lines
}
