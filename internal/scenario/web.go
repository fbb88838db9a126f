package scenario

import (
	"context"
	"net/http"
	"net/url"

	"drawbridge/internal/fetch"
	"drawbridge/model"
	"drawbridge/model/script"
)

// web is the network of a scenario: what lies at HOST/PATH.
type web map[string]string

// Get implements tools.Fetcher. The address is read as the real one reads it.
func (w web) Get(ctx context.Context, address, _ string, limit int64) (fetch.Answer, error) {
	u, err := fetch.Check(address)
	if err != nil {
		return fetch.Answer{}, err
	}
	body, found := w[u.Host+u.Path]
	switch {
	case ctx.Err() != nil:
		return fetch.Answer{}, context.Cause(ctx)
	case !found:
		return fetch.Answer{}, &fetch.Error{Kind: fetch.Status, Status: http.StatusNotFound, Text: "HTTP 404 Not Found"}
	case int64(len(body)) > limit:
		return fetch.Answer{}, &fetch.Error{Kind: fetch.TooLarge, Text: "it is too large"}
	}
	return fetch.Answer{Body: []byte(body)}, nil
}

// Refuse implements tools.Fetcher as the real one does without exceptions.
func (web) Refuse(address *url.URL) error {
	c, err := fetch.New(fetch.Options{})
	if err != nil {
		return err
	}
	return c.Refuse(address)
}

// known says of all models what the flags say, and of the one that describes
// pictures that it takes them.
func (f *flags) known(full string) model.Info {
	if f.seer != "" && full == f.seerSpec() {
		return model.Info{Vision: true}
	}
	return model.Info{Vision: f.vision == "yes", NoVision: f.vision == "no"}
}

// seerSpec is the model that describes pictures.
func (f *flags) seerSpec() string {
	if f.seer == "" {
		return ""
	}
	return script.Name + ":" + f.seer
}
