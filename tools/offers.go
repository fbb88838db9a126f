package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// Offers are the tools that the model of a call has been given, each with the
// arguments that its schema has: what a result advises names nothing else. The
// zero Offers offer nothing.
type Offers map[string][]string

// OffersOf are those of a list of tools.
func OffersOf(list []Tool) Offers {
	o := Offers{}
	for _, t := range list {
		spec := t.Spec()
		var s struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		_ = json.Unmarshal(spec.Schema, &s) // one that is no object has no arguments
		o[spec.Name] = []string{}
		for name := range s.Properties {
			o[spec.Name] = append(o[spec.Name], name)
		}
	}
	return o
}

// Has says that the model has all of these tools.
func (o Offers) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return o[name] == nil })
}

// first is the first of these tools that the model has, "" if none.
func (o Offers) first(names ...string) string {
	i := slices.IndexFunc(names, func(name string) bool { return o.Has(name) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// advice is a sentence behind others, where the model has the tool that it names.
func (o Offers) advice(tool, sentence string) string {
	if !o.Has(tool) {
		return ""
	}
	return " " + sentence
}

// escalates says that a command may ask to run outside the sandbox.
func (o Offers) escalates() bool {
	return slices.ContainsFunc([]string{"exec_command", "bash"}, func(tool string) bool {
		return slices.Contains(o[tool], "sandbox_permissions")
	})
}

// keepsCommands says that the model can do something with a command that outlives
// its call, by its id.
func (o Offers) keepsCommands() bool { return o.Has("input_command", "kill_command") }

// keepsSubagents says the same of subagents.
func (o Offers) keepsSubagents() bool { return o.Has("input_subagent", "kill_subagent") }

// subagentAdvice is how a subagent that works on is reached.
func (o Offers) subagentAdvice(reads string) string {
	var ways []string
	if o.Has("input_subagent") {
		ways = append(ways, "input_subagent "+reads)
	}
	if o.Has("kill_subagent") {
		ways = append(ways, "kill_subagent ends it")
	}
	return strings.Join(ways, ", ")
}
