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
type EntryFault struct{ Path, Text string }

func (f EntryFault) Error() string { return f.Path + ": " + f.Text }

// elsewhere are tools of other implementations of the toolset.
var elsewhere = []string{"web_fetch", "web_search"}

// Validate finds all that is wrong with an entry for tools of these names. A
// policy that is none is wrong only where a tool that there is would have it.
func (e Entry) Validate(known []string) []EntryFault {
	var faults []EntryFault
	for i, c := range e.Configs {
		if fault := e.checkName(i, known); fault != "" {
			faults = append(faults, EntryFault{fmt.Sprintf("configs[%d].name", i), fault})
		} else if e.enabled(c.Name) && c.Policy != "" && !isPolicy(c.Policy) {
			faults = append(faults, EntryFault{fmt.Sprintf("configs[%d].permission_policy.type", i), noPolicy(c.Policy)})
		}
	}
	byDefault := func(name string) bool { return e.enabled(name) && e.of(name).Policy == "" }
	if p := e.Default.Policy; p != "" && !isPolicy(p) && slices.ContainsFunc(known, byDefault) {
		faults = append(faults, EntryFault{"default_config.permission_policy.type", noPolicy(p)})
	}
	return faults
}

func (e Entry) checkName(i int, known []string) string {
	name := e.Configs[i].Name
	named := func(c Choice) bool { return c.Name == name }
	switch {
	case slices.Contains(elsewhere, name):
		return fmt.Sprintf("%s belongs to the toolset elsewhere, but there is none here: it has %s; take the entry out", name, strings.Join(known, ", "))
	case !slices.Contains(known, name):
		return fmt.Sprintf("there is no tool %q: choose %s", name, strings.Join(known, ", "))
	case slices.ContainsFunc(e.Configs[:i], named):
		return name + " is configured twice"
	}
	return ""
}

func isPolicy(p string) bool { return p == PolicyAllow || p == PolicyAsk }

func noPolicy(p string) string {
	return fmt.Sprintf("unknown value %q: choose %s, %s; enabled: false takes a tool away", p, PolicyAllow, PolicyAsk)
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
