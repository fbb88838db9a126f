package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Policy says how patient Retrying is. A zero field takes its default.
type Policy struct {
	Retries    int           // attempts after the first; 5, negative: none
	MaxWait    time.Duration // 5 min; a service that asks for more is an error
	FirstEvent time.Duration // 300 s from the request to the first event
	NextEvent  time.Duration // 90 s between two events
	// Jitter returns a number in [0,1) that lengthens a wait by up to a
	// quarter, so that many clients do not come back at once.
	Jitter func() float64
}

func (p Policy) withDefaults() Policy {
	if p.Retries == 0 {
		p.Retries = 5
	}
	p.MaxWait = orDuration(p.MaxWait, 5*time.Minute)
	p.FirstEvent = orDuration(p.FirstEvent, 300*time.Second)
	p.NextEvent = orDuration(p.NextEvent, 90*time.Second)
	if p.Jitter == nil {
		p.Jitter = rand.Float64
	}
	return p
}

func orDuration(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Retrying makes one provider patient. It repeats an attempt that failed for a
// passing reason, but only while that attempt has shown nothing: text that a
// person has read cannot be taken back, so a later failure returns the partial
// Response with the error. Each wait is announced by an EventRetry and ends at
// once with ctx. An attempt that stays without events for too long is ended
// and counts as ErrStalled.
func Retrying(p Provider, policy Policy) Provider {
	return &retrying{inner: p, policy: policy.withDefaults()}
}

type retrying struct {
	inner  Provider
	policy Policy
}

func (r *retrying) Name() string { return r.inner.Name() }

func (r *retrying) Stream(ctx context.Context, req Request, sink Sink) (Response, error) {
	for retry := 1; ; retry++ {
		resp, shown, err := r.attempt(ctx, req, sink)
		switch {
		case err == nil:
			return resp, nil
		case ctx.Err() != nil:
			return cut(resp), ctx.Err()
		case shown || !Passing(err):
			return cut(resp), err
		case retry > r.policy.Retries:
			return cut(resp), gaveUp(err, retry)
		}
		delay := r.delay(err, retry)
		if delay > r.policy.MaxWait {
			return cut(resp), tooPatient(err, delay)
		}
		sink(Event{Kind: EventRetry, Retry: &Retry{
			Attempt: retry, Max: r.policy.Retries, Delay: delay, Cause: err.Error(),
		}})
		if err := sleep(ctx, delay); err != nil {
			return Response{}, err
		}
	}
}

// Models forwards to the wrapped provider.
func (r *retrying) Models(ctx context.Context) ([]Info, error) {
	lister, ok := r.inner.(Lister)
	if !ok {
		return nil, &Error{Kind: ErrInvalid, Message: r.Name() + " cannot list its models"}
	}
	return lister.Models(ctx)
}

// attempt is one request under the watchdog. shown tells whether anything of
// it reached sink.
func (r *retrying) attempt(ctx context.Context, req Request, sink Sink) (resp Response, shown bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := startWatchdog(r.policy, cancel)
	defer dog.stop()

	resp, err = r.inner.Stream(ctx, req, func(e Event) {
		dog.hold()
		defer dog.feed()
		if e.Kind == EventAlive {
			return
		}
		shown = shown || e.Kind != EventRetry
		sink(e)
	})
	if stalled, ok := errors.AsType[*Error](context.Cause(ctx)); ok && err != nil {
		err = stalled
	}
	return resp, shown, err
}

// backoff is the wait before each retry when the service names none.
var backoff = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second}

func (r *retrying) delay(err error, retry int) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	step := backoff[min(retry, len(backoff))-1]
	step += time.Duration(r.policy.Jitter() * float64(step) / 4)
	return min(step, backoff[len(backoff)-1])
}

// Passing tells whether the same request may succeed later. A refused key, a
// refused request and an unknown error are final.
func Passing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case ErrRateLimit, ErrOverloaded, ErrNetwork, ErrStalled:
		return true
	}
	return false
}

// cut marks a response that an error ended: no call of it may run.
func cut(resp Response) Response {
	resp.Stop = StopMaxTokens
	return resp
}

func gaveUp(err error, tries int) error {
	if tries == 1 {
		return err // nothing was given up: there was to be no second try
	}
	return amend(err, fmt.Sprintf("gave up after %d tries", tries))
}

func tooPatient(err error, delay time.Duration) error {
	return amend(err, fmt.Sprintf("the service asks to wait %s", delay.Round(time.Second)))
}

// amend adds a remark to the message of an *Error and keeps the rest of it.
func amend(err error, remark string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return fmt.Errorf("%w (%s)", err, remark)
	}
	amended := *e
	amended.Message = fmt.Sprintf("%s (%s)", e.Message, remark)
	return &amended
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
