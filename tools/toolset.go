package tools

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Toolset is what a profile gives a model: its tools, and how they behave. The
// engine below them is the same for all.
type Toolset struct {
	Profile string
	// Tools stand in the order in which a model is given them.
	Tools []Tool
	// Serial has the calls of one step carried out one after another, in call
	// order. Otherwise they overlap as far as their effects allow.
	Serial bool
	// NewFile are the permission bits of a file that is made; 0 leaves them to the
	// umask.
	NewFile fs.FileMode
	// Policies say what becomes of a tool's calls, by its name, where the settings
	// do: PolicyAllow or PolicyAsk.
	Policies map[string]string
}

// The profiles that there are.
const (
	ProfileDefault = "default"
	ProfileCompact = "compact"
	ProfileAgent   = "agent_toolset_20260401"
)

// Profiles names them, the one that counts when none is named first.
func Profiles() []string { return []string{ProfileDefault, ProfileCompact, ProfileAgent} }

// Profile returns a profile's tools; "" is the default profile.
func Profile(name string) (Toolset, error) {
	switch name {
	case "", ProfileDefault:
		return Toolset{Profile: ProfileDefault, Tools: Default()}, nil
	case ProfileCompact:
		return Toolset{Profile: ProfileCompact, Tools: compact(), Serial: true, NewFile: 0o600}, nil
	case ProfileAgent:
		return Toolset{Profile: ProfileAgent, Tools: agent(), Serial: true, NewFile: 0o644}, nil
	}
	return Toolset{}, fmt.Errorf("unknown profile %q: choose %s", name, strings.Join(Profiles(), ", "))
}

// Names lists the tools.
func (t Toolset) Names() []string {
	names := make([]string, len(t.Tools))
	for i, tool := range t.Tools {
		names[i] = tool.Spec().Name
	}
	return names
}

// AllNames lists the tools of all profiles, each once.
func AllNames() []string {
	var names []string
	for _, p := range Profiles() {
		set, _ := Profile(p) // it is one of those
		for _, n := range set.Names() {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
