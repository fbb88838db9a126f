package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// keptOfLine is how many bytes of one line are held: enough for maxLineChars
// characters of any width, and one more to show that there are more.
const keptOfLine = (maxLineChars + 1) * utf8.UTFMax

// lineWindow is one pass over a text: it renders the lines from offset on and
// counts all others. It holds the rendered rows and the beginning of one line.
type lineWindow struct {
	offset, limit int
	budget        int // characters of all rows; 0 is no limit

	rows     strings.Builder
	shown    int  // rows
	used     int  // their characters
	full     bool // the window is complete
	squeezed bool // by the budget, not by limit

	lines  int64 // line ends seen
	size   int64 // bytes seen
	last   byte  // the last of them
	line   []byte
	cr     bool // the line so far ends in CR
	binary bool // a NUL was seen
	capped bool // there is more than was scanned

	crlf, lf, invalid bool // seen in the rows
}

func newLineWindow(args readArgs, maxOutput int) *lineWindow {
	w := &lineWindow{offset: args.offset, limit: args.limit}
	switch {
	case maxOutput > readReserve:
		w.budget = maxOutput - readReserve
	case maxOutput > 0:
		w.budget = max(1, maxOutput/4)
	}
	return w
}

// scan reads src to its end or to scanLimit.
func (w *lineWindow) scan(ctx context.Context, src io.Reader) error {
	buf := make([]byte, firstChunk)
	for !w.binary {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := src.Read(buf)
		room := scanLimit - w.size
		w.feed(buf[:min(int64(n), room)])
		if int64(n) > room {
			w.capped = true
			return nil
		}
		if err == io.EOF {
			w.finish()
			return nil
		}
		if err != nil {
			return err
		}
		if n == len(buf) && n < scanChunk {
			buf = make([]byte, 2*n)
		}
	}
	return nil
}

func (w *lineWindow) feed(p []byte) {
	if len(p) == 0 {
		return
	}
	w.size += int64(len(p))
	w.last = p[len(p)-1]
	w.binary = bytes.IndexByte(p, 0) >= 0
	p = w.skip(p)
	for len(p) > 0 && !w.full {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			w.keep(p)
			return
		}
		w.keep(p[:i])
		w.endLine(true)
		w.lines++
		p = p[i+1:]
	}
	w.lines += int64(bytes.Count(p, newline))
}

var newline = []byte{'\n'}

// skip counts the lines before the window and returns what is left of p.
func (w *lineWindow) skip(p []byte) []byte {
	ahead := int64(w.offset-1) - w.lines
	if ahead <= 0 {
		return p
	}
	if n := int64(bytes.Count(p, newline)); n < ahead {
		w.lines += n
		return nil
	}
	for ; ahead > 0; ahead-- {
		p = p[bytes.IndexByte(p, '\n')+1:]
		w.lines++
	}
	return p
}

func (w *lineWindow) keep(p []byte) {
	if len(p) == 0 {
		return
	}
	w.cr = p[len(p)-1] == '\r'
	w.line = append(w.line, p[:min(len(p), keptOfLine-len(w.line))]...)
}

// endLine renders the line that is held. The CR of a CR LF is no part of it; a
// lone CR is.
func (w *lineWindow) endLine(terminated bool) {
	line := w.line
	switch {
	case terminated && w.cr:
		w.crlf = true
		if len(line) < keptOfLine {
			line = line[:len(line)-1]
		}
	case terminated:
		w.lf = true
	}
	if w.lines == 0 {
		line = bytes.TrimPrefix(line, []byte(bom))
	}
	w.row(w.valid(line))
	w.line, w.cr = w.line[:0], false
}

// valid is line as text. A character that the end of what is held cuts through
// is no fault of the file, and lies beyond what is shown.
func (w *lineWindow) valid(line []byte) string {
	s := string(line)
	if utf8.ValidString(s) {
		return s
	}
	var cut strings.Builder
	for _, r := range s { // each bad byte is one U+FFFD
		cut.WriteRune(r)
	}
	w.invalid = w.invalid || len(line) < keptOfLine || !utf8.ValidString(head(s, maxLineChars))
	return cut.String()
}

