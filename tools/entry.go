package tools

import (
	"fmt"
	"slices"
	"strings"
)

// What an entry can say becomes of a tool's calls.
const (
	PolicyAllow = "always_allow"
	PolicyAsk   = "always_ask"
)

// Entry says which tools of a toolset there are, and what becomes of their
// calls. Of each the tool's own word counts, else the default's; without both
// the tool is there and its calls are allowed as far as the mode allows them.
type Entry struct {
	Default Choice // its name does not count
	Configs []Choice
}

// Choice is what is said of one tool. Nil and "" say nothing.
type Choice struct {
	Name    string
	Enabled *bool
	Policy  string
}

// EntryFault is what is wrong with an entry, and where: "configs[0].name".
type EntryFault struct {
	Path, Text string
	// Given is the word that is none of Valid, where that is the fault.
	Given string
	Valid []string
}

func (f EntryFault) Error() string { return f.Path + ": " + f.Text }

// elsewhere are tools of other implementations of the toolset.
var elsewhere = []string{"web_fetch", "web_search"}

// Validate finds all that is wrong with an entry for tools of these names. A
// policy that is none is wrong only where a tool that there is would have it.
func (e Entry) Validate(known []string) []EntryFault {
	var faults []EntryFault
	for i, c := range e.Configs {
		at := fmt.Sprintf("configs[%d].", i)
		if fault := e.checkName(i, known); fault.Text != "" {
			fault.Path = at + "name"
			faults = append(faults, fault)
		} else if e.enabled(c.Name) && c.Policy != "" && !isPolicy(c.Policy) {
			faults = append(faults, noPolicy(at+"permission_policy.type", c.Policy))
		}
	}
	byDefault := func(name string) bool { return e.enabled(name) && e.of(name).Policy == "" }
	if p := e.Default.Policy; p != "" && !isPolicy(p) && slices.ContainsFunc(known, byDefault) {
		faults = append(faults, noPolicy("default_config.permission_policy.type", p))
	}
	return faults
}

// checkName is what is wrong with a name; its Text is "" when nothing is.
func (e Entry) checkName(i int, known []string) EntryFault {
	name := e.Configs[i].Name
	named := func(c Choice) bool { return c.Name == name }
	choices := strings.Join(known, ", ")
	switch {
	case slices.Contains(elsewhere, name):
		return EntryFault{Text: fmt.Sprintf("%s belongs to the toolset elsewhere, but there is none here: it has %s; take the entry out", name, choices)}
	case !slices.Contains(known, name):
		return EntryFault{Text: fmt.Sprintf("there is no tool %q: choose %s", name, choices), Given: name, Valid: known}
	case slices.ContainsFunc(e.Configs[:i], named):
		return EntryFault{Text: name + " is configured twice"}
	}
	return EntryFault{}
}

func isPolicy(p string) bool { return p == PolicyAllow || p == PolicyAsk }

func noPolicy(path, p string) EntryFault {
	return EntryFault{
		Path: path, Text: fmt.Sprintf("unknown value %q: choose %s, %s, or take the tool away by enabled: false", p, PolicyAllow, PolicyAsk),
		Given: p, Valid: []string{PolicyAllow, PolicyAsk},
	}
}

// of is what is said of a tool itself.
func (e Entry) of(name string) Choice {
	i := slices.IndexFunc(e.Configs, func(c Choice) bool { return c.Name == name })
	if i < 0 {
		return Choice{}
	}
	return e.Configs[i]
}

func (e Entry) enabled(name string) bool {
	for _, said := range []*bool{e.of(name).Enabled, e.Default.Enabled} {
		if said != nil {
			return *said
		}
	}
	return true
}

// policy is what is said of a tool's calls; "" when nothing is.
func (e Entry) policy(name string) string {
	if own := e.of(name).Policy; own != "" {
		return own
	}
	return e.Default.Policy
}

// Policies is what becomes of the calls of each of these tools that there is.
func (e Entry) Policies(names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		if p := e.policy(name); e.enabled(name) && p != "" {
			all[name] = p
		} else if e.enabled(name) {
			all[name] = PolicyAllow
		}
	}
	return all
}

// Under is the toolset as an entry has it, which must be valid: without the tools
// that are switched off, and with the policies that are said. What nothing is said
// of is left to the mode.
func (t Toolset) Under(e Entry) Toolset {
	set := t
	set.Policies = map[string]string{}
	set.Tools = slices.DeleteFunc(slices.Clone(t.Tools), func(tool Tool) bool { return !e.enabled(tool.Spec().Name) })
	for _, name := range set.Names() {
		if p := e.policy(name); p != "" {
			set.Policies[name] = p
		}
	}
	return set
}
