package fakemodel

// anthropicFrames encodes a step for the Messages API.
func anthropicFrames(s Step, model string) []frame {
	e := anthropicEncoder{step: s}
	e.start(model)
	if s.Thinking != "" {
		e.thinking()
	}
	if s.Redacted != "" {
		e.block(AtThinking, object{"type": "redacted_thinking", "data": s.Redacted})
	}
	if s.Text != "" {
		e.block(AtHead, object{"type": "text", "text": ""}, e.pieces(AtText, "text_delta", "text", s.Text)...)
	}
	for _, c := range s.Calls {
		start := object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}
		e.block(AtCall, start, e.pieces(AtArgs, "input_json_delta", "partial_json", c.Args)...)
	}
	e.end()
	return e.frames
}

type anthropicEncoder struct {
	step   Step
	frames []frame
	index  int
}

func (e *anthropicEncoder) add(m Mark, event object) {
	e.frames = append(e.frames, frame{m, named(event["type"].(string), event)})
}

func (e *anthropicEncoder) start(model string) {
	u := e.step.Usage
	e.add(AtHead, object{"type": "message_start", "message": object{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": u.Input - u.CacheRead, "cache_read_input_tokens": u.CacheRead,
			"cache_creation_input_tokens": 0, "output_tokens": 1,
		},
	}})
	e.frames = append(e.frames, frame{AtHead, ping(Anthropic)})
}

func (e *anthropicEncoder) thinking() {
	signature := e.step.Signature
	if signature == "" {
		signature = "c2lnbmF0dXJl"
	}
	deltas := e.pieces(AtThinking, "thinking_delta", "thinking", e.step.Thinking)
	deltas = append(deltas, delta{AtThinking, object{"type": "signature_delta", "signature": signature}})
	e.block(AtHead, object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
}

type delta struct {
	mark Mark
	data object
}

func (e *anthropicEncoder) pieces(m Mark, kind, field, text string) []delta {
	var out []delta
	for _, piece := range cutUp(text, e.step.Pieces) {
		out = append(out, delta{m, object{"type": kind, field: piece}})
	}
	return out
}

func (e *anthropicEncoder) block(m Mark, start object, deltas ...delta) {
	e.add(m, object{"type": "content_block_start", "index": e.index, "content_block": start})
	for _, d := range deltas {
		e.add(d.mark, object{"type": "content_block_delta", "index": e.index, "delta": d.data})
	}
	// An answer that is cut by its token limit leaves its last call open.
	if !(e.step.Stop == StopMaxTokens && m == AtCall) {
		e.add(AtHead, object{"type": "content_block_stop", "index": e.index})
	}
	e.index++
}

func (e *anthropicEncoder) end() {
	reason := "end_turn"
	switch {
	case e.step.Stop == StopMaxTokens:
		reason = "max_tokens"
	case e.step.Stop == StopRefusal:
		reason = "refusal"
	case len(e.step.Calls) > 0:
		reason = "tool_use"
	}
	e.add(AtTail, object{
		"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": e.step.Usage.Output},
	})
	e.add(AtTail, object{"type": "message_stop"})
}
