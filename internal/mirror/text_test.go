package mirror

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// naive is a text as one string, with positions found by the book.
type naive struct{ s string }

// lines are the texts between line ends, and where each begins.
func (n naive) lines() (lines []string, starts []int) {
	from := 0
	for i := 0; i < len(n.s); i++ {
		switch {
		case n.s[i] == '\r' && i+1 < len(n.s) && n.s[i+1] == '\n':
			lines, starts = append(lines, n.s[from:i]), append(starts, from)
			i++
			from = i + 1
		case n.s[i] == '\n' || n.s[i] == '\r':
			lines, starts = append(lines, n.s[from:i]), append(starts, from)
			from = i + 1
		}
	}
	return append(lines, n.s[from:]), append(starts, from)
}

func (n naive) offset(p Position, enc Encoding) (int, bool) {
	lines, starts := n.lines()
	if int(p.Line) == len(lines) && p.Character == 0 {
		return len(n.s), true
	}
	if int(p.Line) >= len(lines) {
		return 0, false
	}
	units := 0
	for i, r := range lines[p.Line] {
		if units == int(p.Character) {
			return starts[p.Line] + i, true
		}
		if units += naiveWidth(r, enc); units > int(p.Character) {
			return 0, false
		}
	}
	return starts[p.Line] + len(lines[p.Line]), true
}

func naiveWidth(r rune, enc Encoding) int {
	switch {
	case enc == UTF8:
		return utf8.RuneLen(r)
	case enc == UTF16 && r > 0xffff:
		return 2
	}
	return 1
}

func (n *naive) replace(r Range, s string, enc Encoding) bool {
	start, ok1 := n.offset(r.Start, enc)
	end, ok2 := n.offset(r.End, enc)
	if !ok1 || !ok2 || start > end {
		return false
	}
	n.s = n.s[:start] + s + n.s[end:]
	return true
}

// same makes one edit both ways and compares what comes of it.
func same(t *testing.T, text *Text, model *naive, r Range, s string, enc Encoding) {
	t.Helper()
	err := text.Replace(r, s, enc)
	if ok := model.replace(r, s, enc); ok != (err == nil) {
		t.Fatalf("edit %v in encoding %d: error %v, the plain model says possible: %v", r, enc, err, ok)
	}
	var re *RangeError
	if err != nil && !errors.As(err, &re) {
		t.Fatalf("error %v is no RangeError", err)
	}
	if text.Len() != len(model.s) {
		t.Fatalf("after %v: %d bytes, want %d", r, text.Len(), len(model.s))
	}
}

func checkPositions(t *testing.T, text *Text, model naive, enc Encoding) {
	t.Helper()
	for i := range model.s {
		if i > 0 && model.s[i-1] == '\r' && model.s[i] == '\n' {
			continue
		}
		p := text.Position(i, enc)
		if got, err := text.Offset(p, enc); err != nil || got != i {
			t.Fatalf("byte %d of %q is at %v, which is byte %d (%v)", i, model.s, p, got, err)
		}
		if got, ok := model.offset(p, enc); !ok || got != i {
			t.Fatalf("byte %d of %q is at %v, the plain model says %d", i, model.s, p, got)
		}
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		name, text string
		r          Range
		new, want  string
		enc        Encoding
	}{
		{"the line's end when the character is beyond it", "ab\ncd\n", Range{Position{0, 9}, Position{1, 1}}, "-", "ab-d\n", UTF16},
		{"before \\r\\n when the character is beyond it", "ab\r\ncd", Range{Position{0, 9}, Position{0, 9}}, "!", "ab!\r\ncd", UTF8},
		{"a lone \\r ends a line", "a\rb\rc", Range{Position{1, 0}, Position{2, 0}}, "", "a\rc", UTF16},
		{"the line after the last one means the end", "a\nb", Range{Position{0, 0}, Position{2, 0}}, "x", "x", UTF16},
		{"a surrogate pair counts two", "x 😀y", Range{Position{0, 2}, Position{0, 4}}, "z", "x zy", UTF16},
		{"a character counts one in UTF-32", "x 😀y", Range{Position{0, 2}, Position{0, 3}}, "z", "x zy", UTF32},
		{"bytes count in UTF-8", "é😀y", Range{Position{0, 2}, Position{0, 6}}, "", "éy", UTF8},
		{"joining \\r and \\n makes one line end", "a\rX\nb", Range{Position{1, 0}, Position{1, 1}}, "", "a\r\nb", UTF16},
		{"an unfinished last line is replaced whole", `const face = "😀";`, Range{Position{0, 0}, Position{0, 18}}, "ok", "ok", UTF16},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := NewText(c.text)
			if err := text.Replace(c.r, c.new, c.enc); err != nil {
				t.Fatal(err)
			}
			if got := text.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			checkPositions(t, text, naive{c.want}, c.enc)
		})
	}
}

func TestReplaceRefusesWhatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name, text string
		r          Range
		enc        Encoding
	}{
		{"end before start", "abc", Range{Position{0, 2}, Position{0, 1}}, UTF16},
		{"lines beyond the end", "a\nb", Range{Position{0, 0}, Position{3, 0}}, UTF16},
		{"a character in the line after the last", "a\nb", Range{Position{2, 1}, Position{2, 1}}, UTF16},
		{"inside a surrogate pair", "😀", Range{Position{0, 1}, Position{0, 2}}, UTF16},
		{"inside a character's bytes", "é", Range{Position{0, 0}, Position{0, 1}}, UTF8},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := NewText(c.text)
			var re *RangeError
			if err := text.Replace(c.r, "new", c.enc); !errors.As(err, &re) {
				t.Errorf("error %v, want a RangeError", err)
			}
			if got := text.String(); got != c.text {
				t.Errorf("the text became %q", got)
			}
		})
	}
}

