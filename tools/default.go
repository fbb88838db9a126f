package tools

import (
	_ "embed"
	"encoding/json"
	"strings"
	"time"
)

// Default returns the tools of the profile "default", in the order a model is
// given them.
func Default() []Tool {
	return []Tool{
		execCommand{}, inputCommand{}, killCommand{}, readFile{}, editFile{}, writeFile{}, readImage{}, describeImage{},
		runSubagent{}, inputSubagent{}, killSubagent{},
	}
}

// Unknown is the failure of a call of a tool that is not among the known ones.
func Unknown(name string, known []string) error {
	return Failf("Unknown tool: %s\nAvailable tools: %s", name, strings.Join(known, ", "))
}

const (
	fileTimeout    = 30 * time.Second
	killTimeout    = 30 * time.Second
	commandTimeout = 120 * time.Second
	maxOutput      = 16_000
	maxReadOutput  = 64_000
)

// A tool's page is its description for the model, followed by examples for the
// documentation; its schema lies beside it.
var (
	//go:embed read_file.md
	readFilePage string
	//go:embed read_file.json
	readFileSchema string
	//go:embed edit_file.md
	editFilePage string
	//go:embed edit_file.json
	editFileSchema string
	//go:embed write_file.md
	writeFilePage string
	//go:embed write_file.json
	writeFileSchema string
	//go:embed read_image.md
	readImagePage string
	//go:embed read_image.json
	readImageSchema string
	//go:embed describe_image.md
	describeImagePage string
	//go:embed describe_image.json
	describeImageSchema string
	//go:embed exec_command.md
	execCommandPage string
	//go:embed exec_command.json
	execCommandSchema string
	//go:embed input_command.md
	inputCommandPage string
	//go:embed input_command.json
	inputCommandSchema string
	//go:embed kill_command.md
	killCommandPage string
	//go:embed kill_command.json
	killCommandSchema string
	//go:embed run_subagent.md
	runSubagentPage string
	//go:embed run_subagent.json
	runSubagentSchema string
	//go:embed input_subagent.md
	inputSubagentPage string
	//go:embed input_subagent.json
	inputSubagentSchema string
	//go:embed kill_subagent.md
	killSubagentPage string
	//go:embed kill_subagent.json
	killSubagentSchema string
)

// examplesHeading ends the part of a page that the model is given.
const examplesHeading = "\n## Examples\n"

func description(page string) string {
	text, _, _ := strings.Cut(page, examplesHeading)
	return strings.TrimSpace(text)
}

func schema(text string) json.RawMessage { return json.RawMessage(strings.TrimSpace(text)) }

// Examples returns the example arguments on the page of a profile's tool.
func Examples(profile, name string) []json.RawMessage {
	_, text, _ := strings.Cut(pages(profile)[name], examplesHeading)
	var all []json.RawMessage
	for {
		_, rest, found := strings.Cut(text, "```json\n")
		example, after, closed := strings.Cut(rest, "```")
		if !found || !closed {
			return all
		}
		all = append(all, json.RawMessage(strings.TrimSpace(example)))
		text = after
	}
}

func pages(profile string) map[string]string {
	switch profile {
	case ProfileCompact:
		return compactPages()
	case ProfileAgent:
		return agentPages()
	}
	return map[string]string{
		"read_file": readFilePage, "edit_file": editFilePage,
		"write_file": writeFilePage, "exec_command": execCommandPage,
		"read_image": readImagePage, "describe_image": describeImagePage,
		"input_command": inputCommandPage, "kill_command": killCommandPage,
		"run_subagent": runSubagentPage, "input_subagent": inputSubagentPage, "kill_subagent": killSubagentPage,
	}
}
