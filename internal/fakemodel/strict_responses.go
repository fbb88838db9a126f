package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type responsesRequest struct {
	Input      []responsesItem `json:"input"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Store      *bool           `json:"store"`
	Tools      []struct {
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Strict     *bool           `json:"strict"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"tools"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Sealed    string          `json:"encrypted_content"`
}

func checkResponses(_ http.Header, body []byte) string {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return err.Error()
	}
	if len(r.Input) == 0 {
		return "input: empty"
	}
	if c := checkChoice(r.ToolChoice, "auto", "none", "required", "function"); c != "" {
		return c
	}
	if c := r.checkTools(); c != "" {
		return c
	}
	return r.checkInput()
}

// checkTools also wants schemas marked as not strict: the service takes them
// for strict if nothing is said, and then refuses optional properties.
func (r *responsesRequest) checkTools() string {
	var names []string
	var schemas []json.RawMessage
	for _, t := range r.Tools {
		if t.Strict == nil || *t.Strict {
			return "Invalid schema for function '" + t.Name + "': 'additionalProperties' is required to be supplied and to be false."
		}
		names, schemas = append(names, t.Name), append(schemas, t.Parameters)
	}
	return checkTools(names, schemas)
}

func (r *responsesRequest) checkInput() string {
	var open []string
	used := map[string]bool{}
	reasoning := ""
	for i, item := range r.Input {
		if c := item.check(i); c != "" {
			return c
		}
		switch item.Type {
		case "reasoning":
			reasoning = item.ID
			continue
		case "function_call":
			if used[item.CallID] {
				return "Duplicate call_id " + item.CallID
			}
			used[item.CallID] = true
			open = append(open, item.CallID)
		case "function_call_output":
			at := slices.Index(open, item.CallID)
			if at < 0 {
				return "No tool call found for function call output with call_id " + item.CallID + "."
			}
			open = slices.Delete(open, at, at+1)
		}
		if reasoning != "" && item.Role != "assistant" && item.Type != "function_call" {
			return "Item '" + reasoning + "' of type 'reasoning' was provided without its required following item."
		}
		reasoning = ""
	}
	if reasoning != "" {
		return "Item '" + reasoning + "' of type 'reasoning' was provided without its required following item."
	}
	if len(open) > 0 {
		return "No tool output found for function call " + open[0] + "."
	}
	return ""
}

func (item *responsesItem) check(i int) string {
	at := fmt.Sprintf("input[%d]", i)
	switch item.Type {
	case "", "message":
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, item.Role) {
			return at + ".role: unknown role " + item.Role
		}
		if emptyItem(item.Content) {
			return at + ".content: empty content"
		}
		if item.Role == "assistant" && strings.Contains(string(item.Content), `"input_text"`) {
			return at + ".content: Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
		}
	case "function_call":
		if item.CallID == "" || len(item.CallID) > 64 || !toolName.MatchString(item.Name) {
			return at + ": call_id or name is missing or invalid"
		}
		if !isObjectText(item.Arguments) {
			return at + ".arguments: not a JSON object: " + item.Arguments
		}
	case "function_call_output":
		if emptyItem(item.Output) {
			return at + ".output: empty"
		}
	case "reasoning":
		if item.ID == "" || item.Sealed == "" {
			return at + ": item with id '" + item.ID + "' not found. Items are not persisted when `store` is set to false."
		}
	default:
		return at + ".type: unknown type " + item.Type
	}
	return ""
}

// emptyItem takes a text or a list of typed parts.
func emptyItem(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return blank(text)
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if (p.Type == "input_text" || p.Type == "output_text") && blank(p.Text) {
			return true
		}
	}
	return len(parts) == 0
}
