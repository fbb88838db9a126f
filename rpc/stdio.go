//go:build unix

package rpc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Stdio joins two files to one connection whose Close interrupts a Read or
// Write that is under way, which closing a plain standard stream does not. It
// takes pipes and sockets over: they are switched to non-blocking for as long
// as it is open. A terminal or a regular file is used as it is, since its mode
// is shared with other processes, and a Read of it is not interrupted.
//
// Descriptors above 2 are closed with it.
func Stdio(in, out *os.File) io.ReadWriteCloser {
	return &stdio{in: newHalf(in), out: newHalf(out)}
}

type stdio struct {
	in, out *half
	once    sync.Once
	err     error
}

func (s *stdio) Read(b []byte) (int, error)  { return s.in.file.Read(b) }
func (s *stdio) Write(b []byte) (int, error) { return s.out.file.Write(b) }

func (s *stdio) Close() error {
	s.once.Do(func() { s.err = errors.Join(s.in.close(), s.out.close()) })
	return s.err
}

// half is one direction: a duplicate the poller knows, and the original.
type half struct {
	file, original *os.File
	restore        bool // the original was blocking before
}

func newHalf(f *os.File) *half {
	h := &half{file: f, original: f}
	_ = control(f, func(fd int) error { // any failure leaves the plain file, which works too
		if !pollable(fd) {
			return nil
		}
		dup, flags, err := duplicate(fd)
		if err != nil {
			return err
		}
		if err := unix.SetNonblock(dup, true); err != nil {
			return errors.Join(err, unix.Close(dup))
		}
		h.restore = flags&unix.O_NONBLOCK == 0
		h.file = os.NewFile(uintptr(dup), f.Name())
		return nil
	})
	return h
}

func pollable(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFIFO || kind == unix.S_IFSOCK
}

func duplicate(fd int) (dup, flags int, err error) {
	if flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil {
		return 0, 0, err
	}
	dup, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	return dup, flags, err
}

// close ends what is under way, then gives the file its mode back. The
// standard descriptors stay open: what is opened next must not become one.
func (h *half) close() error {
	var err error
	if h.file != h.original {
		err = h.file.Close()
	}
	std := true
	_ = control(h.original, func(fd int) error { // one closed already needs neither
		std = fd <= 2
		if h.restore {
			return unix.SetNonblock(fd, false)
		}
		return nil
	})
	if !std {
		err = errors.Join(err, h.original.Close())
	}
	return err
}

// TakeStdout keeps the wire clean: it returns a private duplicate of stdout
// and points stdout's descriptor at stderr, so that a print from anywhere in
// the process, or in a child that inherits it, cannot reach the peer.
func TakeStdout(stdout, stderr *os.File) (*os.File, error) {
	var wire *os.File
	err := control(stdout, func(out int) error {
		return control(stderr, func(errFD int) error {
			fd, err := unix.FcntlInt(uintptr(out), unix.F_DUPFD_CLOEXEC, 3)
			if err != nil {
				return err
			}
			if err := unix.Dup2(errFD, out); err != nil {
				return errors.Join(err, unix.Close(fd))
			}
			wire = os.NewFile(uintptr(fd), "wire")
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("take over standard output: %w", err)
	}
	return wire, nil
}

// control runs f with the file's descriptor, without the side effect of
// File.Fd, which may change the descriptor's mode.
func control(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var doErr error
	if err := raw.Control(func(fd uintptr) { doErr = do(int(fd)) }); err != nil {
		return err
	}
	return doErr
}
