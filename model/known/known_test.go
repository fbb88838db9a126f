package known_test

import (
	"slices"
	"testing"

	"drawbridge/model"
	"drawbridge/model/known"
	"drawbridge/model/providers"
)

func TestAModelIsFoundByItsName(t *testing.T) {
	for full, context := range map[string]int{
		"anthropic:claude-sonnet-5-5":          1_000_000,
		"anthropic:claude-opus-4-5-20251101":   200_000,
		"anthropic:Claude-Haiku-4-5":           200_000,
		"openai:gpt-5.5":                       1_050_000,
		"openai:gpt-5-mini":                    400_000,
		"openai:gpt-5-2025-08-07":              400_000,
		"openai-chat:gpt-4.1":                  1_047_576,
		"openai-chat:anthropic/claude-opus-5":  1_000_000,
		"anthropic:claude-opus-9":              0,
		"openai:gpt-5.9":                       0,
		"openai:gpt-5-turbo":                   0,
		"openai-chat:some/thing":               0,
		"openai-chat":                          0,
		"script:gpt-5.5":                       0,
		"":                                     0,
		"anthropic:not-a-claude-sonnet-5-5-at": 0,
	} {
		if got := known.Lookup(full).Context; got != context {
			t.Errorf("%s holds %d tokens, not %d", full, got, context)
		}
	}
}

func TestWhoSeesIsKnown(t *testing.T) {
	for full, want := range map[string][2]bool{
		"anthropic:claude-opus-9":                {true, false},
		"openai:gpt-5.5":                         {true, false},
		"openai:o3-mini":                         {false, true},
		"openai:gpt-7":                           {false, false},
		"openai-chat:llava:13b":                  {true, false},
		"openai-chat:Qwen/Qwen2.5-VL-7B":         {true, false},
		"openai-chat:gpt-oss:20b":                {false, true},
		"openai-chat:deepseek-chat":              {false, true},
		"openai-chat:gemma3:1b":                  {false, false},
		"openai-chat:qwen3:8b":                   {false, false},
		"openai-chat:qwen2.5-coder-32b-instruct": {false, true},
	} {
		if got := known.Lookup(full); got.Vision != want[0] || got.NoVision != want[1] {
			t.Errorf("%s: vision %v, none %v", full, got.Vision, got.NoVision)
		}
	}
}

// What a model is told by default has to be known of it.
func TestTheDefaultModelsAreKnown(t *testing.T) {
	for _, provider := range []string{"anthropic", "openai"} {
		_, name, err := providers.Split(provider)
		if err != nil {
			t.Fatal(err)
		}
		info := known.Lookup(provider + ":" + name)
		if info.Context == 0 || !info.Vision || info.Price == nil || !slices.Contains(info.Thinking, "high") {
			t.Errorf("%s:%s: %+v", provider, name, info)
		}
	}
}

// A server of one's own has prices of its own.
func TestPricesAreTheVendorsOwn(t *testing.T) {
	if p := known.Lookup("openai-chat:gpt-5.5").Price; p != nil {
		t.Errorf("gpt-5.5 costs %+v on any server", p)
	}
	if p := known.Lookup("openai:gpt-5.5").Price; p == nil || p.Input <= 0 || p.Output <= p.Input {
		t.Errorf("gpt-5.5 costs %+v", p)
	}
}

func TestWhatIsSaidCounts(t *testing.T) {
	under := model.Info{Context: 100, Vision: true, Thinking: []string{"low"}, Price: &model.Price{Input: 1}}
	if got := known.Merge(under, model.Info{}); got.Context != 100 || !got.Vision || len(got.Thinking) != 1 || got.Price == nil {
		t.Errorf("nothing said changed it to %+v", got)
	}
	got := known.Merge(under, model.Info{Context: 7, NoVision: true, Thinking: []string{}, Price: &model.Price{Input: 2}})
	if got.Context != 7 || got.Vision || !got.NoVision || len(got.Thinking) != 0 || got.Price.Input != 2 {
		t.Errorf("what was said is %+v", got)
	}
}
