// Package modeltest is the contract of a model provider as tests. Every
// provider that speaks a wire passes the same suite against a strict fake
// service, so that the session can treat them alike. It knows the wires only
// by the fake's steps. Goroutines: those of the fake server, until the test
// ends.
package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

// New makes the provider under test for a server and a key.
type New func(baseURL, key string) model.Provider

// Run holds a provider to the contract.
func Run(t *testing.T, format fakemodel.Format, make New) {
	s := suite{format: format, make: make}
	t.Run("answers", s.answers)
	t.Run("history", s.history)
	t.Run("failures", s.failures)
	t.Run("patience", s.patience)
	t.Run("cancel", s.cancel)
}

type suite struct {
	format fakemodel.Format
	make   New
}

// tester is one server with the provider in front of it.
type tester struct {
	*testing.T
	format   fakemodel.Format
	server   *fakemodel.Server
	provider model.Provider
}

func (s suite) start(t *testing.T, steps ...fakemodel.Step) *tester {
	t.Helper()
	server, err := fakemodel.Start(steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	server.RequireKey(fakemodel.Key)
	return &tester{
		T: t, format: s.format, server: server,
		provider: s.make(server.BaseURL(s.format), fakemodel.Key),
	}
}

// patient puts the retrying provider in front, with waits a test can bear.
func (t *tester) patient(p model.Policy) *tester {
	p.Jitter = func() float64 { return 0 }
	t.provider = model.Retrying(t.provider, p)
	return t
}

// result is all that one request brought.
type result struct {
	model.Response
	err      error
	text     string // as shown
	thinking string
	calls    []model.Call // as shown, with their arguments joined
	retries  []model.Retry
}

func (t *tester) ask(ctx context.Context, req model.Request) result {
	t.Helper()
	if req.Model == "" {
		req.Model = "fake-model"
	}
	var r result
	r.Response, r.err = t.provider.Stream(ctx, req, r.take)
	if t.provider.Name() != string(t.format) {
		t.Errorf("provider is named %q, want %q", t.provider.Name(), t.format)
	}
	return r
}

// prompt asks with one user message.
func (t *tester) prompt() result {
	t.Helper()
	return t.ask(context.Background(), model.Request{Messages: []model.Message{said("hello")}})
}

func (r *result) take(e model.Event) {
	switch e.Kind {
	case model.EventText:
		r.text += e.Text
	case model.EventThinking:
		r.thinking += e.Text
	case model.EventCallStart:
		r.calls = append(r.calls, e.Call)
	case model.EventCallArgs:
		for i := range r.calls {
			if r.calls[i].ID == e.Call.ID {
				r.calls[i].Args += e.Text
			}
		}
	case model.EventRetry:
		r.retries = append(r.retries, *e.Retry)
	}
}

func said(text string) model.Message {
	return model.Message{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: text}}}
}

func answered(parts ...model.Part) model.Message {
	return model.Message{Role: model.RoleAssistant, Parts: parts}
}

func text(s string) model.Part { return model.Part{Kind: model.PartText, Text: s} }

func called(id, name, args string) model.Part {
	return model.Part{Kind: model.PartCall, Call: &model.Call{ID: id, Name: name, Args: args}}
}

func resulted(results ...model.Result) model.Message {
	m := model.Message{Role: model.RoleUser}
	for _, r := range results {
		m.Parts = append(m.Parts, model.Part{Kind: model.PartResult, Result: &r})
	}
	return m
}

var tool = model.ToolDef{
	Name:        "read_file",
	Description: "Reads a file.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
}

// joined is the text of all parts of a kind.
func joined(resp model.Response, kind model.PartKind) string {
	var b strings.Builder
	for _, p := range resp.Parts {
		if p.Kind == kind {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func callsOf(resp model.Response) []model.Call {
	var calls []model.Call
	for _, p := range resp.Parts {
		if p.Kind == model.PartCall {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

func (t *tester) wantStop(r result, stop model.StopReason) {
	t.Helper()
	if r.err != nil {
		t.Fatalf("request failed: %v", r.err)
	}
	if r.Stop != stop {
		t.Errorf("stop is %q, want %q", r.Stop, stop)
	}
}

func (t *tester) wantKind(err error, kind model.ErrorKind) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("error is %T %v, want a *model.Error of kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("error %q is of kind %s, want %s", e.Message, e.Kind, kind)
	}
	if strings.Contains(e.Message+e.Hint, fakemodel.Key) {
		t.Errorf("the key is in the error: %s", e.Message)
	}
	return e
}

// within fails the test if f takes so long that only a missed wake-up explains
// it.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { // ends with f
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("still waiting after 20 s")
	}
}
