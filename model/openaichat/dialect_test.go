package openaichat_test

import (
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

func stream(t *testing.T, step fakemodel.Step) (model.Response, error) {
	t.Helper()
	s, err := fakemodel.Start(step)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return open(s.BaseURL(fakemodel.Chat), "").Stream(t.Context(), model.Request{
		Model:    "local",
		Messages: []model.Message{{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: "hello"}}}},
	}, func(model.Event) {})
}

// Servers speak this wire in their own ways; what they mean is understood.
func TestOddServersAreUnderstood(t *testing.T) {
	calls := []fakemodel.Call{{ID: "a", Name: "read", Args: `{"path":"1"}`}, {ID: "b", Name: "read", Args: `{"path":"2"}`}}
	for name, q := range map[string]fakemodel.Quirks{
		"plain":                     {},
		"no usage":                  {NoUsage: true},
		"no finish reason":          {NoFinish: true},
		"no end marker":             {NoDone: true},
		"stop in place of calls":    {Finish: "stop"},
		"a reason of its own":       {Finish: "eos"},
		"calls without index":       {NoIndex: true},
		"calls without index or id": {NoIndex: true, NoID: true},
		"calls without id":          {NoID: true},
		"all calls at index 0":      {SameIndex: true},
		"nulls":                     {Nulls: true},
		"arguments as objects":      {ObjectArgs: true, NoIndex: true},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := stream(t, fakemodel.Step{Text: "So.", Calls: calls, Quirks: q, Pieces: 3})
			if err != nil {
				t.Fatal(err)
			}
			if resp.Stop != model.StopCalls || len(resp.Parts) != 3 || resp.Parts[0].Text != "So." {
				t.Fatalf("answer is %+v", resp)
			}
			one, two := resp.Parts[1].Call, resp.Parts[2].Call
			if one.Args != calls[0].Args || two.Args != calls[1].Args || one.Name != "read" || two.Name != "read" {
				t.Errorf("calls are %+v and %+v", one, two)
			}
			if one.ID == "" || one.ID == two.ID || (!q.NoID && one.ID != "a") {
				t.Errorf("ids are %q and %q", one.ID, two.ID)
			}
			if q.NoUsage != (resp.Usage == model.Usage{}) {
				t.Errorf("usage is %+v", resp.Usage)
			}
		})
	}
}

func TestTwoCallsUnderOneIDBecomeTwo(t *testing.T) {
	calls := []fakemodel.Call{{ID: "same", Name: "read", Args: `{"path":"1"}`}, {ID: "same", Name: "read", Args: `{"path":"2"}`}}
	resp, err := stream(t, fakemodel.Step{Calls: calls})
	if err != nil || len(resp.Parts) != 2 {
		t.Fatalf("answer is %+v, %v", resp, err)
	}
	one, two := resp.Parts[0].Call, resp.Parts[1].Call
	if one.ID != "same" || two.ID == "same" || one.Args != calls[0].Args || two.Args != calls[1].Args {
		t.Errorf("calls are %+v and %+v", one, two)
	}
}

// A finish reason that claims calls does not make a stop at the limit whole.
func TestALimitWinsOverCalls(t *testing.T) {
	step := fakemodel.Step{Calls: []fakemodel.Call{{ID: "a", Name: "run", Args: `{"cmd":"x`}}, Quirks: fakemodel.Quirks{Finish: "length"}}
	if resp, err := stream(t, step); err != nil || resp.Stop != model.StopMaxTokens {
		t.Errorf("answer is %+v, %v", resp, err)
	}
}

func TestAFinishByErrorIsAFailure(t *testing.T) {
	resp, err := stream(t, fakemodel.Step{Text: "half", Quirks: fakemodel.Quirks{Finish: "error"}})
	if err == nil || resp.Parts[0].Text != "half" {
		t.Errorf("answer is %+v, %v", resp, err)
	}
}

func TestReasoningGoesBackOnlyWhileItsTurnRuns(t *testing.T) {
	thought := model.Part{Kind: model.PartThinking, Text: "secret plan", Provider: "openai-chat"}
	call := model.Part{Kind: model.PartCall, Call: &model.Call{ID: "c1", Name: "read", Args: "{}"}}
	result := model.Part{Kind: model.PartResult, Result: &model.Result{CallID: "c1", Text: "A"}}
	say := func(role model.Role, parts ...model.Part) model.Message {
		return model.Message{Role: role, Parts: parts}
	}
	text := model.Part{Kind: model.PartText, Text: "go"}
	turn := []model.Message{say(model.RoleUser, text), say(model.RoleAssistant, thought, call), say(model.RoleUser, result)}

	for name, c := range map[string]struct {
		messages []model.Message
		sent     bool
	}{
		"running": {turn, true},
		"over":    {append(turn[:3:3], say(model.RoleAssistant, text), say(model.RoleUser, text)), false},
	} {
		s, err := fakemodel.Start()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		p := open(s.BaseURL(fakemodel.Chat), "")
		if _, err := p.Stream(t.Context(), model.Request{Model: "m", Messages: c.messages}, func(model.Event) {}); err != nil {
			t.Fatal(err)
		}
		if sent := strings.Contains(string(s.Requests()[0].Body), "secret plan"); sent != c.sent {
			t.Errorf("%s: reasoning sent: %v", name, sent)
		}
	}
}
