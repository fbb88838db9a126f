package wire

import (
	"encoding/json"
	"slices"
	"strconv"

	"drawbridge/model"
)

// told is what servers say of a model beside its name. The wire has no place for
// it: each has words of its own.
type told struct {
	MaxModelLen      int `json:"max_model_len"`      // vLLM
	ContextLength    int `json:"context_length"`     // OpenRouter and others
	ContextWindow    int `json:"context_window"`     // Groq
	MaxContextLength int `json:"max_context_length"` // Mistral
	Meta             struct {
		Context int `json:"n_ctx"` // llama.cpp: what it was started with
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"` // OpenRouter
	} `json:"architecture"`
	Capabilities json.RawMessage `json:"capabilities"` // a list here, an object there
	Pricing      *struct {
		Input      string `json:"prompt"` // US dollars for a token
		Output     string `json:"completion"`
		CacheRead  string `json:"input_cache_read"`
		CacheWrite string `json:"input_cache_write"`
	} `json:"pricing"`
}

// Told reads what a server says of a model. What cannot be read was not said.
func Told(id, raw string) model.Info {
	info := model.Info{ID: id}
	var t told
	if json.Unmarshal([]byte(raw), &t) != nil {
		return info
	}
	for _, n := range []int{t.Meta.Context, t.MaxModelLen, t.ContextLength, t.ContextWindow, t.MaxContextLength} {
		if info.Context == 0 && n > 0 {
			info.Context = n
		}
	}
	info.Vision, info.NoVision = t.eyes()
	info.Price = t.price()
	return info
}

// eyes says whether a server tells that a model takes pictures, or that it takes
// none.
func (t told) eyes() (vision, none bool) {
	if list := t.Architecture.Input; len(list) > 0 {
		vision = slices.Contains(list, "image")
		return vision, !vision
	}
	var object struct{ Vision *bool }
	if json.Unmarshal(t.Capabilities, &object) == nil && object.Vision != nil {
		return *object.Vision, !*object.Vision
	}
	var list []string
	if json.Unmarshal(t.Capabilities, &list) == nil {
		return slices.Contains(list, "multimodal") || slices.Contains(list, "vision"), false
	}
	return false, false
}

// price is for a million tokens; one that depends on something is none.
func (t told) price() *model.Price {
	if t.Pricing == nil {
		return nil
	}
	dollars := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v < 0 {
			return -1
		}
		return v * 1e6
	}
	p := &model.Price{Input: dollars(t.Pricing.Input), Output: dollars(t.Pricing.Output)}
	if p.Input < 0 || p.Output < 0 {
		return nil
	}
	p.CacheRead, p.CacheWrite = max(0, dollars(t.Pricing.CacheRead)), max(0, dollars(t.Pricing.CacheWrite))
	return p
}
