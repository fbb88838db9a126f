package config

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// setting is one row of the table that reading, hints, docs/settings.md, the
// schema for editors and what is shown of the settings are made from.
type setting struct {
	path string // "approval.timeout"
	kind string // what is written there, in words
	def  string // as it would be written; "" for none
	when When
	// shape is what is written there as JSON Schema. It takes whatever read takes; read is
	// stricter where a schema cannot say it.
	shape shape
	doc   string
	read  func(c *Config, n *yaml.Node) error
	// get is what holds; show is it for a person who may read no secret.
	get, show func(c *Config) any
}

// When says from when on a setting counts that changed while the bridge runs.
type When string

// What decides about an effect counts at once; what a session begins with, for
// sessions that begin then.
const (
	AtOnce       When = "at once"
	NewSessions  When = "in new sessions"
	AfterRestart When = "after a restart"
)

// of completes a row by the field that it is about.
func of[T any](s setting, read func(n *yaml.Node, into *T) error, field func(c *Config) *T) setting {
	s.read = func(c *Config, n *yaml.Node) error { return read(n, field(c)) }
	s.get = func(c *Config) any { return *field(c) }
	if s.show == nil {
		s.show = s.get
	}
	return s
}

// settings builds the table for a user with these folders. It is a function so that a start that needs no
// settings does no work.
func settings(dirs Dirs) []setting {
	rows := []setting{
		of(setting{
			path: "model", kind: "PROVIDER:NAME", when: NewSessions, shape: modelShape(),
			doc: "The model that answers when none is named. Without it: the first provider that has a key.",
		}, readModel, func(c *Config) *string { return &c.Model }),
		choice("mode", "", NewSessions, "Who answers before an effect. Without it: `always-ask` where a person can be asked.",
			[]string{"always-ask", "auto-edit", "read-only", "plan", "allow-all", "deny-all"},
			func(c *Config) *string { return &c.Mode }),
		choice("preset", "", NewSessions, "What is allowed at all, whoever answers. Without it: `workspace-write`; with the profile `compact`: `read-only`.",
			[]string{"read-only", "workspace-write", "full-access"},
			func(c *Config) *string { return &c.Preset }),
		choice("profile", "default", NewSessions, "Which tools the model is given.",
			[]string{"default", "compact", "agent_toolset_20260401"}, func(c *Config) *string { return &c.Profile }),
	}
	for _, name := range providerNames {
		rows = append(rows, providerRows(name)...)
	}
	return slices.Concat(rows, modelRows(), requestRows(), commandRows(), environmentRows(), sandboxRows(dirs),
		storageRows(), approvalRows(), toolRows(), lastRows())
}

// switched is a setting that is true or false.
func switched(path, def string, when When, doc string, field func(c *Config) *bool) setting {
	return of(setting{path: path, kind: "true or false", def: def, when: when, shape: shape{"type": "boolean"}, doc: doc}, readBool, field)
}

// choice is a setting that is one of a few words.
func choice(path, def string, when When, doc string, words []string, field func(c *Config) *string) setting {
	s := setting{path: path, kind: strings.Join(words, ", "), def: def, when: when, shape: oneOf(words...), doc: doc}
	return of(s, func(n *yaml.Node, into *string) error { return readChoice(n, words, into) }, field)
}

// names is a setting that lists names of variables.
func names(path string, when When, doc string, field func(c *Config) *[]string) setting {
	return of(setting{path: path, kind: "list of names", when: when, shape: listOf(variableShape()), doc: doc}, readNames, field)
}

// waiting is a duration of at most limit, which words say.
func waiting(path, words, def string, limit time.Duration, doc string, field func(c *Config) *time.Duration) setting {
	s := setting{path: path, kind: "duration, 0 to " + words, def: def, when: AtOnce, shape: waitShape(), doc: doc}
	return of(s, func(n *yaml.Node, into *time.Duration) error { return readWait(n, limit, into) }, field)
}
