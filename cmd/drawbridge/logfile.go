package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// maxLogFile is when a log file is set aside; keptLogs how many of those stay.
const (
	maxLogFile = 8 << 20
	keptLogs   = 3
)

// logFile is a file that several processes append to, a record a write, and
// that is set aside when it has grown.
type logFile struct {
	path string

	mu   sync.Mutex // guards below
	f    *os.File
	size int64
}

func openLogFile(dir string) (*logFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make log folder: %w", err)
	}
	l := &logFile{path: filepath.Join(dir, "drawbridge.log")}
	return l, l.openLocked()
}

func (l *logFile) openLocked() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open log file: %w", err)
	}
	l.f, l.size = f, 0
	if st, err := f.Stat(); err == nil {
		l.size = st.Size()
	}
	return nil
}

// Write appends one record.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return 0, os.ErrClosed
	}
	if l.size+int64(len(p)) > maxLogFile {
		l.f.Close()
		rotate(l.path)
		if err := l.openLocked(); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate renames path to path.1, path.1 to path.2 and so on. A name that
// cannot be moved is written over by the next.
func rotate(path string) {
	for i := keptLogs; i > 0; i-- {
		from := path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", path, i-1)
		}
		_ = os.Rename(from, fmt.Sprintf("%s.%d", path, i))
	}
}

// Close closes the file; later records are dropped.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// both hands records to two handlers, each with its own level.
type both struct{ a, b slog.Handler }

func (h both) Enabled(ctx context.Context, l slog.Level) bool {
	return h.a.Enabled(ctx, l) || h.b.Enabled(ctx, l)
}

func (h both) Handle(ctx context.Context, r slog.Record) error {
	var errs []error
	for _, x := range []slog.Handler{h.a, h.b} {
		if x.Enabled(ctx, r.Level) {
			errs = append(errs, x.Handle(ctx, r.Clone()))
		}
	}
	return errors.Join(errs...)
}

func (h both) WithAttrs(as []slog.Attr) slog.Handler {
	return both{h.a.WithAttrs(as), h.b.WithAttrs(as)}
}

func (h both) WithGroup(name string) slog.Handler {
	return both{h.a.WithGroup(name), h.b.WithGroup(name)}
}