// A \r at the end of one piece and a \n that comes to stand right behind it are
// one line end, whichever edit brings them together.
func TestLineEndsAcrossPieces(t *testing.T) {
	head := strings.Repeat("x", maxPiece-1) + "\r"
	tail := "\n" + strings.Repeat("y", maxPiece-1)
	for name, edit := range map[string]func() *Text{
		"insertion": func() *Text {
			text := NewText(head + tail[1:] + tail)
			text.Splice(len(head), len(head), "\n")
			return text
		},
		"deletion": func() *Text {
			text := NewText(head + strings.Repeat("z", maxPiece) + tail)
			text.Splice(len(head), len(head)+maxPiece, "")
			return text
		},
		"insertion before": func() *Text {
			text := NewText(strings.Repeat("x", maxPiece) + tail)
			text.Splice(maxPiece, maxPiece, "\r")
			return text
		},
	} {
		text := edit()
		end := text.Position(text.Len(), UTF16)
		lines, _ := naive{text.String()}.lines()
		if int(end.Line) != len(lines)-1 {
			t.Errorf("%s: the text ends in line %d of %d", name, end.Line, len(lines))
		}
	}
}

// Line ends and characters that lie across the pieces of a long text are met
// as one.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"\r\n", "x\r\n", "😀", "é\r", "日本\n", strings.Repeat("w", 5000) + "\n"} {
		rng := rand.New(rand.NewPCG(1, uint64(len(unit))))
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			model := naive{strings.Repeat(unit, 12000/len(unit))}
			text := NewText(model.s)
			for range 60 {
				same(t, text, &model, randomRange(rng, text, enc), randomText(rng), enc)
			}
			if text.String() != model.s {
				t.Fatalf("unit %q, encoding %d: texts differ", unit, enc)
			}
		}
	}
}

func randomRange(rng *rand.Rand, text *Text, enc Encoding) Range {
	at := func() Position {
		p := text.Position(boundary(text, rng.IntN(text.Len()+1)), enc)
		if rng.IntN(8) == 0 {
			p.Character += rng.Uint32N(4)
		}
		return p
	}
	a, b := at(), at()
	if rng.IntN(4) > 0 {
		b = Position{a.Line + rng.Uint32N(2), a.Character + rng.Uint32N(3)}
	}
	return Range{a, b}
}

func boundary(text *Text, offset int) int {
	for offset > 0 && text.splits(offset) {
		offset--
	}
	return offset
}

func randomText(rng *rand.Rand) string {
	parts := []string{"", "\n", "\r", "\r\n", "a", "é", "日", "😀", "word ", strings.Repeat("ab\r\n", 800)}
	var b strings.Builder
	for range rng.IntN(4) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

func FuzzMirror(f *testing.F) {
	f.Add("a\r\nb\rc\n", uint64(1), byte(0))
	f.Add("😀é日\r\n"+strings.Repeat("line\r\n", 700), uint64(2), byte(1))
	f.Add(strings.Repeat("\r", 2047)+"\n", uint64(3), byte(2))
	f.Fuzz(func(t *testing.T, s string, seed uint64, e byte) {
		enc := Encoding(e % 3)
		rng := rand.New(rand.NewPCG(seed, 7))
		text := NewText(s)
		model := naive{strings.ToValidUTF8(s, "\uFFFD")}
		for range 20 {
			same(t, text, &model, randomRange(rng, text, enc), randomText(rng), enc)
			if rng.IntN(4) == 0 && text.String() != model.s {
				t.Fatal("texts differ")
			}
		}
		if text.String() != model.s {
			t.Fatal("texts differ")
		}
		if len(model.s) < 400 {
			checkPositions(t, text, model, enc)
		}
	})
}

// What was edited away does not stay in memory for the sake of what is left.
func TestTextLetsGoOfWhatWasEditedAway(t *testing.T) {
	text := NewText(strings.Repeat("0123456789abcde\n", 4096))
	for range 2000 {
		text.Splice(100, 200, strings.Repeat("y", 100))
		if text.held > 2*text.size+17*maxPiece {
			t.Fatalf("%d bytes are held for a text of %d", text.held, text.size)
		}
	}
	if len(text.pieces) > 2*text.size/maxPiece+4 {
		t.Errorf("%d pieces for %d bytes", len(text.pieces), text.size)
	}
}

func BenchmarkEdits10000Of1MB(b *testing.B) {
	base := strings.Repeat("func example(a, b int) int { return a + b }\n", 1<<20/44)
	for b.Loop() {
		rng := rand.New(rand.NewPCG(1, 2))
		text := NewText(base)
		for range 10000 {
			line := rng.Uint32N(20000)
			_ = text.Replace(Range{Position{line, 3}, Position{line, 9}}, "edited\n"[:rng.IntN(8)], UTF16)
		}
	}
}

func BenchmarkEditsOfOneLine1MB(b *testing.B) {
	base := strings.Repeat("é2345678", 1<<20/9)
	text := NewText(base)
	for b.Loop() {
		_ = text.Replace(Range{Position{0, 400_000}, Position{0, 400_005}}, "x2345", UTF16)
	}
}

func BenchmarkOpen5MB(b *testing.B) {
	base := strings.Repeat("func example(a, b int) int { return a + b }\n", 5<<20/44)
	for b.Loop() {
		NewText(base)
	}
}
