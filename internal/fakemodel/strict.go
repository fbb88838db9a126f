package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// request is what the server needs of any format.
type request struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
}

// checks are the formats' rules; each returns the first complaint, or nothing.
var checks = map[Format]func(http.Header, []byte) string{
	Anthropic: checkAnthropic,
	Responses: checkResponses,
	Chat:      checkChat,
}

// check refuses what the real services refuse. What they let pass, passes.
func check(f Format, header http.Header, body []byte) (request, string) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, "the body is not JSON: " + err.Error()
	}
	if r.Model == "" {
		return r, "model: field required"
	}
	if !r.Stream {
		return r, "stream: this server only streams"
	}
	return r, checks[f](header, body)
}

var (
	toolName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}

// isObjectText tells a JSON text that holds an object, as two of the wires
// carry arguments.
func isObjectText(s string) bool { return isObject(json.RawMessage(s)) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// checkTools holds the rules that the formats share.
func checkTools(names []string, schemas []json.RawMessage) string {
	seen := map[string]bool{}
	for i, name := range names {
		if !toolName.MatchString(name) {
			return fmt.Sprintf("tools.%d.name: String should match pattern '%s'", i, toolName)
		}
		if seen[name] {
			return "tools: Tool names must be unique."
		}
		seen[name] = true
		var schema struct{ Type string }
		if json.Unmarshal(schemas[i], &schema) != nil || schema.Type != "object" {
			return fmt.Sprintf("tools.%d: the schema must be of type object", i)
		}
	}
	return ""
}

// checkChoice takes a word or an object, as all formats do in their way.
func checkChoice(raw json.RawMessage, words ...string) string {
	if len(raw) == 0 {
		return ""
	}
	var word string
	var shape struct{ Type string }
	if json.Unmarshal(raw, &word) != nil {
		_ = json.Unmarshal(raw, &shape)
		word = shape.Type
	}
	for _, w := range words {
		if w == word {
			return ""
		}
	}
	return "tool_choice: unknown value " + string(raw)
}
