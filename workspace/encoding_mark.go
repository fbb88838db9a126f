package workspace

import (
	"cmp"
	"fmt"
)

// Fault says why c must not be written: what Change.Fault says, or that the file
// would be read in another way from then on, because its first bytes come to be
// a byte order mark or are one no more. It is a *FileError, or nil. Commit
// refuses for the same reasons.
func (w *Workspace) Fault(c Change) error {
	if err := c.Fault(); err != nil {
		return err
	}
	if detail := w.misread(c); detail != "" {
		return &FileError{Op: "write", Path: c.Path.Rel, Kind: Unspellable, Detail: detail}
	}
	return nil
}

// misread says how a change would have the file read in another way; "" if it
// would not. What the file held once is what it was read as.
func (w *Workspace) misread(c Change) string {
	if c.origin == restored || c.Kind == Delete {
		return ""
	}
	text, raw := c.New, c.After()
	if c.Open && c.Encoding != "" && c.Encoding.Known() {
		text = firstRunes(text, longestMark)
		raw, _ = codecOf(c.Encoding).encode(text)
	}
	_, marked := markOf(c.Before())
	supposed := c.Encoding
	if marked {
		supposed = ""
	}
	then := encodingOf(raw, w.encodings.or(c.Path, supposed))
	if c.Kind == Create || then == c.Encoding || codecOf(then).decode(raw) == text {
		return ""
	}
	if now, comes := markOf(raw); comes {
		return fmt.Sprintf("it would begin with the bytes of a byte order mark (% X), and be read as %s from then on; let it begin with something else",
			raw[:markLength(raw)], cmp.Or(now, utf8Name))
	}
	return fmt.Sprintf("without the byte order mark it begins with (U+FEFF) it would be read as %s from then on; keep the mark", cmp.Or(then, "bytes of no known encoding"))
}

// markLength is how many bytes the mark of raw takes.
func markLength(raw string) int {
	if raw[0] == bom[0] {
		return len(bom)
	}
	return 2
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
