package workspace

import (
	"slices"
	"strings"
)

// Merge brings two changes of base together, line by line: what ours did to it
// and what theirs did. Where both did the same it is done once; where they did
// different things to the same lines there is a conflict, of which those lines of
// ours are told, and with any the text is "". Bytes that neither changed are as
// they were.
func Merge(base, ours, theirs string) (text string, conflicts []Lines) {
	switch {
	case ours == base, ours == theirs:
		return theirs, nil
	case theirs == base:
		return ours, nil
	}
	m := merger{base: base, ours: differences(base, ours), theirs: differences(base, theirs)}
	for len(m.ours) > 0 || len(m.theirs) > 0 {
		m.next()
	}
	if len(m.conflicts) > 0 {
		for i, c := range m.conflicts {
			m.conflicts[i] = linesOf(ours, c.First, c.Last)
		}
		return "", m.conflicts
	}
	m.out.WriteString(base[m.at:])
	return m.out.String(), nil
}

// Lines are lines of a text, counted from 1. Last is First-1 for the place
// before line First, where no line is.
type Lines struct{ First, Last int }

// linesOf are the lines that bytes of a text are in.
func linesOf(text string, start, end int) Lines {
	first := 1 + strings.Count(text[:start], "\n")
	last := first + strings.Count(text[start:end], "\n")
	if end == start || text[end-1] == '\n' {
		last--
	}
	return Lines{first, last}
}

// merger goes through the base from its beginning to its end.
type merger struct {
	base         string
	ours, theirs []patch // that are still to come
	at           int     // how much of base is done with
	grown        int     // how much longer ours is by then
	out          strings.Builder
	conflicts    []Lines // in bytes of ours
}

// next carries out the patches that come next and hang together.
func (m *merger) next() {
	c := &cluster{m: m}
	if len(m.theirs) == 0 || len(m.ours) > 0 && sooner(m.ours[0], m.theirs[0]) {
		c.start, c.end = m.ours[0].start, m.ours[0].end
		c.ours, m.ours = m.ours[:1:1], m.ours[1:]
	} else {
		c.start, c.end = m.theirs[0].start, m.theirs[0].end
		c.theirs, m.theirs = m.theirs[:1:1], m.theirs[1:]
	}
	for c.take(&m.ours, &c.ours, c.theirs) || c.take(&m.theirs, &c.theirs, c.ours) {
	}
	m.out.WriteString(m.base[m.at:c.start])
	m.at = c.end
	ours, theirs := c.text(c.ours), c.text(c.theirs)
	from := c.start + m.grown
	m.grown += len(ours) - (c.end - c.start)
	switch {
	case len(c.theirs) == 0, ours == theirs:
		m.out.WriteString(ours)
	case len(c.ours) == 0:
		m.out.WriteString(theirs)
	default:
		m.conflicts = append(m.conflicts, Lines{from, from + len(ours)})
	}
}

// sooner orders patches of the two sides: what is put in before a line comes
// before what becomes of that line.
func sooner(a, b patch) bool { return a.start < b.start || a.start == b.start && a.end <= b.end }

// cluster is a stretch of base whose patches cannot be told apart.
type cluster struct {
	m            *merger
	start, end   int
	ours, theirs []patch
}

// take moves the next patch of a side into the cluster if it is part of it.
func (c *cluster) take(from, to *[]patch, others []patch) bool {
	if len(*from) == 0 {
		return false
	}
	p := (*from)[0]
	if !slices.ContainsFunc(others, p.clashes) {
		return false
	}
	c.end = max(c.end, p.end)
	*to, *from = append(*to, p), (*from)[1:]
	return true
}

// clashes reports whether two patches, one of each side, overlap. Such that only
// touch are apart, except two that put something in at the same place, and those
// of which one leaves a line without an end.
func (p patch) clashes(o patch) bool {
	switch {
	case p.start < o.end && o.start < p.end, p.start == o.start && p.end == o.end:
		return true
	}
	return p.start <= o.end && o.start <= p.end && (unended(p) || unended(o))
}

// unended reports whether a patch leaves a last line without its end.
func unended(p patch) bool { return !begins(p.text, len(p.text)) }

// text is what the cluster's stretch of base becomes by patches.
func (c *cluster) text(patches []patch) string {
	var b strings.Builder
	at := c.start
	for _, p := range patches {
		b.WriteString(c.m.base[at:p.start])
		b.WriteString(p.text)
		at = p.end
	}
	b.WriteString(c.m.base[at:c.end])
	return b.String()
}

// SameText reports whether two texts are the same but for what an editor hides
// of a file: its kind of line ends and its byte order mark.
func SameText(a, b string) bool { return a == b || bare(a) == bare(b) }

// Spell gives a text the line ends and the byte order mark of another one, as
// far as that has one kind of ends.
func Spell(text, like string) string {
	switch {
	case allCRLF(like):
		text = unfold(text)
	case !strings.Contains(like, "\r"):
		text = fold(text)
	}
	return KeepBOM(like, strings.TrimPrefix(text, bom))
}
