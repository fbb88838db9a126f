package workspace

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	maxNearest  = 3       // candidates told
	maxNearText = 8 << 20 // bytes of the file looked at
	maxNearOld  = 64 << 10
	maxQuoted   = 120 // characters quoted of a line
)

// Near is where a text comes closest to one that is not in it.
type Near struct {
	// Text describes the places, at most three; "" when nothing comes close.
	Text string
	// First and Last are the lines of the closest, from 1.
	First, Last int
}

// nearest puts candidates into words, the closest first.
func nearest(found []Near) Near {
	if len(found) == 0 {
		return Near{}
	}
	said := make([]string, len(found))
	for i, n := range found {
		said[i] = n.Text
	}
	return Near{strings.Join(said, "\n"), found[0].First, found[0].Last}
}

// Nearest says what in text comes closest to old, for whoever looked for old
// in vain: first places that are the same but for blanks, line ends, quotes or
// letter case, with what differs; else the lines that share most with it. Only
// the first 8 MiB of text are looked at.
func Nearest(text, old string) Near {
	text = text[:min(len(text), maxNearText)]
	if strings.TrimSpace(old) == "" || len(old) > maxNearOld {
		return Near{}
	}
	if found := sameButLooks(text, old); len(found) > 0 {
		return nearest(found)
	}
	return nearest(mostShared(text, old))
}

// sameButLooks describes the places where text and old are the same once
// everything is dropped that a reader of a screen does not see.
func sameButLooks(text, old string) []Near {
	bare := squash(text)
	wanted := squash(old)
	if len(wanted) == 0 {
		return nil
	}
	var out []Near
	pos := squashed{text: text, line: 1}
	for at := 0; len(out) < maxNearest; {
		i := strings.Index(bare[at:], wanted)
		if i < 0 {
			break
		}
		at += i
		start := pos.seek(at)
		line := pos.line
		end := pos.seek(at+len(wanted)-1) + 1
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++ // the rest of the last character
		}
		out = append(out, describe(text, start, end, line, old))
		at += len(wanted)
	}
	return out
}

// squash drops what a screen does not show and folds what looks alike.
func squash(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c, size := plain(s[i:])
		if c != 0 {
			b.WriteByte(c)
		}
		i += size
	}
	return b.String()
}

// lookalikes are characters that editors, chats and models put for others.
// A zero byte stands for none.
var lookalikes = map[string]byte{
	"\u2018": '\'', "\u2019": '\'', "\u201C": '"', "\u201D": '"', "\u2013": '-', "\u2014": '-', "\u2212": '-',
	"\u00A0": 0, "\u200B": 0, "\uFEFF": 0, "\u202F": 0,
}

// plain returns the byte that the first bytes of s come down to, 0 for none,
// and how many they are.
func plain(s string) (byte, int) {
	switch c := s[0]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return 0, 1
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A', 1
	case c < 0xC2 || c > 0xEF:
		return c, 1
	}
	for size := 2; size <= 3 && size <= len(s); size++ {
		if like, ok := lookalikes[s[:size]]; ok {
			return like, size
		}
	}
	return s[0], 1
}

// squashed maps offsets of a squashed text, in rising order, to the text.
type squashed struct {
	text     string
	raw, n   int // n bytes are left of text[:raw]
	line     int // of raw
	lineFrom int
}

func (s *squashed) seek(n int) int {
	for s.raw < len(s.text) {
		c, size := plain(s.text[s.raw:])
		if c != 0 {
			if s.n == n {
				break
			}
			s.n++
		}
		s.raw += size
	}
	s.line += strings.Count(s.text[s.lineFrom:s.raw], "\n")
	s.lineFrom = s.raw
	return s.raw
}

// describe says how text[start:end], which begins in the given line, differs
// from old.
func describe(text string, start, end, line int, old string) Near {
	body := strings.TrimLeft(old, "\r\n")
	if indent := body[:len(body)-len(strings.TrimLeft(body, " \t"))]; indent != "" {
		if from := lineStart(text, 0, start); strings.TrimSpace(text[from:start]) == "" {
			start = from // old spells an indentation, so the file's counts too
		}
	}
	ours := strings.Split(text[start:end], "\n")
	given := strings.Split(strings.TrimRight(body, " \t\r\n"), "\n")
	near := Near{First: line, Last: line + len(ours) - 1}
	where := lineRange(near.First, near.Last)
	if len(ours) != len(given) {
		near.Text = where + " would match but for the line breaks or blank lines."
		return near
	}
	var kinds []string
	first := -1
	for i := range ours {
		kind := difference(ours[i], given[i])
		if kind == "" {
			continue
		}
		if first < 0 {
			first = i
		}
		if !strings.Contains(strings.Join(kinds, "\n"), strings.SplitN(kind, " (", 2)[0]) {
			kinds = append(kinds, kind)
		}
	}
	if first < 0 {
		near.Text = where + " would match but for the blanks or line ends at the beginning or the end."
		return near
	}
	near.Text = fmt.Sprintf("%s would match but for %s.%s", where, strings.Join(kinds, ", "), both(line+first, ours[first], given[first]))
	return near
}

func lineRange(from, to int) string {
	if from == to {
		return fmt.Sprintf("Line %d", from)
	}
	return fmt.Sprintf("Lines %d-%d", from, to)
}

// both quotes a line of the file and the line that was given for it.
func both(line int, ours, given string) string {
	return fmt.Sprintf("\n  line %d of the file: %q\n  the text given:%s %q", line, clip(ours, maxQuoted),
		strings.Repeat(" ", len(fmt.Sprint(line))+1), clip(given, maxQuoted))
}

// difference names what tells two lines apart that are the same once squashed.
func difference(ours, given string) string {
	if ours == given {
		return ""
	}
	bare := func(s string) string { return strings.TrimSuffix(s, "\r") }
	if bare(ours) == bare(given) {
		return "the line ends"
	}
	ours, given = bare(ours), bare(given)
	in, out := indentOf(ours), indentOf(given)
	if in != out {
		return fmt.Sprintf("the indentation (file: %s; given: %s)", blanks(in), blanks(out))
	}
	switch trail := strings.TrimRightFunc(ours, unicode.IsSpace) == strings.TrimRightFunc(given, unicode.IsSpace); {
	case trail:
		return "trailing blanks"
	case strings.EqualFold(ours, given):
		return "letter case"
	case unblank(ours) == unblank(given):
		return "blanks within the line"
	}
	return "quotes or other characters that look alike"
}

func indentOf(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

func unblank(s string) string { return strings.NewReplacer(" ", "", "\t", "").Replace(s) }

// blanks says what an indentation is made of.
func blanks(s string) string {
	tabs := strings.Count(s, "\t")
	spaces := len(s) - tabs
	switch {
	case s == "":
		return "none"
	case spaces == 0:
		return plural(tabs, "tab")
	case tabs == 0:
		return plural(spaces, "space")
	}
	return plural(tabs, "tab") + " and " + plural(spaces, "space")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
