package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/model"
)

// scripted answers each attempt by the next of its functions.
type scripted struct {
	attempts []func(ctx context.Context, sink model.Sink) (model.Response, error)
	made     int
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Stream(ctx context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
	attempt := s.attempts[min(s.made, len(s.attempts)-1)]
	s.made++
	return attempt(ctx, sink)
}

type attempt = func(ctx context.Context, sink model.Sink) (model.Response, error)

func fails(kind model.ErrorKind, after time.Duration) attempt {
	return func(context.Context, model.Sink) (model.Response, error) {
		return model.Response{}, &model.Error{Kind: kind, Message: string(kind), RetryAfter: after}
	}
}

func says(text string) attempt {
	return func(_ context.Context, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: text})
		return response(text, model.StopEnd), nil
	}
}

func response(text string, stop model.StopReason) model.Response {
	return model.Response{Parts: []model.Part{{Kind: model.PartText, Text: text}}, Stop: stop}
}

// quiet shows text, if any, then lets gap pass between beats of its heart, and
// goes silent for ever after the last.
func quiet(text string, beats int, gap time.Duration) attempt {
	return func(ctx context.Context, sink model.Sink) (model.Response, error) {
		var resp model.Response
		if text != "" {
			sink(model.Event{Kind: model.EventText, Text: text})
			resp = response(text, "")
		}
		for range beats {
			time.Sleep(gap)
			sink(model.Event{Kind: model.EventAlive})
		}
		<-ctx.Done()
		return resp, ctx.Err()
	}
}

// run plays the attempts in virtual time.
type run struct {
	resp    model.Response
	err     error
	text    string
	retries []model.Retry
	took    time.Duration
	made    int
}

func play(t *testing.T, policy model.Policy, attempts ...attempt) (r run) {
	t.Helper()
	policy.Jitter = func() float64 { return 0 }
	synctest.Test(t, func(t *testing.T) {
		inner := &scripted{attempts: attempts}
		start := time.Now()
		r.resp, r.err = model.Retrying(inner, policy).Stream(t.Context(), model.Request{}, func(e model.Event) {
			switch e.Kind {
			case model.EventText:
				r.text += e.Text
			case model.EventRetry:
				r.retries = append(r.retries, *e.Retry)
			case model.EventAlive:
				t.Error("a sign of life reached the sink")
			}
		})
		r.took, r.made = time.Since(start), inner.made
	})
	return r
}

func kindOf(err error) model.ErrorKind {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Kind
	}
	return ""
}

func TestPassingFailuresAreRetriedAndAnnounced(t *testing.T) {
	for _, kind := range []model.ErrorKind{model.ErrRateLimit, model.ErrOverloaded, model.ErrNetwork} {
		r := play(t, model.Policy{}, fails(kind, 0), fails(kind, 0), says("hello"))
		if r.err != nil || r.text != "hello" || r.took != 6*time.Second {
			t.Errorf("%s: shown %q, %v, after %s", kind, r.text, r.err, r.took)
		}
		want := model.Retry{Attempt: 2, Max: 5, Delay: 4 * time.Second, Cause: string(kind)}
		if len(r.retries) != 2 || r.retries[1] != want {
			t.Errorf("%s: announced %+v", kind, r.retries)
		}
	}
}

func TestFinalFailuresAreNotRetried(t *testing.T) {
	for _, kind := range []model.ErrorKind{model.ErrSetup, model.ErrAuth, model.ErrInvalid, model.ErrTooLong, model.ErrProtocol} {
		r := play(t, model.Policy{}, fails(kind, 0), says("never"))
		if kindOf(r.err) != kind || r.made != 1 || r.took != 0 {
			t.Errorf("%s: error %v after %d attempts", kind, r.err, r.made)
		}
	}
}

func TestTheServicesOwnWaitCounts(t *testing.T) {
	r := play(t, model.Policy{}, fails(model.ErrRateLimit, 47*time.Second), says("hello"))
	if r.err != nil || r.took != 47*time.Second {
		t.Errorf("took %s, %v", r.took, r.err)
	}
	r = play(t, model.Policy{}, fails(model.ErrRateLimit, time.Hour), says("never"))
	if kindOf(r.err) != model.ErrRateLimit || r.took != 0 || !strings.Contains(r.err.Error(), "1h0m0s") {
		t.Errorf("a wait of an hour: %v after %s", r.err, r.took)
	}
}

