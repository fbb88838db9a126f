package config

import (
	"slices"
	"strings"
	"time"

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

// settings builds the table for a user with these folders. It is a function so that a start that needs no
// settings does no work.
func settings(dirs Dirs) []setting {
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
			[]string{"default", "compact", "agent_toolset_20260401"}, func(c *Config) *string { return &c.Profile }),
	}
	for _, name := range providerNames {
		rows = append(rows, providerRows(name)...)
	}
	return slices.Concat(rows, requestRows(), commandRows(), environmentRows(), sandboxRows(dirs), storageRows(), approvalRows(), lastRows())
}

func requestRows() []setting {
	return []setting{
		{
			"retry.attempts", "number, 0 to 20", "5",
			"How often a model request that failed for a passing reason is tried again.",
			func(c *Config, n *yaml.Node) error { return readCount(n, 20, &c.Retry.Attempts) },
		},
		{
			"stall", "duration", "90s",
			"How long a model may send nothing before its answer counts as stalled.",
			func(c *Config, n *yaml.Node) error { return readDuration(n, &c.Stall) },
		},
	}
}

// switched is a setting that is true or false.
func switched(path, def, doc string, field func(c *Config) *bool) setting {
	return setting{
		path, "true or false", def, doc,
		func(c *Config, n *yaml.Node) error { return readBool(n, field(c)) },
	}
}

func commandRows() []setting {
	return []setting{
		switched("saveBeforeCommands", "true",
			"Whether the editor is asked to save what the agent changed in open documents before a command starts. "+
				"Without it commands find the old text on the disk, and the model is told so.",
			func(c *Config) *bool { return &c.SaveBeforeCommands }),
		choice("commands.terminal", "auto",
			"Whether commands run in a terminal that you can type into: `auto` where the editor shows terminals, `never` "+
				"over pipes only.",
			[]string{"auto", "never"}, func(c *Config) *string { return &c.Commands.Terminal }),
		switched("commands.loginShell", "false",
			"Whether each command runs in a login shell of its own (`bash -lc`), which costs what your profile costs "+
				"every time. Then `environment.probe` does not count.",
			func(c *Config) *bool { return &c.Commands.LoginShell }),
		switched("commands.fullTerminal", "false",
			"Whether pagers, editors, prompts and colours of commands are left as you have them. Otherwise nothing pages "+
				"(`PAGER` and `GIT_PAGER` are `cat`) and git opens no editor (`GIT_EDITOR` is `true`); over pipes, where "+
				"nobody can type, git does not prompt (`GIT_TERMINAL_PROMPT` is `0`) and nothing colours (`TERM` is "+
				"`dumb`, `NO_COLOR` is `1`). In a terminal `TERM` is `xterm-256color` either way.",
			func(c *Config) *bool { return &c.Commands.FullTerminal }),
		switched("commands.wakeOnExit", "true",
			"Whether the end of a command in the background is told to the model at once, in a turn of its own when none "+
				"runs. Without it, and of one that you ended yourself, the model is told at your next prompt.",
			func(c *Config) *bool { return &c.Commands.WakeOnExit }),
	}
}

func environmentRows() []setting {
	return []setting{
		switched("environment.probe", "true",
			"Whether your login shell is asked, once and for at most 5 seconds, for the variables that a terminal has and "+
				"an editor started from a desktop has not, `PATH` above all. Commands then run in a plain shell with them.",
			func(c *Config) *bool { return &c.Environment.Probe }),
		{
			"environment.allow", "list of names", "",
			"Variables that commands see although they look like secrets (`*_API_KEY`, `*_TOKEN`, `*_PASSWORD`, an address " +
				"with a password and the like), also in a sandbox. Their values are blanked in what is shown, all the same.",
			func(c *Config, n *yaml.Node) error { return readNames(n, &c.Environment.Allow) },
		},
		{
			"environment.set", "names with text", "",
			"Variables set for commands, also in a sandbox.",
			func(c *Config, n *yaml.Node) error { return readPairs(n, &c.Environment.Set) },
		},
		{
			"environment.secrets", "list of names", "",
			"Variables that hold secrets although they do not look it: commands do not see them, and their values are " +
				"blanked in what is shown.",
			func(c *Config, n *yaml.Node) error { return readNames(n, &c.Environment.Secrets) },
		},
	}
}

func sandboxRows(dirs Dirs) []setting {
	return []setting{
		choice("sandbox.backend", "auto",
			"What confines commands under the presets `read-only` and `workspace-write`: `auto` is the best that the "+
				"system has. One that is named and missing is an error. `none` confines nothing, and questions say so.",
			[]string{"auto", "bubblewrap", "landlock", "sandbox-exec", "none"},
			func(c *Config) *string { return &c.Sandbox.Backend }),
		choice("sandbox.network", "none",
			"What a confined command reaches of the network: nothing, this machine only, or everything.",
			[]string{"none", "loopback", "full"}, func(c *Config) *string { return &c.Sandbox.Network }),
		{
			"sandbox.writable", "list of folders", "",
			"Folders that a confined command may write besides the workspace, as absolute paths or from `~/`. Not the home " +
				"folder itself, what holds it, or Drawbridge's own folders.",
			func(c *Config, n *yaml.Node) error { return readFolders(n, dirs, &c.Sandbox.Writable) },
		},
		{
			"sandbox.pass", "list of names", "",
			"Variables that a confined command sees besides the usual ones, also those that look like secrets. Their values are " +
				"blanked in what is shown, all the same.",
			func(c *Config, n *yaml.Node) error { return readNames(n, &c.Sandbox.Pass) },
		},
	}
}

func lastRows() []setting {
	return []setting{
		{
			"diagnostics.wait", "duration, 0 to 30s", "1s",
			"How long the result of an edit of an open document waits for the errors and warnings that it brings or removes, " +
				"as your editor shows them. With `0` the model is told of none.",
			func(c *Config, n *yaml.Node) error { return readWait(n, 30*time.Second, &c.Diagnostics.Wait) },
		},
		choice("log.level", "info", "What is written to the log file.",
			[]string{"debug", "info", "warn", "error"}, func(c *Config) *string { return &c.Log.Level }),
		switched("log.trace", "false", "Whether the messages of the wire are logged too, without keys.",
			func(c *Config) *bool { return &c.Log.Trace }),
	}
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
