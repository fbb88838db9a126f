package modeltest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

func (s suite) failures(t *testing.T) {
	page := map[string]string{"Content-Type": "text/html"}
	cases := map[string]struct {
		step fakemodel.Step
		kind model.ErrorKind
	}{
		"too many requests":       {fakemodel.Step{Status: 429}, model.ErrRateLimit},
		"overloaded":              {fakemodel.Step{Status: 529}, model.ErrOverloaded},
		"server error":            {fakemodel.Step{Status: 500}, model.ErrOverloaded},
		"a gateway's page":        {fakemodel.Step{Status: 502, Body: "<html>bad gateway</html>", Header: page}, model.ErrOverloaded},
		"forbidden":               {fakemodel.Step{Status: 403}, model.ErrAuth},
		"no such model":           {fakemodel.Step{Status: 404}, model.ErrInvalid},
		"an empty refusal":        {fakemodel.Step{Status: 400, Body: " "}, model.ErrInvalid},
		"too long":                {fakemodel.TooLong(s.format), model.ErrTooLong},
		"no credit":               {fakemodel.Step{Status: 429, Refusal: fakemodel.Refusal{Type: "insufficient_quota", Code: "insufficient_quota", Message: "no credit"}}, model.ErrInvalid},
		"a page for an answer":    {fakemodel.Step{Body: "<html>sign in</html>", Header: page}, model.ErrProtocol},
		"an event that is broken": {fakemodel.Step{Body: "event: message_start\ndata: {\"type\": \"mess\n\n"}, model.ErrProtocol},
		"an error inside the stream": {
			fakemodel.Step{StreamError: fakemodel.Refusal{Type: "overloaded_error", Code: "server_error", Message: "busy"}},
			model.ErrOverloaded,
		},
		"a connection that breaks": {fakemodel.Step{Text: "lost", Break: fakemodel.Break{How: fakemodel.Cut}}, model.ErrNetwork},
		"a stream that ends early": {fakemodel.Step{Text: "lost", Break: fakemodel.Break{How: fakemodel.EndsOff}}, model.ErrNetwork},
		"an answer of nothing":     {fakemodel.Step{Body: "\n"}, model.ErrNetwork},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			x := s.start(t, c.step)
			r := x.prompt()
			e := x.wantKind(r.err, c.kind)
			if c.step.Status != 0 && e.Status != c.step.Status {
				t.Errorf("status is %d, want %d", e.Status, c.step.Status)
			}
		})
	}
	t.Run("a service says when to come back", s.retryAfter)
	t.Run("a refused key stays out of the error", s.wrongKey)
	t.Run("nothing listens", s.nothingListens)
	t.Run("what was shown comes with the error", s.partial)
	t.Run("a cut call has what came of its arguments", s.cutCall)
}

func (s suite) retryAfter(t *testing.T) {
	soon := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for header, want := range map[string][2]time.Duration{
		"Retry-After: 7":       {7 * time.Second, 7 * time.Second},
		"Retry-After-Ms: 1500": {1500 * time.Millisecond, 1500 * time.Millisecond},
		"Retry-After: " + soon: {time.Minute, 90 * time.Second},
		"Retry-After: soon":    {0, 0},
	} {
		name, value, _ := strings.Cut(header, ": ")
		x := s.start(t, fakemodel.Step{Status: 429, Header: map[string]string{name: value}})
		e := x.wantKind(x.prompt().err, model.ErrRateLimit)
		if e.RetryAfter < want[0] || e.RetryAfter > want[1] {
			t.Errorf("%s: wait is %s, want %s to %s", header, e.RetryAfter, want[0], want[1])
		}
	}
}

// wrongKey lets the service quote the key, as some do.
func (s suite) wrongKey(t *testing.T) {
	const wrong = "wrong-key-of-mine"
	x := s.start(t)
	x.provider = s.make(x.server.BaseURL(s.format), wrong)
	x.wantKind(x.prompt().err, model.ErrAuth)

	x = s.start(t, fakemodel.Step{Status: 401, Refusal: fakemodel.Refusal{
		Type: "authentication_error", Message: "keys " + wrong + " and sk-live-abcdefgh12345678 are wrong",
	}})
	x.server.RequireKey("")
	x.provider = s.make(x.server.BaseURL(s.format), wrong)
	e := x.wantKind(x.prompt().err, model.ErrAuth)
	if strings.Contains(e.Message, wrong) || strings.Contains(e.Message, "abcdefgh") || e.Hint == "" {
		t.Errorf("error is %q, hint %q", e.Message, e.Hint)
	}
}

func (s suite) nothingListens(t *testing.T) {
	x := s.start(t)
	x.server.Close()
	e := x.wantKind(x.prompt().err, model.ErrNetwork)
	if e.Hint == "" {
		t.Errorf("%q has no hint", e.Message)
	}
}

