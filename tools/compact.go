package tools

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"drawbridge/workspace"
)

// compact returns the tools of the profile "compact", in the order a model is
// given them.
func compact() []Tool { return []Tool{compactRead{}, compactBash{}, compactEdit{}, compactWrite{}} }

var (
	//go:embed compact_read.md
	compactReadPage string
	//go:embed compact_read.json
	compactReadSchema string
	//go:embed compact_bash.md
	compactBashPage string
	//go:embed compact_bash.json
	compactBashSchema string
	//go:embed compact_edit.md
	compactEditPage string
	//go:embed compact_edit.json
	compactEditSchema string
	//go:embed compact_write.md
	compactWritePage string
	//go:embed compact_write.json
	compactWriteSchema string
)

func compactPages() map[string]string {
	return map[string]string{"read": compactReadPage, "bash": compactBashPage, "edit": compactEditPage, "write": compactWritePage}
}

// filePath is the required path of a file tool, which knows no sandbox to leave.
func (a arguments) filePath() (string, error) {
	if a.has("sandbox_permissions") {
		return "", Failf("Invalid argument sandbox_permissions: files are not read or written in a sandbox; it is for bash alone. Nothing was done.")
	}
	return a.filled("path")
}

// maxJustification bounds a justification, in characters.
const maxJustification = 240

// justification is why the model wants a change; "" if it does not say. A
// justification that is there must say something, null is none.
func justification(raw json.RawMessage) (string, error) {
	var a map[string]json.RawMessage
	if err := json.Unmarshal(raw, &a); err != nil {
		return "", Failf("The arguments are not a JSON object: %s", err)
	}
	value, given := a["justification"]
	if !given {
		return "", nil
	}
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return "", Failf("Invalid argument justification: expected a string, got %s", arguments(a).shown("justification"))
	}
	switch n := utf8.RuneCountInString(*text); {
	case strings.TrimSpace(*text) == "":
		return "", Failf("Invalid argument justification: it is blank. Say why, or leave it out.")
	case n > maxJustification:
		return "", Failf("Invalid argument justification: it has %d characters, at most %d are read.", n, maxJustification)
	}
	return strings.TrimSpace(*text), nil
}

// listOf reads a required list. Some models write one as a string.
func listOf[T any](a arguments, name string) ([]T, error) {
	if !a.has(name) {
		return nil, Failf("Missing required argument: %s", name)
	}
	raw := []byte(a[name])
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = bytes.TrimSpace([]byte(text))
	}
	var values []T
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, Failf("Invalid argument %s: %s", name, err)
	}
	return values, nil
}

// compactDone names the file and nothing else, where everything was done as it
// was planned.
func compactDone(verb string) func(e effect, o workspace.Outcome) string {
	return func(e effect, o workspace.Outcome) string {
		if o.State == workspace.Partly || o.UserText {
			return e.standing(o) + withLine(strings.TrimSuffix(o.Change.Print(e.diffOptions(o.Change, 0)).Text, "\n"))
		}
		return verb + " " + quotedName(e.name) + "."
	}
}
