package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type chatRequest struct {
	Messages   []chatMessage   `json:"messages"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Tools      []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func checkChat(_ http.Header, body []byte) string {
	var r chatRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return err.Error()
	}
	if len(r.Messages) == 0 {
		return "messages: empty array"
	}
	if c := checkChoice(r.ToolChoice, "auto", "none", "required", "function"); c != "" {
		return c
	}
	var names []string
	var schemas []json.RawMessage
	for _, t := range r.Tools {
		names, schemas = append(names, t.Function.Name), append(schemas, t.Function.Parameters)
	}
	if c := checkTools(names, schemas); c != "" {
		return c
	}
	return checkChatMessages(r.Messages)
}

func checkChatMessages(messages []chatMessage) string {
	used := map[string]bool{}
	var open []string
	for i, m := range messages {
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return fmt.Sprintf("messages.[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.", i)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return unanswered(open)
		}
		if i > 0 && m.Role == messages[i-1].Role {
			return fmt.Sprintf("messages.[%d]: conversation roles must alternate", i)
		}
		if c := m.check(i); c != "" {
			return c
		}
		for _, call := range m.ToolCalls {
			if used[call.ID] {
				return "Duplicate value for 'tool_call_id' of '" + call.ID + "'"
			}
			used[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return unanswered(open)
	}
	return ""
}

func unanswered(ids []string) string {
	return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
		"The following tool_call_ids did not have response messages: " + strings.Join(ids, ", ")
}

func (m *chatMessage) check(i int) string {
	at := fmt.Sprintf("messages.[%d]", i)
	if !slices.Contains([]string{"system", "developer", "user", "assistant"}, m.Role) {
		return at + ".role: unknown role " + m.Role
	}
	empty := emptyContent(m.Content)
	present := len(m.Content) > 0 && string(m.Content) != "null"
	if empty && (m.Role != "assistant" || len(m.ToolCalls) == 0 || present) {
		return at + ".content: empty content"
	}
	for _, call := range m.ToolCalls {
		if call.ID == "" || call.Type != "function" || !toolName.MatchString(call.Function.Name) {
			return at + ".tool_calls: id, type or name is missing or invalid"
		}
		if !isObjectText(call.Function.Arguments) {
			return at + ".tool_calls: arguments are not a JSON object: " + call.Function.Arguments
		}
	}
	return ""
}

// emptyContent takes a text or a list of parts.
func emptyContent(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return blank(text)
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if p.Type == "text" && blank(p.Text) {
			return true
		}
	}
	return len(parts) == 0
}
