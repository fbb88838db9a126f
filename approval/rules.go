package approval

import (
	"slices"

	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// World is what the gate must know of the machine to tell what words mean.
type World = command.World

// Target is a path of a Request.
type Target = command.Target

// ToolPolicy says beforehand what becomes of all calls of a tool.
type ToolPolicy string

const (
	ToolAllow ToolPolicy = "always_allow"
	ToolAsk   ToolPolicy = "always_ask"
	ToolDeny  ToolPolicy = "always_deny"
)

// ParseToolPolicy reads a policy as people write it in settings.
func ParseToolPolicy(s string) (ToolPolicy, error) {
	return parseWord("policy", s, []ToolPolicy{ToolAllow, ToolAsk, ToolDeny})
}

// Stricter is of two policies the one that lets less through; "" lets the mode
// decide, and what is no policy nothing.
func Stricter(a, b ToolPolicy) ToolPolicy {
	order := []ToolPolicy{"", ToolAllow, ToolAsk, ToolDeny}
	i, j := slices.Index(order, a), slices.Index(order, b)
	if i < 0 || j >= 0 && i >= j {
		return a
	}
	return b
}

// Policy is what people have said beforehand, as it holds now.
type Policy struct {
	Rules *rule.Set             // nil has none
	Tools map[string]ToolPolicy // by the name of the tool
}
