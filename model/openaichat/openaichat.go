// Package openaichat talks to the Chat Completions API, the one that local
// servers and gateways speak. Those differ: they leave out usage, index calls
// wrongly or not at all, send null where a text is due and name odd finish
// reasons; what can be understood is. It does not retry and does not watch for
// stalls: package model does both for all providers. It starts no goroutine.
package openaichat

import (
	"context"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// Name is this provider's word in configuration.
const Name = "openai-chat"

const hint = "for a local server set OPENAI_BASE_URL (like http://127.0.0.1:8080/v1), for the vendor's own service set " +
	"OPENAI_API_KEY; to rehearse without any model use --model script:demo"

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

// Stream sends one request and plays its answer to sink. Without a model name
// it asks for the first one that the server lists: a local server often has
// one only.
func (p *Provider) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	secret := p.options.Secret()
	if err := p.options.Usable(secret, hint); err != nil {
		return model.Response{}, err
	}
	if req.Model == "" {
		first, err := p.firstModel(ctx)
		if err != nil {
			return model.Response{}, err
		}
		req.Model = first
	}
	tap, settled, tools, err := p.writing.Begin(&req, dialect)
	if err != nil {
		return model.Response{}, err
	}
	body := p.params(req, settled)
	if tools != nil {
		body.Tools = []openai.ChatCompletionToolUnionParam{param.Override[openai.ChatCompletionToolUnionParam](tools.JSON())}
	}
	options := append(wire.OpenAI(p.options, secret), option.WithMiddleware(tap.Do))
	service := openai.NewChatCompletionService(options...)
	stream := service.NewStreaming(ctx, body)
	defer stream.Close()

	r := reader{answer: wire.NewAnswer(Name, sink)}
	for stream.Next() {
		r.chunk(stream.Current())
	}
	// Either end mark will do: some servers send one, some the other.
	if err := wire.OpenAIEnd(ctx, stream.Err(), r.finish != "" || tap.Done()); err != nil {
		return r.answer.Partial(), wire.Redact(err, secret.Secret)
	}
	if r.finish == "error" {
		return r.answer.Partial(), wire.FromRefusal(0, wire.Refusal{Message: "the answer ended with an error"})
	}
	return r.end(), nil
}

// Models lists what the service offers.
func (p *Provider) Models(ctx context.Context) ([]model.Info, error) {
	secret := p.options.Secret()
	if err := p.options.Usable(secret, hint); err != nil {
		return nil, err
	}
	return wire.OpenAIModels(ctx, p.options, secret)
}

func (p *Provider) firstModel(ctx context.Context) (string, error) {
	infos, err := p.Models(ctx)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", &model.Error{
			Kind:    model.ErrSetup,
			Message: "the server lists no model",
			Hint:    fmt.Sprintf("name one: --model %s:NAME", Name),
		}
	}
	return infos[0].ID, nil
}

// reader turns chunks into an answer.
type reader struct {
	answer  *wire.Answer
	finish  string
	refused bool
	calls   callKeys
}

func (r *reader) chunk(c openai.ChatCompletionChunk) {
	if c.Usage.TotalTokens > 0 || c.Usage.PromptTokens > 0 {
		r.answer.Usage = model.Usage{
			Input:     int(c.Usage.PromptTokens),
			Output:    int(c.Usage.CompletionTokens),
			CacheRead: int(c.Usage.PromptTokensDetails.CachedTokens),
		}
	}
	if len(c.Choices) > 0 {
		choice := c.Choices[0]
		r.delta(choice.Delta)
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	r.answer.Alive()
}

func (r *reader) delta(d openai.ChatCompletionChunkChoiceDelta) {
	r.answer.Thinking(reasoning(d))
	r.answer.Text(d.Content)
	if d.Refusal != "" {
		r.refused = true
		r.answer.Text(d.Refusal)
	}
	for _, call := range d.ToolCalls {
		key := r.calls.key(call)
		r.answer.Call(key, call.ID, call.Function.Name, "")
		r.answer.Args(key, arguments(call))
	}
}

func (r *reader) end() model.Response {
	switch {
	case r.refused, r.finish == "content_filter":
		return r.answer.Finish(model.StopRefusal)
	case r.finish == "length", r.finish == "max_tokens":
		return r.answer.Finish(model.StopMaxTokens)
	}
	r.answer.CloseCalls()
	return r.answer.Finish(model.StopEnd)
}
