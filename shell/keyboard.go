package shell

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Write implements Process.
func (c *command) Write(text string) error {
	defer c.quiet.heard()
	if sig := c.ends.signalKey(text); sig != 0 && c.clogged() {
		c.ends.signal(sig)
		c.ends.discard()
		if text = text[1:]; text == "" {
			return nil
		}
	}
	return c.keys.write([]byte(text))
}

// clogged says whether what was typed before keeps a key from the terminal.
func (c *command) clogged() bool {
	c.keys.settle()
	return c.ends.clogged()
}

// CloseInput implements Process. In a terminal it types the end-of-file key,
// which ends the input at the beginning of a line.
func (c *command) CloseInput() error {
	if c.spec.TTY {
		if err := c.keys.write([]byte{eof}); !errors.Is(err, ErrInputClosed) {
			return err
		}
		return nil
	}
	c.ends.in.Close()
	return nil
}

const eof = 0x04 // ^D

// signalKey is the signal that the terminal makes of the first character of
// text; 0: none. Such a key works at once, though nobody reads what was typed
// before.
func (e ends) signalKey(text string) (sig syscall.Signal) {
	if !e.childIsTerm || text == "" || text[0] >= ' ' {
		return 0
	}
	control(e.in, func(fd int) error {
		t, err := terminalModes(fd)
		switch {
		case err != nil || t.Lflag&unix.ISIG == 0:
		case text[0] == t.Cc[unix.VINTR]:
			sig = unix.SIGINT
		case text[0] == t.Cc[unix.VQUIT]:
			sig = unix.SIGQUIT
		}
		return nil
	})
	return sig
}

// keyboard writes to a command's input. It has a lock so that the pieces of two
// writers do not mix.
type keyboard struct {
	to       *os.File
	patience time.Duration // with a command that leaves its full input unread

	pasted atomic.Int64 // when much was written, in Unix nanoseconds

	mu sync.Mutex // guards the order of writes
}

const (
	// muchTyped is unread input behind which a key may not get through, in bytes.
	// Linux keeps 4 KiB for the program, and looks at no more.
	muchTyped = 1 << 10
	// pasteTime is what the kernel needs to sort what was written.
	pasteTime = 50 * time.Millisecond
)

// settle returns when it can be seen whether what was written last is read.
func (k *keyboard) settle() {
	time.Sleep(time.Until(time.Unix(0, k.pasted.Load()).Add(pasteTime)))
}

const typingLimit = 2 * time.Second

func (k *keyboard) write(p []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.to.SetWriteDeadline(time.Now().Add(k.patience))
	n, err := k.to.Write(p)
	if n >= muchTyped {
		k.pasted.Store(time.Now().UnixNano())
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("write to command: it took %d of %d bytes and reads no more", n, len(p))
	}
	if isClosed(err) {
		return ErrInputClosed
	}
	return err
}

// ignoreClosed drops the errors of a stream whose other end is gone, or ours.
func ignoreClosed(err error) error {
	if isClosed(err) {
		return nil
	}
	return err
}

func isClosed(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO)
}
