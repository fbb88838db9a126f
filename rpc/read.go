package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	cancelMethod = "$/cancelRequest"

	// Requests of the peer that may be unanswered at a time.
	maxFlights = 4096

	// A frame whose rest is so late gets a line in the log: the likeliest
	// reason is a Content-Length in characters.
	partLate = 10 * time.Second
)

// flight is the context of one unanswered request. It begins when the request
// is read, so that a cancellation read next finds it wherever it is.
type flight struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// read is the reader goroutine. It ends with the input.
func (c *Conn) read() {
	defer c.in.close()
	for {
		body, err := c.frames.next()
		var large *tooLarge
		switch {
		case err == nil:
			if c.opts.Trace != nil {
				c.opts.Trace("recv", body)
			}
			if !c.acceptAll(c.dec.decode(body)) {
				return
			}
		case errors.As(err, &large): // its sender hears of it; the stream is whole
			c.log.Warn("frame skipped", "error", large)
			if !c.accept(oversized(large)) {
				return
			}
		default:
			c.end(endOfInput(err))
			return
		}
	}
}

// endOfInput tells the peer's clean end, which is no error, from the others.
func endOfInput(err error) error {
	var fatal *FatalError
	switch {
	case err == io.EOF:
		return nil
	case errors.As(err, &fatal):
		return fatal
	}
	return fmt.Errorf("read: %w", err)
}

func (c *Conn) acceptAll(ms []message) bool {
	for _, m := range ms {
		if !c.accept(m) {
			return false
		}
	}
	return true
}

// accept does with a message what cannot wait, and queues the rest. It reports
// false when the queue is closed.
func (c *Conn) accept(m message) bool {
	if m.refusal == nil && m.answer == nil {
		m.refusal = c.board(&m)
	}
	switch {
	case m.refusal != nil:
		c.log.Warn("message refused", "code", m.refusal.Code, "reason", m.refusal.Message)
		c.fail(&m, m.refusal)
		return true
	case m.method == cancelMethod:
		c.cancelFlight(m.params)
		return true
	case m.answer == nil:
		c.preempt(&m)
	}
	return c.in.push(m)
}

// board registers a request's flight, or refuses the request. A notification
// has none: nothing can cancel it.
func (c *Conn) board(m *message) *Error {
	if m.kind() == Notification {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.method == cancelMethod:
		return errorf(CodeInvalidRequest, "%s is a notification", cancelMethod)
	case c.flights[m.id] != nil: // two answers under one id could not be told apart
		return errorf(CodeInvalidRequest, "id %q is in use by an unanswered request", m.id)
	case len(c.flights) >= maxFlights:
		return &Error{
			Code: CodeInternal, Kind: "busy",
			Message: fmt.Sprintf("%d requests are unanswered already", maxFlights),
		}
	}
	f := &flight{}
	f.ctx, f.cancel = context.WithCancelCause(c.root)
	m.flight = f
	c.flights[m.id] = f
	return nil
}

// land ends the flight of a request that is about to be answered.
func (c *Conn) land(m *message) {
	if m.flight == nil {
		return
	}
	m.flight.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, m.id)
}

// cancelFlight serves $/cancelRequest. Params that make no sense, and ids that
// are answered already, are nothing to cancel.
func (c *Conn) cancelFlight(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	id, ok := parseID(p.ID)
	if !ok {
		return
	}
	c.mu.Lock()
	f := c.flights[id]
	c.mu.Unlock()
	if f != nil {
		f.cancel(errCancelled)
	}
}

// preempt shows a message to its method's hook. A panic there must not end the
// reader, or the connection would seem to hang.
func (c *Conn) preempt(m *message) {
	h := c.handlers[m.method]
	if h == nil || h.preempt == nil || h.row.Kind != m.kind() {
		return
	}
	_ = c.protect(m.method, func() error { // the record of a panic is all there is to do
		h.preempt(m.params)
		return nil
	})
}

// watchPart reports a frame whose rest does not come. Without it a wrong
// length would look like a bridge that hangs.
func (c *Conn) watchPart(have, want int) func() {
	t := time.AfterFunc(partLate, func() {
		c.log.Warn("waiting for the rest of a frame", "have", have, "want", want)
	})
	return func() { t.Stop() }
}

// methodName returns a method's name, the table's own string if it has one: a
// string made of the frame's bytes would keep the whole frame alive.
func (c *Conn) methodName(b []byte) string {
	if row, ok := c.opts.Table[string(b)]; ok {
		return row.Name
	}
	return string(b)
}
