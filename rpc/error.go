package rpc

import "errors"

// Error codes of JSON-RPC and of the language server protocol.
const (
	CodeParse            int64 = -32700
	CodeInvalidRequest   int64 = -32600
	CodeMethodNotFound   int64 = -32601
	CodeInvalidParams    int64 = -32602
	CodeInternal         int64 = -32603
	CodeNotInitialized   int64 = -32002
	CodeRequestCancelled int64 = -32800
	CodeContentModified  int64 = -32801
)

// Error is an error answer, as a handler returns it and as Call reports the
// peer's. Kind is for programs, Hint is what the person may do about it.
type Error struct {
	Code    int64
	Message string
	Kind    string
	Hint    string
}

func (e *Error) Error() string { return e.Message }

// FatalError is a stream that cannot be read any further: the next frame's
// beginning is no longer known. The process says so and ends.
type FatalError struct{ Reason string }

func (e *FatalError) Error() string { return "the stream lost its framing: " + e.Reason }

// ErrClosed is returned for what is sent after Close.
var ErrClosed = errors.New("connection closed")