func (s suite) partial(t *testing.T) {
	for how, kind := range map[fakemodel.How]model.ErrorKind{fakemodel.Cut: model.ErrNetwork, fakemodel.EndsOff: model.ErrNetwork} {
		x := s.start(t, fakemodel.Step{Text: "half of it", Break: fakemodel.Break{How: how, At: fakemodel.AtText}})
		r := x.prompt()
		x.wantKind(r.err, kind)
		if r.text != "half " || joined(r.Response, model.PartText) != r.text || r.Stop != model.StopMaxTokens {
			t.Errorf("shown %q, kept %q, stop %q", r.text, joined(r.Response, model.PartText), r.Stop)
		}
	}
}

func (s suite) cutCall(t *testing.T) {
	call := fakemodel.Call{ID: "c1", Name: "run", Args: `{"cmd":"rm -rf build"}`}
	for _, how := range []fakemodel.How{fakemodel.Cut, fakemodel.EndsOff} {
		x := s.start(t, fakemodel.Step{Calls: []fakemodel.Call{call}, Break: fakemodel.Break{How: how, At: fakemodel.AtArgs}})
		r := x.prompt()
		x.wantKind(r.err, model.ErrNetwork)
		calls := callsOf(r.Response)
		if len(calls) != 1 || calls[0].Args != `{"cmd":"rm ` || r.Stop != model.StopMaxTokens {
			t.Errorf("calls are %+v, stop %q", calls, r.Stop)
		}
	}
}

// patience goes through the retrying provider, on real sockets.
func (s suite) patience(t *testing.T) {
	soon := map[string]string{"Retry-After-Ms": "1"}
	quick := model.Policy{FirstEvent: 150 * time.Millisecond, NextEvent: 150 * time.Millisecond}
	t.Run("overload passes", func(t *testing.T) {
		busy := fakemodel.Step{Status: 529, Header: soon}
		x := s.start(t, busy, busy, fakemodel.Step{Text: "at last"}).patient(model.Policy{})
		r := x.prompt()
		x.wantStop(r, model.StopEnd)
		if r.text != "at last" || len(r.retries) != 2 || r.retries[1].Attempt != 2 || r.retries[1].Delay != time.Millisecond {
			t.Errorf("shown %q after %+v", r.text, r.retries)
		}
	})
	t.Run("a refused key is not tried again", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Status: 401}, fakemodel.Step{Text: "too late"}).patient(model.Policy{})
		r := x.prompt()
		x.wantKind(r.err, model.ErrAuth)
		if len(x.server.Requests()) != 1 {
			t.Errorf("%d requests were sent", len(x.server.Requests()))
		}
	})
	for name, how := range map[string]fakemodel.How{"silence": fakemodel.Stall, "a stream of pings": fakemodel.Pings} {
		t.Run(name+" after text keeps the text", func(t *testing.T) {
			x := s.start(t, fakemodel.Step{Text: "half of it", Break: fakemodel.Break{How: how, At: fakemodel.AtText}}).patient(quick)
			var r result
			within(t, func() { r = x.prompt() })
			x.wantKind(r.err, model.ErrStalled)
			if joined(r.Response, model.PartText) != "half " || len(r.retries) != 0 {
				t.Errorf("kept %q after %d retries", joined(r.Response, model.PartText), len(r.retries))
			}
		})
		t.Run(name+" before anything is noticed", func(t *testing.T) {
			once := quick
			once.Retries = -1
			x := s.start(t, fakemodel.Step{Break: fakemodel.Break{How: how}}).patient(once)
			var r result
			within(t, func() { r = x.prompt() })
			x.wantKind(r.err, model.ErrStalled)
		})
	}
}

func (s suite) cancel(t *testing.T) {
	hour := time.Hour
	cases := map[string]fakemodel.Step{
		"while connecting":  {HeaderDelay: hour},
		"while it is quiet": {Break: fakemodel.Break{How: fakemodel.Stall}},
		"while streaming":   {Text: "half of it", Break: fakemodel.Break{How: fakemodel.Pings, At: fakemodel.AtText}},
		"while backing off": {Status: 429, Header: map[string]string{"Retry-After": "200"}},
	}
	for name, step := range cases {
		t.Run(name, func(t *testing.T) {
			x := s.start(t, step).patient(model.Policy{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			timer := time.AfterFunc(100*time.Millisecond, cancel)
			defer timer.Stop()
			within(t, func() {
				r := x.ask(ctx, model.Request{Messages: []model.Message{said("hello")}})
				if !errors.Is(r.err, context.Canceled) {
					t.Errorf("error is %v, want context.Canceled", r.err)
				}
				if step.Text != "" && joined(r.Response, model.PartText) != "half " {
					t.Errorf("kept %q of what was shown", joined(r.Response, model.PartText))
				}
			})
		})
	}
}
