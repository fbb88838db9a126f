package session

import (
	"maps"

	"drawbridge/approval"
	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// newGate makes what decides about the session's effects.
func (s *Session) newGate(info Info) *approval.Gate {
	o := approval.Options{
		Mode: info.Mode, Preset: info.Preset, Timeout: s.host.o.ApprovalTimeout,
		World: func() command.World { return s.world() }, Root: info.Dir, Redact: s.host.o.Redact,
	}
	o.Policy = func() approval.Policy { return s.said(info) }
	if keep := s.host.o.Keep; keep != nil {
		o.Keep = func(scope approval.Scope, rules []rule.Rule) error { return keep(info.Dir, scope, rules) }
	}
	return approval.NewGate(o)
}

// said is what people have said beforehand: of a tool the stricter of what is
// said of its name and of it in this profile.
func (s *Session) said(info Info) approval.Policy {
	said := approval.Policy{}
	if policy := s.host.o.Policy; policy != nil {
		said = policy(info.Dir, info.Roots)
	}
	if len(s.policies) == 0 {
		return said
	}
	all := map[string]approval.ToolPolicy{}
	maps.Copy(all, said.Tools)
	for name, p := range s.policies {
		all[name] = approval.Stricter(all[name], approval.ToolPolicy(p))
	}
	said.Tools = all
	return said
}

// Rules lists what is never run and what people have said beforehand, as it
// holds now, with what is remembered for the session.
func (s *Session) Rules() []rule.Rule { return append(s.gate.Denials(), s.gate.Rules()...) }

// Forget drops a rule that is remembered for the session; false when there is
// none of that text. It counts from the next decision.
func (s *Session) Forget(text string) bool { return s.gate.Forget(text) }
