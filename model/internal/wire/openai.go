package wire

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"drawbridge/model"
)

// OpenAI makes the request options of the vendor's library, which two
// providers use. It leaves nothing to the library's own reading of the
// environment: what is used is what was configured.
func OpenAI(o Options, c Credential) []option.RequestOption {
	options := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithMaxRetries(0),
		option.WithHTTPClient(o.Client()),
	}
	if o.BaseURL != "" {
		options = append(options, option.WithBaseURL(o.BaseURL))
	}
	if c.Secret != "" {
		options = append(options, option.WithAPIKey(c.Secret))
	}
	return options
}

// OpenAIModels lists what a service offers.
func OpenAIModels(ctx context.Context, o Options, c Credential) ([]model.Info, error) {
	service := openai.NewModelService(append(OpenAI(o, c), option.WithMiddleware(Refusals))...)
	page, err := service.List(ctx)
	if err != nil {
		return nil, Redact(FromTransport(ctx, err), c.Secret)
	}
	var infos []model.Info
	for _, m := range page.Data {
		infos = append(infos, Told(m.ID, m.RawJSON()))
	}
	return infos, nil
}

// OpenAIEnd is StreamEnd for that library, which hands out a stream's error
// object as an error of its own type.
func OpenAIEnd(ctx context.Context, err error, whole bool) error {
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok && ctx.Err() == nil {
		return FromRefusal(0, ReadRefusal(e.Event.Data))
	}
	return StreamEnd(ctx, err, whole)
}
