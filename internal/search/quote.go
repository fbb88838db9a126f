package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	// glance is how much of a file is looked at to tell whether it is text: a NUL in
	// it says that it is not.
	glance = 8 << 10
	// pieceBytes is about how much of a file's lines is passed on at a time.
	pieceBytes = 64 << 10
)

// quoter reads the lines of one file that an engine names, in their order. An
// engine is asked where, never what: that way what is told of a file comes from
// the very file below the root, opened without following a link at its end,
// whatever took its place while another looked; and all engines skip and cut
// alike.
type quoter struct {
	ctx  context.Context
	s    *lineSearch
	path string
	open func() (io.ReadCloser, error)

	file io.ReadCloser
	text *bufio.Reader
	over bool // nothing more is told of it
	at   int  // lines read

	piece []Hit
	bytes int // of their texts
}

func newQuoter(ctx context.Context, s *lineSearch, path string, open func() (io.ReadCloser, error)) *quoter {
	return &quoter{ctx: ctx, s: s, path: path, open: open}
}

// ofFile is the quoter of a file on the disk.
func (s *lineSearch) ofFile(ctx context.Context, path string) *quoter {
	return newQuoter(ctx, s, path, func() (io.ReadCloser, error) { return openFile(s.root, path) })
}

// line tells of a line. A file that is no text, or has no such line any more, is
// passed over.
func (q *quoter) line(n int) error {
	if q.text == nil && !q.over {
		q.begin()
	}
	for !q.over {
		text, cut, err := q.next(q.at+1 == n)
		if err != nil {
			q.over = true
			break
		}
		if q.at++; q.at == n {
			return q.add(Hit{Path: q.path, Line: n, Text: text, Cut: cut})
		}
	}
	return nil
}

func (q *quoter) begin() {
	f, err := q.open()
	if err != nil {
		q.over = true
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoFile) {
			q.s.missed(q.path)
		}
		return
	}
	q.file, q.text = f, bufio.NewReaderSize(f, 16<<10)
	head, _ := q.text.Peek(glance)
	q.over = bytes.IndexByte(head, 0) >= 0
}

// end passes on the last lines and closes the file.
func (q *quoter) end() error {
	if q.file != nil {
		q.file.Close()
	}
	return q.flush()
}

var errNoFile = errors.New("not a regular file")

// openFile opens a regular file that is no link. It looks before it opens, since
// opening a pipe may block, and again afterwards.
func openFile(root *os.Root, path string) (*os.File, error) {
	was, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !was.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(was, is) {
		f.Close()
		return nil, errNoFile
	}
	return f, nil
}

// next reads a line, and returns it if it is wanted. The CR of a CR LF is no part
// of it. A text that ends in a line end has no line behind that.
func (q *quoter) next(wanted bool) (text string, cut bool, err error) {
	var line []byte
	for {
		part, err := q.text.ReadSlice('\n')
		if wanted {
			line = append(line, part[:min(len(part), MaxLine+2-len(line))]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && (len(part) > 0 || len(line) > 0):
		case err != nil:
			return "", false, err
		}
		whole := bytes.TrimSuffix(bytes.TrimSuffix(line, newline), []byte{'\r'})
		return string(whole[:min(len(whole), MaxLine)]), len(whole) > MaxLine, nil
	}
}

func (q *quoter) add(h Hit) error {
	q.piece, q.bytes = append(q.piece, h), q.bytes+len(h.Text)
	if q.bytes < pieceBytes && len(q.piece) < pieceBytes/16 {
		return nil
	}
	return q.flush()
}

// flush waits until somebody takes what was found.
func (q *quoter) flush() error {
	if len(q.piece) == 0 {
		return nil
	}
	select {
	case q.s.found <- q.piece:
		q.piece, q.bytes = nil, 0
		return nil
	case <-q.ctx.Done():
		return q.ctx.Err()
	}
}
