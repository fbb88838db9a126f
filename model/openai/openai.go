// Package openai talks to the Responses API. Nothing is stored at the service:
// the reasoning travels encrypted in Part.Signature and goes back with the next
// request. It does not retry and does not watch for stalls: package model does
// both for all providers. It starts no goroutine.
package openai

import (
	"context"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// Name is this provider's word in configuration.
const Name = "openai"

const hint = "set OPENAI_API_KEY; for a local server set OPENAI_BASE_URL (like http://127.0.0.1:8080/v1) and use " +
	"--model openai-chat:NAME; to rehearse without any model use --model script:demo"

// Provider implements model.Provider. It is safe for concurrent use.
type Provider struct {
	options wire.Options
	writing wire.Writing
}

// New makes a provider; nothing is connected yet.
func New(o wire.Options) *Provider {
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	return &Provider{options: o}
}

func (p *Provider) Name() string { return Name }

// Stream sends one request and plays its answer to sink.
func (p *Provider) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	secret := p.options.Secret()
	if err := p.options.Usable(secret, hint); err != nil {
		return model.Response{}, err
	}
	tap, settled, tools, err := p.writing.Begin(&req, dialect)
	if err != nil {
		return model.Response{}, err
	}
	body := params(req)
	if settled != nil {
		entries := param.Override[responses.ResponseInputItemUnionParam](settled.JSON())
		body.Input.OfInputItemList = append(responses.ResponseInputParam{entries}, body.Input.OfInputItemList...)
	}
	if tools != nil {
		body.Tools = []responses.ToolUnionParam{param.Override[responses.ToolUnionParam](tools.JSON())}
	}
	options := append(wire.OpenAI(p.options, secret), option.WithMiddleware(tap.Do))
	service := responses.NewResponseService(options...)
	stream := service.NewStreaming(ctx, body)
	defer stream.Close()

	r := reader{answer: wire.NewAnswer(Name, sink)}
	for r.failure == nil && stream.Next() {
		r.event(stream.Current())
	}
	err = r.failure
	if err == nil {
		err = wire.OpenAIEnd(ctx, stream.Err(), r.whole)
	}
	if err != nil {
		return r.answer.Partial(), wire.Redact(err, secret.Secret)
	}
	return r.answer.Finish(r.stop), nil
}

// Models lists what the service offers.
func (p *Provider) Models(ctx context.Context) ([]model.Info, error) {
	secret := p.options.Secret()
	if err := p.options.Usable(secret, hint); err != nil {
		return nil, err
	}
	return wire.OpenAIModels(ctx, p.options, secret)
}

// reader turns stream events into an answer.
type reader struct {
	answer  *wire.Answer
	stop    model.StopReason
	whole   bool  // the response was completed, or ended on purpose
	failure error // the service ended it by an event
}

func (r *reader) event(e responses.ResponseStreamEventUnion) {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		r.answer.Text(e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.answer.Thinking(e.Delta)
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			r.answer.Thinking("\n\n")
		}
	case "response.output_item.added":
		r.itemAdded(e.Item)
	case "response.function_call_arguments.delta":
		r.answer.Args(e.ItemID, e.Delta)
	case "response.output_item.done":
		r.itemDone(e.Item)
	case "response.refusal.done":
		r.stop = model.StopRefusal
	case "response.completed", "response.incomplete":
		r.completed(e.Response)
	case "response.failed":
		r.failure = wire.FromRefusal(0, wire.Refusal{
			Code:    string(e.Response.Error.Code),
			Message: e.Response.Error.Message,
		})
	case "error":
		r.failure = wire.FromRefusal(0, wire.Refusal{Code: e.Code, Message: e.Message})
	case "keepalive":
		return // says only that the connection is open
	}
	r.answer.Alive()
}

func (r *reader) itemAdded(item responses.ResponseOutputItemUnion) {
	r.answer.Break()
	if item.Type == "function_call" {
		r.answer.Call(itemKey(item), item.CallID, item.Name, item.ID)
	}
}

// itemKey is the id that argument events carry; a server without item ids is
// told by the call's.
func itemKey(item responses.ResponseOutputItemUnion) string {
	if item.ID != "" {
		return item.ID
	}
	return item.CallID
}

func (r *reader) itemDone(item responses.ResponseOutputItemUnion) {
	switch item.Type {
	case "function_call":
		// A server may skip the announcement of a call.
		r.answer.Call(itemKey(item), item.CallID, item.Name, item.ID)
		if item.Status != "incomplete" {
			r.answer.CloseCall(itemKey(item), item.Arguments.OfString)
		}
	case "reasoning":
		if item.EncryptedContent != "" {
			r.answer.Sign(item.RawJSON())
		}
	}
	r.answer.Break()
}

func (r *reader) completed(resp responses.Response) {
	r.whole = true
	r.answer.Usage = model.Usage{
		Input:     int(resp.Usage.InputTokens),
		Output:    int(resp.Usage.OutputTokens),
		CacheRead: int(resp.Usage.InputTokensDetails.CachedTokens),
	}
	switch {
	case r.stop == model.StopRefusal:
	case resp.IncompleteDetails.Reason == "max_output_tokens":
		r.stop = model.StopMaxTokens
	case resp.IncompleteDetails.Reason == "content_filter":
		r.stop = model.StopRefusal
	case resp.Status == responses.ResponseStatusIncomplete:
		r.stop = model.StopMaxTokens
	}
}
