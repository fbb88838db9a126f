package rpc

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// inOrderKey marks the context of an in-order handler, for Call to refuse it.
type inOrderKey struct{}

// dispatchAll is the dispatcher goroutine. It ends when the queue is closed
// and served.
func (c *Conn) dispatchAll() {
	for {
		m, ok := c.in.pop()
		switch {
		case !ok:
			return
		case m.answer != nil:
			c.deliver(m.answer)
		default:
			c.dispatch(&m)
		}
	}
}

// dispatch starts or serves one request or notification.
func (c *Conn) dispatch(m *message) {
	h, err := c.route(m)
	switch {
	case err != nil && m.flight != nil:
		c.fail(m, err)
	case err != nil:
		c.log.Debug("notification ignored", "method", m.method, "reason", err.Message)
	case m.flight == nil:
		c.notified(h, m)
	case h.row.Policy == InOrder:
		c.serveInOrder(h, m)
	default:
		c.serveAsync(h, m)
	}
}

// route finds the handler of a message, or says why there is none.
func (c *Conn) route(m *message) (*handler, *Error) {
	if c.opts.Gate != nil && !strings.HasPrefix(m.method, "$/") {
		if err := c.opts.Gate(m.method, m.kind()); err != nil {
			return nil, err
		}
	}
	row, ok := c.opts.Table[m.method]
	h := c.handlers[m.method]
	switch {
	case !ok:
		return nil, errorf(CodeMethodNotFound, "method %q is not known", m.method)
	case row.Direction != c.opts.Accepts:
		return nil, errorf(CodeMethodNotFound, "%s goes from %v, not this way", m.method, row.Direction)
	case row.Kind != m.kind():
		return nil, errorf(CodeInvalidRequest, "%s is a %v and was sent as a %v", m.method, row.Kind, m.kind())
	case h == nil || !h.serves():
		return nil, errorf(CodeMethodNotFound, "method %s is not served", m.method)
	}
	return h, nil
}

// serves is false for a request that has a pre-empting look and nothing else.
func (h *handler) serves() bool {
	return h.row.Kind == Notification || h.request != nil || h.prepare != nil
}

// notified runs a notification's handler.
func (c *Conn) notified(h *handler, m *message) {
	if h.notify == nil {
		return // it was only to be looked at by the reader
	}
	_ = c.protect(m.method, func() error { // nobody to answer; protect keeps the record
		h.notify(m.params)
		return nil
	})
}

// serveInOrder runs a request here and now, unless it was cancelled while it
// waited in the queue.
func (c *Conn) serveInOrder(h *handler, m *message) {
	ctx := context.WithValue(m.flight.ctx, inOrderKey{}, m.method)
	if context.Cause(ctx) == errCancelled {
		c.fail(m, errorf(CodeRequestCancelled, "request cancelled"))
		return
	}
	c.answer(m, func() (any, error) { return h.request(ctx, m.params) })
}

// serveAsync runs the ordered part of a request here and the rest on its own
// goroutine, which ends with the handler; Close waits for it. A request that
// is cancelled already runs all the same: only its handler knows how a
// cancelled one is answered.
func (c *Conn) serveAsync(h *handler, m *message) {
	run := func(ctx context.Context) (any, error) { return h.request(ctx, m.params) }
	if h.prepare != nil {
		err := c.protect(m.method, func() (err error) {
			run, err = h.prepare(m.params)
			return err
		})
		if err != nil {
			c.fail(m, answerError(m.flight.ctx, err))
			return
		}
	}
	if run == nil {
		run = func(context.Context) (any, error) { return nil, nil }
	}
	c.work.Go(func() {
		c.answer(m, func() (any, error) { return run(m.flight.ctx) })
	})
}

// answer runs f and answers with what it returns. Encoding is part of the
// risk: a value's own MarshalJSON may panic as well.
func (c *Conn) answer(m *message, f func() (any, error)) {
	var body []byte
	queued := func() {}
	err := c.protect(m.method, func() error {
		result, err := f()
		result, queued = split(result)
		if err == nil {
			body, err = c.enc.result(m.id, result)
		}
		return err
	})
	if err != nil {
		c.fail(m, answerError(m.flight.ctx, err))
	} else {
		c.reply(m, body)
	}
	_ = c.protect(m.method, func() error { queued(); return nil }) // the answer is out; protect keeps the record
}

// fail answers with an error, which has a code in any case.
func (c *Conn) fail(m *message, err *Error) { c.reply(m, c.enc.failure(m.id, withCode(err))) }

// reply ends the request's flight and sends its answer.
func (c *Conn) reply(m *message, body []byte) {
	c.land(m)
	if m.batch != nil {
		if body = m.batch.add(m.slot, body); body == nil {
			return // others of the batch are still to come
		}
	}
	f, err := c.enc.seal(body)
	if err != nil {
		f, _ = c.enc.seal(c.enc.failure(m.answerID(), errorf(CodeInternal, "%v", err))) // short, so it fits
	}
	if err := c.send(f, ""); err != nil { // the connection is gone, and Err says why
		c.log.Info("answer lost", "method", m.method, "error", err)
	}
}

// protect turns a panic into an error and a record; the connection lives.
func (c *Conn) protect(method string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("handler panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = &Error{Code: CodeInternal, Kind: "panic", Message: "internal error in " + method}
		}
	}()
	return f()
}

// batch collects the answers of one batch; the last one sends them all.
type batch struct {
	mu      sync.Mutex
	answers [][]byte // by slot, each with headerRoom in front
	missing int
}

// collect gives every message of a batch that will be answered its slot.
func collect(ms []message) {
	b := &batch{}
	for i := range ms {
		if ms[i].answered() {
			ms[i].batch, ms[i].slot = b, b.missing
			b.missing++
		}
	}
	b.answers = make([][]byte, b.missing)
}

// add returns the whole batch's answer when it is complete.
func (b *batch) add(slot int, body []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[slot] = body
	if b.missing--; b.missing > 0 {
		return nil
	}
	all := append(newBody(len(body)*len(b.answers)), '[')
	for i, a := range b.answers {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, a[headerRoom:]...)
	}
	return append(all, ']')
}
