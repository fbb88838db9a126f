package openaichat

import (
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// params is the request on the wire. The vendor's own service gets what only it
// knows; other servers get the older names, which all of them know. Settled
// entries, if any, stand between the system's words and req's messages.
func (p *Provider) params(req model.Request, settled *wire.Placeholder) openai.ChatCompletionNewParams {
	vendors := p.options.BaseURL == "" || strings.Contains(p.options.BaseURL, "//api.openai.com")
	c := openai.ChatCompletionNewParams{
		Model:         shared.ChatModel(req.Model),
		Messages:      system(req.System),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if settled != nil {
		c.Messages = append(c.Messages, param.Override[openai.ChatCompletionMessageParamUnion](settled.JSON()))
	}
	c.Messages = append(c.Messages, messages(history(req.Messages))...)
	switch {
	case req.MaxTokens <= 0:
	case vendors:
		c.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
	default:
		c.MaxTokens = openai.Int(int64(req.MaxTokens))
	}
	if vendors && req.CacheKey != "" {
		c.PromptCacheKey = openai.String(req.CacheKey)
	}
	if req.Thinking != "" && req.Thinking != "off" {
		c.ReasoningEffort = shared.ReasoningEffort(req.Thinking)
	}
	return c
}

func system(text string) []openai.ChatCompletionMessageParamUnion {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(text)}
}

// dialect writes the messages that others follow. Reasoning goes back while its
// turn runs and not later, so messages with any are never written for good.
var dialect = wire.Dialect{
	History: history,
	Tools:   func(defs []model.ToolDef) any { return toolDefs(defs) },
	Entries: func(history []model.Message) any { return messages(history) },
	Fixed:   func(messages []model.Message) bool { return !slices.ContainsFunc(messages, reasoned) },
}

func history(messages []model.Message) []model.Message {
	return wire.History(messages, Name, wire.Unsigned)
}

func reasoned(m model.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p model.Part) bool {
		return p.Kind == model.PartThinking && p.Provider == Name
	})
}

func messages(history []model.Message) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	turn := lastPrompt(history)
	for i, m := range history {
		if m.Role == model.RoleAssistant {
			out = append(out, assistantMessages(m.Parts, i > turn)...)
			continue
		}
		out = append(out, resultMessages(m.Parts)...)
		if content := userContent(m.Parts); len(content) > 0 {
			out = append(out, userMessage(content))
		}
	}
	return out
}

// lastPrompt is the index of the message that the running turn started with.
func lastPrompt(history []model.Message) int {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role == model.RoleUser && history[i].Parts[0].Kind != model.PartResult {
			return i
		}
	}
	return -1
}

// assistantMessages is one message, or none if only reasoning is left. The
// reasoning of calls goes back while their turn runs: services that demand it
// demand it there, and others that refuse it do not call tools.
func assistantMessages(parts []model.Part, running bool) []openai.ChatCompletionMessageParamUnion {
	var m openai.ChatCompletionAssistantMessageParam
	var text, thoughts []string
	for _, p := range parts {
		switch p.Kind {
		case model.PartText:
			text = append(text, p.Text)
		case model.PartThinking:
			thoughts = append(thoughts, p.Text)
		case model.PartCall:
			m.ToolCalls = append(m.ToolCalls, call(p.Call))
		}
	}
	if len(text) > 0 {
		m.Content.OfString = openai.String(strings.Join(text, "\n\n"))
	}
	if len(text) == 0 && len(m.ToolCalls) == 0 {
		return nil
	}
	if running && len(m.ToolCalls) > 0 && len(thoughts) > 0 {
		m.SetExtraFields(map[string]any{"reasoning_content": strings.Join(thoughts, "\n\n")})
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &m}}
}

func call(c *model.Call) openai.ChatCompletionMessageToolCallUnionParam {
	return openai.ChatCompletionMessageToolCallUnionParam{
		OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Args},
		},
	}
}

// resultMessages answers each call in a message of its own. This wire has no
// pictures there: they follow as words of the user.
func resultMessages(parts []model.Part) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	for _, p := range parts {
		if p.Kind != model.PartResult {
			continue
		}
		text := p.Result.Text
		if strings.TrimSpace(text) == "" {
			text = "(see the picture below)"
		}
		out = append(out, openai.ToolMessage(text, p.Result.CallID))
	}
	return out
}

func userContent(parts []model.Part) []openai.ChatCompletionContentPartUnionParam {
	var out []openai.ChatCompletionContentPartUnionParam
	for _, p := range parts {
		switch p.Kind {
		case model.PartResult:
			for _, img := range p.Result.Images {
				out = append(out, imagePart(img))
			}
		case model.PartImage:
			out = append(out, imagePart(*p.Image))
		case model.PartText:
			out = append(out, openai.TextContentPart(p.Text))
		}
	}
	return out
}

func imagePart(img model.Image) openai.ChatCompletionContentPartUnionParam {
	return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: wire.DataURL(img)})
}

// userMessage is plain text where that says all: small servers take no list.
func userMessage(content []openai.ChatCompletionContentPartUnionParam) openai.ChatCompletionMessageParamUnion {
	var texts []string
	for _, part := range content {
		if part.OfText == nil {
			return openai.UserMessage(content)
		}
		texts = append(texts, part.OfText.Text)
	}
	return openai.UserMessage(strings.Join(texts, "\n\n"))
}

func toolDefs(defs []model.ToolDef) []openai.ChatCompletionToolUnionParam {
	var out []openai.ChatCompletionToolUnionParam
	for _, d := range defs {
		out = append(out, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name:        d.Name,
			Description: openai.String(d.Description),
			Parameters:  wire.Schema(d.Schema),
		}))
	}
	return out
}
