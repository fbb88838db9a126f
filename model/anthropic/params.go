package anthropic

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// redactedPrefix marks a signature that is a whole redacted thinking block. No
// real signature starts with it: they are base64.
const redactedPrefix = "redacted:"

func asLibraryError(err error) (*sdk.Error, bool) { return errors.AsType[*sdk.Error](err) }

// params is the request on the wire.
func params(req model.Request) sdk.MessageNewParams {
	history := history(req.Messages)
	p := sdk.MessageNewParams{
		Model:     sdk.Model(req.Model),
		MaxTokens: maxTokens(req),
		Messages:  messages(history),
	}
	trimEnd(p.Messages)
	if strings.TrimSpace(req.System) != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	think(&p, req, history)
	markCache(&p)
	return p
}

// maxTokens has a value always: the service demands one.
func maxTokens(req model.Request) int64 {
	switch {
	case req.MaxTokens > 0:
		return int64(req.MaxTokens)
	case strings.HasPrefix(req.Model, "claude-3-5"), strings.HasPrefix(req.Model, "claude-3-h"), strings.HasPrefix(req.Model, "claude-3-o"):
		return 4096
	}
	return 32000
}

// dialect writes the messages that others follow.
var dialect = wire.Dialect{
	History: history,
	Tools:   func(defs []model.ToolDef) any { return toolDefs(defs) },
	Entries: func(history []model.Message) any { return messages(history) },
}

func history(messages []model.Message) []model.Message {
	return wire.History(messages, Name, wire.Signed)
}

func messages(history []model.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	for _, m := range history {
		out = append(out, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: contentBlocks(m.Parts)})
	}
	return out
}

// trimEnd takes the blanks off a last assistant text, which the service refuses.
func trimEnd(messages []sdk.MessageParam) {
	if len(messages) == 0 || messages[len(messages)-1].Role != sdk.MessageParamRoleAssistant {
		return
	}
	blocks := messages[len(messages)-1].Content
	if text := blocks[len(blocks)-1].OfText; text != nil {
		text.Text = strings.TrimRight(text.Text, " \t\r\n")
	}
}

func contentBlocks(parts []model.Part) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, p := range parts {
		switch p.Kind {
		case model.PartText:
			out = append(out, sdk.NewTextBlock(p.Text))
		case model.PartImage:
			out = append(out, sdk.NewImageBlockBase64(p.Image.MimeType, p.Image.Data))
		case model.PartCall:
			out = append(out, sdk.NewToolUseBlock(p.Call.ID, json.RawMessage(p.Call.Args), p.Call.Name))
		case model.PartResult:
			out = append(out, sdk.ContentBlockParamUnion{OfToolResult: result(p.Result)})
		case model.PartThinking:
			out = append(out, thinkingBlock(p))
		}
	}
	return out
}

func thinkingBlock(p model.Part) sdk.ContentBlockParamUnion {
	if data, ok := strings.CutPrefix(p.Signature, redactedPrefix); ok {
		return sdk.NewRedactedThinkingBlock(data)
	}
	return sdk.NewThinkingBlock(p.Signature, p.Text)
}

func result(r *model.Result) *sdk.ToolResultBlockParam {
	block := &sdk.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.Failed {
		block.IsError = sdk.Bool(true)
	}
	if strings.TrimSpace(r.Text) != "" {
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: r.Text}})
	}
	for _, img := range r.Images {
		source := &sdk.Base64ImageSourceParam{Data: img.Data, MediaType: sdk.Base64ImageSourceMediaType(img.MimeType)}
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{
			OfImage: &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: source}},
		})
	}
	return block
}

func toolDefs(defs []model.ToolDef) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for _, d := range defs {
		schema := wire.Schema(d.Schema)
		properties := schema["properties"]
		required := wire.Strings(schema["required"])
		delete(schema, "properties")
		delete(schema, "required")
		delete(schema, "type")
		out = append(out, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name:        d.Name,
			Description: sdk.String(d.Description),
			InputSchema: sdk.ToolInputSchemaParam{Properties: properties, Required: required, ExtraFields: schema},
		}})
	}
	if n := len(out); n > 0 { // the first of the marks that markCache speaks of
		out[n-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	return out
}

// budgets are the reasoning tokens of a level, for models that take a number.
var budgets = map[string]int64{"low": 4096, "medium": 12288, "high": 24576}

// budgeted matches the models that take a number of tokens; later ones choose
// themselves and take an effort. A name that is not the vendor's own belongs
// to a server that imitates the older form.
var budgeted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^claude-(3-7|(opus|sonnet)-4(-[015])?(-\d{8})?$|haiku-4-5)`)
})

func think(p *sdk.MessageNewParams, req model.Request, history []model.Message) {
	budget, known := budgets[req.Thinking]
	vendors := strings.HasPrefix(req.Model, "claude-")
	switch {
	case strings.HasPrefix(req.Model, "claude-3-") && !strings.HasPrefix(req.Model, "claude-3-7"):
		// These models do not reason and refuse the field.
	case req.Thinking == "off" && vendors:
		p.Thinking.OfDisabled = &sdk.ThinkingConfigDisabledParam{}
	case !known:
	case vendors && !budgeted().MatchString(req.Model):
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = sdk.OutputConfigEffort(req.Thinking)
	case !midTurnWithoutThinking(history):
		p.Thinking.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: fitBudget(budget, p)}
	}
}

// fitBudget leaves the answer room beside the reasoning.
func fitBudget(budget int64, p *sdk.MessageNewParams) int64 {
	if p.MaxTokens <= 2048 {
		p.MaxTokens = 2049
	}
	return max(1024, min(budget, p.MaxTokens/2))
}

// midTurnWithoutThinking tells a turn whose last call was made without
// reasoning, by another provider or with reasoning off. The service refuses to
// start reasoning there; it may again at the next prompt.
func midTurnWithoutThinking(history []model.Message) bool {
	n := len(history)
	if n < 2 || history[n-1].Parts[0].Kind != model.PartResult {
		return false
	}
	return history[n-2].Parts[0].Kind != model.PartThinking
}

// markCache sets the four marks the service allows: after the tools, after the
// system text, and at the ends of the last two user messages, so that each
// step finds what the step before it wrote.
func markCache(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	left := 2
	for i := len(p.Messages) - 1; i >= 0 && left > 0; i-- {
		m := p.Messages[i]
		if m.Role != sdk.MessageParamRoleUser {
			continue
		}
		if at := m.Content[len(m.Content)-1].GetCacheControl(); at != nil {
			*at = mark
		}
		left--
	}
}
