package known

import "drawbridge/model"

var (
	// chosen models think as much as they are told, or not at all.
	chosen = []string{"off", "low", "medium", "high"}
	// always models cannot be told not to think.
	always = []string{"low", "medium", "high"}
	// never models do not think, and refuse to be told to.
	never = []string{}
)

// sees is a model that takes pictures. The prices are those of input, output, and
// of input that a cache serves and keeps.
func sees(name string, context int, thinking []string, price ...float64) row {
	info := model.Info{Context: context, Vision: true, Thinking: thinking}
	if len(price) == 4 {
		info.Price = &model.Price{Input: price[0], Output: price[1], CacheRead: price[2], CacheWrite: price[3]}
	}
	return row{name: name, info: info}
}

// reads is a model that takes text only.
func reads(name string, context int, thinking []string, price ...float64) row {
	r := sees(name, context, thinking, price...)
	r.info.Vision, r.info.NoVision = false, true
	return r
}

// anthropic are models as platform.claude.com describes them. The price of a
// cache write is that of one for five minutes. Where a price depends on the length
// of the prompt, none is given.
func anthropic() []row {
	const million, short = 1_000_000, 200_000
	return []row{
		sees("claude-fable-5-1", million, always, 10, 50, 0.25, 12.5),
		sees("claude-opus-5-5", million, always, 4, 20, 0.2, 5),
		sees("claude-opus-5", million, chosen, 5, 25, 0.5, 6.25),
		sees("claude-sonnet-5-5", million, chosen, 2, 10, 0.1, 2.5),
		sees("claude-sonnet-5", million, chosen, 2, 10, 0.2, 2.5),
		sees("claude-haiku-5-5", million, chosen),
		sees("claude-opus-4-8", million, chosen, 5, 25, 0.5, 6.25),
		sees("claude-opus-4-7", million, chosen, 5, 25, 0.5, 6.25),
		sees("claude-opus-4-6", million, chosen, 5, 25, 0.5, 6.25),
		sees("claude-opus-4-5", short, chosen, 5, 25, 0.5, 6.25),
		sees("claude-opus-4-1", short, chosen, 15, 75, 1.5, 18.75),
		sees("claude-sonnet-4-6", million, chosen, 3, 15, 0.3, 3.75),
		sees("claude-sonnet-4-5", short, chosen, 3, 15, 0.3, 3.75),
		sees("claude-sonnet-4", short, chosen, 3, 15, 0.3, 3.75),
		sees("claude-haiku-4-5", short, chosen, 1, 5, 0.1, 1.25),
		sees("claude-3-7-sonnet", short, chosen, 3, 15, 0.3, 3.75),
		sees("claude-3-5-sonnet", short, never, 3, 15, 0.3, 3.75),
		sees("claude-3-haiku", short, never, 0.25, 1.25, 0.03, 0.3),
		// All of them since the third generation take pictures.
		{name: "claude-", family: true, info: model.Info{Vision: true}},
	}
}

// openai are models as developers.openai.com describes them; a cache is written
// for the price of input. Long prompts cost more with some of them: the price is
// that of the others.
func openai() []row {
	const long, wide, half = 1_050_000, 1_047_576, 400_000
	return []row{
		sees("gpt-5.5", long, chosen, 5, 30, 0.5, 0),
		sees("gpt-5.4", long, chosen, 2.5, 15, 0.25, 0),
		sees("gpt-5.4-mini", half, chosen, 0.75, 4.5, 0.075, 0),
		sees("gpt-5.2", half, chosen, 1.75, 14, 0.175, 0),
		sees("gpt-5.1", half, chosen, 1.25, 10, 0.125, 0),
		sees("gpt-5", half, chosen, 1.25, 10, 0.125, 0),
		sees("gpt-5-mini", half, chosen, 0.25, 2, 0.025, 0),
		sees("gpt-5-nano", half, chosen, 0.05, 0.4, 0.005, 0),
		sees("gpt-4.1", wide, never, 2, 8, 0.5, 0),
		sees("gpt-4.1-mini", wide, never, 0.4, 1.6, 0.1, 0),
		sees("gpt-4.1-nano", wide, never, 0.1, 0.4, 0.025, 0),
		sees("gpt-4o", 128_000, never, 2.5, 10, 1.25, 0),
		sees("gpt-4o-mini", 128_000, never, 0.15, 0.6, 0.075, 0),
		sees("o3", 200_000, chosen, 2, 8, 0.5, 0),
		sees("o4-mini", 200_000, chosen, 1.1, 4.4, 0.275, 0),
		reads("o3-mini", 200_000, chosen, 1.1, 4.4, 0.55, 0),
		reads("gpt-3.5-turbo", 16_385, never, 0.5, 1.5, 0, 0),
	}
}

// open are families of models that people run themselves, by the names that they
// have there. What they hold is a matter of the server.
func open() []row {
	var rows []row
	for _, name := range []string{
		"llava", "bakllava", "qwen2-vl", "qwen2.5-vl", "qwen2.5vl", "qwen3-vl", "llama3.2-vision", "llama-3.2-11b-vision",
		"llama-3.2-90b-vision", "llama4", "llama-4", "pixtral", "minicpm-v", "moondream", "granite3.2-vision", "internvl",
		"smolvlm", "gemma3:4b", "gemma3:12b", "gemma3:27b", "gemma-3-4b", "gemma-3-12b", "gemma-3-27b",
	} {
		rows = append(rows, row{name: name, family: true, info: model.Info{Vision: true}})
	}
	for _, name := range []string{
		"gpt-oss", "deepseek-chat", "deepseek-reasoner", "deepseek-coder", "deepseek-r1", "qwen2.5-coder", "qwen3-coder",
		"codellama", "starcoder", "codestral",
	} {
		rows = append(rows, row{name: name, family: true, info: model.Info{NoVision: true}})
	}
	return rows
}
