package modeltest

import (
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

// history sends conversations that the strict service refuses unless the
// provider puts them into its form.
func (s suite) history(t *testing.T) {
	picture := model.Image{MimeType: "image/png", Data: "aGVsbG8="}
	other := model.Part{Kind: model.PartThinking, Text: "foreign", Signature: "x", Provider: "another"}
	cut := model.Part{Kind: model.PartThinking, Text: "half a", Provider: string(s.format)}
	cases := map[string][]model.Message{
		"results answer their calls": {
			said("read"), answered(text("Reading."), called("c1", "read_file", `{"path":"a"}`), called("c2", "read_file", `{"path":"b"}`)),
			resulted(model.Result{CallID: "c1", Text: "A"}, model.Result{CallID: "c2", Text: "no such file", Failed: true}),
		},
		"results in several messages are one answer": {
			said("read"), answered(called("c1", "read_file", `{}`), called("c2", "read_file", `{}`)),
			resulted(model.Result{CallID: "c1", Text: "A"}), resulted(model.Result{CallID: "c2", Text: "B"}),
		},
		"words of the user stand behind results": {
			said("read"), answered(called("c1", "read_file", `{}`)), said("be quick"), resulted(model.Result{CallID: "c1", Text: "A"}),
		},
		"users who speak twice are merged": {said("one"), said("two")},
		"empty texts are left out":         {said("one"), answered(text("")), said("two"), answered(text("  \n"), text("yes")), said("three")},
		"a result without text says so":    {said("go"), answered(called("c1", "run", `{}`)), resulted(model.Result{CallID: "c1", Failed: true})},
		"a result may be a picture":        {said("go"), answered(called("c1", "look", `{}`)), resulted(model.Result{CallID: "c1", Images: []model.Image{picture}})},
		"a result may have words and a picture, and another none": {
			said("go"), answered(called("c1", "look", `{}`), called("c2", "look", `{}`)),
			resulted(model.Result{CallID: "c1", Text: "image/png, 5 B", Images: []model.Image{picture}}, model.Result{CallID: "c2", Text: "no such file", Failed: true}),
		},
		"a user may show a picture":         {{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartImage, Image: &picture}, text("what is it?")}}},
		"foreign reasoning stays away":      {said("go"), answered(other, text("so")), said("on")},
		"reasoning alone is left out":       {said("go"), answered(other), answered(cut), said("on")},
		"half a thought is left out":        {said("go"), answered(cut, text("so")), said("on")},
		"made-up names and ids are mended":  {said("go"), answered(called("functions.run:0", "no such/tool!", `{}`)), resulted(model.Result{CallID: "functions.run:0", Text: "unknown tool"})},
		"ids that look alike stay apart":    {said("go"), answered(called("a.1", "run", `{}`), called("a:1", "run", `{}`)), resulted(model.Result{CallID: "a.1", Text: "1"}, model.Result{CallID: "a:1", Text: "2"})},
		"missing arguments are none":        {said("go"), answered(called("c1", "now", "")), resulted(model.Result{CallID: "c1", Text: "noon"})},
		"a last word of the model may stay": {said("go"), answered(text("I was saying \n"))},
	}
	for name, messages := range cases {
		t.Run(name, func(t *testing.T) {
			x := s.start(t, fakemodel.Step{Text: "ok"})
			r := x.ask(t.Context(), model.Request{System: "Be brief.", Messages: messages, Tools: []model.ToolDef{tool}, CacheKey: "s1"})
			x.wantStop(r, model.StopEnd)
			if body := string(x.server.Requests()[0].Body); strings.Contains(body, "foreign") {
				t.Errorf("another provider's reasoning was sent: %s", body)
			}
			if body := string(x.server.Requests()[0].Body); strings.Contains(name, "picture") && strings.Count(body, picture.Data) != 1 {
				t.Errorf("the picture was not sent, or more than once: %s", body)
			}
		})
	}
	t.Run("own reasoning goes back with its calls", s.reasoningReturns)
	t.Run("an answer can be continued by its provider", s.roundTrip)
}

func (s suite) reasoningReturns(t *testing.T) {
	call := fakemodel.Call{ID: "c1", Name: "read_file", Args: `{"path":"a"}`}
	x := s.start(t, fakemodel.Step{Thinking: "I must read a.", Signature: "c2VhbA==", Calls: []fakemodel.Call{call}})
	first := x.prompt()
	x.wantStop(first, model.StopCalls)
	r := x.ask(t.Context(), model.Request{Messages: []model.Message{
		said("hello"), answered(first.Parts...), resulted(model.Result{CallID: "c1", Text: "A"}),
	}})
	x.wantStop(r, model.StopEnd)
	body := string(x.server.Requests()[1].Body)
	if !strings.Contains(body, "I must read a.") {
		t.Errorf("the reasoning did not go back: %s", body)
	}
	if s.format != fakemodel.Chat && !strings.Contains(body, "c2VhbA==") {
		t.Errorf("the signature did not go back: %s", body)
	}
}

// roundTrip feeds every kind of answer back, as a session does.
func (s suite) roundTrip(t *testing.T) {
	calls := []fakemodel.Call{{ID: "c1", Name: "read_file", Args: `{"path":"a"}`}, {ID: "c2", Name: "read_file", Args: `{}`}}
	x := s.start(t,
		fakemodel.Step{Thinking: "hm", Text: "first", Calls: calls},
		fakemodel.Step{Thinking: "hm again", Text: "second"},
	)
	messages := []model.Message{said("hello")}
	for range 3 {
		r := x.ask(t.Context(), model.Request{Messages: messages, Tools: []model.ToolDef{tool}})
		if r.err != nil {
			t.Fatal(r.err)
		}
		messages = append(messages, answered(r.Parts...))
		var results []model.Result
		for _, c := range callsOf(r.Response) {
			results = append(results, model.Result{CallID: c.ID, Text: "read"})
		}
		messages = append(messages, resulted(results...), said("go on"))
	}
}
