package config

import (
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

// providerNames are the services that can be configured. The script provider
// has nothing to set.
var providerNames = []string{"anthropic", "openai", "openai-chat"}

// providerRows are what can be said of one service.
func providerRows(name string) []setting {
	at := func(key, kind, doc string, s shape, read func(p *Provider, n *yaml.Node) error, get func(p Provider) any) setting {
		return setting{
			path: "providers." + name + "." + key, kind: kind, when: NewSessions, shape: s, doc: doc,
			read: func(c *Config, n *yaml.Node) error {
				p := c.Providers[name]
				err := read(&p, n)
				c.Providers[name] = p
				return err
			},
			get:  func(c *Config) any { return get(c.Providers[name]) },
			show: func(c *Config) any { return get(c.Providers[name]) },
		}
	}
	rows := []setting{
		at("baseUrl", "URL", "Where the service is, when it is not the vendor's own.", urlShape(),
			func(p *Provider, n *yaml.Node) error { return readURL(n, &p.BaseURL) }, func(p Provider) any { return p.BaseURL }),
		at("key", "text", "The key itself. Prefer `keyEnv`, and keep a file with a key to yourself (`chmod 600`).", textShape(),
			func(p *Provider, n *yaml.Node) error { return readKey(n, p) }, func(p Provider) any { return p.Key }),
		at("keyEnv", "name of a variable", "The environment variable that holds the key.", variableShape(),
			func(p *Provider, n *yaml.Node) error { return readKeyEnv(n, p) }, func(p Provider) any { return p.KeyEnv }),
		at("model", "NAME", "The service's model when none is named.", textShape(),
			func(p *Provider, n *yaml.Node) error { return readText(n, &p.Model) }, func(p Provider) any { return p.Model }),
	}
	rows[0].show = func(c *Config) any { return shownURL(c.Providers[name].BaseURL) }
	return rows
}

// shownURL is an address without the values of its query, which may be secrets.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return address
	}
	var names []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		names = append(names, name+"=(not shown)")
	}
	before, _, _ := strings.Cut(address, "?")
	return before + "?" + strings.Join(names, "&")
}
