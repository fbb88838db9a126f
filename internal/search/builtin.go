package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

const (
	builtInName = "built-in"
	// MaxSearched is how much of one line the built-in search looks at, in bytes.
	MaxSearched = 1 << 20
)

// builtin is the search of our own. Most lines are passed over by looking for a
// text that a match must have.
type builtin struct {
	re      *regexp.Regexp // nil: text alone decides
	must    []byte         // may be empty
	buffers sync.Pool      // of *[]byte
}

func (*builtin) name() string { return builtInName }

func (b *builtin) files(ctx context.Context, s *lineSearch) error {
	if s.q.File != "" {
		return b.file(ctx, s, s.q.File)
	}
	w := s.walk()
	w.each = func(path string, k kind) error {
		if k != file {
			return nil
		}
		return b.file(ctx, s, path)
	}
	return w.run(ctx)
}

// file looks through one file. Its name may have become another's meanwhile; that
// is why what is found in it is not told, but only where.
func (b *builtin) file(ctx context.Context, s *lineSearch, path string) error {
	if _, unsaved := s.q.Unsaved[path]; unsaved {
		return nil
	}
	f, err := openFast(filepath.Join(s.q.Root, path))
	if err == nil {
		defer f.Close()
		q := s.ofFile(ctx, path)
		err = b.scan(ctx, s, f, q.line)
		err = cmp.Or(err, q.end())
	}
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP) {
		s.missed(path)
	}
	return nil
}

func (b *builtin) text(ctx context.Context, text string, line func(int) error) error {
	return b.scan(ctx, nil, strings.NewReader(text), line)
}

// scan looks at whole lines, as many as fit at a time. Memory stays with what is
// read: a buffer for each goroutine.
func (b *builtin) scan(ctx context.Context, s *lineSearch, r io.Reader, line func(int) error) error {
	buf, _ := b.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
		*buf = make([]byte, 64<<10)
	}
	defer b.buffers.Put(buf)
	l := lineScan{b: b, line: line}
	kept := 0 // of a line that is not all there
	for begun := false; ; begun = true {
		n, err := r.Read((*buf)[kept:])
		text := (*buf)[:kept+n]
		if !begun && bytes.IndexByte(text[:min(len(text), glance)], 0) >= 0 {
			return nil
		}
		whole := bytes.LastIndexByte(text, '\n') + 1
		if err == io.EOF {
			whole = len(text)
		}
		if failed := l.lines(text[:whole]); failed != nil {
			return failed
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if kept = copy(*buf, text[whole:]); kept < len(*buf) {
			continue
		}
		if kept < MaxSearched {
			*buf = append(*buf, make([]byte, len(*buf))...)
			continue
		}
		if s != nil {
			s.tooLong()
		}
		if kept, err = l.tooLong(*buf, r); err != nil {
			return err
		}
	}
}

func (s *lineSearch) tooLong() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.long++
}

// lineScan is the way through one text.
type lineScan struct {
	b    *builtin
	line func(n int) error
	done int // lines
}

var newline = []byte{'\n'}

// lines looks through whole lines, of which the last need not have its end.
func (l *lineScan) lines(text []byte) error {
	for len(text) > 0 {
		at := bytes.Index(text, l.b.must)
		if at < 0 {
			l.done += bytes.Count(text, newline)
			return nil
		}
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		l.done += bytes.Count(text[:start], newline) + 1
		one, rest, _ := bytes.Cut(text[start:], newline)
		if l.b.re == nil || l.b.re.Match(one) {
			if err := l.line(l.done); err != nil {
				return err
			}
		}
		text = rest
	}
	return nil
}

// tooLong looks at the beginning of a line, which fills buf, reads on to its end,
// and returns how much of the next one is in buf.
func (l *lineScan) tooLong(buf []byte, r io.Reader) (kept int, err error) {
	before := l.done
	if err := l.lines(buf); err != nil {
		return 0, err
	}
	l.done = before + 1
	for {
		n, err := r.Read(buf)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return copy(buf, buf[i+1:n]), nil
		}
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// openFast opens a file that is no link and does not wait for a pipe.
func openFast(path string) (rawFile, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return rawFile{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return rawFile{fd, path}, nil
}

// rawFile is read without the runtime's poller: that takes a system call more for
// each file, and would wait for what never comes, as from some of /proc.
type rawFile struct {
	fd   int
	path string
}

func (f rawFile) Read(p []byte) (int, error) {
	n, err := ignoringEINTR(func() (int, error) { return syscall.Read(f.fd, p) })
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: err}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f rawFile) Close() error { return syscall.Close(f.fd) }

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
