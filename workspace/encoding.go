package workspace

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// A file is read, matched, shown and written through one decoder. What is known
// of its encoding comes from a byte order mark of its own, else from the editor
// that told how it reads the file, and from nothing else: bytes are not guessed
// at. Of a file with an encoding both are held, text and bytes. Hunks are whole
// lines, so that what a change leaves alone keeps its bytes also where decoding
// and encoding again would not give them back.

// Encodings are what editors said about how files are spelled. The zero value
// knows nothing; a nil one too, and cannot be told anything. Safe for concurrent
// use. What is kept is one word for each file of which an editor said that it is
// of another encoding than UTF-8.
type Encodings struct {
	mu    sync.Mutex // guards below
	names map[string]Encoding
}

// Declare says that an editor reads and writes the file abs by the encoding of
// that name, until it says otherwise; closing the document does not end it. A
// byte order mark in the file itself is believed more: it is in the bytes, and
// an editor that says utf-8 may say so of every file. Declare reports whether
// the encoding can be read here; of a file in one that cannot, the bytes stand
// as they are, and only ASCII can be put in.
func (e *Encodings) Declare(abs, name string) (known bool) {
	enc, known := EncodingOf(name)
	real, err := canonical(filepath.Clean(abs))
	if err != nil {
		real = abs
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, path := range []string{abs, real} {
		if enc == "" && e.names[path] == "" {
			continue
		}
		if e.names == nil {
			e.names = map[string]Encoding{}
		}
		e.names[path] = cmp.Or(enc, utf8Name)
	}
	return known
}

// of is what was declared for a path; "" is UTF-8 or nothing.
func (e *Encodings) of(p Path) Encoding { return e.or(p, "") }

// or is what was declared for a path, or otherwise if nothing was.
func (e *Encodings) or(p Path, otherwise Encoding) Encoding {
	if e == nil {
		return otherwise
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	enc := cmp.Or(e.names[p.Abs], e.names[p.Lexical], otherwise)
	if enc == utf8Name {
		return ""
	}
	return enc
}

// decodedAlike reports whether two texts may be of the same bytes: programs
// differ in what characters they make of some.
func decodedAlike(a, b string) bool {
	return SameText(asASCII(a), asASCII(b))
}

func asASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && r != '\uFEFF' {
			return 0
		}
		return r
	}, text)
}

// longestMark is how many bytes tell a file's byte order mark.
const longestMark = 4

// encodingOf is the encoding of a file that begins with head.
func encodingOf(head string, declared Encoding) Encoding {
	if enc, marked := markOf(head); marked {
		return enc
	}
	return declared
}

// markOf is the encoding that a byte order mark tells.
func markOf(head string) (enc Encoding, marked bool) {
	switch {
	case strings.HasPrefix(head, bom), strings.HasPrefix(head, "\xff\xfe\x00\x00"): // the latter is UTF-32
		return "", true
	case strings.HasPrefix(head, "\xff\xfe"):
		return "utf-16le", true
	case strings.HasPrefix(head, "\xfe\xff"):
		return "utf-16be", true
	}
	return "", false
}

// hold gives c a file's bytes.
func (c *Content) hold(raw string, declared Encoding) {
	c.Text = raw
	if c.Encoding = encodingOf(raw[:min(len(raw), longestMark)], declared); c.Encoding != "" {
		c.Raw, c.Text = raw, codecOf(c.Encoding).decode(raw)
	}
}

// Bytes are what the file holds, or the text of an open document.
func (c Content) Bytes() string {
	if c.Encoding != "" && !c.Open {
		return c.Raw
	}
	return c.Text
}

// Cuts reports whether an edit may begin within a character of an encoding that
// is not known, or make one with the byte before it: some have second bytes that
// look like ASCII.
func (c Content) Cuts(e Edit) bool {
	if c.Open || c.Encoding.Known() && c.Encoding != "" {
		return false
	}
	last, size := utf8.DecodeLastRuneInString(c.Text[:e.Start])
	if last != utf8.RuneError || size != 1 {
		return false
	}
	return secondByte(c.Text[e.Start:]) || secondByte(e.New+c.Text[e.End:])
}

func secondByte(text string) bool { return text != "" && text[0] >= '0' && text[0] < 0x7f }

// codec reads and writes one encoding. Any it may be of spells ASCII as itself,
// one unit each, and no other character with a line feed in it, so that lines of
// the text are lines of the bytes.
type codec struct {
	name Encoding
	form encoding.Encoding // nil: unknown; the text is the bytes
	unit int               // bytes of the line feed: 2 in UTF-16, else 1
	tail string            // what follows the 0x0A in those
	lead string            // what precedes it
}

func codecOf(name Encoding) codec {
	k := codec{name: name, form: formOf(name), unit: 1}
	switch name {
	case "utf-16le":
		k.unit, k.tail = 2, "\x00"
	case "utf-16be":
		k.unit, k.lead = 2, "\x00"
	}
	return k
}

// decode never fails: bytes that are no character are U+FFFD.
func (k codec) decode(raw string) string {
	if k.form == nil {
		return raw
	}
	text, err := k.form.NewDecoder().String(raw)
	if err != nil {
		return strings.Repeat("\uFFFD", len(raw)) // no decoder has such an error
	}
	return text
}

// encode returns the bytes of a text; false if they do not read as that text.
func (k codec) encode(text string) (raw string, ok bool) {
	raw, err := k.form.NewEncoder().String(text)
	return raw, err == nil && k.decode(raw) == text
}

// skipLines returns where the line of raw begins that is n lines after the one
// that begins at.
func (k codec) skipLines(raw string, at, n int) int {
	for ; n > 0 && at < len(raw); n-- {
		at = k.nextLine(raw, at)
	}
	return at
}

func (k codec) nextLine(raw string, at int) int {
	if k.unit == 1 {
		return nextLine(raw, at)
	}
	for from := at; ; {
		i := strings.Index(raw[from:], k.lead+"\n"+k.tail)
		if i < 0 {
			return len(raw)
		}
		if from += i; (from-at)%k.unit == 0 {
			return from + k.unit
		}
		from++
	}
}

// OpenText opens a file of any size for reading as text: the file on the disk,
// also when a document is open. Bytes of an encoding that is known arrive as
// UTF-8, those that are no character of it as U+FFFD; all others as they are.
// The caller closes it.
func (w *Workspace) OpenText(p Path) (io.ReadCloser, Encoding, error) {
	f, err := w.OpenFile(p)
	if err != nil {
		return nil, "", err
	}
	head := make([]byte, longestMark)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		n = 0 // it cannot be read at a place: what it holds is told by no mark
	}
	enc := encodingOf(string(head[:n]), w.encodings.of(p))
	if form := formOf(enc); form != nil {
		return decodedFile{transform.NewReader(f, form.NewDecoder()), f}, enc, nil
	}
	return f, enc, nil
}

// decodedFile reads through a decoder and closes the file.
type decodedFile struct {
	io.Reader
	io.Closer
}

// Declared is the encoding that the editor said it reads the path by; "" is
// UTF-8, or that nothing was said.
func (w *Workspace) Declared(p Path) Encoding { return w.encodings.of(p) }
