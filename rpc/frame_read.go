package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	readBuffer     = 64 << 10
	maxHeaderBlock = 8 << 10

	// A longer frame than this is not skipped but taken for a lost framing.
	maxSkip = 1 << 32

	// So much of an oversized frame is kept to find out whose id to answer.
	prefixKept = 4 << 10
)

var utf8BOM = []byte("\xef\xbb\xbf")

// frameReader cuts a byte stream into message bodies. Every body is an
// allocation of its own: nothing aliases a reused buffer, and the memory of a
// giant frame goes with its last reader.
type frameReader struct {
	in       *bufio.Reader
	framing  Framing
	maxFrame int64
	begun    bool // the stream's first bytes were looked at

	// onPart is called before a wait for the rest of a frame, with the bytes
	// there and wanted; what it returns is called when the wait is over.
	onPart func(have, want int) (over func())
}

// tooLarge is a frame over the limit: skipped whole, so the stream goes on.
type tooLarge struct {
	limit  int64
	prefix []byte // its beginning, enough to look for an id
}

func (e *tooLarge) Error() string {
	return fmt.Sprintf("frame exceeds the limit of %d bytes", e.limit)
}

func newFrameReader(r io.Reader, framing Framing, maxFrame int64) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, readBuffer), framing: framing, maxFrame: maxFrame}
}

// next returns a body, or io.EOF between frames, *tooLarge (and reading may go
// on), *FatalError, or what the transport said.
func (r *frameReader) next() ([]byte, error) {
	if !r.begun {
		r.begun = true
		r.skipBOM()
	}
	if r.framing == Lines {
		return r.nextLine()
	}
	size, err := r.header()
	if err != nil {
		return nil, err
	}
	return r.body(size)
}

// skipBOM drops the byte order mark that some writers put before everything.
func (r *frameReader) skipBOM() {
	if b, err := r.in.Peek(1); err != nil || b[0] != utf8BOM[0] {
		return
	}
	if b, err := r.in.Peek(len(utf8BOM)); err == nil && bytes.Equal(b, utf8BOM) {
		r.in.Discard(len(utf8BOM))
	}
}

// header reads up to the blank line and returns the frame's length.
func (r *frameReader) header() (int64, error) {
	length, total, begun := int64(-1), 0, false
	for {
		line, err := r.headerLine(begun)
		if err != nil {
			return 0, err
		}
		if total += len(line); total > maxHeaderBlock {
			return 0, fatalf("header longer than %d bytes", maxHeaderBlock)
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) > 0:
			begun = true
			if length, err = headerField(line, length); err != nil {
				return 0, err
			}
		case length >= 0:
			return length, nil
		case begun:
			return 0, fatalf("header without Content-Length")
		}
		// A blank line before any field is a writer that ends its bodies with a
		// line break it did not count.
	}
}

// headerLine tells a clean end, before anything of a header, from a torn one.
// ReadSlice bounds the line by the reader's buffer.
func (r *frameReader) headerLine(begun bool) ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case err == nil:
		return line, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fatalf("header longer than %d bytes", maxHeaderBlock)
	case err != io.EOF:
		return nil, err
	case begun || len(bytes.TrimSpace(line)) > 0:
		return nil, fatalf("it ended inside a header")
	}
	return nil, io.EOF
}

// headerField returns the length a field states, or the one known before when
// the field is another.
func headerField(line []byte, before int64) (int64, error) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return 0, fatalf("header line %q has no colon", clip(line))
	}
	if !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
		return before, nil
	}
	// Two different lengths leave no way to know which one to believe; the same
	// one twice does no harm.
	n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
	switch {
	case err != nil || n < 0 || n > maxSkip:
		return 0, fatalf("impossible Content-Length %q", clip(bytes.TrimSpace(value)))
	case before >= 0 && before != n:
		return 0, fatalf("two Content-Lengths, %d and %d", before, n)
	}
	return n, nil
}

// body allocates what the header states at once; the limit makes that safe.
func (r *frameReader) body(size int64) ([]byte, error) {
	if size > r.maxFrame {
		return nil, r.skip(size)
	}
	b := make([]byte, size)
	if err := r.fill(b); err != nil {
		return nil, err
	}
	return b, nil
}

func (r *frameReader) fill(b []byte) error {
	if have := r.in.Buffered(); have < len(b) && r.onPart != nil {
		defer r.onPart(have, len(b))()
	}
	n, err := io.ReadFull(r.in, b)
	return cutShort(err, int64(n), int64(len(b)))
}

// skip passes over an oversized frame without holding it.
func (r *frameReader) skip(size int64) error {
	prefix := make([]byte, min(size, prefixKept))
	if err := r.fill(prefix); err != nil {
		return err
	}
	n, err := io.CopyN(io.Discard, r.in, size-int64(len(prefix)))
	if err != nil {
		return cutShort(err, n+int64(len(prefix)), size)
	}
	return &tooLarge{limit: r.maxFrame, prefix: prefix}
}

// nextLine returns the next line that is not blank. The last one may lack its
// line break.
func (r *frameReader) nextLine() ([]byte, error) {
	for {
		line, err := r.line()
		line = bytes.TrimSpace(line)
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case int64(len(line)) > r.maxFrame:
			return nil, &tooLarge{limit: r.maxFrame, prefix: line[:min(len(line), prefixKept)]}
		case len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// line returns a line with its break, or what there is of one at the end.
func (r *frameReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if int64(len(line)+len(part)) > r.maxFrame+2 { // the line break is not the message
			return nil, r.skipLine(append(line, part...), err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skipLine passes over the rest of an oversized line; reading goes on behind it.
func (r *frameReader) skipLine(seen []byte, err error) error {
	prefix := bytes.Clone(seen[:min(len(seen), prefixKept)])
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	return &tooLarge{limit: r.maxFrame, prefix: prefix}
}

// cutShort names a frame that the end of the input tore: as likely a wrong
// Content-Length as a peer that died.
func cutShort(err error, have, want int64) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fatalf("it ended after %d of a frame's %d bytes", have, want)
	}
	return err
}

func fatalf(format string, args ...any) error {
	return &FatalError{Reason: fmt.Sprintf(format, args...)}
}

// clip keeps a quoted piece of a broken stream short enough for one line.
func clip(b []byte) []byte { return b[:min(len(b), 60)] }
