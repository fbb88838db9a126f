// Package wire holds what the services' wires have in common: how to reach one
// (address, key, proxy, certificates), how its failures are sorted, what a
// history must look like before a strict service takes it, and how the pieces
// of a streamed answer become one Response. It knows no request format and
// starts no goroutine.
package wire

import (
	"net/http"
	"net/url"
	"strings"

	"drawbridge/model"
)

// Scheme is how a secret is presented.
type Scheme int

const (
	APIKey Scheme = iota // the vendor's own header
	Bearer               // Authorization: Bearer
)

// Credential lets a request in. The zero value is no credential.
type Credential struct {
	Secret string
	Scheme Scheme
}

// Options says where a service is and how to be let in.
type Options struct {
	// BaseURL is empty for the vendor's own service.
	BaseURL string
	// Credential is asked at each request, because a key may come or change
	// while the program runs. Nil means none.
	Credential func() Credential
	// HTTPClient is nil for the shared one.
	HTTPClient *http.Client
}

// Client is the HTTP client to use.
func (o Options) Client() *http.Client {
	if o.HTTPClient != nil {
		return o.HTTPClient
	}
	return sharedClient()
}

// Secret is the credential of this moment.
func (o Options) Secret() Credential {
	if o.Credential == nil {
		return Credential{}
	}
	return o.Credential()
}

// Usable checks before any connection that the request has a chance: a vendor's
// own service needs a key, another server may not.
func (o Options) Usable(c Credential, hint string) error {
	if c.Secret == "" && o.BaseURL == "" {
		return &model.Error{Kind: model.ErrSetup, Message: "no key and no server for the model", Hint: hint}
	}
	if strings.ContainsFunc(c.Secret, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return &model.Error{
			Kind:    model.ErrSetup,
			Message: "the key has a blank or a line break in it",
			Hint:    "copy the key again, without the space around it",
		}
	}
	if o.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return &model.Error{
			Kind:    model.ErrSetup,
			Message: "the base URL of the model service is not an http or https address",
			Hint:    "write it like http://127.0.0.1:8080/v1",
		}
	}
	return nil
}
