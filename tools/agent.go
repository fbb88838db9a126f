package tools

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"drawbridge/workspace"
)

// agent returns the tools of the profile "agent_toolset_20260401", in the order
// a model is given them.
func agent() []Tool {
	return []Tool{agentBash{}, agentRead{}, agentWrite{}, agentEdit{}, agentGlob{}, agentGrep{}}
}

var (
	//go:embed agent_read.md
	agentReadPage string
	//go:embed agent_read.json
	agentReadSchema string
	//go:embed agent_write.md
	agentWritePage string
	//go:embed agent_write.json
	agentWriteSchema string
	//go:embed agent_edit.md
	agentEditPage string
	//go:embed agent_edit.json
	agentEditSchema string
	//go:embed agent_glob.md
	agentGlobPage string
	//go:embed agent_glob.json
	agentGlobSchema string
	//go:embed agent_grep.md
	agentGrepPage string
	//go:embed agent_grep.json
	agentGrepSchema string
)

// agentPages are the pages of those tools, by name.
func agentPages() map[string]string {
	return map[string]string{
		"bash": agentBashPage, "read": agentReadPage, "write": agentWritePage, "edit": agentEditPage,
		"glob": agentGlobPage, "grep": agentGrepPage,
	}
}

// agentFileFailure words what is wrong with a file as this profile does.
func agentFileFailure(name string, err error) error {
	fault, ok := errors.AsType[*workspace.FileError](err)
	switch {
	case ok && fault.Kind == workspace.IsDir:
		return Failf("%q: not a regular file (it is a directory; glob lists what is in it)", name)
	case ok && fault.Kind == workspace.NotRegular:
		return Failf("%q: not a regular file%s", name, bracketed(fault.Detail))
	}
	return fileFailure(name, err)
}

// noSuchFile is the failure for what is missing, with what is near it.
func noSuchFile(env Env, name string, p workspace.Path, advice string) error {
	text := fmt.Sprintf("%q: no such file or directory", name)
	if hint := env.Workspace.Hint(p); hint != "" {
		text += "\n" + hint
	}
	return &Failure{Text: text + withLine(advice)}
}

// agentDone tells of a change that stands: where a person had another part in it
// than a yes, with what was really changed.
func agentDone(said func(o workspace.Outcome) string) func(e effect, o workspace.Outcome) string {
	return func(e effect, o workspace.Outcome) string {
		if o.State == workspace.Partly || o.UserText {
			return e.standing(o) + withLine(strings.TrimSuffix(o.Change.Print(e.diffOptions(o.Change, 0)).Text, "\n"))
		}
		return said(o)
	}
}
