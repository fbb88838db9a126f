package rpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// RequestFunc serves a request: its value or error becomes the answer.
type RequestFunc = func(ctx context.Context, params json.RawMessage) (any, error)

// PrepareFunc is the ordered part of an Async request. It decodes and takes
// the request's place in line, and returns the rest to run. It must not block.
type PrepareFunc = func(params json.RawMessage) (run func(ctx context.Context) (any, error), err error)

// NotifyFunc serves a notification.
type NotifyFunc = func(params json.RawMessage)

// handler is what this end does with one method of the table.
type handler struct {
	row     Method
	request RequestFunc
	prepare PrepareFunc
	notify  NotifyFunc
	preempt NotifyFunc
}

// HandleRequest serves a request with f: an InOrder one on the dispatch
// goroutine, any other wholly on its own. The params are f's to keep.
func (c *Conn) HandleRequest(method string, f RequestFunc) {
	c.register(method, Request).request = f
}

// HandleStaged serves an Async or Preempt request: prepare runs in wire order
// on the dispatch goroutine, what it returns on its own.
func (c *Conn) HandleStaged(method string, prepare PrepareFunc) {
	h := c.register(method, Request)
	if h.row.Policy == InOrder {
		panic(fmt.Sprintf("rpc: %s runs in order and has no stages", method))
	}
	h.prepare = prepare
}

// HandleNotification serves a notification with f on the dispatch goroutine,
// whatever its policy: notifications are always in order. f must not block.
func (c *Conn) HandleNotification(method string, f NotifyFunc) {
	c.register(method, Notification).notify = f
}

// HandlePreempt shows a Preempt method's params to f as soon as they are read,
// before everything that is queued, on the reader goroutine. The message then
// takes its place in the queue and is served as usual. f must not block, and
// must not mind what the Gate would refuse.
func (c *Conn) HandlePreempt(method string, f NotifyFunc) {
	row, ok := c.opts.Table[method]
	if !ok || row.Policy != Preempt {
		panic(fmt.Sprintf("rpc: %s does not pre-empt", method))
	}
	c.register(method, row.Kind).preempt = f
}

// register finds or makes the method's handler. What contradicts the table is
// a mistake in the program and shows at its start.
func (c *Conn) register(method string, kind Kind) *handler {
	row, ok := c.opts.Table[method]
	switch {
	case c.started:
		panic(fmt.Sprintf("rpc: handler of %s registered after Start", method))
	case !ok:
		panic(fmt.Sprintf("rpc: no method %s in the table", method))
	case row.Kind != kind:
		panic(fmt.Sprintf("rpc: %s is a %v", method, row.Kind))
	case row.Direction != c.opts.Accepts:
		panic(fmt.Sprintf("rpc: %s goes from %v", method, row.Direction))
	}
	h := c.handlers[method]
	if h == nil {
		h = &handler{row: row}
		c.handlers[method] = h
	}
	return h
}
