package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"go.lsp.dev/jsonrpc2"
)

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

var (
	// ErrClosed is returned for what is sent after Close.
	ErrClosed = errors.New("connection closed")

	// ErrNotReading ends a connection whose peer takes nothing off the wire
	// while more and more is to be said.
	ErrNotReading = errors.New("the peer does not read")

	// errCancelled is the cause of a request context the peer cancelled.
	errCancelled = errors.New("request cancelled")

	// errGone is the cause of every request context when the connection ends.
	errGone = errors.New("connection gone")
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

func errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// errorData is the data member of an error answer.
type errorData struct {
	Kind string `json:"kind,omitempty"`
	Hint string `json:"hint,omitempty"`
}

// answerError turns whatever a handler returned into an answer with a code.
// A wrapped *Error keeps its code and gains the words around it.
func answerError(ctx context.Context, err error) *Error {
	var own *Error
	var wire *jsonrpc2.Error
	switch {
	case errors.As(err, &own) && own != nil:
		e := *own
		e.Message = err.Error()
		return withCode(&e)
	case errors.As(err, &wire) && wire != nil:
		e := fromWire(wire)
		e.Message = err.Error()
		return withCode(e)
	case errors.Is(err, context.Canceled) && context.Cause(ctx) == errCancelled:
		return errorf(CodeRequestCancelled, "request cancelled")
	case errors.As(err, &own):
		return errorf(CodeInternal, "internal error")
	}
	return errorf(CodeInternal, "%v", err)
}

// withCode replaces code 0 and what does not fit the wire.
func withCode(e *Error) *Error {
	if e.Code == 0 || e.Code < math.MinInt32 || e.Code > math.MaxInt32 {
		e.Code = CodeInternal
	}
	return e
}

func toWire(e *Error) *jsonrpc2.Error {
	w := jsonrpc2.NewError(jsonrpc2.Code(e.Code), e.Message)
	if e.Kind != "" || e.Hint != "" {
		w.Data, _ = json.Marshal(errorData{e.Kind, e.Hint}) // two strings always marshal
	}
	return w
}

func fromWire(w *jsonrpc2.Error) *Error {
	e := &Error{Code: int64(w.Code), Message: w.Message}
	var d errorData
	if json.Unmarshal(w.Data, &d) == nil { // another peer's data has another shape
		e.Kind, e.Hint = d.Kind, d.Hint
	}
	return e
}