func TestPatienceEnds(t *testing.T) {
	r := play(t, model.Policy{}, fails(model.ErrOverloaded, 0))
	if kindOf(r.err) != model.ErrOverloaded || r.made != 6 || !strings.Contains(r.err.Error(), "gave up after 6 tries") {
		t.Errorf("%v after %d attempts", r.err, r.made)
	}
	if r.took != 60*time.Second {
		t.Errorf("waits add up to %s, want 2+4+8+16+30 s", r.took)
	}
}

func TestNothingIsRepeatedOnceShown(t *testing.T) {
	broken := func(_ context.Context, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventText, Text: "half"})
		return response("half", ""), &model.Error{Kind: model.ErrNetwork, Message: "cut"}
	}
	r := play(t, model.Policy{}, broken, says("again"))
	if kindOf(r.err) != model.ErrNetwork || r.made != 1 || r.text != "half" {
		t.Errorf("shown %q, %v", r.text, r.err)
	}
	if r.resp.Parts[0].Text != "half" || r.resp.Stop != model.StopMaxTokens {
		t.Errorf("kept %+v", r.resp)
	}
}

func TestSilenceIsNoticedByEventsNotBytes(t *testing.T) {
	r := play(t, model.Policy{Retries: -1}, quiet("", 0, 0))
	if kindOf(r.err) != model.ErrStalled || r.took != 300*time.Second {
		t.Errorf("before the first event: %v after %s", r.err, r.took)
	}
	r = play(t, model.Policy{}, quiet("half", 0, 0))
	if kindOf(r.err) != model.ErrStalled || r.took != 90*time.Second || r.resp.Parts[0].Text != "half" || r.made != 1 {
		t.Errorf("after text: %v after %s, kept %+v", r.err, r.took, r.resp)
	}
	r = play(t, model.Policy{}, quiet("", 1, time.Second), says("hello"))
	if r.err != nil || r.text != "hello" || r.took != 93*time.Second {
		t.Errorf("nothing shown: %v, %q after %s", r.err, r.text, r.took)
	}
}

func TestSignsOfLifeKeepAnAttemptAlive(t *testing.T) {
	r := play(t, model.Policy{Retries: -1}, quiet("", 10, 80*time.Second))
	if kindOf(r.err) != model.ErrStalled || r.took != 890*time.Second {
		t.Errorf("%v after %s, want the stall 90 s after the last of ten beats", r.err, r.took)
	}
}

func TestASlowSinkIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		talks := func(ctx context.Context, sink model.Sink) (model.Response, error) {
			sink(model.Event{Kind: model.EventText, Text: "hello"})
			return response("hello", model.StopEnd), ctx.Err()
		}
		inner := &scripted{attempts: []attempt{talks}}
		_, err := model.Retrying(inner, model.Policy{}).Stream(t.Context(), model.Request{}, func(model.Event) {
			time.Sleep(time.Hour)
		})
		if err != nil {
			t.Errorf("a reader that took an hour: %v", err)
		}
	})
}

func TestCancelEndsEveryWaitAtOnce(t *testing.T) {
	for name, a := range map[string]attempt{
		"back-off": fails(model.ErrRateLimit, 100*time.Second),
		"silence":  quiet("", 0, 0),
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			time.AfterFunc(5*time.Second, cancel)
			inner := &scripted{attempts: []attempt{a}}
			_, err := model.Retrying(inner, model.Policy{}).Stream(ctx, model.Request{}, func(model.Event) {})
			if !errors.Is(err, context.Canceled) || time.Since(start) != 5*time.Second || inner.made != 1 {
				t.Errorf("%s: %v after %s", name, err, time.Since(start))
			}
		})
	}
}

func TestJitterOnlyLengthens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &scripted{attempts: []attempt{fails(model.ErrOverloaded, 0), says("hello")}}
		start := time.Now()
		policy := model.Policy{Jitter: func() float64 { return 0.5 }}
		if _, err := model.Retrying(inner, policy).Stream(t.Context(), model.Request{}, func(model.Event) {}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2250*time.Millisecond {
			t.Errorf("took %s, want 2 s and an eighth", took)
		}
	})
}
