package protocol

import "encoding/json"

// ModelListParams selects models.
type ModelListParams struct {
	// Only of this provider.
	Provider string `json:"provider,omitempty"`
}

// Model is a model that a session can use.
type Model struct {
	// PROVIDER:NAME, as session/new takes it.
	ID string `json:"id"`
	// Who serves it.
	Provider string `json:"provider"`
	// The provider's own name for it.
	Name string `json:"name"`
	// How many tokens it holds; absent: unknown.
	ContextTokens int64 `json:"contextTokens,omitempty"`
	// It reads pictures.
	Vision bool `json:"vision,omitempty"`
	// How much it can be told to reason; absent: not at all, or unknown.
	Thinking []Thinking `json:"thinking,omitempty"`
	// What it costs; absent: unknown.
	Price *Price `json:"price,omitempty"`
}

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	// Tokens sent.
	Input float64 `json:"input"`
	// Tokens received.
	Output float64 `json:"output"`
	// Tokens sent that the service reads from its cache; absent: as input.
	CacheRead float64 `json:"cacheRead,omitempty"`
	// Tokens sent that the service writes to its cache; absent: as input.
	CacheWrite float64 `json:"cacheWrite,omitempty"`
}

// Provider is a service of models.
type Provider struct {
	// Its name in configuration and in model ids.
	Name string `json:"name"`
	// A prompt can be sent now.
	Ready bool `json:"ready"`
	// Exactly what to set when it is not ready.
	Hint string `json:"hint,omitempty"`
}

// ModelListResult holds what the providers said.
type ModelListResult struct {
	// Of every provider that answered.
	Models List[Model] `json:"models"`
	// Every known provider, ready or not.
	Providers List[Provider] `json:"providers"`
}

// ModelKeyParams hands over a key from the editor's secret store. It is held
// in memory only and never logged.
type ModelKeyParams struct {
	// Whose key.
	Provider string `json:"provider"`
	// The key; empty forgets it.
	Key string `json:"key"`
}

// ModelKeyResult says that the key was checked by one request.
type ModelKeyResult struct {
	// The provider as it is now.
	Provider Provider `json:"provider"`
}

// ToolListParams selects tools.
type ToolListParams struct {
	// Tools of this profile; absent: default.
	Profile Profile `json:"profile,omitempty"`
}

// Tool is a tool as the model is told of it.
type Tool struct {
	// Its name.
	Name string `json:"name"`
	// What the model reads about it.
	Description string `json:"description"`
	// What it does at most.
	Access Access `json:"access"`
	// JSON Schema of its arguments.
	Schema json.RawMessage `json:"schema"`
}

// ToolListResult holds tools in the order the model sees them.
type ToolListResult struct {
	// The profile they are of.
	Profile Profile `json:"profile"`
	// Its tools.
	Tools List[Tool] `json:"tools"`
}
