package tools

import (
	"context"
	"sync"
	"time"
)

// clock ends the context of a call when its time is up. Safe for concurrent use.
type clock struct {
	end context.CancelCauseFunc

	mu    sync.Mutex  // guards below
	timer *time.Timer // nil: there is no limit
}

// startClock gives a call the time d; one that is not positive is no limit.
func startClock(ctx context.Context, d time.Duration) (context.Context, *clock) {
	ctx, end := context.WithCancelCause(ctx)
	c := &clock{end: end}
	if d > 0 {
		c.set(d, ErrTimeout)
	}
	return ctx, c
}

// set gives the call the time d from now, and then ends it with cause.
func (c *clock) set(d time.Duration, cause error) {
	until := time.Now().Add(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	if d = time.Until(until); d <= 0 { // as contexts have it: what is over does not begin
		c.end(cause)
		return
	}
	c.timer = time.AfterFunc(d, func() { c.end(cause) })
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.end(nil)
}
