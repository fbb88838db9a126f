package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Tools are what a model is given besides what its profile says.
type Tools struct {
	// Replaced says that Builtin stands in place of the default profile's tools, also
	// when it is empty.
	Replaced bool
	Builtin  []ToolDefinition
	// Agent is the entry of the profile agent_toolset_20260401; nil: not said.
	Agent *AgentToolset
}

// ToolDefinition is a tool of the default profile, as it was written. What its
// name means is not known here.
type ToolDefinition struct {
	Name, Description string
	Parameters        json.RawMessage // an object of JSON, its keys in the order of the file
	Permission        string          // "r" or "rw"
	ForModel          string          // "vision", "text-only"; "" is for all
	Timeout           time.Duration   // 0: none
	MaxOutput         int             // characters; 0: no limit
	// CallDescription keeps the argument description that Parameters has.
	CallDescription bool
	// At says where what could be read stands (file:line:column), by its path below the
	// definition: the value of "permission", the argument "parameters.properties.cmd",
	// and the word "parameters.required.cmd". "" is the definition itself.
	At map[string]string
}

// What holds for a definition that does not say.
const (
	definedTimeout = 120 * time.Second
	definedOutput  = 16_000
)

// AgentToolset is an entry of tools, as it was written. Empty fields were not
// said; names and policies are judged by who knows them.
type AgentToolset struct {
	Default AgentTool   // without a name
	Configs []AgentTool // in the order of the file
}

// AgentTool is what an entry says of one tool.
type AgentTool struct {
	Name    string
	Enabled *bool
	Policy  string
	// Where the name and the policy stand, as file:line:column.
	NameWhere, PolicyWhere string
}

const agentToolset = "agent_toolset_20260401"

var (
	permissionWords = []string{"r", "rw"}
	forModelWords   = []string{"vision", "text-only"}
	agentPolicies   = []string{"always_allow", "always_ask"}
)

// Bounds of what a definition may say; nothing above is meant.
const (
	maxTimeoutMs = 24 * 60 * 60 * 1000
	maxOutput    = 10_000_000
)

func toolRows() []setting {
	return []setting{
		{
			path: "tools.builtin", kind: "list of definitions", when: NewSessions, shape: builtinShape(),
			doc: "The tools of the profile `default`, in place of all of them: exactly those that are listed, each whole, as " +
				"[below](#tools).",
			read: func(c *Config, n *yaml.Node) error {
				c.Tools.Replaced = true
				return readDefinitions(n, c.File, &c.Tools.Builtin)
			},
			get: func(c *Config) any {
				if !c.Tools.Replaced {
					return nil
				}
				return unplaced(c.Tools.Builtin)
			},
			show: func(c *Config) any { return c.Tools.builtinNames() },
		},
		{
			path: "tools." + agentToolset, kind: "an entry", when: NewSessions, shape: agentShape(),
			doc: "Which tools of the profile `" + agentToolset + "` there are and what becomes of their calls, as [below](#tools).",
			read: func(c *Config, n *yaml.Node) error {
				c.Tools.Agent = &AgentToolset{}
				return readAgentToolset(n, c.File, c.Tools.Agent)
			},
			get:  func(c *Config) any { return c.Tools.Agent.bare() },
			show: func(c *Config) any { return c.Tools.Agent.bare() },
		},
	}
}

func (t *Tools) builtinNames() []string {
	names := []string{}
	for _, d := range t.Builtin {
		names = append(names, d.Name)
	}
	if !t.Replaced {
		return nil
	}
	return names
}

// unplaced are definitions without their places: that they moved is no change.
func unplaced(defs []ToolDefinition) []ToolDefinition {
	all := slices.Clone(defs)
	for i := range all {
		all[i].At = nil
	}
	return all
}

