package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

const (
	defaultMaxFrame = 64 << 20

	// What Close allows for goroutines to end once the transport is closed.
	endAllowance = 500 * time.Millisecond
)

// Framing is how one message is told from the next.
type Framing int

const (
	Headers Framing = iota // a Content-Length header before each message
	Lines                  // one message a line
)

// Options of a connection. The zero value serves nothing: it has no table.
type Options struct {
	Framing  Framing
	Table    Table
	Accepts  Direction // which methods this end serves; a program playing the editor says ToEditor
	MaxFrame int64     // largest frame either way; 64 MiB when 0

	// Gate may refuse a message before it is dispatched, in wire order. A
	// refused notification is dropped.
	Gate func(method string, kind Kind) *Error

	Log *slog.Logger // discarded when nil

	// Trace sees every frame's body ("recv", "send"), the two directions from
	// two goroutines; it must not keep it. Redaction is the caller's.
	Trace func(dir string, frame []byte)
}

// Conn is one connection. Handlers are registered between New and Start;
// everything else may be called from any goroutine.
type Conn struct {
	opts     Options
	log      *slog.Logger
	rwc      io.ReadWriteCloser
	handlers map[string]*handler
	started  bool

	frames *frameReader
	dec    decoder
	enc    encoder
	in     *inbox
	out    *outbox

	root   context.Context // ends with the connection
	cancel context.CancelCauseFunc

	work      sync.WaitGroup // the dispatcher and every Async handler
	io        sync.WaitGroup // the reader and the writer
	wrote     chan struct{}  // closed when the writer ends
	closeOnce sync.Once
	closeErr  error

	mu      sync.Mutex
	ended   bool
	err     error
	flights map[jsonrpc2.ID]*flight // requests we have not answered

	lastCall int64
	calls    map[int64]chan *jsonrpc2.Response // questions we wait for
}

// New makes a connection that neither reads nor writes before Start.
func New(rwc io.ReadWriteCloser, o Options) *Conn {
	if o.MaxFrame <= 0 {
		o.MaxFrame = defaultMaxFrame
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{
		opts: o, log: o.Log, rwc: rwc,
		handlers: map[string]*handler{},
		flights:  map[jsonrpc2.ID]*flight{},
		calls:    map[int64]chan *jsonrpc2.Response{},
		frames:   newFrameReader(rwc, o.Framing, o.MaxFrame),
		enc:      encoder{o.Framing, o.MaxFrame},
		in:       newInbox(),
		out:      newOutbox(rwc, o.MaxFrame),
		wrote:    make(chan struct{}),
	}
	c.dec.name = c.methodName
	c.frames.onPart = c.watchPart
	c.out.trace, c.out.failed = o.Trace, c.end
	c.root, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// Start begins to read, dispatch and write.
func (c *Conn) Start() {
	if c.started {
		panic("rpc: connection started twice")
	}
	c.started = true
	c.io.Go(c.read)
	c.io.Go(func() { defer close(c.wrote); c.out.run() })
	c.work.Go(c.dispatchAll)
}

// Gone is closed as soon as the peer's end is closed, a read or write failed,
// or Close was called. Whoever waits for it then calls Close.
func (c *Conn) Gone() <-chan struct{} { return c.root.Done() }

// Err tells why the connection is gone: nil while it is not, and when the peer
// hung up between frames or Close was called; a *FatalError when the stream
// lost its framing.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// end marks the connection as gone. The first reason counts.
func (c *Conn) end(err error) {
	c.mu.Lock()
	if !c.ended {
		c.ended, c.err = true, err
	}
	c.mu.Unlock()
	c.cancel(errGone)
}

// Close ends the connection. Handlers see their contexts end; what they answer
// within the grace, and everything queued before, is still written. Close
// returns soon after the grace at the latest, whatever handlers and transport
// do. It must not be called by an in-order handler, which it would wait for.
func (c *Conn) Close(grace time.Duration) error {
	c.closeOnce.Do(func() { c.closeErr = c.shut(grace) })
	return c.closeErr
}

func (c *Conn) shut(grace time.Duration) error {
	c.end(nil)
	c.in.close()
	if !c.started {
		return c.rwc.Close()
	}
	served := done(c.work.Wait)
	graceful := within(grace, served)
	c.out.close(ErrClosed) // the writer ends with its last frame
	within(endAllowance, c.wrote)
	var closeErr error
	closed := done(func() { closeErr = c.rwc.Close(); c.io.Wait() })
	switch {
	case !within(endAllowance, closed):
		return errors.New("close: the transport did not end its reads and writes")
	case !graceful && !within(endAllowance, served):
		return errors.New("close: a handler ignored the end of its context")
	case closeErr != nil && !errors.Is(closeErr, os.ErrClosed):
		return fmt.Errorf("close: %w", closeErr)
	}
	return nil
}

// done runs f, which nothing can interrupt, and reports its end.
func done(f func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	return ended
}

func within(d time.Duration, ended <-chan struct{}) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-ended:
		return true
	case <-limit.C:
		return false
	}
}
