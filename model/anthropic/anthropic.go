// Package anthropic talks to the Messages API and to servers that speak it. It
// streams, carries thinking blocks back unchanged, and marks what the service
// may cache. It does not retry and does not watch for stalls: package model
// does both for all providers. It starts no goroutine.
package anthropic

import (
	"context"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// Name is this provider's word in configuration.
const Name = "anthropic"

const hint = "set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN); for another server that speaks this API set " +
	"ANTHROPIC_BASE_URL; for a local model use --model openai-chat:NAME with OPENAI_BASE_URL; to rehearse without " +
	"any model use --model script:demo"

// Provider implements model.Provider. It is safe for concurrent use.
type Provider struct {
	options wire.Options
	writing wire.Writing
}

// New makes a provider; nothing is connected yet.
func New(o wire.Options) *Provider {
	// Users copy the address with and without the version; the library adds it.
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")
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
		body.Messages = append([]sdk.MessageParam{param.Override[sdk.MessageParam](settled.JSON())}, body.Messages...)
	}
	if tools != nil {
		body.Tools = []sdk.ToolUnionParam{param.Override[sdk.ToolUnionParam](tools.JSON())}
	}
	service := sdk.NewMessageService(p.requestOptions(secret, tap.Do)...)
	stream := service.NewStreaming(ctx, body)
	defer stream.Close()

	r := reader{answer: wire.NewAnswer(Name, sink)}
	for stream.Next() {
		r.event(stream.Current())
	}
	if err := streamEnd(ctx, stream.Err(), r.whole); err != nil {
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
	service := sdk.NewModelService(p.requestOptions(secret, wire.Refusals)...)
	page, err := service.List(ctx, sdk.ModelListParams{Limit: sdk.Int(1000)})
	if err != nil {
		return nil, wire.Redact(wire.FromTransport(ctx, err), secret.Secret)
	}
	var infos []model.Info
	for _, m := range page.Data {
		infos = append(infos, infoOf(m))
	}
	return infos, nil
}

// infoOf is what the service tells of a model. A server that imitates it may leave
// out what it can do: of that nothing is known.
func infoOf(m sdk.ModelInfo) model.Info {
	info := model.Info{ID: m.ID, Context: int(m.MaxInputTokens)}
	if can := m.Capabilities; can.ImageInput.JSON.Supported.Valid() {
		info.Vision, info.NoVision = can.ImageInput.Supported, !can.ImageInput.Supported
	}
	if can := m.Capabilities; can.Thinking.JSON.Supported.Valid() && !can.Thinking.Supported {
		info.Thinking = []string{}
	}
	return info
}

// requestOptions leaves nothing to the library's own reading of the
// environment: what is used is what was configured.
func (p *Provider) requestOptions(c wire.Credential, middleware option.Middleware) []option.RequestOption {
	options := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithMaxRetries(0),
		option.WithHTTPClient(p.options.Client()),
		option.WithMiddleware(middleware),
	}
	if p.options.BaseURL != "" {
		options = append(options, option.WithBaseURL(p.options.BaseURL))
	}
	switch {
	case c.Secret == "":
	case c.Scheme == wire.Bearer:
		options = append(options, option.WithAuthToken(c.Secret))
	default:
		options = append(options, option.WithAPIKey(c.Secret))
	}
	return options
}

// reader turns stream events into an answer.
type reader struct {
	answer *wire.Answer
	stop   model.StopReason
	whole  bool // message_stop was seen
}

func (r *reader) event(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		r.usage(e.Message.Usage.InputTokens, e.Message.Usage.CacheReadInputTokens, e.Message.Usage.CacheCreationInputTokens)
		r.answer.Alive()
	case "content_block_start":
		r.blockStart(blockKey(e), e.ContentBlock)
	case "content_block_delta":
		r.delta(blockKey(e), e.Delta)
	case "content_block_stop":
		r.answer.CloseCall(blockKey(e), "")
		r.answer.Break()
		r.answer.Alive()
	case "message_delta":
		r.stop = stopReason(string(e.Delta.StopReason))
		r.answer.Usage.Output = int(e.Usage.OutputTokens)
		if e.Usage.InputTokens > 0 {
			r.usage(e.Usage.InputTokens, e.Usage.CacheReadInputTokens, e.Usage.CacheCreationInputTokens)
		}
		r.answer.Alive()
	case "message_stop":
		r.whole = true
	default:
		r.answer.Alive()
	}
}

func blockKey(e sdk.MessageStreamEventUnion) string { return strconv.FormatInt(e.Index, 10) }

func (r *reader) blockStart(key string, b sdk.ContentBlockStartEventContentBlockUnion) {
	switch b.Type {
	case "text":
		r.answer.Text(b.Text)
	case "thinking":
		r.answer.Thinking(b.Thinking)
	case "redacted_thinking":
		r.answer.Sign(redactedPrefix + b.Data)
	case "tool_use":
		r.answer.Call(key, b.ID, b.Name, "")
	}
	r.answer.Alive()
}

func (r *reader) delta(key string, d sdk.MessageStreamEventUnionDelta) {
	switch d.Type {
	case "text_delta":
		r.answer.Text(d.Text)
	case "thinking_delta":
		r.answer.Thinking(d.Thinking)
	case "signature_delta":
		r.answer.Sign(d.Signature)
	case "input_json_delta":
		r.answer.Args(key, d.PartialJSON)
	default:
		r.answer.Alive()
	}
}

// usage counts the cached tokens as input, which the service does not.
func (r *reader) usage(input, read, write int64) {
	r.answer.Usage.Input = int(input + read + write)
	r.answer.Usage.CacheRead = int(read)
	r.answer.Usage.CacheWrite = int(write)
}

func stopReason(word string) model.StopReason {
	switch word {
	case "tool_use":
		return model.StopCalls
	case "max_tokens", "model_context_window_exceeded":
		return model.StopMaxTokens
	case "refusal":
		return model.StopRefusal
	}
	return model.StopEnd
}

// streamEnd also sorts the error events of a stream, which the library hands
// out as errors of its own type.
func streamEnd(ctx context.Context, err error, whole bool) error {
	if e, ok := asLibraryError(err); ok && ctx.Err() == nil {
		return wire.FromRefusal(0, wire.ReadRefusal([]byte(e.RawJSON())))
	}
	return wire.StreamEnd(ctx, err, whole)
}
