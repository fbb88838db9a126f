package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary lists what holds, a setting a line as in docs/settings.md, for a
// person who reads a report: no key, and of the variables set for commands
// only the names.
func (c *Config) Summary() string {
	var b strings.Builder
	line := func(path string, value any) {
		// What is not set is not listed: no text, no name, no time limit.
		if text := fmt.Sprint(value); text != "" && text != "[]" && text != "0s" {
			fmt.Fprintf(&b, "%s: %s\n", path, text)
		}
	}
	line("model", c.Model)
	line("mode", c.Mode)
	line("preset", c.Preset)
	line("profile", c.Profile)
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p, at := c.Providers[name], "providers."+name
		line(at+".baseUrl", shownURL(p.BaseURL))
		line(at+".key", p.Key)
		line(at+".keyEnv", p.KeyEnv)
		line(at+".model", p.Model)
	}
	line("models", slices.Sorted(maps.Keys(c.Models)))
	line("visionModel", c.VisionModel)
	line("images.allow", c.Images.Allow)
	line("retry.attempts", c.Retry.Attempts)
	line("stall", c.Stall)
	line("saveBeforeCommands", c.SaveBeforeCommands)
	line("commands.terminal", c.Commands.Terminal)
	line("commands.loginShell", c.Commands.LoginShell)
	line("commands.fullTerminal", c.Commands.FullTerminal)
	line("commands.wakeOnExit", c.Commands.WakeOnExit)
	line("environment.probe", c.Environment.Probe)
	line("environment.allow", c.Environment.Allow)
	line("environment.set", slices.Sorted(maps.Keys(c.Environment.Set)))
	line("environment.secrets", c.Environment.Secrets)
	line("sandbox.backend", c.Sandbox.Backend)
	line("sandbox.network", c.Sandbox.Network)
	line("sandbox.writable", c.Sandbox.Writable)
	line("sandbox.pass", c.Sandbox.Pass)
	line("checkpoints.enabled", c.Checkpoints.Enabled)
	line("checkpoints.maxBytes", sizeWord(c.Checkpoints.MaxBytes))
	line("storage.outputs", ageWord(c.Storage.Outputs))
	line("storage.checkpoints", ageWord(c.Storage.Checkpoints))
	line("storage.changes", ageWord(c.Storage.Changes))
	line("storage.sessions", ageWord(c.Storage.Sessions))
	line("approval.timeout", c.Approval.Timeout)
	line("approval.remind", c.Approval.Remind)
	line("approval.rules", counted(len(c.Approval.Rules) > 0, len(c.Approval.Rules)))
	line("approval.tools", c.Approval.toolNames())
	line("approval.denials.enabled", c.Approval.Denials.Enabled)
	line("approval.denials.rules", counted(c.Approval.Denials.Own, len(c.Approval.Denials.Rules)))
	line("tools.builtin", counted(c.Tools.Replaced, len(c.Tools.Builtin)))
	line("tools."+agentToolset, counted(c.Tools.Agent != nil, c.Tools.Agent.said()))
	line("diagnostics.wait", c.Diagnostics.Wait)
	line("log.level", c.Log.Level)
	line("log.trace", c.Log.Trace)
	return b.String()
}

// counted is how many there are of what is nobody's business; "" when nothing
// was said.
func counted(said bool, n int) string {
	if !said {
		return ""
	}
	return fmt.Sprintf("(%d)", n)
}

func (a *Approval) toolNames() []string {
	names := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		names[i] = t.Name
	}
	return names
}

// said counts the tools that an entry is about by name.
func (a *AgentToolset) said() int {
	if a == nil {
		return 0
	}
	return len(a.Configs)
}
