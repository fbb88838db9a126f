package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"drawbridge/approval"
	"drawbridge/config"
	"drawbridge/tools"
)

// tools are what a profile gives a model, as the settings have it.
func (s *setup) tools(profile string) (tools.Toolset, error) {
	set, err := tools.Profile(profile)
	said := s.cfg().Tools
	switch {
	case err != nil:
		return tools.Toolset{}, err
	case set.Profile == tools.ProfileDefault && said.Replaced:
		return set.With(definitions(said.Builtin))
	case set.Profile == tools.ProfileAgent && said.Agent != nil:
		return set.Under(entryOf(said.Agent)), nil
	}
	return set, nil
}

// policiesOfTools are what the user has said of the calls of each tool, "mode" of
// those that are left to the mode.
func (s *setup) policiesOfTools(set tools.Toolset) map[string]string {
	byName := toolPolicies(s.cfg().Approval.Tools, nil)
	said := map[string]string{}
	for _, name := range set.Names() {
		p := approval.Stricter(byName[name], approval.ToolPolicy(set.Policies[name]))
		said[name] = cmp.Or(string(p), "mode")
	}
	return said
}

// narrowedTools is what the tools of a workspace's settings come to. They take
// tools away and make them ask, by name and so in every profile; they are refused
// rather than hidden, since trust is given and taken back while sessions run.
func narrowedTools(said config.Tools) []config.ToolText {
	var all []config.ToolText
	if set, err := tools.Profile(tools.ProfileDefault); err == nil && said.Replaced {
		for _, name := range set.Names() {
			if !slices.ContainsFunc(said.Builtin, func(d config.ToolDefinition) bool { return d.Name == name }) {
				all = append(all, config.ToolText{Name: name, Policy: string(approval.ToolDeny)})
			}
		}
	}
	if set, err := tools.Profile(tools.ProfileAgent); err == nil && said.Agent != nil {
		left := entryOf(said.Agent).Policies(set.Names())
		for _, name := range set.Names() {
			if p, there := left[name]; !there {
				all = append(all, config.ToolText{Name: name, Policy: string(approval.ToolDeny)})
			} else if p == tools.PolicyAsk {
				all = append(all, config.ToolText{Name: name, Policy: p})
			}
		}
	}
	return all
}

// definitions are those of the settings.
func definitions(said []config.ToolDefinition) []tools.Definition {
	defs := make([]tools.Definition, len(said))
	for i, d := range said {
		defs[i] = tools.Definition{
			Name: d.Name, Description: d.Description, Parameters: d.Parameters,
			ReadOnly: d.Permission == "r", ForModel: d.ForModel, CallDescription: d.CallDescription,
			Limits: tools.Limits{Timeout: d.Timeout, MaxOutput: d.MaxOutput},
		}
	}
	return defs
}

// entryOf is the entry of the settings.
func entryOf(said *config.AgentToolset) tools.Entry {
	choice := func(t config.AgentTool) tools.Choice {
		return tools.Choice{Name: t.Name, Enabled: t.Enabled, Policy: t.Policy}
	}
	e := tools.Entry{Default: choice(said.Default)}
	for _, t := range said.Configs {
		e.Configs = append(e.Configs, choice(t))
	}
	return e
}

// faultsOfTools is all that is wrong with what the settings say of tools.
func faultsOfTools(cfg *config.Config) error {
	return errors.Join(cfg.Approval.CheckTools(tools.AllNames()), misdefined(cfg.Tools.Builtin), misentered(cfg.Tools.Agent))
}

func misdefined(said []config.ToolDefinition) error {
	set, err := tools.Profile(tools.ProfileDefault)
	if err != nil {
		return err
	}
	var errs []error
	_, err = set.With(definitions(said))
	for _, e := range parts(err) {
		var m *tools.Misdefined
		if errors.As(e, &m) && said[m.Index].Says(m.Path) {
			errs = append(errs, definitionProblem(said, *m))
		}
	}
	return errors.Join(errs...)
}

// parts are the errors that one is made of.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func definitionProblem(said []config.ToolDefinition, m tools.Misdefined) *config.Problem {
	return config.At(said[m.Index].Place(m.Path), fmt.Sprintf("tools.builtin[%d]: %s", m.Index, m.Text))
}

// misentered is what is wrong with an entry; nil of none.
func misentered(said *config.AgentToolset) error {
	if said == nil {
		return nil
	}
	set, err := tools.Profile(tools.ProfileAgent)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range entryOf(said).Validate(set.Names()) {
		if at := said.Place(f.Path); at != "" { // else it has a fault of its own
			errs = append(errs, config.At(at, "tools."+tools.ProfileAgent+"."+f.Error()+config.Meant(f.Given, f.Valid)))
		}
	}
	return errors.Join(errs...)
}

// doubtsOfTools are definitions that may not mean what their author thinks, a
// line each.
func doubtsOfTools(cfg *config.Config) []string {
	set, err := tools.Profile(tools.ProfileDefault)
	if err != nil {
		return nil
	}
	var lines []string
	for _, m := range set.Doubts(definitions(cfg.Tools.Builtin)) {
		if !cfg.Tools.Builtin[m.Index].Says(m.Path) {
			continue
		}
		lines = append(lines, definitionProblem(cfg.Tools.Builtin, m).Error())
	}
	return lines
}