// bare is an entry without its places; nil of none.
func (a *AgentToolset) bare() any {
	if a == nil {
		return nil
	}
	b := AgentToolset{Default: a.Default, Configs: without(a.Configs, func(t *AgentTool) *string { return &t.NameWhere })}
	b.Configs = without(b.Configs, func(t *AgentTool) *string { return &t.PolicyWhere })
	b.Default.NameWhere, b.Default.PolicyWhere = "", ""
	return b
}

func readDefinitions(n *yaml.Node, file string, into *[]ToolDefinition) error {
	list := []ToolDefinition{}
	seen := map[string]bool{}
	err := items(n, "definitions of tools", func(_ int, item *yaml.Node) error {
		d := ToolDefinition{At: map[string]string{"": place(file, item)}, Timeout: definedTimeout, MaxOutput: definedOutput, CallDescription: true}
		err := readDefinition(item, file, &d)
		if d.Name != "" && seen[d.Name] {
			err = errors.Join(err, faultf(valueOf(item, "name"), "%s is defined twice", d.Name))
		}
		seen[d.Name] = true
		list = append(list, d)
		return err
	})
	*into = list
	return err
}

// readDefinition wants all that a model is told, since nothing else is told in
// its place.
func readDefinition(n *yaml.Node, file string, d *ToolDefinition) error {
	fields := []field{
		{"name", true, func(n *yaml.Node) error { return readText(n, &d.Name) }},
		{"description", true, func(n *yaml.Node) error { return readText(n, &d.Description) }},
		{"parameters", true, func(n *yaml.Node) error { return readParameters(n, file, d) }},
		{"permission", true, func(n *yaml.Node) error { return readChoice(n, permissionWords, &d.Permission) }},
		{"forModel", false, func(n *yaml.Node) error { return readChoice(n, forModelWords, &d.ForModel) }},
		{"timeoutMs", false, func(n *yaml.Node) error {
			ms := 0
			err := readUpTo(n, maxTimeoutMs, "milliseconds", &ms)
			d.Timeout = time.Duration(ms) * time.Millisecond
			return err
		}},
		{"maxOutputLength", false, func(n *yaml.Node) error { return readUpTo(n, maxOutput, "characters", &d.MaxOutput) }},
		{"call_description", false, func(n *yaml.Node) error { return readBool(n, &d.CallDescription) }},
	}
	for i, f := range fields {
		fields[i].read = func(n *yaml.Node) error {
			err := f.read(n)
			if err == nil {
				d.At[f.name] = place(file, n)
			}
			return err
		}
	}
	return object(n, "the definition of a tool", fields...)
}

// readParameters remembers where arguments stand besides what they are.
func readParameters(n *yaml.Node, file string, d *ToolDefinition) error {
	if err := readSchema(n, &d.Parameters); err != nil {
		return err
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := "parameters." + key.Value
		d.At[at] = place(file, value)
		for j, inner := range value.Content {
			if value.Kind == yaml.SequenceNode || j%2 == 0 {
				d.At[at+"."+inner.Value] = place(file, inner)
			}
		}
	}
	return nil
}

// valueOf is what stands behind a key of a mapping; the mapping without it.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

// readUpTo reads a limit; 0 or less is none.
func readUpTo(n *yaml.Node, most int, things string, into *int) error {
	if err := readWhole(n, -maxTimeoutMs, most, things, into); err != nil {
		return faultf(n, "want a number of %s up to %d; 0 or less is no limit", things, most)
	}
	*into = max(*into, 0)
	return nil
}

func readAgentToolset(n *yaml.Node, file string, into *AgentToolset) error {
	return object(n, "type, default_config and configs",
		field{name: "type", read: func(n *yaml.Node) error {
			var word string
			return readChoice(n, []string{agentToolset}, &word)
		}},
		field{name: "default_config", read: func(n *yaml.Node) error {
			return object(n, "enabled and permission_policy", toolFields(file, &into.Default)...)
		}},
		field{name: "configs", read: func(n *yaml.Node) error { return readAgentTools(n, file, &into.Configs) }},
	)
}

