package tools

// agent returns the tools of the profile "agent_toolset_20260401", in the order
// a model is given them.
func agent() []Tool { return []Tool{agentBash{}} }

// agentPages are the pages of those tools, by name.
func agentPages() map[string]string { return map[string]string{"bash": agentBashPage} }
