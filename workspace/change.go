package workspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A patch replaces the whole lines [start,end) of a text. Hunks are made from
// patches; subsets, reversals and re-basings are again lists of patches. They
// are sorted, and an unchanged line lies between any two.
type patch struct {
	id         string
	start, end int
	text       string
	// raw is text as the file spells it, where that is known in an encoding.
	raw     string
	spelled Encoding
}

// Replace plans edits of c. Hunks come from the splices themselves, so the
// cost does not depend on how much of the file stays. Edits may come in any
// order and may touch; overlapping or outlying ones are a fault of the caller,
// and Replace panics.
func Replace(c Content, edits []Edit) Change {
	edits = sorted(edits, len(c.Text))
	ch := planned(c)
	ch.New = spliceEdits(c.Text, edits)
	var patches []patch
	for _, r := range regions(ch.Old, ch.New, edits) {
		patches = refine(patches, ch.Old, ch.New, r)
	}
	ch.Hunks = number(ch.Old, patches)
	return ch.spelledOut(patches)
}

// Rewrite plans text as the whole new content of c.
func Rewrite(c Content, text string) Change {
	ch := planned(c)
	ch.New, ch.origin = text, rewritten
	patches := differences(ch.Old, ch.New)
	ch.Hunks = number(ch.Old, patches)
	return ch.spelledOut(patches)
}

// Remove plans the removal of c's file.
func Remove(c Content) Change {
	ch := Rewrite(c, "")
	ch.Kind = Delete
	return ch
}

func planned(c Content) Change {
	ch := Change{Path: c.Path, Kind: Modify, Base: c.Base, Open: c.Open, Version: c.Version, Old: c.Text, Encoding: c.Encoding, Raw: c.Raw}
	if !c.Exists {
		ch.Kind = Create
	}
	return ch
}

func sorted(edits []Edit, size int) []Edit {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > size {
			panic(fmt.Sprintf("workspace: edit [%d,%d) overlaps another or leaves the text of %d bytes", e.Start, e.End, size))
		}
		at = e.End
	}
	return edits
}

func spliceEdits(text string, edits []Edit) string {
	size := len(text)
	for _, e := range edits {
		size += len(e.New) - (e.End - e.Start)
	}
	b := room(size)
	at := 0
	for _, e := range edits {
		b = append(append(b, text[at:e.Start]...), e.New...)
		at = e.End
	}
	return textOf(append(b, text[at:]...))
}

// region is a difference of whole lines: [start,end) of the old text became
// [newStart,newEnd) of the new.
type region struct{ start, end, newStart, newEnd int }

// regions widens sorted edits to whole lines and merges those that then touch.
func regions(old, new string, edits []Edit) []region {
	var out []region
	var cur region // its end is where the last edit ends until it is closed
	lineEnd := -1  // cur widened: where the first unchanged line would begin
	delta := 0     // new offset − old offset, after the last edit
	for _, e := range edits {
		if start := lineStart(old, max(lineEnd, 0), e.Start); start > lineEnd {
			if lineEnd >= 0 {
				out = append(out, region{cur.start, lineEnd, cur.newStart, lineEnd + delta})
			}
			cur = region{start: start, newStart: start + delta}
			lineEnd = -1
		}
		delta += len(e.New) - (e.End - e.Start)
		lineEnd = widen(old, new, e.End, e.End+delta, lineEnd)
	}
	if lineEnd >= 0 {
		out = append(out, region{cur.start, lineEnd, cur.newStart, lineEnd + delta})
	}
	return out
}

// widen returns where the line ends that an edit ends in, or end itself when a
// line begins there in both texts. known is a line end found before, or -1: it
// saves looking again, or one long line with many edits would be read each time.
func widen(old, new string, end, newEnd, known int) int {
	if begins(old, end) && begins(new, newEnd) {
		return end
	}
	if known > end {
		return known
	}
	return nextLine(old, end)
}

// refine adds the differences within a region. Lines that both sides share
// become context, so that one splice of many lines can be several hunks.
func refine(patches []patch, old, new string, r region) []patch {
	for _, p := range differences(old[r.start:r.end], new[r.newStart:r.newEnd]) {
		p.start += r.start
		p.end += r.start
		patches = append(patches, p)
	}
	return patches
}

// number makes hunks of patches. Offsets and lines of the new side follow from
// how much the hunks before have grown or shrunk.
func number(old string, patches []patch) []Hunk {
	hunks := make([]Hunk, 0, len(patches))
	at, line, grown, grownLines := 0, 1, 0, 0
	for i, p := range patches {
		line += strings.Count(old[at:p.start], "\n")
		at = p.start
		h := Hunk{
			ID: p.id, OldStart: p.start, OldEnd: p.end, OldLine: line, OldLines: countLines(old[p.start:p.end]),
			NewStart: p.start + grown, NewEnd: p.start + grown + len(p.text),
			NewLine: line + grownLines, NewLines: countLines(p.text),
		}
		if h.ID == "" {
			h.ID = "h" + strconv.Itoa(i+1)
		}
		grown += len(p.text) - (p.end - p.start)
		grownLines += h.NewLines - h.OldLines
		hunks = append(hunks, h)
	}
	return hunks
}

func splice(text string, patches []patch) string {
	edits := make([]Edit, len(patches))
	for i, p := range patches {
		edits[i] = Edit{p.start, p.end, p.text}
	}
	return spliceEdits(text, edits)
}

// patches are the change's hunks as patches of Old.
func (c Change) patches() []patch {
	out := make([]patch, len(c.Hunks))
	raw := c.rawAfter()
	for i, h := range c.Hunks {
		out[i] = patch{id: h.ID, start: h.OldStart, end: h.OldEnd, text: c.New[h.NewStart:h.NewEnd]}
		out[i].raw, out[i].spelled = raw.piece(h.NewStart, h.NewEnd)
	}
	return out
}

// Stat counts the lines that the change adds and takes away.
func (c Change) Stat() (plus, minus int) {
	for _, h := range c.Hunks {
		plus += h.NewLines
		minus += h.OldLines
	}
	return plus, minus
}
