package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// lostBytes says that a line which a person changed holds bytes that no editor
// could show, so that they are not in the text that came back.
type lostBytes struct{ line int }

func (e *lostBytes) Error() string {
	return fmt.Sprintf("line %d holds bytes that are not UTF-8 and would be lost; "+
		"accept the proposal as it is and change that line in the file itself", e.line)
}

// returned gives a text that came back from an editor what the editor does not
// show of the proposal it had: the byte order mark of old, bytes that are not
// UTF-8, and line ends where the editor knows one kind only. A line that reads
// like a line of the proposal is that line, byte for byte. The error is a
// *lostBytes.
func returned(old, proposal, text string) (string, error) {
	text = KeepBOM(old, text)
	oneEnd := hidesEnds(proposal, text)
	if !oneEnd && utf8.ValidString(proposal) {
		return text, nil
	}
	r := retelling{had: rawLines(proposal), got: rawLines(text), oneEnd: oneEnd}
	a, b := shown(r.had), shown(r.got)
	for _, p := range differences(a, b) {
		r.same(strings.Count(a[r.offset:p.start], "\n"))
		taken, put := strings.Count(a[p.start:p.end], "\n"), strings.Count(p.text, "\n")
		if err := r.changed(taken, put); err != nil {
			return "", err
		}
		r.offset = p.end
	}
	r.same(len(r.had) - r.atHad)
	return r.out.String(), nil
}

// hidesEnds says that text comes from an editor that knows one kind of line end
// in a document, and so cannot have meant those that the proposal has. Where it
// had plain ones only, others are the person's.
func hidesEnds(proposal, text string) bool {
	had, got := endKinds(proposal), endKinds(text)
	return len(got) <= 1 && (len(had) > 1 || !had["\n"] && !maps.Equal(had, got))
}

func endKinds(s string) map[string]bool {
	kinds := map[string]bool{}
	for _, l := range rawLines(s) {
		if l.end != "" {
			kinds[l.end] = true
		}
	}
	return kinds
}

// rawLine is a line and what ends it: "\n", "\r\n", "\r", or nothing.
type rawLine struct{ text, end string }

// rawLines splits s at every kind of line end that an editor may know.
func rawLines(s string) []rawLine {
	var lines []rawLine
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(lines, rawLine{text: s})
		}
		end := s[i : i+1]
		if strings.HasPrefix(s[i:], "\r\n") {
			end = "\r\n"
		}
		lines = append(lines, rawLine{s[:i], end})
		s = s[i+len(end):]
	}
	return lines
}

// shown is how lines read in an editor, each ended alike.
func shown(lines []rawLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.ToValidUTF8(l.text, "\ufffd"))
		b.WriteByte('\n')
	}
	return b.String()
}

// retelling makes the text that was meant, from the first line to the last.
type retelling struct {
	had, got     []rawLine // of the proposal and of what came back
	atHad, atGot int
	offset       int // of atHad, in what was shown
	oneEnd       bool
	out          strings.Builder
	lastEnd      string
}

// same takes n lines that read alike, with the proposal's bytes.
func (r *retelling) same(n int) {
	for range n {
		l := rawLine{r.had[r.atHad].text, r.got[r.atGot].end}
		if end := r.had[r.atHad].end; r.oneEnd && l.end != "" && end != "" {
			l.end = end
		} else {
			l.end = r.spelled(l.end)
		}
		r.write(l)
		r.atHad, r.atGot = r.atHad+1, r.atGot+1
	}
}

// changed puts lines in the place of others, with their ends, or those of the
// lines around them.
func (r *retelling) changed(taken, put int) error {
	gone := r.had[r.atHad : r.atHad+taken]
	lossy := slices.ContainsFunc(gone, func(l rawLine) bool { return !utf8.ValidString(l.text) })
	r.atHad += taken
	for i := range put {
		l := r.got[r.atGot]
		if lossy && strings.Contains(l.text, "\ufffd") {
			return &lostBytes{line: r.atGot + 1}
		}
		if r.oneEnd && l.end != "" && i < taken && gone[i].end != "" {
			l.end = gone[i].end
		} else {
			l.end = r.spelled(l.end)
		}
		r.write(l)
		r.atGot++
	}
	return nil
}

// spelled is an end that the editor wrote, as the lines around it have it.
func (r *retelling) spelled(end string) string {
	switch {
	case end == "" || !r.oneEnd:
		return end
	case r.lastEnd != "":
		return r.lastEnd
	case r.atHad < len(r.had) && r.had[r.atHad].end != "":
		return r.had[r.atHad].end
	}
	return end
}

func (r *retelling) write(l rawLine) {
	r.out.WriteString(l.text)
	r.out.WriteString(l.end)
	if l.end != "" {
		r.lastEnd = l.end
	}
}
