package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

func send(t *testing.T, req model.Request, steps ...fakemodel.Step) (model.Response, string) {
	t.Helper()
	s, err := fakemodel.Start(steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if len(req.Messages) == 0 {
		req.Messages = []model.Message{say(model.RoleUser, text("hello"))}
	}
	resp, err := open(s.URL, "k").Stream(t.Context(), req, func(model.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(s.Requests()[0].Body)
}

func say(role model.Role, parts ...model.Part) model.Message {
	return model.Message{Role: role, Parts: parts}
}

func text(s string) model.Part { return model.Part{Kind: model.PartText, Text: s} }

func call(id string) model.Part {
	return model.Part{Kind: model.PartCall, Call: &model.Call{ID: id, Name: "read", Args: "{}"}}
}

func result(id string) model.Part {
	return model.Part{Kind: model.PartResult, Result: &model.Result{CallID: id, Text: "A"}}
}

// The marks stand where the next step of a turn finds what this one cached.
func TestCacheMarksFollowTheConversation(t *testing.T) {
	tools := []model.ToolDef{{Name: "a", Schema: json.RawMessage(`{}`)}, {Name: "b", Schema: json.RawMessage(`{}`)}}
	_, body := send(t, model.Request{
		Model: "m", System: "Be brief.", Tools: tools,
		Messages: []model.Message{
			say(model.RoleUser, text("one")), say(model.RoleAssistant, call("c1")),
			say(model.RoleUser, result("c1"), text("two")), say(model.RoleAssistant, call("c2")), say(model.RoleUser, result("c2")),
		},
	})
	var sent struct {
		System, Tools []struct {
			Cache *struct{} `json:"cache_control"`
		}
		Messages []struct {
			Content []struct {
				Cache *struct{} `json:"cache_control"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Tools[0].Cache != nil || sent.Tools[1].Cache == nil || sent.System[0].Cache == nil {
		t.Errorf("marks of tools and system: %s", body)
	}
	for i, want := range []int{0, 0, 1, 0, 1} {
		content, marked := sent.Messages[i].Content, 0
		for _, block := range content {
			if block.Cache != nil {
				marked++
			}
		}
		if marked != want || (want == 1 && content[len(content)-1].Cache == nil) {
			t.Errorf("message %d has %d marks, want %d at its end", i, marked, want)
		}
	}
}

func TestThinkingFitsTheModel(t *testing.T) {
	midTurn := []model.Message{say(model.RoleUser, text("go")), say(model.RoleAssistant, call("c1")), say(model.RoleUser, result("c1"))}
	for _, c := range []struct {
		name, model, level string
		messages           []model.Message
		max                int
		want               string
	}{
		{"a level of a budget model", "claude-sonnet-4-5", "low", nil, 0, `"thinking":{"budget_tokens":4096,"type":"enabled"}`},
		{"a small limit", "claude-sonnet-4-5", "high", nil, 100, `"budget_tokens":1024`},
		{"a model that paces itself", "claude-opus-5", "high", nil, 0, `"type":"adaptive"`},
		{"its effort", "claude-opus-5", "high", nil, 0, `"effort":"high"`},
		{"off", "claude-opus-5", "off", nil, 0, `"thinking":{"type":"disabled"}`},
		{"another server's model", "glm-5", "medium", nil, 0, `"type":"enabled"`},
		{"nothing asked", "claude-opus-5", "", nil, 0, ""},
		{"a model that cannot", "claude-3-5-haiku-latest", "high", nil, 0, ""},
		{"in the middle of a turn without it", "claude-sonnet-4-5", "high", midTurn, 0, ""},
	} {
		_, body := send(t, model.Request{Model: c.model, Thinking: c.level, Messages: c.messages, MaxTokens: c.max})
		if c.want == "" && strings.Contains(body, `"thinking"`) || !strings.Contains(body, c.want) {
			t.Errorf("%s: sent %s, want %s", c.name, body, c.want)
		}
	}
}

func TestRedactedThinkingGoesBackUnchanged(t *testing.T) {
	first, _ := send(t, model.Request{Model: "m"}, fakemodel.Step{Redacted: "c2VjcmV0", Calls: []fakemodel.Call{{ID: "c1", Name: "read", Args: "{}"}}})
	_, body := send(t, model.Request{Model: "m", Messages: []model.Message{
		say(model.RoleUser, text("go")), say(model.RoleAssistant, first.Parts...), say(model.RoleUser, result("c1")),
	}})
	if !strings.Contains(body, `{"data":"c2VjcmV0","type":"redacted_thinking"}`) {
		t.Errorf("sent %s", body)
	}
}

func TestFailedResultsAndPicturesAreMarked(t *testing.T) {
	_, body := send(t, model.Request{Model: "m", Messages: []model.Message{
		say(model.RoleUser, text("go")), say(model.RoleAssistant, call("c1")),
		say(model.RoleUser, model.Part{Kind: model.PartResult, Result: &model.Result{
			CallID: "c1", Text: "partly", Failed: true, Images: []model.Image{{MimeType: "image/png", Data: "aGk="}},
		}}),
	}})
	for _, want := range []string{`"is_error":true`, `"media_type":"image/png"`, `"text":"partly"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestCachedTokensCountAsInput(t *testing.T) {
	resp, _ := send(t, model.Request{Model: "m"}, fakemodel.Step{Text: "x", Usage: fakemodel.Usage{Input: 1000, Output: 5, CacheRead: 900}})
	if resp.Usage != (model.Usage{Input: 1000, Output: 5, CacheRead: 900}) {
		t.Errorf("usage is %+v", resp.Usage)
	}
}
