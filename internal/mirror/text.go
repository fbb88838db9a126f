package mirror

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPiece bounds the bytes of a piece: small enough that an edit copies
// little, large enough that a list of a few thousand spans megabytes.
const maxPiece = 2048

// Text is an editable text. It is a list of short strings, most of them parts
// of one long string, each with its counts of line ends and units, so that a
// position is found without looking at the bytes before it. Not safe for
// concurrent use.
type Text struct {
	// No piece is empty, ends inside a character, or begins with the \n of a
	// \r\n whose \r ends the piece before. So all counts add up.
	pieces []piece
	size   int
	// held bounds the bytes that the pieces keep alive; when too much of them is
	// no longer text, the pieces are laid onto one new string.
	held  int
	whole string // the text, when fresh
	fresh bool
}

type piece struct {
	s string
	measures
}

// RangeError is a range that no honest editor can mean.
type RangeError struct {
	Range  Range
	Reason string
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("range %d:%d-%d:%d %s", e.Range.Start.Line, e.Range.Start.Character,
		e.Range.End.Line, e.Range.End.Character, e.Reason)
}

// NewText takes over s; invalid UTF-8 becomes U+FFFD.
func NewText(s string) *Text {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return &Text{pieces: appendPieces(nil, s), size: len(s), held: len(s), whole: s, fresh: true}
}

// Len is the size in bytes.
func (t *Text) Len() int { return t.size }

// String is the whole text. It is kept until the next edit.
func (t *Text) String() string {
	if !t.fresh {
		t.compact()
	}
	return t.whole
}

// Replace puts s in the place of r. Characters beyond a line's end mean the
// line's end; whatever else cannot be is a *RangeError, and nothing is changed.
func (t *Text) Replace(r Range, s string, enc Encoding) error {
	start, err := t.Offset(r.Start, enc)
	if err != nil {
		return &RangeError{Range: r, Reason: "begins " + err.Error()}
	}
	end, err := t.Offset(r.End, enc)
	if err != nil {
		return &RangeError{Range: r, Reason: "ends " + err.Error()}
	}
	if start > end {
		return &RangeError{Range: r, Reason: "ends before it begins"}
	}
	t.Splice(start, end, s)
	return nil
}

// Splice replaces the bytes [start,end), both at a character's boundary.
func (t *Text) Splice(start, end int, s string) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	t.size += len(s) - (end - start)
	t.fresh, t.whole = false, ""
	i, from := t.locate(start)
	j, to := t.locate(end)
	var left, right string
	if i < len(t.pieces) {
		left = t.pieces[i].s[:start-from]
	}
	if j < len(t.pieces) {
		right = t.pieces[j].s[end-to:]
		j++
	}
	mid := left + s + right
	i, j, mid = t.widen(i, j, mid)
	t.pieces = slices.Replace(t.pieces, i, j, appendPieces(nil, mid)...)
	if t.held += len(mid); t.held > 2*t.size+16*maxPiece {
		t.compact()
	}
}

// widen takes the neighbours of the new text in where they are short, and the
// one before where it would be torn from its \n. Behind mid nothing is torn: it
// ends as the piece in which the edit ended.
func (t *Text) widen(i, j int, mid string) (int, int, string) {
	if i > 0 && (len(t.pieces[i-1].s)+len(mid) <= maxPiece || torn(t.pieces[i-1].s, mid)) {
		i--
		mid = t.pieces[i].s + mid
	}
	if j < len(t.pieces) && len(mid)+len(t.pieces[j].s) <= maxPiece {
		mid += t.pieces[j].s
		j++
	}
	return i, j, mid
}

func torn(a, b string) bool {
	return strings.HasSuffix(a, "\r") && strings.HasPrefix(b, "\n")
}

// locate finds the piece that holds the byte at offset, and the piece's own
// offset; the end of the text is past the last piece.
func (t *Text) locate(offset int) (index, from int) {
	for i := range t.pieces {
		n := len(t.pieces[i].s)
		if offset < from+n {
			return i, from
		}
		from += n
	}
	return len(t.pieces), from
}

// Offset is the byte offset of p. A character beyond its line's end means that
// end, and the beginning of the line after the last one the end of the text.
func (t *Text) Offset(p Position, enc Encoding) (int, error) {
	i, base, from, missing := t.line(int(p.Line))
	switch {
	case missing == 1 && p.Character == 0:
		return t.size, nil
	case missing > 0:
		return 0, fmt.Errorf("%d lines beyond the end", missing)
	}
	offset := base + from
	left := int(p.Character)
	for ; i < len(t.pieces) && left > 0; i, from = i+1, 0 {
		pc := &t.pieces[i]
		if all := pc.units(enc, len(pc.s)); from == 0 && pc.breaks == 0 && all <= left {
			offset, left = offset+len(pc.s), left-all
			continue
		}
		n, used, inside := enc.walk(pc.s[from:], left)
		offset, left = offset+n, left-used
		if inside {
			return 0, errors.New("inside a character")
		}
		if from+n < len(pc.s) {
			break // the line's end
		}
	}
	return offset, nil
}

