package workspace

import (
	"strings"
	"unicode/utf8"
)

// Span is where a text was found.
type Span struct {
	Start, End int
	// Folded says that line ends differ between what was looked for and what
	// stands there.
	Folded bool
}

// Find returns where old occurs in text, not overlapping, from left to right.
// Only if it does not occur as it is, \n and \r\n are taken for the same
// (folded). A byte order mark before the text is never part of a span, so that
// an edit cannot lose it, and one before old does not keep it from matching.
func Find(text, old string) (spans []Span, folded bool) {
	if old == "" {
		return nil, false
	}
	if rest, marked := strings.CutPrefix(old, bom); marked && rest != "" {
		if spans := findFirst(text, rest); spans != nil {
			return spans, spans[0].Folded
		}
	}
	if spans := findWhole(text, old); spans != nil {
		return spans, false
	}
	if !strings.Contains(old, "\n") {
		return nil, false
	}
	spans = findFolded(text, old)
	return spans, spans != nil
}

// Recurs says that old, which Find found at s, occurs once more at a place that
// overlaps s.
func Recurs(text, old string, s Span) bool {
	_, step := utf8.DecodeRuneInString(text[s.Start:])
	if strings.HasPrefix(text[s.Start:], "\r\n") {
		step = len("\r\n") // a line end is never cut in two
	}
	spans, folded := Find(text[s.Start+step:], old)
	return spans != nil && folded == s.Folded && s.Start+step+spans[0].Start < s.End
}

// findFirst looks for old at the very beginning of text, after its mark.
func findFirst(text, old string) []Span {
	body := strings.TrimPrefix(text, bom)
	skip := len(text) - len(body)
	if strings.HasPrefix(body, old) {
		return []Span{{Start: skip, End: skip + len(old)}}
	}
	limit := min(len(body), 2*len(old)) // folding at most doubles
	if spans := findFolded(body[:limit], old); spans != nil && spans[0].Start == 0 {
		return []Span{{skip, spans[0].End + skip, true}}
	}
	return nil
}

// findWhole leaves out what begins between a \r and its \n: a line end is
// never cut in two.
func findWhole(text, old string) []Span {
	spans := findExact(text, old)
	if old[0] != '\n' {
		return spans
	}
	whole := spans[:0]
	for _, s := range spans {
		if s.Start == 0 || text[s.Start-1] != '\r' {
			whole = append(whole, s)
		}
	}
	if len(whole) == 0 {
		return nil
	}
	return whole
}

func findExact(text, old string) []Span {
	var spans []Span
	for at := 0; ; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return spans
		}
		at += i
		spans = append(spans, Span{Start: at, End: at + len(old)})
		at += len(old)
	}
}

func findFolded(text, old string) []Span {
	if !strings.Contains(text, "\r\n") && !strings.Contains(old, "\r\n") {
		return nil
	}
	spans := findExact(fold(text), fold(old))
	raw := unfolder{text: text}
	for i := range spans {
		spans[i] = Span{raw.offset(spans[i].Start), raw.offset(spans[i].End), true}
	}
	return spans
}

