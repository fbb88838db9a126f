package config

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Names are the words of settings that are not known here: the names of tools
// of all profiles, of those of the default profile and of the agent toolset.
type Names struct{ Tools, Builtin, Agent []string }

// Schema describes the user's settings file for editors, as JSON Schema of draft
// 7. What it takes may still be refused where a schema cannot say why.
func Schema(n Names) []byte {
	return document("Drawbridge: settings", "https://drawbridge.invalid/settings.json", settings(Dirs{}), n)
}

// RepositorySchema describes the settings that a workspace brings.
func RepositorySchema(n Names) []byte {
	var later []laterSetting
	return document("Drawbridge: settings of a workspace", "https://drawbridge.invalid/workspace-settings.json", repositoryTable(&later), n)
}

func document(title, id string, rows []setting, n Names) []byte {
	top := group(rows, "")
	top["$schema"], top["$id"], top["title"] = "http://json-schema.org/draft-07/schema#", id, title
	name(top, n)
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic("a schema of our own making cannot be written: " + err.Error())
	}
	return append(text, '\n')
}

// group is the section whose settings begin with prefix. One that is there but
// empty has all its lines commented out.
func group(rows []setting, prefix string) shape {
	properties := map[string]any{}
	for _, s := range rows {
		rest, ok := strings.CutPrefix(s.path, prefix)
		key, _, deeper := strings.Cut(rest, ".")
		switch {
		case !ok:
		case deeper:
			properties[key] = group(rows, prefix+key+".")
		default:
			properties[key] = s.asSchema()
		}
	}
	g := section(properties)
	g["type"] = []string{"object", "null"}
	return g
}

// docLink is a link as it leads from docs/settings.md. From a schema, which lies
// somewhere else and is shown by any editor, it leads nowhere: the page is named.
var docLink = regexp.MustCompile(`\[[^\]]*\]\(([^):]*)\)`)

// asSchema is the shape of a setting with what is said of it.
func (s setting) asSchema() shape {
	all := shape{}
	for k, v := range s.shape {
		all[k] = v
	}
	if s.doc != "" {
		all["description"] = docLink.ReplaceAllString(s.doc, "docs/$1")
	}
	if s.def != "" {
		all["default"] = s.defValue()
	}
	return all
}

func (s setting) defValue() any {
	switch s.def {
	case "true", "false":
		return s.def == "true"
	}
	var number json.Number
	if json.Unmarshal([]byte(s.def), &number) == nil {
		return number
	}
	return s.def
}

// name puts the names of tools where they may stand.
func name(top shape, n Names) {
	if tools := at(top, "approval", "tools"); tools != nil {
		tools["propertyNames"] = shape{"enum": n.Tools}
	}
	if entry := at(top, "tools", agentToolset, "configs"); entry != nil {
		at(entry["items"].(shape), "name")["enum"] = n.Agent
	}
	if builtin := at(top, "tools", "builtin"); builtin != nil {
		// A name without a tool is only warned about: it is offered, not wanted.
		at(builtin["items"].(shape), "name")["examples"] = slices.Clone(n.Builtin)
	}
}

// at is what stands at a path of sections; nil where nothing does.
func at(s shape, path ...string) shape {
	for _, key := range path {
		properties, ok := s["properties"].(map[string]any)
		if !ok {
			return nil
		}
		if s, ok = properties[key].(shape); !ok {
			return nil
		}
	}
	return s
}