// line finds the piece in which a line begins, the piece's offset, and how far
// into it; missing counts the lines that there are too few.
func (t *Text) line(line int) (index, base, from, missing int) {
	if line == 0 {
		return 0, 0, 0, 0
	}
	for i := range t.pieces {
		pc := &t.pieces[i]
		if pc.breaks < line {
			line -= pc.breaks
			base += len(pc.s)
			continue
		}
		n := afterBreak(pc.s, line)
		if n == len(pc.s) {
			return i + 1, base + n, 0, 0
		}
		return i, base, n, 0
	}
	return 0, 0, 0, line
}

// afterBreak is where the text after the nth line end of s begins.
func afterBreak(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if isBreak(s, i) {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// isBreak says that a line end ends with the byte at i.
func isBreak(s string, i int) bool {
	return s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n')
}

// Position is where a byte offset at a character's boundary lies. Between \r
// and \n there is no position: it is that of the \r.
func (t *Text) Position(offset int, enc Encoding) Position {
	if t.splitsCRLF(offset) {
		offset--
	}
	i, from := t.locate(offset)
	head := ""
	if i < len(t.pieces) {
		head = t.pieces[i].s[:offset-from]
	}
	line := measure(head).breaks
	for k := range min(i, len(t.pieces)) {
		line += t.pieces[k].breaks
	}
	column, found := tail(head, enc)
	for i--; !found && i >= 0; i-- {
		pc := &t.pieces[i]
		n := pc.units(enc, len(pc.s))
		if pc.breaks > 0 {
			n, found = tail(pc.s, enc)
		}
		column += n
	}
	return Position{Line: uint32(line), Character: uint32(column)}
}

// tail counts the units after the last line end of s.
func tail(s string, enc Encoding) (units int, found bool) {
	i := strings.LastIndexAny(s, "\r\n")
	return enc.Units(s[i+1:]), i >= 0
}

func (t *Text) splitsCRLF(offset int) bool {
	return offset > 0 && t.byteAt(offset-1) == '\r' && t.byteAt(offset) == '\n'
}

// byteAt is the byte at offset, 0 at the end.
func (t *Text) byteAt(offset int) byte {
	if i, from := t.locate(offset); i < len(t.pieces) {
		return t.pieces[i].s[offset-from]
	}
	return 0
}

// textEdit gives e the editor's coordinates. A bound between \r and \n is moved
// out of the pair, whose other half becomes part of the new text.
func (t *Text) textEdit(e Edit, enc Encoding) (TextEdit, error) {
	if e.Start < 0 || e.Start > e.End || e.End > t.size || t.splits(e.Start) || t.splits(e.End) {
		return TextEdit{}, fmt.Errorf("bytes %d to %d are no part of the document", e.Start, e.End)
	}
	if t.splitsCRLF(e.Start) {
		e.Start, e.New = e.Start-1, "\r"+e.New
	}
	if t.splitsCRLF(e.End) {
		e.End, e.New = e.End+1, e.New+"\n"
	}
	return TextEdit{Range: Range{Start: t.Position(e.Start, enc), End: t.Position(e.End, enc)}, New: e.New}, nil
}

func (t *Text) splits(offset int) bool {
	return offset < t.size && !utf8.RuneStart(t.byteAt(offset))
}

// compact lays all pieces onto one string; what was edited away is let go.
func (t *Text) compact() {
	var b strings.Builder
	b.Grow(t.size)
	for i := range t.pieces {
		b.WriteString(t.pieces[i].s)
	}
	t.whole, t.fresh, t.held = b.String(), true, t.size
	offset := 0
	for i := range t.pieces {
		n := len(t.pieces[i].s)
		t.pieces[i].s = t.whole[offset : offset+n]
		offset += n
	}
}

// appendPieces cuts s into pieces, never inside a character or a \r\n.
func appendPieces(list []piece, s string) []piece {
	for len(s) > 0 {
		n := min(len(s), maxPiece)
		for n < len(s) && n > maxPiece-4 && (!utf8.RuneStart(s[n]) || torn(s[:n], s[n:])) {
			n--
		}
		list = append(list, piece{s: s[:n], measures: measure(s[:n])})
		s = s[n:]
	}
	return list
}
