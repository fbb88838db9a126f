package rpc

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Call asks the peer and decodes its answer into result, which may be nil. An
// error answer is an *Error. When ctx ends first, the peer is told with
// $/cancelRequest and Call returns at once; an answer that still comes is
// ignored. An answer is delivered after everything the peer sent before it was
// dispatched.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	wait, err := c.Begin(ctx, method, params)
	if err != nil {
		return err
	}
	return wait(result)
}

// Begin is Call up to where the message is queued, so that several questions
// are sent in an order. wait is the rest of it, and has to be called.
func (c *Conn) Begin(ctx context.Context, method string, params any) (wait func(result any) error, err error) {
	id, answered, err := c.ask(ctx, method, params)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	return func(result any) error {
		defer c.forget(id)
		select {
		case a := <-answered:
			return takeAnswer(method, a, result)
		case <-ctx.Done():
			c.withdraw(id)
			return fmt.Errorf("call %s: %w", method, context.Cause(ctx))
		case <-c.root.Done():
			return fmt.Errorf("call %s: %w", method, c.goneReason())
		}
	}, nil
}

// ask sends a question and returns where its answer will arrive.
func (c *Conn) ask(ctx context.Context, method string, params any) (int64, <-chan *jsonrpc2.Response, error) {
	if err := c.outgoing(method, Request); err != nil {
		return 0, nil, err
	}
	if by, ok := ctx.Value(inOrderKey{}).(string); ok {
		return 0, nil, fmt.Errorf("the in-order handler of %s would wait for itself", by)
	}
	if ctx.Err() != nil {
		return 0, nil, context.Cause(ctx)
	}
	if c.root.Err() != nil {
		return 0, nil, c.goneReason()
	}
	answered := make(chan *jsonrpc2.Response, 1)
	id := c.expect(answered)
	f, err := c.enc.call(id, method, params)
	if err == nil {
		err = c.send(f, "")
	}
	if err != nil {
		c.forget(id)
		return 0, nil, err
	}
	return id, answered, nil
}

// expect makes a new id known before it is on the wire: the answer may be
// quicker than the sender.
func (c *Conn) expect(answered chan *jsonrpc2.Response) (id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastCall++
	c.calls[c.lastCall] = answered
	return c.lastCall
}

// forget ends the wait for an answer, so that one that is late finds nobody.
func (c *Conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// deliver hands an answer to the call that waits for it. An answer that nobody
// waits for came too late, or was never asked for; both are ignored.
func (c *Conn) deliver(a *jsonrpc2.Response) {
	id, _ := a.ID().Number() // our ids are numbers from 1
	c.mu.Lock()
	answered := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if answered != nil {
		answered <- a // the only one: the entry is gone
		return
	}
	c.log.Debug("answer ignored", "id", id, "error", a.Err())
}

// takeAnswer decodes on the caller's goroutine: a large answer holds up nobody.
func takeAnswer(method string, a *jsonrpc2.Response, result any) error {
	var wire *jsonrpc2.Error
	if errors.As(a.Err(), &wire) {
		return fromWire(wire)
	}
	if err := decodeResult(a.Result(), result); err != nil {
		return fmt.Errorf("decode answer to %s: %w", method, err)
	}
	return nil
}

// outgoing checks what is sent against the table, if it is there.
func (c *Conn) outgoing(method string, kind Kind) error {
	row, ok := c.opts.Table[method]
	switch {
	case method == cancelMethod: // the one method of both directions, whatever its row says
	case ok && row.Direction == c.opts.Accepts:
		return fmt.Errorf("send %s: it goes from %v", method, row.Direction)
	case ok && row.Kind != kind:
		return fmt.Errorf("send %s: it is a %v", method, row.Kind)
	}
	return nil
}

// withdraw tells the peer that nobody waits for the answer any more.
func (c *Conn) withdraw(id int64) {
	if err := c.Notify(cancelMethod, map[string]int64{"id": id}); err != nil {
		c.log.Debug("cancellation not sent", "id", id, "error", err)
	}
}

func (c *Conn) goneReason() error {
	if err := c.Err(); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return errGone
}

// Notify sends a control message. It never waits. A peer that leaves more than
// a MaxFrame of control messages unread is given up: the connection ends with
// ErrNotReading.
func (c *Conn) Notify(method string, params any) error {
	return c.NotifyBehind("", method, params)
}

// NotifyBehind is Notify, but the message stays behind the stream's output: it
// pulls what NotifyStream has queued for that stream along, and past the
// output of others.
func (c *Conn) NotifyBehind(stream, method string, params any) error {
	f, err := c.encode(method, params)
	if err != nil {
		return err
	}
	return c.send(f, stream)
}

// NotifyOutput sends a message in the output lane: behind all control
// messages, waiting while the lane is full and ctx lives.
func (c *Conn) NotifyOutput(ctx context.Context, method string, params any) error {
	return c.NotifyStream(ctx, "", method, params)
}

// NotifyStream is NotifyOutput for one named stream of output.
func (c *Conn) NotifyStream(ctx context.Context, stream, method string, params any) error {
	f, err := c.encode(method, params)
	if err != nil {
		return err
	}
	f.stream = stream
	if err := c.out.sendOutput(ctx, f); err != nil {
		return fmt.Errorf("send %s: %w", method, err)
	}
	return nil
}

// Flush waits until everything sent before is handed to the transport.
func (c *Conn) Flush(ctx context.Context) error {
	if err := c.out.flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

func (c *Conn) encode(method string, params any) (frame, error) {
	if err := c.outgoing(method, Notification); err != nil {
		return frame{}, err
	}
	f, err := c.enc.notification(method, params)
	if err != nil {
		return frame{}, fmt.Errorf("send %s: %w", method, err)
	}
	return f, nil
}

// send queues a control frame; a peer that does not read ends the connection.
func (c *Conn) send(f frame, behind string) error {
	err := c.out.sendControl(f, behind)
	if errors.Is(err, ErrNotReading) {
		c.out.close(err)
		c.end(err)
	}
	return err
}