func (w *lineWindow) row(text string) {
	cut := head(text, maxLineChars)
	if cut != text {
		cut += lineCut
	}
	prefix := fmt.Sprintf("%6d\t", w.lines+1)
	if w.shown > 0 {
		prefix = "\n" + prefix
	}
	chars := len(prefix) + utf8.RuneCountInString(cut)
	if w.budget > 0 && w.used+chars > w.budget {
		if w.shown > 0 {
			w.full, w.squeezed = true, true
			return
		}
		// One line alone is too long. It is shown as far as it goes, or a reader
		// could never get past it.
		cut = head(text, max(0, w.budget-len(prefix)-utf8.RuneCountInString(lineCut))) + lineCut
		chars = len(prefix) + utf8.RuneCountInString(cut)
	}
	w.rows.WriteString(prefix)
	w.rows.WriteString(cut)
	w.used += chars
	w.shown++
	w.full = w.shown == w.limit
}

// finish takes the last line, when no line end closes it.
func (w *lineWindow) finish() {
	if w.size == 0 || w.last == '\n' {
		return
	}
	if !w.full && w.lines >= int64(w.offset-1) {
		w.endLine(false)
	}
	w.lines++
}

// text is the result: the rows and what there is to say about them.
func (w *lineWindow) text(args readArgs, src source, o Offers) (string, error) {
	switch {
	case w.binary:
		return "", Failf("%q is a binary file (it contains NUL bytes).%s", args.name, o.forBinaries())
	case w.size == 0:
		return fmt.Sprintf("%q is empty (0 lines).", args.name), nil
	case w.shown == 0 && w.capped:
		return "", Failf("Stopped after scanning 8 MB of %q without reaching the end of line %d.%s", args.name, args.offset, o.advice("exec_command",
			fmt.Sprintf("Use exec_command with a line-range command instead, such as: sed -n '%d,%dp' FILE | cut -c1-2000", args.offset, args.offset+50)))
	case w.shown == 0:
		return "", Failf("Offset %d is past the end of %q: it has %s total.", args.offset, args.name, plural(int(w.lines), "line"))
	}
	return w.rows.String() + w.notes(src), nil
}

// forBinaries is how the model may look at what is no text.
func (o Offers) forBinaries() string {
	image, command := o.first("read_image", "describe_image"), o.Has("exec_command")
	switch {
	case image != "" && command:
		return " Look at an image with " + image + ", and at other binary files with exec_command (file, xxd)."
	case image != "":
		return " Look at an image with " + image + "."
	}
	return o.advice("exec_command", "Look at it with exec_command (file, xxd).")
}

// notes fit in readReserve characters together.
func (w *lineWindow) notes(src source) string {
	var b strings.Builder
	if end := int64(w.offset + w.shown - 1); w.capped || end < w.lines {
		more, limited := "", ""
		if w.capped {
			more = "more than "
		}
		if w.squeezed {
			limited = " (output limit reached)"
		}
		fmt.Fprintf(&b, "\n[file has %s%d lines total; showing %d-%d%s — call again with offset to continue]",
			more, w.lines, w.offset, end, limited)
	}
	switch {
	case w.crlf && w.lf:
		b.WriteString("\n(file mixes CRLF and LF line endings)")
	case w.crlf:
		b.WriteString("\n(file uses CRLF line endings)")
	}
	switch lost := strings.Contains(w.rows.String(), "\uFFFD"); {
	case !src.encoding.Known() && !src.open:
		fmt.Fprintf(&b, "\n(file is encoded in %s, shown as bytes)", src.encoding)
	case src.encoding != "" && lost && !src.open:
		fmt.Fprintf(&b, "\n(file is encoded in %s; other bytes are shown as �)", src.encoding)
	case src.encoding != "":
		fmt.Fprintf(&b, "\n(file is encoded in %s)", src.encoding)
	case w.invalid:
		b.WriteString("\n(bytes that are not UTF-8 are shown as �)")
	}
	return b.String() + withLine(src.standing())
}
