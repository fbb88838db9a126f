package rpc

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"
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

	// Trace sees every frame's body ("recv", "send"); it must not keep it.
	// Redaction is the caller's.
	Trace func(dir string, frame []byte)
}

// Conn is one connection to a peer.
type Conn struct{ gone chan struct{} }

func New(rwc io.ReadWriteCloser, o Options) *Conn { return &Conn{gone: make(chan struct{})} }

func (c *Conn) HandleRequest(method string, f func(ctx context.Context, params json.RawMessage) (any, error)) {
}
func (c *Conn) HandleStaged(method string, prepare func(params json.RawMessage) (run func(ctx context.Context) (any, error), err error)) {
}
func (c *Conn) HandleNotification(method string, f func(params json.RawMessage)) {}
func (c *Conn) HandlePreempt(method string, f func(params json.RawMessage))      {}
func (c *Conn) Start()                                                           {}
func (c *Conn) Gone() <-chan struct{}                                            { return c.gone }
func (c *Conn) Err() error                                                       { return nil }
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	return ErrClosed
}
func (c *Conn) Notify(method string, params any) error { return ErrClosed }
func (c *Conn) NotifyOutput(ctx context.Context, method string, params any) error {
	return ErrClosed
}

// NotifyStream is NotifyOutput for one named stream; NotifyBehind sends a
// control message that stays behind that stream's queued output.
func (c *Conn) NotifyStream(ctx context.Context, stream, method string, params any) error {
	return ErrClosed
}
func (c *Conn) NotifyBehind(stream, method string, params any) error { return ErrClosed }
func (c *Conn) Flush(ctx context.Context) error                      { return ErrClosed }
func (c *Conn) Close(grace time.Duration) error                      { return nil }
