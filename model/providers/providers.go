// Package providers knows all model providers by name and fills in what each
// needs from the environment, the configuration and the keys that an editor
// handed over. Making a provider connects nothing and reads no file. It starts
// no goroutine.
package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"drawbridge/model"
	"drawbridge/model/anthropic"
	"drawbridge/model/internal/wire"
	"drawbridge/model/openai"
	"drawbridge/model/openaichat"
	"drawbridge/model/script"
)

// Options says where providers get what they need. The zero value is the
// process's environment alone.
type Options struct {
	// Env reads a variable; nil is the process's environment.
	Env func(string) string
	// BaseURL replaces the variable of a provider, by its name.
	BaseURL map[string]string
	// KeyEnv names another variable for a provider's key, by its name.
	KeyEnv map[string]string
	// Keys are consulted before the variables at each request. May be nil.
	Keys *Keys
	// HTTPClient is nil for the shared one, which heeds proxies and CA files.
	HTTPClient *http.Client
	// Scripts are the sources that script:NAME finds without a file.
	Scripts map[string]string
}

// vendor is one row of the table of providers.
type vendor struct {
	name         string
	defaultModel string // empty: whatever the server lists first
	keyEnv       string
	tokenEnv     string // a bearer token in place of a key
	urlEnv       string
	open         func(wire.Options) model.Provider
}

var vendors = []vendor{
	{
		name: anthropic.Name, defaultModel: "claude-sonnet-5-5",
		keyEnv: "ANTHROPIC_API_KEY", tokenEnv: "ANTHROPIC_AUTH_TOKEN", urlEnv: "ANTHROPIC_BASE_URL",
		open: func(o wire.Options) model.Provider { return anthropic.New(o) },
	},
	{
		name: openai.Name, defaultModel: "gpt-5.5",
		keyEnv: "OPENAI_API_KEY", urlEnv: "OPENAI_BASE_URL",
		open: func(o wire.Options) model.Provider { return openai.New(o) },
	},
	{
		name:   openaichat.Name,
		keyEnv: "OPENAI_API_KEY", urlEnv: "OPENAI_BASE_URL",
		open: func(o wire.Options) model.Provider { return openaichat.New(o) },
	},
}

// DefaultScript is the script that plays when no other is named.
const DefaultScript = "demo"

// Names lists the providers in the order in which they are tried.
func Names() []string {
	var names []string
	for _, v := range vendors {
		names = append(names, v.name)
	}
	return append(names, script.Name)
}

// Open makes the named provider. Each call makes a new one; a script plays
// from its start in each.
func Open(name string, o Options) (model.Provider, error) {
	if name == script.Name {
		return script.NewLibrary(o.Scripts), nil
	}
	v, err := find(name)
	if err != nil {
		return nil, err
	}
	return v.open(wire.Options{
		BaseURL:    o.baseURL(v),
		Credential: func() wire.Credential { return o.credential(v) },
		HTTPClient: o.HTTPClient,
	}), nil
}

// Split reads PROVIDER:MODEL. A provider alone stands for its default model; a
// model's name may have colons of its own.
func Split(spec string) (provider, name string, err error) {
	provider, name, named := strings.Cut(spec, ":")
	if provider == script.Name {
		if !named || name == "" {
			name = DefaultScript
		}
		return provider, name, nil
	}
	v, err := find(provider)
	if err != nil {
		return "", "", err
	}
	if name == "" {
		name = v.defaultModel
	}
	return provider, name, nil
}

// Default is the PROVIDER:MODEL to use when nobody named one: the first
// provider that the environment has a key or a server for, else the script.
func Default(env func(string) string) string {
	o := Options{Env: env}
	for _, v := range vendors {
		// The Responses API is asked of the vendor only; a server of one's own
		// is more likely to speak the older one.
		own := v.name != openai.Name && o.baseURL(v) != ""
		keyed := o.credential(v).Secret != "" && !(v.name == openai.Name && o.baseURL(v) != "")
		if keyed || own {
			return strings.TrimSuffix(v.name+":"+v.defaultModel, ":")
		}
	}
	return script.Name + ":" + DefaultScript
}

// Ready tells without any connection whether a request has a chance: nil, or
// the *model.Error that a request would end with.
func Ready(name string, o Options) error {
	if name == script.Name {
		return nil
	}
	v, err := find(name)
	if err != nil {
		return err
	}
	if o.credential(v).Secret != "" || o.baseURL(v) != "" {
		return nil
	}
	return &model.Error{
		Kind:    model.ErrSetup,
		Message: "no key and no server for " + name,
		Hint:    "set " + v.keyEnv + " or " + v.urlEnv,
	}
}

// Check asks the service whether it lets us in, by the cheapest request there
// is. A server that has no list of models has not refused the key.
func Check(ctx context.Context, name string, o Options) error {
	p, err := Open(name, o)
	if err != nil {
		return err
	}
	_, err = p.(model.Lister).Models(ctx)
	if e, ok := errors.AsType[*model.Error](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed) {
		return nil
	}
	return err
}

func find(name string) (vendor, error) {
	for _, v := range vendors {
		if v.name == name {
			return v, nil
		}
	}
	return vendor{}, &model.Error{
		Kind:    model.ErrSetup,
		Message: fmt.Sprintf("unknown model provider %q", name),
		Hint:    "write PROVIDER:MODEL with one of " + strings.Join(Names(), ", "),
	}
}

func (o Options) env(name string) string {
	if o.Env != nil {
		return o.Env(name)
	}
	return os.Getenv(name)
}

func (o Options) baseURL(v vendor) string {
	if url := o.BaseURL[v.name]; url != "" {
		return url
	}
	return strings.TrimSpace(o.env(v.urlEnv))
}

// credential prefers the key that an editor handed over, then the variables.
func (o Options) credential(v vendor) wire.Credential {
	if key := o.Keys.Get(v.name); key != "" {
		return wire.Credential{Secret: key}
	}
	keyEnv := v.keyEnv
	if other := o.KeyEnv[v.name]; other != "" {
		keyEnv = other
	}
	if key := strings.TrimSpace(o.env(keyEnv)); key != "" {
		return wire.Credential{Secret: key}
	}
	if v.tokenEnv != "" {
		if token := strings.TrimSpace(o.env(v.tokenEnv)); token != "" {
			return wire.Credential{Secret: token, Scheme: wire.Bearer}
		}
	}
	return wire.Credential{}
}
