// Package visible shows text of strangers (a model, a file, a command line, a
// repository's settings) so that it cannot pass for anything else: what would
// move, hide or reorder what stands around it becomes a sign. It knows no screen
// and no wire.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AnswerMark begins every line of ours in a terminal that waits for an answer;
// in text of strangers it is shown as a sign.
const AnswerMark = "⟫"

// Text is text fit to be shown. A byte that is no UTF-8 is a sign too: some
// terminals take it for a control character. Line ends and tabs stay.
func Text(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, Hidden) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "⟨%02X⟩", text[0])
		case Hidden(r):
			b.WriteString(Sign(r))
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// Line is Text for what has to stay on its line.
func Line(text string) string {
	return strings.NewReplacer("\n", "␊", "\t", "␉").Replace(Text(text))
}

// Indented is Text with every line but the first set in, so that none begins as
// a line of ours does.
func Indented(text, by string) string {
	return strings.ReplaceAll(strings.TrimRight(Text(text), "\n"), "\n", "\n"+by)
}

// Hidden tells what a terminal acts on or does not show: control characters,
// format characters (which reorder text or have no width), separators of lines
// that are no \n, letters that look like nothing, and our own mark.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0 || string(r) == AnswerMark:
		return true
	case r < 0xad:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // of class Cf, and yet signs that are seen
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || blank(r)
}

// blank are letters and marks without a shape; text can be smuggled in them.
func blank(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0:
		return true
	}
	return r >= 0xe0100 && r <= 0xe01ef
}

// Sign stands for a hidden character: the picture of a C0 control, or a number.
func Sign(r rune) string {
	switch {
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "␡"
	}
	return fmt.Sprintf("⟨U+%04X⟩", r)
}
