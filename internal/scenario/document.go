package scenario

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// document is a text that the editor has open. Positions are counted anew each
// time: slow, and free of the mistakes of an index.
type document struct {
	version int32
	text    string
	dirty   bool // it has unsaved changes
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// lineStarts are the offsets at which lines begin: after \n, \r\n and \r.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// units is how many units of the encoding a text takes.
func units(text, encoding string) int {
	n := 0
	for _, r := range text {
		switch {
		case encoding == "utf-8":
			n += utf8.RuneLen(r)
		case encoding == "utf-16" && r > 0xffff:
			n += 2
		default:
			n++
		}
	}
	return n
}

// at finds the place of an offset.
func at(text string, offset int, encoding string) position {
	starts := lineStarts(text[:offset])
	last := len(starts) - 1
	return position{last, units(text[starts[last]:offset], encoding)}
}

// offset finds a place. A place that does not exist is the bridge's fault.
func offset(text string, p position, encoding string) (int, error) {
	starts := append(lineStarts(text), len(text))
	if p.Line >= len(starts)-1 {
		return 0, fmt.Errorf("line %d of %d", p.Line, len(starts)-1)
	}
	whole := strings.TrimRight(text[starts[p.Line]:starts[p.Line+1]], "\r\n")
	for i := range whole + "\n" {
		if units(whole[:i], encoding) == p.Character {
			return starts[p.Line] + i, nil
		}
	}
	return 0, fmt.Errorf("character %d of line %d is none in %s", p.Character, p.Line, encoding)
}

// splice applies edits, which all count in the text as it was, and returns them
// from the last to the first, as an editor reports what it did.
func splice(text string, edits []textEdit, encoding string) (after string, done []textEdit, err error) {
	type cut struct {
		from, to int
		edit     textEdit
	}
	cuts := make([]cut, len(edits))
	for i, e := range edits {
		from, err := offset(text, e.Range.Start, encoding)
		if err != nil {
			return "", nil, err
		}
		to, err := offset(text, e.Range.End, encoding)
		if err != nil || to < from {
			return "", nil, fmt.Errorf("end before start, or no place: %w", err)
		}
		cuts[i] = cut{from, to, e}
	}
	sort.SliceStable(cuts, func(i, j int) bool { return cuts[i].from > cuts[j].from })
	limit := len(text)
	for _, c := range cuts {
		if c.to > limit {
			return "", nil, fmt.Errorf("edits overlap at byte %d", limit)
		}
		text, limit = text[:c.from]+c.edit.NewText+text[c.to:], c.from
		done = append(done, c.edit)
	}
	return text, done, nil
}
