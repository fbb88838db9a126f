package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type anthropicRequest struct {
	MaxTokens  int                `json:"max_tokens"`
	System     json.RawMessage    `json:"system"`
	Messages   []anthropicMessage `json:"messages"`
	ToolChoice json.RawMessage    `json:"tool_choice"`
	Tools      []struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Thinking struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content anthropicBlocks `json:"content"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   anthropicBlocks `json:"content"`
	IsError   bool            `json:"is_error"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Source    struct{ Data string }
}

// anthropicBlocks may come as a text.
type anthropicBlocks []anthropicBlock

func (b *anthropicBlocks) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*b = anthropicBlocks{{Type: "text", Text: text}}
		return nil
	}
	var blocks []anthropicBlock
	err := json.Unmarshal(raw, &blocks)
	*b = blocks
	return err
}

// maxMarks is how many places a request may mark for caching.
const maxMarks = 4

func checkAnthropic(header http.Header, body []byte) string {
	var r anthropicRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return err.Error()
	}
	if header.Get("Anthropic-Version") == "" {
		return "anthropic-version: header is required"
	}
	if r.MaxTokens < 1 {
		return "max_tokens: Field required"
	}
	if n := strings.Count(string(body), `"cache_control"`); n > maxMarks {
		return fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, n)
	}
	if c := checkChoice(r.ToolChoice, "auto", "any", "tool", "none"); c != "" {
		return c
	}
	if c := r.checkTools(); c != "" {
		return c
	}
	if c := r.checkThinking(); c != "" {
		return c
	}
	return r.checkMessages()
}

func (r *anthropicRequest) checkTools() string {
	var names []string
	var schemas []json.RawMessage
	for _, t := range r.Tools {
		names, schemas = append(names, t.Name), append(schemas, t.Schema)
	}
	return checkTools(names, schemas)
}

// checkThinking holds the rules of reasoning with a budget; reasoning that the
// model paces itself has none.
func (r *anthropicRequest) checkThinking() string {
	switch r.Thinking.Type {
	case "", "adaptive", "disabled":
		return ""
	case "enabled":
	default:
		return "thinking.type: unknown value " + r.Thinking.Type
	}
	if r.Thinking.Budget < 1024 {
		return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
	}
	if r.Thinking.Budget >= r.MaxTokens {
		return "`max_tokens` must be greater than `thinking.budget_tokens`."
	}
	n := len(r.Messages)
	if n < 2 || len(r.Messages[n-1].Content) == 0 || r.Messages[n-1].Content[0].Type != "tool_result" {
		return ""
	}
	if first := r.Messages[n-2].Content[0].Type; first != "thinking" && first != "redacted_thinking" {
		return fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`.", n-2, first)
	}
	return ""
}

func (r *anthropicRequest) checkMessages() string {
	if len(r.Messages) == 0 {
		return "messages: at least one message is required"
	}
	if r.Messages[0].Role != "user" {
		return "messages: first message must use the \"user\" role"
	}
	used := map[string]bool{}
	var open []string // calls of the message before
	for i, m := range r.Messages {
		if i > 0 && m.Role == r.Messages[i-1].Role {
			return fmt.Sprintf("messages: roles must alternate between \"user\" and \"assistant\"; messages.%d repeats %q", i, m.Role)
		}
		if c := m.checkBlocks(i, i == len(r.Messages)-1); c != "" {
			return c
		}
		if c := m.checkPairs(i, open); c != "" {
			return c
		}
		open = nil
		for _, b := range m.Content {
			if b.Type != "tool_use" {
				continue
			}
			if used[b.ID] {
				return "messages: `tool_use` ids must be unique; found " + b.ID + " again"
			}
			used[b.ID] = true
			open = append(open, b.ID)
		}
	}
	if len(open) > 0 {
		return "messages: `tool_use` ids were found without `tool_result` blocks immediately after: " + strings.Join(open, ", ")
	}
	return ""
}

func (m *anthropicMessage) checkBlocks(i int, last bool) string {
	if len(m.Content) == 0 {
		return fmt.Sprintf("messages.%d: all messages must have non-empty content", i)
	}
	for j, b := range m.Content {
		at := fmt.Sprintf("messages.%d.content.%d", i, j)
		if c := b.check(at, m.Role); c != "" {
			return c
		}
	}
	end := m.Content[len(m.Content)-1]
	switch {
	case m.Role != "assistant":
	case end.Type == "thinking" || end.Type == "redacted_thinking":
		return fmt.Sprintf("messages.%d: The final block in an assistant message cannot be `thinking`.", i)
	case last && end.Type == "text" && strings.TrimRight(end.Text, " \t\r\n") != end.Text:
		return "messages: final assistant content cannot end with trailing whitespace"
	}
	return ""
}

func (b *anthropicBlock) check(at, role string) string {
	switch b.Type {
	case "text":
		if blank(b.Text) {
			return at + ": text content blocks must contain non-whitespace text"
		}
	case "thinking", "redacted_thinking":
		if role != "assistant" || (b.Signature == "" && b.Data == "") {
			return at + ": Invalid `signature` in `thinking` block"
		}
	case "tool_use":
		if role != "assistant" {
			return at + ": `tool_use` blocks can only be in `assistant` messages"
		}
		if !anthropID.MatchString(b.ID) || !toolName.MatchString(b.Name) {
			return at + ": id or name does not match the pattern"
		}
		if !isObject(b.Input) {
			return at + ".input: Input should be a valid dictionary"
		}
	case "tool_result":
		return b.checkResult(at, role)
	case "image":
		if b.Source.Data == "" {
			return at + ": image without data"
		}
	default:
		return at + ": unknown block type " + b.Type
	}
	return ""
}

func (b *anthropicBlock) checkResult(at, role string) string {
	if role != "user" {
		return at + ": `tool_result` blocks can only be in `user` messages"
	}
	if b.IsError && len(b.Content) == 0 {
		return at + ": content cannot be empty if `is_error` is true"
	}
	for _, inner := range b.Content {
		if inner.Type != "text" && inner.Type != "image" {
			return at + ": a result holds texts and images"
		}
		if c := inner.check(at, role); c != "" {
			return c
		}
	}
	return ""
}

// checkPairs wants every call of the message before answered here, before any
// other block, and nothing else answered.
func (m *anthropicMessage) checkPairs(i int, open []string) string {
	answered := map[string]bool{}
	other := false
	for _, b := range m.Content {
		if b.Type != "tool_result" {
			other = true
			continue
		}
		if other {
			return fmt.Sprintf("messages.%d: `tool_result` blocks must come before other blocks", i)
		}
		if answered[b.ToolUseID] {
			return fmt.Sprintf("messages.%d: each tool_use must have a single result. Found multiple for %s", i, b.ToolUseID)
		}
		answered[b.ToolUseID] = true
	}
	for _, id := range open {
		if !answered[id] {
			return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s", i-1, id)
		}
		delete(answered, id)
	}
	for id := range answered {
		return fmt.Sprintf("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i, id)
	}
	return ""
}
