package openaichat

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
)

// callKeys tells the calls of one answer apart. The rule of the wire is an
// index per call, with the id in its first delta only. Servers break it in
// three ways: no index at all, one index for all calls, and the id repeated in
// every delta. An id that is new therefore starts a call whatever its index
// is, and a delta without an id goes on with the latest call of its index.
type callKeys struct {
	latest  map[int64]string // key by index
	ids     map[string]string
	counter int
	last    string
}

func (k *callKeys) key(d openai.ChatCompletionChunkChoiceDeltaToolCall) string {
	if k.latest == nil {
		k.latest, k.ids = map[int64]string{}, map[string]string{}
	}
	indexed := d.JSON.Index.Valid()
	id := d.ID
	if indexed {
		// Two calls may come under one id; their indexes tell them apart.
		id = fmt.Sprint(d.Index, " ", d.ID)
	}
	key, seen := k.ids[id]
	if d.ID == "" {
		key, seen = k.last, k.last != ""
		if indexed {
			key, seen = k.latest[d.Index], k.latest[d.Index] != ""
		}
	}
	if !seen || (d.ID == "" && !indexed && d.Function.Name != "") {
		k.counter++
		key = fmt.Sprint("call ", k.counter)
	}
	if d.ID != "" {
		k.ids[id] = key
	}
	k.latest[d.Index], k.last = key, key
	return key
}

// arguments also takes an object where the wire has a text.
func arguments(d openai.ChatCompletionChunkChoiceDeltaToolCall) string {
	raw := d.Function.JSON.Arguments.Raw()
	if len(raw) > 0 && raw[0] == '{' {
		return raw
	}
	return d.Function.Arguments
}

// reasoning reads the reasoning under the names that servers have for it.
func reasoning(d openai.ChatCompletionChunkChoiceDelta) string {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		var text string
		if raw := d.JSON.ExtraFields[field].Raw(); raw != "" && json.Unmarshal([]byte(raw), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
