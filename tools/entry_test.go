package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/tools"
)

var agentNames = []string{"bash", "read", "write", "edit", "glob", "grep"}

// named is a tool that is only a name.
type named string

func (n named) Spec() tools.Spec { return tools.Spec{Name: string(n)} }

func (named) Plan(context.Context, tools.Env, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{}, nil
}

func sixTools() tools.Toolset {
	set := tools.Toolset{Profile: tools.ProfileAgent}
	for _, n := range agentNames {
		set.Tools = append(set.Tools, named(n))
	}
	return set
}

func all(policy string) map[string]string {
	m := map[string]string{}
	for _, n := range agentNames {
		m[n] = policy
	}
	return m
}

var on, off = true, false

// M-POL-01: what is said of a tool counts before what is said of all, and that
// before what is built in. Six tools, not eight.
func TestPoliciesOfAnEntry(t *testing.T) {
	overridden := all("always_ask")
	overridden["grep"] = "always_allow"
	withoutBash := all("always_allow")
	delete(withoutBash, "bash")
	for name, c := range map[string]struct {
		entry     tools.Entry
		evaluated map[string]string
		said      map[string]string // what was written; the rest is left to the mode
	}{
		"bare": {tools.Entry{}, all("always_allow"), map[string]string{}},
		"default": {
			tools.Entry{Default: tools.Choice{Policy: "always_ask"}}, all("always_ask"), all("always_ask"),
		},
		"overridden": {
			tools.Entry{Default: tools.Choice{Policy: "always_ask"}, Configs: []tools.Choice{{Name: "grep", Policy: "always_allow"}}},
			overridden, overridden,
		},
		"switched off": {tools.Entry{Configs: []tools.Choice{{Name: "bash", Enabled: &off, Policy: "always_ask"}}}, withoutBash, map[string]string{}},
		"switched on": {
			tools.Entry{Default: tools.Choice{Enabled: &off, Policy: "always_ask"}, Configs: []tools.Choice{{Name: "read", Enabled: &on}}},
			map[string]string{"read": "always_ask"}, map[string]string{"read": "always_ask"},
		},
	} {
		if faults := c.entry.Validate(agentNames); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
		if diff := cmp.Diff(c.evaluated, c.entry.Policies(agentNames)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		set := sixTools().Under(c.entry)
		if diff := cmp.Diff(c.said, set.Policies); diff != "" {
			t.Errorf("%s: what was said: %s", name, diff)
		}
		for _, n := range agentNames {
			if _, there := c.evaluated[n]; there != strings.Contains(" "+strings.Join(set.Names(), " ")+" ", " "+n+" ") {
				t.Errorf("%s: the tools are %v", name, set.Names())
			}
		}
	}
}

// M-POL-02: an unknown policy is a fault where a tool would have it.
func TestFaultsOfAnEntry(t *testing.T) {
	choice := func(c ...tools.Choice) tools.Entry { return tools.Entry{Configs: c} }
	wrong := tools.Choice{Policy: "alwys_ask"}
	own := func(enabled *bool) tools.Entry {
		e := tools.Entry{Default: wrong}
		for _, n := range agentNames {
			e.Configs = append(e.Configs, tools.Choice{Name: n, Policy: "always_ask", Enabled: enabled})
		}
		return e
	}
	for want, e := range map[string]tools.Entry{
		`configs[0].permission_policy.type: unknown value "alwys_ask"`:     choice(tools.Choice{Name: "bash", Policy: "alwys_ask"}),
		`configs[0].permission_policy.type: unknown value "always_deny"`:   choice(tools.Choice{Name: "bash", Policy: "always_deny"}),
		`default_config.permission_policy.type: unknown value "alwys_ask"`: {Default: wrong},
		`configs[1].name: there is no tool "bsah"`:                         choice(tools.Choice{Name: "bash"}, tools.Choice{Name: "bsah", Enabled: &off}),
		`configs[0].name: web_fetch belongs to the toolset elsewhere`:      choice(tools.Choice{Name: "web_fetch"}),
		`configs[1].name: bash is configured twice`:                        choice(tools.Choice{Name: "bash"}, tools.Choice{Name: "bash"}),
	} {
		faults := e.Validate(agentNames)
		if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), want) {
			t.Errorf("%v, want %s", faults, want)
		}
	}
	for name, e := range map[string]tools.Entry{
		"switched off":            choice(tools.Choice{Name: "bash", Enabled: &off, Policy: "alwys_ask"}),
		"all switched off":        {Default: tools.Choice{Enabled: &off, Policy: "alwys_ask"}},
		"no tool has the default": own(nil),
	} {
		if faults := e.Validate(agentNames); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}