func fold(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// unfolder maps offsets of a folded text, asked for in rising order, to those
// of the text. At a line end that is the place before the \r.
type unfolder struct {
	text       string
	raw, folds int // where a line begins, in text and in the folded text
}

func (u *unfolder) offset(folded int) int {
	for {
		next := nextLine(u.text, u.raw)
		ended := next > u.raw && u.text[next-1] == '\n'
		length := next - u.raw
		crlf := ended && length > 1 && u.text[next-2] == '\r'
		if crlf {
			length--
		}
		// A place past the line end belongs to the next line, if there is one.
		if !ended || folded < u.folds+length {
			return u.raw + folded - u.folds
		}
		u.raw, u.folds = next, u.folds+length
	}
}

// AdaptEOL returns new with the line ends that belong where span lies, which are
// lone \r where they are on both sides. Line ends that were looked for and found
// as they are were spelled out on purpose, and new's are then left alone. A byte
// order mark at the beginning of new is dropped where the text has its own or is
// not at its beginning.
func AdaptEOL(text string, span Span, new string) string {
	if span.Start <= len(bom) && strings.TrimPrefix(text[:span.Start], bom) == "" {
		new = strings.TrimPrefix(new, bom)
	}
	if !strings.Contains(new, "\n") {
		return new
	}
	matched := text[span.Start:span.End]
	if !span.Folded && strings.Contains(matched, "\n") {
		return new
	}
	if !span.Folded && amongCR(text, span) {
		return withCR(new)
	}
	switch crlf := endsCRLF(text, span); {
	case span.Folded && mixedEnds(matched):
		return withEndsOf(matched, fold(new))
	case crlf:
		return unfold(new)
	case span.Folded:
		return fold(new)
	}
	return new
}

func mixedEnds(s string) bool {
	n := strings.Count(s, "\r\n")
	return n > 0 && n < strings.Count(s, "\n")
}

// withEndsOf gives the lines of new the line ends of old. A line that both have
// keeps its own, one that takes the place of another that of the other, and a
// further one that of the line before it.
func withEndsOf(old, new string) string {
	e := endings{lines: strings.SplitAfter(old, "\n"), last: "\n"}
	if strings.HasSuffix(e.lines[0], "\r\n") {
		e.last = "\r\n"
	}
	folded, at := fold(old), 0
	for _, p := range differences(folded, new) {
		same := folded[at:p.start]
		e.put(same, strings.Count(same, "\n"))
		e.put(p.text, strings.Count(folded[p.start:p.end], "\n"))
		at = p.end
	}
	e.put(folded[at:], len(e.lines))
	return e.out.String()
}

// endings writes lines with the ends of others.
type endings struct {
	lines []string // of the old text, that are still to come
	last  string   // the end that was written last
	out   strings.Builder
}

// put writes lines in the place of the next so many.
func (e *endings) put(text string, places int) {
	for line := range strings.SplitAfterSeq(text, "\n") {
		body, ended := strings.CutSuffix(line, "\n")
		e.out.WriteString(body)
		if !ended {
			continue
		}
		if places > 0 && len(e.lines) > 0 {
			e.last = endOf(e.lines[0], e.last)
			e.lines, places = e.lines[1:], places-1
		}
		e.out.WriteString(e.last)
	}
	e.lines = e.lines[min(places, len(e.lines)):]
}

// endOf is what ends a line, or otherwise where nothing does.
func endOf(line, otherwise string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return otherwise
}

// unfold makes every line end \r\n.
func unfold(s string) string { return strings.ReplaceAll(fold(s), "\n", "\r\n") }

// endsCRLF reports whether lines end with \r\n where span lies: the first line
// end from its beginning on counts, else the one before it.
func endsCRLF(text string, span Span) bool {
	i := strings.IndexByte(text[span.Start:], '\n')
	if i < 0 {
		i = strings.LastIndexByte(text[:span.Start], '\n') - span.Start
	}
	at := span.Start + i
	return at > 0 && text[at-1] == '\r'
}

// amongCR reports whether lone \r end the lines where span lies: the nearest line
// ends before and behind its beginning are lone \r, or one is and there is no
// other.
func amongCR(text string, span Span) bool {
	before, behind := text[:span.Start], text[span.Start:]
	i, j := strings.LastIndexAny(before, "\r\n"), strings.IndexAny(behind, "\r\n")
	if i < 0 && j < 0 {
		return false
	}
	return (i < 0 || before[i] == '\r') && (j < 0 || behind[j] == '\r' && !strings.HasPrefix(behind[j+1:], "\n"))
}

// withCR gives the lines of new lone \r as ends, unless it has some: then its
// line ends were spelled out on purpose.
func withCR(new string) string {
	if plain := fold(new); !strings.Contains(plain, "\r") {
		return strings.ReplaceAll(plain, "\n", "\r")
	}
	return new
}

// KeepBOM returns text with the byte order mark that old has.
func KeepBOM(old, text string) string {
	if strings.HasPrefix(old, bom) && !strings.HasPrefix(text, bom) {
		return bom + text
	}
	return text
}

func allCRLF(s string) bool {
	n := strings.Count(s, "\n")
	return n > 0 && strings.Count(s, "\r\n") == n
}