func readAgentTools(n *yaml.Node, file string, into *[]AgentTool) error {
	var list []AgentTool
	seen := map[string]bool{}
	err := items(n, "tools", func(_ int, item *yaml.Node) error {
		var t AgentTool
		name := field{"name", true, func(n *yaml.Node) error { return readPlaced(n, file, &t.Name, &t.NameWhere) }}
		err := object(item, "name, enabled and permission_policy", append([]field{name}, toolFields(file, &t)...)...)
		if seen[t.Name] && t.Name != "" {
			err = errors.Join(err, below(".name", faultf(valueOf(item, "name"), "%s is configured twice", t.Name)))
		}
		seen[t.Name] = true
		list = append(list, t)
		return err
	})
	*into = list
	return err
}

// readPlaced reads text and where it stands.
func readPlaced(n *yaml.Node, file string, into, where *string) error {
	err := readText(n, into)
	if err == nil {
		*where = place(file, n)
	}
	return err
}

func toolFields(file string, t *AgentTool) []field {
	return []field{
		{name: "enabled", read: func(n *yaml.Node) error { return readOptional(n, &t.Enabled) }},
		{name: "permission_policy", read: func(n *yaml.Node) error {
			return object(n, "type", field{"type", true, func(n *yaml.Node) error { return readPlaced(n, file, &t.Policy, &t.PolicyWhere) }})
		}},
	}
}

// Says reports whether what a path leads to could be read, or else what holds it, so
// that something may be wrong with its meaning.
func (d *ToolDefinition) Says(path string) bool {
	top, _, _ := strings.Cut(path, ".")
	return d.At[top] != ""
}

// Place is where what a path leads to stands, as in At; of what is not there, what
// it would stand in.
func (d *ToolDefinition) Place(path string) string {
	for d.At[path] == "" && path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return d.At[path]
}

func builtinShape() shape {
	return listOf(section(map[string]any{
		"name":             described(textShape(), "The tool. One that there is not is left out, with a warning."),
		"description":      described(textShape(), "What the model reads of it."),
		"parameters":       shape{"type": "object", "description": "JSON Schema of its arguments."},
		"permission":       described(oneOf(permissionWords...), "r for a tool that only reads, else rw. A tool that only reads and says rw asks each time."),
		"forModel":         described(oneOf(forModelWords...), "Which models are given it; all without this."),
		"timeoutMs":        shape{"type": "integer", "maximum": maxTimeoutMs, "minimum": -maxTimeoutMs, "default": 120_000, "description": "Time limit of a call in milliseconds; 0 or less is none."},
		"maxOutputLength":  shape{"type": "integer", "maximum": maxOutput, "minimum": -maxTimeoutMs, "default": definedOutput, "description": "Characters of output; 0 or less is no limit."},
		"call_description": shape{"type": "boolean", "default": true, "description": "false takes the argument description out of what the model is told."},
	}, "name", "description", "parameters", "permission"))
}

func agentShape() shape {
	policy := section(map[string]any{"type": oneOf(agentPolicies...)}, "type")
	enabled := shape{"type": "boolean", "description": "Whether the model is given the tool."}
	return section(map[string]any{
		"type":           oneOf(agentToolset),
		"default_config": section(map[string]any{"enabled": enabled, "permission_policy": policy}),
		"configs":        listOf(section(map[string]any{"name": textShape(), "enabled": enabled, "permission_policy": policy}, "name")),
	})
}

// described is a shape with a word about it.
func described(s shape, text string) shape {
	s["description"] = text
	return s
}

// Place is where a part of an entry stands, as file:line:column: a name or the
// type of a policy, by its path below the entry. "" is of what is not there, or
// could not be read.
func (a *AgentToolset) Place(path string) string {
	if path == "default_config.permission_policy.type" {
		return a.Default.PolicyWhere
	}
	for i, t := range a.Configs {
		switch path {
		case fmt.Sprintf("configs[%d].name", i):
			return t.NameWhere
		case fmt.Sprintf("configs[%d].permission_policy.type", i):
			return t.PolicyWhere
		}
	}
	return ""
}
