package workspace

import (
	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// maxDiffed is how many bytes of both sides together are compared line by
// line. Beyond it memory would grow to many times the texts, and nobody reads
// such a diff: it becomes one hunk.
const maxDiffed = 32 << 20

// differences returns the patches that turn old into new.
func differences(old, new string) []patch {
	head, tail := sharedLines(old, new)
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	switch {
	case a == "" && b == "":
		return nil
	case a == "" || b == "" || len(a)+len(b) > maxDiffed:
		return []patch{{start: head, end: head + len(a), text: b}}
	}
	return compared(head, a, b)
}

// compared diffs a against b line by line; a begins at offset base.
func compared(base int, a, b string) []patch {
	hunks := textdiff.Hunks(a, b, diff.Context(0), textdiff.IndentHeuristic())
	patches := make([]patch, 0, len(hunks))
	var atA, lineA, atB, lineB int
	for _, h := range hunks {
		atA = skipLines(a, atA, h.LineNoX-lineA)
		atB = skipLines(b, atB, h.LineNoY-lineB)
		endA := skipLines(a, atA, h.EndLineNoX-h.LineNoX)
		endB := skipLines(b, atB, h.EndLineNoY-h.LineNoY)
		patches = append(patches, patch{start: base + atA, end: base + endA, text: b[atB:endB]})
		atA, lineA, atB, lineB = endA, h.EndLineNoX, endB, h.EndLineNoY
	}
	return patches
}
