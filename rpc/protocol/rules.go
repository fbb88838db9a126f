package protocol

// RuleSource says where a rule is from.
type RuleSource string

const (
	// RuleFactory: built in; settings can switch it off.
	RuleFactory RuleSource = "factory"
	// RuleUser: the user's settings file.
	RuleUser RuleSource = "user"
	// RuleFlag: a flag of the command line.
	RuleFlag RuleSource = "flag"
	// RuleRepository: the settings that the workspace brings, which the user trusts.
	RuleRepository RuleSource = "repository"
	// RuleGrantUser: a remembered yes, for any workspace.
	RuleGrantUser RuleSource = "grantUser"
	// RuleGrantWorkspace: a remembered yes, for this workspace.
	RuleGrantWorkspace RuleSource = "grantWorkspace"
	// RuleGrantSession: a remembered yes, until the session is closed.
	RuleGrantSession RuleSource = "grantSession"
)

// Rule is one line of what people have said beforehand.
type Rule struct {
	// What it says.
	Verdict Verdict `json:"verdict"`
	// The rule, to the letter.
	Rule string `json:"rule"`
	// Where it is from.
	Source RuleSource `json:"source"`
	// The file and line, or the setting; absent when there is none.
	Where string `json:"where,omitempty"`
	// Why it does not count, when it cannot be read.
	Problem string `json:"problem,omitempty"`
}

// RulesListParams selects rules.
type RulesListParams struct {
	// The session whose rules are meant, with those of its workspace.
	SessionID string `json:"sessionId"`
}

// RulesListResult holds rules in the order in which they are looked at: what
// denies, what asks, what allows.
type RulesListResult struct {
	// Also those that cannot be read.
	Rules List[Rule] `json:"rules"`
}

// RulesForgetParams names a remembered yes.
type RulesForgetParams struct {
	// The session whose rules are meant, with those of its workspace.
	SessionID string `json:"sessionId"`
	// The rule, to the letter.
	Rule string `json:"rule"`
	// One of the grants.
	Source RuleSource `json:"source"`
}

// RulesForgetResult says what came of it.
type RulesForgetResult struct {
	// It was there, and is not any more.
	Forgotten bool `json:"forgotten"`
}

// TrustItem is one thing that a workspace's own settings would do.
type TrustItem struct {
	// What it is: rule, tool, hook, mcpServer, model, environment, setting.
	Kind string `json:"kind"`
	// One line for people.
	What string `json:"what"`
	// The command that it would run, to the letter.
	Command string `json:"command,omitempty"`
}

// TrustRequired says that a workspace brings settings that do not count until
// the user trusts exactly them.
type TrustRequired struct {
	// The absolute folder.
	Workspace string `json:"workspace"`
	// Names the content; the answer counts for nothing else.
	Digest string `json:"digest"`
	// The files, relative to workspace.
	Files List[string] `json:"files"`
	// Everything that they would do.
	Items List[TrustItem] `json:"items"`
	// Other content of them was trusted before.
	Changed bool `json:"changed,omitempty"`
}

// Trust is the user's answer.
type Trust string

const (
	// TrustNo: they never count; not asked again until they change.
	TrustNo Trust = "no"
	// TrustYes: they count, as they are now.
	TrustYes Trust = "yes"
)

// TrustAnswerParams answers trust/required.
type TrustAnswerParams struct {
	// The absolute folder.
	Workspace string `json:"workspace"`
	// As in trust/required.
	Digest string `json:"digest"`
	// The answer.
	Trust Trust `json:"trust"`
}

// TrustListParams asks for what waits.
type TrustListParams struct{}

// TrustListResult holds what waits for an answer.
type TrustListResult struct {
	// As they were announced.
	Required List[TrustRequired] `json:"required"`
}
