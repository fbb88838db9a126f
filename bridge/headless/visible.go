package headless

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/visible"
)

// answerMark begins every line that waits for an answer. Whatever is not ours
// is shown without it, so that no text can pass for a question.
const answerMark = visible.AnswerMark + " "

// Visible is text of strangers as a terminal may show it.
func Visible(text string) string { return visible.Text(text) }

// oneLine is Visible for what has to stay on its line.
func oneLine(text string) string { return visible.Line(text) }

// indented is Visible with every line but the first set in, so that none
// begins as a line of ours does.
func indented(text, by string) string { return visible.Indented(text, by) }

// asciiJSON writes the hidden characters of a JSON text as escapes, which means
// the same: the lines of --json may be looked at in a terminal, too.
func asciiJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r < 0x7f || !visible.Hidden(r):
			out = append(out, text[i:i+n]...)
		case r > 0xffff:
			hi, lo := utf16Pair(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

func utf16Pair(r rune) (hi, lo rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}

// output makes a command's terminal output fit to be shown in ours. It keeps
// text, \r, \n, \t, \b and colours, and drops every other control: a command
// may write on its line, and nowhere else. It goes on where the piece before
// ended. The zero value shows no colours.
type output struct {
	colours bool
	state   outputState
	args    strings.Builder // of the sequence that is read, if it may be a colour
	styled  bool            // a colour is on
}

type outputState int

const (
	inText    outputState = iota
	inEscape              // after ESC
	inCSI                 // until a final byte
	inString              // until BEL or ST
	inStringE             // after ESC in a string
)

// maxArgs bounds the arguments of a colour; a longer sequence is dropped.
const maxArgs = 64

func (o *output) write(data string) string {
	var b strings.Builder
	for _, r := range data {
		o.rune(&b, r)
	}
	return b.String()
}

// rest ends what is on, so that our next line looks like ours.
func (o *output) rest() string {
	if !o.styled {
		return ""
	}
	o.styled = false
	return "\x1b[0m"
}

func (o *output) rune(b *strings.Builder, r rune) {
	switch {
	case r == 0x18 || r == 0x1a: // they end any sequence
		o.state = inText
	case o.state == inString || o.state == inStringE:
		o.inString(r)
	case r == 0x1b:
		o.state = inEscape
	case r < 0x20 && o.state != inText: // a terminal acts on it within a sequence
		o.text(b, r)
	case r >= 0x80 && r < 0xa0:
		o.begin(r - 0x40)
	case o.state == inText:
		o.text(b, r)
	case o.state == inEscape:
		o.begin(r)
	default:
		o.csi(b, r)
	}
}

func (o *output) inString(r rune) {
	switch {
	case r == 0x07 || r == 0x9c || r == '\\' && o.state == inStringE:
		o.state = inText
	case r == 0x1b:
		o.state = inStringE
	default:
		o.state = inString
	}
}

func (o *output) text(b *strings.Builder, r rune) {
	switch {
	case r == '\r' || r == '\b':
		b.WriteRune(r)
	case r < 0x20 && r != '\n' && r != '\t' || r == 0x7f:
		// a bell, and what else has no place in a text
	case visible.Hidden(r):
		b.WriteString(visible.Sign(r))
	default:
		b.WriteRune(r)
	}
}

// begin takes the character after ESC, or the one that stands for both.
func (o *output) begin(r rune) {
	switch {
	case r == '[':
		o.state = inCSI
		o.args.Reset()
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		o.state = inString
	case r >= 0x20 && r < 0x30:
		o.state = inEscape // its next character may end it
	default:
		o.state = inText
	}
}

func (o *output) csi(b *strings.Builder, r rune) {
	if r < 0x40 || r > 0x7e {
		if o.args.Len() <= maxArgs {
			o.args.WriteRune(r)
		}
		return
	}
	o.state = inText
	args := o.args.String()
	if r == 'm' && o.colours && len(args) <= maxArgs && strings.Trim(args, "0123456789;:") == "" {
		b.WriteString("\x1b[" + args + "m")
		o.styled = args != "" && args != "0"
	}
}
