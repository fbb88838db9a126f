package modeltest

import (
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
)

func (s suite) answers(t *testing.T) {
	t.Run("text is shown in pieces and kept whole", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Text: "Grüße, wörld", Pieces: 4, Usage: fakemodel.Usage{Input: 50, Output: 7, CacheRead: 30}})
		r := x.prompt()
		x.wantStop(r, model.StopEnd)
		if r.text != "Grüße, wörld" || joined(r.Response, model.PartText) != r.text {
			t.Errorf("shown %q, kept %q", r.text, joined(r.Response, model.PartText))
		}
		if want := (model.Usage{Input: 50, Output: 7, CacheRead: 30}); r.Usage != want {
			t.Errorf("usage is %+v, want %+v", r.Usage, want)
		}
	})

	t.Run("thinking is shown and carries its provider", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Thinking: "Let me see.", Text: "Yes."})
		r := x.prompt()
		x.wantStop(r, model.StopEnd)
		if r.thinking != "Let me see." || joined(r.Response, model.PartThinking) != r.thinking {
			t.Errorf("shown %q, kept %q", r.thinking, joined(r.Response, model.PartThinking))
		}
		if len(r.Parts) != 2 || r.Parts[0].Kind != model.PartThinking || r.Parts[0].Provider != string(s.format) {
			t.Errorf("parts are %+v", r.Parts)
		}
	})

	t.Run("parallel calls keep order, ids and arguments", s.parallelCalls)
	t.Run("a call without arguments is whole", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Calls: []fakemodel.Call{{ID: "c1", Name: "now", Args: ""}}})
		r := x.prompt()
		x.wantStop(r, model.StopCalls)
		if calls := callsOf(r.Response); len(calls) != 1 || calls[0].Args != "" {
			t.Errorf("calls are %+v", calls)
		}
	})
	t.Run("broken arguments arrive as they are", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Calls: []fakemodel.Call{{ID: "c1", Name: "read_file", Args: `{"path": "a`}}})
		r := x.prompt()
		x.wantStop(r, model.StopCalls)
		if calls := callsOf(r.Response); len(calls) != 1 || calls[0].Args != `{"path": "a` {
			t.Errorf("calls are %+v", calls)
		}
	})
	t.Run("the token limit marks calls as not to be run", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{
			Text: "So", Stop: fakemodel.StopMaxTokens,
			Calls: []fakemodel.Call{{ID: "c1", Name: "run", Args: `{"command": "rm`}},
		})
		r := x.prompt()
		x.wantStop(r, model.StopMaxTokens)
		if calls := callsOf(r.Response); len(calls) != 1 || calls[0].Args != `{"command": "rm` {
			t.Errorf("calls are %+v", calls)
		}
	})
	t.Run("a refusal is one", func(t *testing.T) {
		x := s.start(t, fakemodel.Step{Text: "I won't.", Stop: fakemodel.StopRefusal})
		x.wantStop(x.prompt(), model.StopRefusal)
	})
	t.Run("one event may have 8 MB", s.hugeEvent)
	t.Run("requests do not disturb each other", s.concurrent)
	t.Run("models are listed", s.models)
}

func (s suite) parallelCalls(t *testing.T) {
	x := s.start(t, fakemodel.Step{Text: "Reading.", Calls: []fakemodel.Call{
		{ID: "c1", Name: "read_file", Args: `{"path":"a"}`},
		{ID: "c2", Name: "read_file", Args: `{"path":"b"}`},
	}})
	r := x.prompt()
	x.wantStop(r, model.StopCalls)
	for name, calls := range map[string][]model.Call{"shown": r.calls, "kept": callsOf(r.Response)} {
		if len(calls) != 2 || calls[0].ID != "c1" || calls[1].ID != "c2" || calls[0].Name != "read_file" ||
			calls[0].Args != `{"path":"a"}` || calls[1].Args != `{"path":"b"}` {
			t.Errorf("%s calls are %+v", name, calls)
		}
	}
	if r.Parts[0].Kind != model.PartText {
		t.Errorf("the text came first, but parts are %+v", r.Parts)
	}
}

func (s suite) hugeEvent(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 8<<20/16)
	x := s.start(t, fakemodel.Step{Pieces: 1, Calls: []fakemodel.Call{{ID: "c1", Name: "write_file", Args: `{"content":"` + content + `"}`}}})
	r := x.prompt()
	x.wantStop(r, model.StopCalls)
	if calls := callsOf(r.Response); len(calls) != 1 || len(calls[0].Args) != len(content)+14 {
		t.Errorf("the arguments did not arrive whole")
	}
}

func (s suite) concurrent(t *testing.T) {
	x := s.start(t, fakemodel.Step{Text: "same for all", Repeat: 4})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if r := x.prompt(); r.err != nil || r.text != "same for all" {
				t.Errorf("got %q, %v", r.text, r.err)
			}
		})
	}
	all.Wait()
}

func (s suite) models(t *testing.T) {
	x := s.start(t)
	infos, err := x.provider.(model.Lister).Models(t.Context())
	if err != nil || len(infos) != 1 || infos[0].ID != "fake-model" {
		t.Errorf("models are %+v, %v", infos, err)
	}
	wrong := s.make(x.server.BaseURL(s.format), "sk-wrong-0123456789")
	_, err = wrong.(model.Lister).Models(t.Context())
	x.wantKind(err, model.ErrAuth)
}
