package fakemodel

import "fmt"

// responsesFrames encodes a step for the Responses API.
func responsesFrames(s Step, model string) []frame {
	e := responsesEncoder{step: s, model: model}
	e.add(AtHead, "response.created", object{"response": e.response("in_progress")})
	if s.Thinking != "" {
		e.reasoning()
	}
	if s.Text != "" {
		e.message()
	}
	for _, c := range s.Calls {
		e.call(c)
	}
	e.end()
	return e.frames
}

type responsesEncoder struct {
	step   Step
	model  string
	frames []frame
	output []any // the items that are done
}

func (e *responsesEncoder) add(m Mark, event string, fields object) {
	fields["type"], fields["sequence_number"] = event, len(e.frames)
	e.frames = append(e.frames, frame{m, named(event, fields)})
}

// item announces an item, lets body stream it, and closes it with its whole.
func (e *responsesEncoder) item(m Mark, open, whole object, body func(index int)) {
	index := len(e.output)
	e.add(m, "response.output_item.added", object{"output_index": index, "item": open})
	body(index)
	e.add(AtHead, "response.output_item.done", object{"output_index": index, "item": whole})
	e.output = append(e.output, whole)
}

func (e *responsesEncoder) reasoning() {
	sealed := e.step.Signature
	if sealed == "" {
		sealed = "ZW5jcnlwdGVk"
	}
	id := fmt.Sprintf("rs_%d", len(e.output))
	open := object{"type": "reasoning", "id": id, "summary": []any{}}
	whole := object{
		"type": "reasoning", "id": id, "encrypted_content": sealed,
		"summary": []any{object{"type": "summary_text", "text": e.step.Thinking}},
	}
	e.item(AtHead, open, whole, func(index int) {
		at := func(fields object) object {
			fields["item_id"], fields["output_index"], fields["summary_index"] = id, index, 0
			return fields
		}
		e.add(AtHead, "response.reasoning_summary_part.added", at(object{"part": object{"type": "summary_text", "text": ""}}))
		for _, piece := range cutUp(e.step.Thinking, e.step.Pieces) {
			e.add(AtThinking, "response.reasoning_summary_text.delta", at(object{"delta": piece}))
		}
		e.add(AtHead, "response.reasoning_summary_text.done", at(object{"text": e.step.Thinking}))
	})
}

func (e *responsesEncoder) message() {
	kind, field, events := "output_text", "text", "response.output_text"
	if e.step.Stop == StopRefusal {
		kind, field, events = "refusal", "refusal", "response.refusal"
	}
	id := fmt.Sprintf("msg_%d", len(e.output))
	content := object{"type": kind, field: e.step.Text, "annotations": []any{}}
	open := object{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{}}
	whole := object{"type": "message", "id": id, "role": "assistant", "status": "completed", "content": []any{content}}
	e.item(AtHead, open, whole, func(index int) {
		at := func(fields object) object {
			fields["item_id"], fields["output_index"], fields["content_index"] = id, index, 0
			return fields
		}
		e.add(AtHead, "response.content_part.added", at(object{"part": object{"type": kind, field: "", "annotations": []any{}}}))
		for _, piece := range cutUp(e.step.Text, e.step.Pieces) {
			e.add(AtText, events+".delta", at(object{"delta": piece}))
		}
		e.add(AtHead, events+".done", at(object{field: e.step.Text}))
	})
}

// call leaves a call that the token limit cut without its closing events, but
// marked incomplete.
func (e *responsesEncoder) call(c Call) {
	id, status := fmt.Sprintf("fc_%d", len(e.output)), "completed"
	if e.step.Stop == StopMaxTokens {
		status = "incomplete"
	}
	shape := func(status, args string) object {
		return object{
			"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "status": status, "arguments": args,
		}
	}
	e.item(AtCall, shape("in_progress", ""), shape(status, c.Args), func(index int) {
		for _, piece := range cutUp(c.Args, e.step.Pieces) {
			e.add(AtArgs, "response.function_call_arguments.delta", object{"item_id": id, "output_index": index, "delta": piece})
		}
		if status == "completed" {
			e.add(AtHead, "response.function_call_arguments.done", object{"item_id": id, "output_index": index, "arguments": c.Args})
		}
	})
}

func (e *responsesEncoder) end() {
	if e.step.Stop != StopMaxTokens {
		e.add(AtTail, "response.completed", object{"response": e.response("completed")})
		return
	}
	response := e.response("incomplete")
	response["incomplete_details"] = object{"reason": "max_output_tokens"}
	e.add(AtTail, "response.incomplete", object{"response": response})
}

func (e *responsesEncoder) response(status string) object {
	r := object{
		"id": "resp_fake", "object": "response", "created_at": 1700000000, "status": status, "model": e.model,
		"output": e.output, "error": nil, "incomplete_details": nil, "usage": nil,
	}
	if u := e.step.Usage; status != "in_progress" {
		r["usage"] = object{
			"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.CacheRead},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": u.Input + u.Output,
		}
	}
	return r
}
