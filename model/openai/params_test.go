package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

func send(t *testing.T, req model.Request) string {
	t.Helper()
	s, err := fakemodel.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if len(req.Messages) == 0 {
		req.Messages = []model.Message{{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: "hello"}}}}
	}
	if _, err := open(s.BaseURL(fakemodel.Responses), "k").Stream(t.Context(), req, func(model.Event) {}); err != nil {
		t.Fatal(err)
	}
	return string(s.Requests()[0].Body)
}

func TestNothingIsStored(t *testing.T) {
	body := send(t, model.Request{Model: "gpt-5.5", CacheKey: "s1", Thinking: "high"})
	for _, want := range []string{`"store":false`, `"reasoning.encrypted_content"`, `"prompt_cache_key":"s1"`, `"effort":"high"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

// Models that do not reason refuse the fields about it.
func TestReasoningIsAskedOnlyOfModelsThatReason(t *testing.T) {
	for name, want := range map[string]bool{
		"o3": true, "gpt-5": true, "gpt-5.1-codex": true, "gpt-4.1": false, "gpt-5-chat-latest": false, "tiny-random": false,
	} {
		if got := strings.Contains(send(t, model.Request{Model: name, Thinking: "low"}), `"reasoning"`); got != want {
			t.Errorf("%s: reasoning asked: %v", name, got)
		}
	}
}

// A call names its item only beside the reasoning that belongs to it.
func TestACallNamesItsItemOnlyWithItsReasoning(t *testing.T) {
	sealed := model.Part{
		Kind: model.PartThinking, Text: "hm", Provider: "openai",
		Signature: `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"eA=="}`,
	}
	call := model.Part{Kind: model.PartCall, Call: &model.Call{ID: "c1", Name: "read", Args: "{}", Item: "fc_77"}}
	for _, with := range []bool{true, false} {
		parts := []model.Part{sealed, call}
		if !with {
			parts = parts[1:]
		}
		body := send(t, model.Request{Model: "gpt-5", Messages: []model.Message{
			{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: "go"}}},
			{Role: model.RoleAssistant, Parts: parts},
			{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartResult, Result: &model.Result{CallID: "c1", Text: "A"}}}},
		}})
		if got := strings.Contains(body, "fc_77"); got != with {
			t.Errorf("with reasoning %v, item named %v: %s", with, got, body)
		}
		if with && !strings.Contains(body, sealed.Signature) {
			var sent struct{ Input []json.RawMessage }
			_ = json.Unmarshal([]byte(body), &sent)
			t.Errorf("the reasoning was changed: %s", sent.Input[1])
		}
	}
}
