package model

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// watchdog ends an attempt whose service keeps the connection but says
// nothing. It counts events, not bytes: a stream of pings is a stall too. It
// starts no goroutine of its own; the runtime's timer calls cancel.
type watchdog struct {
	timer  *time.Timer
	next   time.Duration
	period atomic.Int64 // the patience that is running out, for the message
}

func startWatchdog(p Policy, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{next: p.NextEvent}
	w.period.Store(int64(p.FirstEvent))
	w.timer = time.AfterFunc(p.FirstEvent, func() {
		quiet := time.Duration(w.period.Load())
		cancel(&Error{
			Kind:    ErrStalled,
			Message: fmt.Sprintf("the model service sent nothing for %s", quiet),
		})
	})
	return w
}

// hold stops the clock while a sink works: a slow reader is not a silent
// service.
func (w *watchdog) hold() { w.timer.Stop() }

// feed starts the clock again.
func (w *watchdog) feed() {
	w.period.Store(int64(w.next))
	w.timer.Reset(w.next)
}

func (w *watchdog) stop() { w.timer.Stop() }
