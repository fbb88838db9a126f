package tools

import "encoding/json"

// verbs begin the titles of calls that are about one file.
var verbs = map[string]string{
	"read_file": "Read", "edit_file": "Edit", "write_file": "Write", "read_image": "Read", "describe_image": "Describe",
	"read": "Read", "edit": "Edit", "write": "Write",
}

// TitleOf is the title of a call that could not be planned, as far as its
// arguments tell what it was about: "Edit src/a.go", the command itself. Else it
// is the tool's name. It looks at no file.
func TitleOf(env Env, tool string, raw json.RawMessage) string {
	a, err := parse(raw)
	if err != nil {
		return tool
	}
	if file := a.first("file_path", "path"); file != "" && verbs[tool] != "" {
		if p, err := env.Workspace.Resolve(file); err == nil {
			file = p.Rel
		}
		return CommandTitle(verbs[tool] + " " + file)
	}
	if source, err := a.filled("source"); err == nil && verbs[tool] != "" {
		return CommandTitle(verbs[tool] + " " + source)
	}
	if script := a.first("cmd", "command"); script != "" && (tool == "exec_command" || tool == "bash") {
		return CommandTitle(script)
	}
	if process, err := a.filled("process_id"); err == nil {
		return CommandTitle(process)
	}
	return tool
}

// first is the first of some texts that says something.
func (a arguments) first(names ...string) string {
	for _, name := range names {
		if text, err := a.filled(name); err == nil {
			return text
		}
	}
	return ""
}
