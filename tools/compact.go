package tools

import (
	_ "embed"
	"encoding/json"
	"errors"
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

// objects is a required list of objects, of the form that shape shows. Some
// models write a list as a string.
func (a arguments) objects(name, shape string) ([]arguments, error) {
	if !a.has(name) {
		return nil, Failf("Missing required argument: %s", name)
	}
	raw := []byte(a[name])
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, Failf("Invalid argument %s: expected a list of %s, got %s", name, shape, a.shown(name))
	}
	all := make([]arguments, len(values))
	for i, value := range values {
		object, err := parse(value)
		if err != nil || object == nil {
			return nil, Failf("Invalid argument %s[%d]: expected %s, got %s", name, i, shape, arguments{name: value}.shown(name))
		}
		all[i] = object
	}
	return all, nil
}

// within says which object of a list an argument belongs to that a failure is
// about.
func within(list string, i int, err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return Failf("%s[%d]: %s", list, i, f.Text)
	}
	return err
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
