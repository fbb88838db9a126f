package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// setting is one row of the table that reading, hints and docs/settings.md
// are made from.
type setting struct {
	path string // "approval.timeout"
	kind string // what is written there, in words
	def  string // as it would be written; "" for none
	doc  string
	read func(c *Config, n *yaml.Node) error
}

// settings builds the table. It is a function so that a start that needs no
// settings does no work.
func settings() []setting {
	rows := []setting{
		{
			"model", "PROVIDER:NAME", "",
			"The model that answers when none is named. Without it: the first provider that has a key.",
			func(c *Config, n *yaml.Node) error { return readModel(n, &c.Model) },
		},
		choice("mode", "", "Who answers before an effect. Without it: `always-ask` where a person can be asked.",
			[]string{"always-ask", "auto-edit", "read-only", "plan", "allow-all", "deny-all"},
			func(c *Config) *string { return &c.Mode }),
		choice("preset", "", "What is allowed at all, whoever answers. Without it: `workspace-write`.",
			[]string{"read-only", "workspace-write", "full-access"},
			func(c *Config) *string { return &c.Preset }),
		choice("profile", "default", "Which tools the model is given.",
			[]string{"default"}, func(c *Config) *string { return &c.Profile }),
	}
	for _, name := range providerNames {
		rows = append(rows, providerRows(name)...)
	}
	return append(rows,
		setting{
			"retry.attempts", "number, 0 to 20", "5",
			"How often a model request that failed for a passing reason is tried again.",
			func(c *Config, n *yaml.Node) error { return readCount(n, 20, &c.Retry.Attempts) },
		},
		setting{
			"stall", "duration", "90s",
			"How long a model may send nothing before its answer counts as stalled.",
			func(c *Config, n *yaml.Node) error { return readDuration(n, &c.Stall) },
		},
		setting{
			"saveBeforeCommands", "true or false", "true",
			"Whether the editor is asked to save what the agent changed in open documents before a command starts. " +
				"Without it commands find the old text on the disk, and the model is told so.",
			func(c *Config, n *yaml.Node) error { return readBool(n, &c.SaveBeforeCommands) },
		},
		setting{
			"environment.allow", "list of names", "",
			"Variables that commands see although they look like secrets of the model services.",
			func(c *Config, n *yaml.Node) error { return readNames(n, &c.Environment.Allow) },
		},
		setting{
			"environment.set", "names with text", "",
			"Variables set for commands.",
			func(c *Config, n *yaml.Node) error { return readPairs(n, &c.Environment.Set) },
		},
		setting{
			"approval.timeout", "duration", "",
			"How long a question waits before it is answered with no. Without it: for ever.",
			func(c *Config, n *yaml.Node) error { return readDuration(n, &c.Approval.Timeout) },
		},
		choice("log.level", "info", "What is written to the log file.",
			[]string{"debug", "info", "warn", "error"}, func(c *Config) *string { return &c.Log.Level }),
		setting{
			"log.trace", "true or false", "false",
			"Whether the messages of the wire are logged too, without keys.",
			func(c *Config, n *yaml.Node) error { return readBool(n, &c.Log.Trace) },
		},
	)
}

// providerNames are the services that can be configured. The script provider
// has nothing to set.
var providerNames = []string{"anthropic", "openai", "openai-chat"}

func providerRows(name string) []setting {
	at := func(key, kind, doc string, read func(p *Provider, n *yaml.Node) error) setting {
		return setting{
			"providers." + name + "." + key, kind, "", doc,
			func(c *Config, n *yaml.Node) error {
				p := c.Providers[name]
				err := read(&p, n)
				c.Providers[name] = p
				return err
			},
		}
	}
	return []setting{
		at("baseUrl", "URL", "Where the service is, when it is not the vendor's own.",
			func(p *Provider, n *yaml.Node) error { return readURL(n, &p.BaseURL) }),
		at("key", "text", "The key itself. Prefer `keyEnv`, and keep a file with a key to yourself (`chmod 600`).",
			func(p *Provider, n *yaml.Node) error { return readKey(n, p) }),
		at("keyEnv", "name of a variable", "The environment variable that holds the key.",
			func(p *Provider, n *yaml.Node) error { return readKeyEnv(n, p) }),
		at("model", "NAME", "The service's model when none is named.",
			func(p *Provider, n *yaml.Node) error { return readText(n, &p.Model) }),
	}
}

func choice(path, def, doc string, words []string, field func(c *Config) *string) setting {
	return setting{
		path, strings.Join(words, ", "), def, doc,
		func(c *Config, n *yaml.Node) error { return readChoice(n, words, field(c)) },
	}
}
