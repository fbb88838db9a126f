package config

import (
	"maps"
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

func requestRows() []setting {
	return []setting{
		of(setting{
			path: "retry.attempts", kind: "number, 0 to 20", def: "5", when: NewSessions, shape: shape{"type": "integer", "minimum": 0, "maximum": 20},
			doc: "How often a model request that failed for a passing reason is tried again.",
		}, func(n *yaml.Node, into *int) error { return readCount(n, 20, into) }, func(c *Config) *int { return &c.Retry.Attempts }),
		of(setting{
			path: "stall", kind: "duration", def: "90s", when: NewSessions, shape: durationShape(),
			doc: "How long a model may send nothing before its answer counts as stalled.",
		}, readDuration, func(c *Config) *time.Duration { return &c.Stall }),
	}
}

func commandRows() []setting {
	return []setting{
		switched("saveBeforeCommands", "true", AtOnce,
			"Whether the editor is asked to save what the agent changed in open documents before a command starts. "+
				"Without it commands find the old text on the disk, and the model is told so.",
			func(c *Config) *bool { return &c.SaveBeforeCommands }),
		choice("commands.terminal", "auto", AfterRestart,
			"Whether commands run in a terminal that you can type into: `auto` where the editor shows terminals, `never` "+
				"over pipes only.",
			[]string{"auto", "never"}, func(c *Config) *string { return &c.Commands.Terminal }),
		switched("commands.loginShell", "false", NewSessions,
			"Whether each command runs in a login shell of its own (`bash -lc`), which costs what your profile costs "+
				"every time. Then `environment.probe` does not count.",
			func(c *Config) *bool { return &c.Commands.LoginShell }),
		switched("commands.fullTerminal", "false", AtOnce,
			"Whether pagers, editors, prompts and colours of commands are left as you have them. Otherwise nothing pages "+
				"(`PAGER` and `GIT_PAGER` are `cat`) and git opens no editor (`GIT_EDITOR` is `true`); over pipes, where "+
				"nobody can type, git does not prompt (`GIT_TERMINAL_PROMPT` is `0`) and nothing colours (`TERM` is "+
				"`dumb`, `NO_COLOR` is `1`). In a terminal `TERM` is `xterm-256color` either way.",
			func(c *Config) *bool { return &c.Commands.FullTerminal }),
		switched("commands.wakeOnExit", "true", AtOnce,
			"Whether the end of a command in the background is told to the model at once, in a turn of its own when none "+
				"runs. Without it, and of one that you ended yourself, the model is told at your next prompt.",
			func(c *Config) *bool { return &c.Commands.WakeOnExit }),
	}
}

func environmentRows() []setting {
	return []setting{
		switched("environment.probe", "true", AfterRestart,
			"Whether your login shell is asked, once and for at most 5 seconds, for the variables that a terminal has and "+
				"an editor started from a desktop has not, `PATH` above all. Commands then run in a plain shell with them.",
			func(c *Config) *bool { return &c.Environment.Probe }),
		names("environment.allow", AtOnce,
			"Variables that commands see although they look like secrets (`*_API_KEY`, `*_TOKEN`, `*_PASSWORD`, an address "+
				"with a password and the like), also in a sandbox. Their values are blanked in what is shown, all the same.",
			func(c *Config) *[]string { return &c.Environment.Allow }),
		of(setting{
			path: "environment.set", kind: "names with text", when: AtOnce, shape: pairsShape(),
			doc: "Variables set for commands, also in a sandbox.",
			// A value may be a secret.
			show: func(c *Config) any { return slices.Sorted(maps.Keys(c.Environment.Set)) },
		}, readPairs, func(c *Config) *map[string]string { return &c.Environment.Set }),
		names("environment.secrets", AtOnce,
			"Variables that hold secrets although they do not look it: commands do not see them, and their values are "+
				"blanked in what is shown.",
			func(c *Config) *[]string { return &c.Environment.Secrets }),
	}
}

func sandboxRows(dirs Dirs) []setting {
	return []setting{
		choice("sandbox.backend", "auto", AtOnce,
			"What confines commands under the presets `read-only` and `workspace-write`: `auto` is the best that the "+
				"system has. One that is named and missing is an error. `none` confines nothing, and questions say so.",
			[]string{"auto", "bubblewrap", "landlock", "sandbox-exec", "none"},
			func(c *Config) *string { return &c.Sandbox.Backend }),
		choice("sandbox.network", "none", AtOnce,
			"What a confined command reaches of the network: nothing, this machine only, or everything.",
			[]string{"none", "loopback", "full"}, func(c *Config) *string { return &c.Sandbox.Network }),
		of(setting{
			path: "sandbox.writable", kind: "list of folders", when: AtOnce, shape: listOf(shape{"type": "string", "pattern": "^(/|~/)"}),
			doc: "Folders that a confined command may write besides the workspace, as absolute paths or from `~/`. Not the home " +
				"folder itself, what holds it, or Drawbridge's own folders.",
		}, func(n *yaml.Node, into *[]string) error { return readFolders(n, dirs, into) }, func(c *Config) *[]string { return &c.Sandbox.Writable }),
		names("sandbox.pass", AtOnce,
			"Variables that a confined command sees besides the usual ones, also those that look like secrets. Their values are "+
				"blanked in what is shown, all the same.",
			func(c *Config) *[]string { return &c.Sandbox.Pass }),
	}
}

func lastRows() []setting {
	return []setting{
		waiting("diagnostics.wait", "30s", "1s", 30*time.Second,
			"How long the result of an edit of an open document waits for the errors and warnings that it brings or removes, "+
				"as your editor shows them. With `0` the model is told of none.",
			func(c *Config) *time.Duration { return &c.Diagnostics.Wait }),
		choice("log.level", "info", AfterRestart, "What is written to the log file.",
			[]string{"debug", "info", "warn", "error"}, func(c *Config) *string { return &c.Log.Level }),
		switched("log.trace", "false", AfterRestart, "Whether the messages of the wire are logged too, without keys.",
			func(c *Config) *bool { return &c.Log.Trace }),
	}
}
