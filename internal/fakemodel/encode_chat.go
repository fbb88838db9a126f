package fakemodel

import "encoding/json"

// chatFrames encodes a step for Chat Completions.
func chatFrames(s Step, model string) []frame {
	e := chatEncoder{step: s, model: model}
	e.delta(AtHead, object{"role": "assistant", "content": ""})
	for _, piece := range cutUp(s.Thinking, s.Pieces) {
		e.delta(AtThinking, object{"reasoning_content": piece})
	}
	for _, piece := range cutUp(s.Text, s.Pieces) {
		e.delta(AtText, object{"content": piece})
	}
	for i, c := range s.Calls {
		e.call(i, c)
	}
	e.end()
	return e.frames
}

type chatEncoder struct {
	step   Step
	model  string
	frames []frame
}

func (e *chatEncoder) chunk(m Mark, choices []any, usage any) {
	chunk := object{
		"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1700000000, "model": e.model,
		"choices": choices,
	}
	if usage != nil || e.step.Quirks.Nulls {
		chunk["usage"] = usage
	}
	e.frames = append(e.frames, frame{m, "data: " + encode(chunk) + "\n\n"})
}

func (e *chatEncoder) delta(m Mark, delta object) {
	if e.step.Quirks.Nulls {
		for _, field := range []string{"role", "content", "tool_calls", "reasoning_content", "refusal", "function_call"} {
			if _, ok := delta[field]; !ok {
				delta[field] = nil
			}
		}
	}
	e.chunk(m, []any{object{"index": 0, "delta": delta, "finish_reason": nil, "logprobs": nil}}, nil)
}

func (e *chatEncoder) call(i int, c Call) {
	first := object{"type": "function", "function": object{"name": c.Name, "arguments": ""}}
	if !e.step.Quirks.NoID {
		first["id"] = c.ID
	}
	if e.step.Quirks.ObjectArgs {
		first["function"] = object{"name": c.Name, "arguments": json.RawMessage(c.Args)}
		e.delta(AtCall, object{"tool_calls": []any{e.indexed(i, first)}})
		return
	}
	e.delta(AtCall, object{"tool_calls": []any{e.indexed(i, first)}})
	for _, piece := range cutUp(c.Args, e.step.Pieces) {
		more := object{"function": object{"arguments": piece}}
		e.delta(AtArgs, object{"tool_calls": []any{e.indexed(i, more)}})
	}
}

func (e *chatEncoder) indexed(i int, call object) object {
	switch q := e.step.Quirks; {
	case q.NoIndex:
	case q.SameIndex:
		call["index"] = 0
	default:
		call["index"] = i
	}
	return call
}

func (e *chatEncoder) end() {
	q := e.step.Quirks
	if !q.NoFinish {
		e.chunk(AtTail, []any{object{"index": 0, "delta": object{}, "finish_reason": e.finish()}}, nil)
	}
	if !q.NoUsage {
		u := e.step.Usage
		e.chunk(AtTail, []any{}, object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details": object{"cached_tokens": u.CacheRead},
		})
	}
	if !q.NoDone {
		e.frames = append(e.frames, frame{AtTail, "data: [DONE]\n\n"})
	}
}

func (e *chatEncoder) finish() string {
	switch {
	case e.step.Quirks.Finish != "":
		return e.step.Quirks.Finish
	case e.step.Stop == StopMaxTokens:
		return "length"
	case e.step.Stop == StopRefusal:
		return "content_filter"
	case len(e.step.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}
