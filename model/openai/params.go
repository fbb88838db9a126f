package openai

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"drawbridge/model"
	"drawbridge/model/internal/wire"
)

// reasons matches the vendor's models that reason. Others refuse the fields
// about it.
var reasons = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(o\d|gpt-[5-9]|codex)`)
})

// params is the request on the wire.
func params(req model.Request) responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model: shared.ResponsesModel(req.Model),
		Store: openai.Bool(false),
	}
	p.Input.OfInputItemList = items(history(req.Messages))
	if strings.TrimSpace(req.System) != "" {
		p.Instructions = openai.String(req.System)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = openai.Int(int64(req.MaxTokens))
	}
	if req.CacheKey != "" {
		p.PromptCacheKey = openai.String(req.CacheKey)
	}
	think(&p, req)
	return p
}

func think(p *responses.ResponseNewParams, req model.Request) {
	if !reasons().MatchString(req.Model) || strings.Contains(req.Model, "-chat") {
		return
	}
	p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	p.Reasoning.Summary = shared.ReasoningSummaryAuto
	switch req.Thinking {
	case "":
	case "off":
		p.Reasoning.Effort = shared.ReasoningEffortLow // the least that every one of them takes
	default:
		p.Reasoning.Effort = shared.ReasoningEffort(req.Thinking)
	}
}

// dialect writes the messages that others follow.
var dialect = wire.Dialect{
	History: history,
	Tools:   func(defs []model.ToolDef) any { return toolDefs(defs) },
	Entries: func(history []model.Message) any { return items(history) },
}

func history(messages []model.Message) []model.Message {
	return wire.History(messages, Name, wire.Signed)
}

// items flattens messages: here calls, results and reasoning are entries of
// their own between the messages.
func items(history []model.Message) responses.ResponseInputParam {
	var out responses.ResponseInputParam
	for _, m := range history {
		if m.Role == model.RoleAssistant {
			out = append(out, assistantItems(m.Parts)...)
		} else {
			out = append(out, userItems(m.Parts)...)
		}
	}
	return out
}

// assistantItems names a call's item only beside its reasoning: without it the
// service would miss the reasoning that belongs to the item.
func assistantItems(parts []model.Part) responses.ResponseInputParam {
	var out responses.ResponseInputParam
	reasoned := false
	for _, p := range parts {
		switch p.Kind {
		case model.PartText:
			out = append(out, said(p.Text))
		case model.PartThinking:
			reasoned = true
			item := param.Override[responses.ResponseReasoningItemParam](json.RawMessage(p.Signature))
			out = append(out, responses.ResponseInputItemUnionParam{OfReasoning: &item})
		case model.PartCall:
			item := responses.ResponseInputItemParamOfFunctionCall(p.Call.Args, p.Call.ID, p.Call.Name)
			if reasoned && p.Call.Item != "" {
				item.OfFunctionCall.ID = openai.String(p.Call.Item)
			}
			out = append(out, item)
		}
	}
	return out
}

// said is an earlier message of the model. It is written by hand because the
// library's type insists on the item's id, which the service does without and
// which a text from another provider never had.
func said(text string) responses.ResponseInputItemUnionParam {
	message := param.Override[responses.ResponseOutputMessageParam](map[string]any{
		"type": "message", "role": "assistant",
		"content": []any{map[string]any{"type": "output_text", "text": text}},
	})
	return responses.ResponseInputItemUnionParam{OfOutputMessage: &message}
}

func userItems(parts []model.Part) responses.ResponseInputParam {
	var out responses.ResponseInputParam
	var content responses.ResponseInputMessageContentListParam
	for _, p := range parts {
		switch p.Kind {
		case model.PartResult:
			out = append(out, result(p.Result))
		case model.PartText:
			content = append(content, responses.ResponseInputContentParamOfInputText(p.Text))
		case model.PartImage:
			content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: image(*p.Image)})
		}
	}
	if len(content) > 0 {
		out = append(out, responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser))
	}
	return out
}

func image(img model.Image) *responses.ResponseInputImageParam {
	return &responses.ResponseInputImageParam{
		ImageURL: openai.String(wire.DataURL(img)),
		Detail:   responses.ResponseInputImageDetailAuto,
	}
}

// result is text alone where that says all: some servers take nothing else.
// The wire has no mark for a failed call; the text says it.
func result(r *model.Result) responses.ResponseInputItemUnionParam {
	var item responses.ResponseInputItemUnionParam
	if len(r.Images) == 0 {
		item = responses.ResponseInputItemParamOfFunctionCallOutput(r.Text)
	} else {
		item = responses.ResponseInputItemParamOfFunctionCallOutput(resultContent(r))
	}
	item.OfFunctionCallOutput.CallID = openai.String(r.CallID)
	return item
}

func resultContent(r *model.Result) responses.ResponseFunctionCallOutputItemListParam {
	var list responses.ResponseFunctionCallOutputItemListParam
	if strings.TrimSpace(r.Text) != "" {
		list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{
			OfInputText: &responses.ResponseInputTextContentParam{Text: r.Text},
		})
	}
	for _, img := range r.Images {
		list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{
			OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: openai.String(wire.DataURL(img))},
		})
	}
	return list
}

// toolDefs says that schemas are not strict: the service would otherwise
// demand that every property be required.
func toolDefs(defs []model.ToolDef) []responses.ToolUnionParam {
	var out []responses.ToolUnionParam
	for _, d := range defs {
		tool := responses.ToolParamOfFunction(d.Name, wire.Schema(d.Schema), false)
		tool.OfFunction.Description = openai.String(d.Description)
		out = append(out, tool)
	}
	return out
}
