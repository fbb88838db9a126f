package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// list names everything that the settings would do, for a person who is to
// trust them.
func (r *Repository) list(later []laterSetting) {
	if r.Mode != "" {
		r.item("setting", "mode: "+r.Mode+" (where yours is not stricter)")
	}
	if r.Preset != "" {
		r.item("setting", "preset: "+r.Preset+" (where yours is not stricter)")
	}
	for _, rule := range r.Approval.Rules {
		if rule.Problem == "" {
			r.item("rule", rule.Verdict+": "+rule.Text)
		} else {
			r.item("rule", "an entry that cannot be read and does not count: "+rule.Text+" ("+rule.Problem+")")
		}
	}
	for _, d := range r.Approval.Denials.Rules {
		if d.Enabled {
			r.item("rule", strings.TrimSuffix("deny "+d.Name+": "+d.Pattern, ": "))
		}
	}
	for _, t := range r.Approval.Tools {
		r.item("tool", t.Name+": "+t.Policy)
	}
	r.listTools()
	r.listSandbox()
	for _, name := range slices.Sorted(maps.Keys(r.Environment.Set)) {
		r.item("environment", name+"="+r.Environment.Set[name])
	}
	for _, name := range r.Environment.Secrets {
		r.item("environment", name+" is kept from commands")
	}
	for _, l := range later {
		r.later(l)
	}
}

func (r *Repository) item(kind, what string) {
	r.Items = append(r.Items, Item{Kind: kind, What: what})
}

// later lists what this version does not act on. It is shown all the same:
// whoever trusts the file trusts all of it, whatever reads it next.
func (r *Repository) later(l laterSetting) {
	r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s %s", place(r.File, l.node), l.path, l.because()))
	from := len(r.Items)
	r.walk(l.kind, l.path, l.node)
	for i := range r.Items[from:] {
		if l.why != "" {
			r.Items[from+i].What += " (does not count)"
		}
	}
}

// listSandbox says what would hold commands.
func (r *Repository) listSandbox() {
	if r.Sandbox.Backend != "" {
		r.item("setting", "sandbox.backend: "+r.Sandbox.Backend+" (where yours is none)")
	}
	if r.Sandbox.Network != "" {
		r.item("setting", "sandbox.network: "+r.Sandbox.Network+" (where yours is not stricter)")
	}
}

// listTools says which tools would be refused or asked about.
func (r *Repository) listTools() {
	if r.Tools.Replaced {
		r.item("tool", "profile default: every tool is refused but for "+cmp.Or(strings.Join(r.Tools.builtinNames(), ", "), "none"))
	}
	if r.Tools.Agent == nil {
		return
	}
	for _, t := range append([]AgentTool{r.Tools.Agent.Default}, r.Tools.Agent.Configs...) {
		for _, what := range t.narrowing() {
			r.item("tool", agentToolset+": "+namedOr(t.Name, "every other tool")+": "+what)
		}
	}
}

// narrowing is what an entry of a workspace says of a tool; none of it allows
// anything.
func (t AgentTool) narrowing() (all []string) {
	if t.Enabled != nil && *t.Enabled {
		all = append(all, "as you have it")
	} else if t.Enabled != nil {
		all = append(all, "refused")
	}
	switch t.Policy {
	case "always_ask":
		all = append(all, t.Policy)
	case "":
	default:
		all = append(all, t.Policy+" (as far as you have it)")
	}
	return all
}

// commandKeys are those under which programs of this kind keep what they run.
var commandKeys = []string{"command", "cmd", "run"}

// walk lists what stands under a setting, down to its single values; what would
// be run is put together.
func (r *Repository) walk(kind, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		rest := r.commands(kind, path, n)
		for i := 0; i < len(rest); i += 2 {
			r.walk(kind, path+"."+rest[i].Value, rest[i+1])
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			r.walk(kind, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case yaml.ScalarNode:
		r.value(kind, path, n.Value)
	}
}

// value lists a single one. Of a hook it is what would be run where it stands
// right under its event.
func (r *Repository) value(kind, path, text string) {
	if kind == "hook" && strings.Count(path, ".") <= 1 {
		r.Items = append(r.Items, Item{Kind: kind, What: path, Command: text})
		return
	}
	r.item(kind, path+": "+text)
}

// commands lists what a mapping says would be run, and returns its other keys
// with their values.
func (r *Repository) commands(kind, path string, n *yaml.Node) (rest []*yaml.Node) {
	if kind != "hook" && kind != "mcpServer" {
		return n.Content
	}
	var found []string
	var args []string
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		words, ok := wordsOf(value)
		switch {
		case ok && slices.Contains(commandKeys, key.Value):
			found = append(found, strings.Join(words, " "))
		case ok && key.Value == "args" && value.Kind == yaml.SequenceNode:
			args = words
		default:
			rest = append(rest, key, value)
		}
	}
	if len(found) == 0 && args != nil {
		found = []string{""}
	}
	for _, command := range found {
		r.Items = append(r.Items, Item{Kind: kind, What: path, Command: strings.TrimSpace(strings.Join(append([]string{command}, args...), " "))})
	}
	return rest
}

// wordsOf are the words of a command: one text as it is, a list word by word,
// quoted where a shell would not read the same.
func wordsOf(n *yaml.Node) ([]string, bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, true
	case yaml.SequenceNode:
		words := make([]string, len(n.Content))
		for i, w := range n.Content {
			if w.Kind != yaml.ScalarNode {
				return nil, false
			}
			words[i] = quoted(w.Value)
		}
		return words, true
	}
	return nil, false
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"

func quoted(word string) string {
	if word != "" && strings.Trim(word, plainLetters) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
