package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"drawbridge/model"
	"drawbridge/tools"
)

const dot = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB\x60\x82"

// knowing is a bench whose models, named in the session, are known as listed.
func knowing(t *testing.T, infos map[string]model.Info, change func(*Options)) *bench {
	t.Helper()
	b := newBench(t, func(o *Options) {
		open := o.Models
		o.Models = func(spec string) (model.Provider, string, string, error) {
			p, _, _, err := open(spec)
			if spec == "" {
				spec = "p:sees"
			}
			return p, strings.TrimPrefix(spec, "p:"), spec, err
		}
		o.Known = func(full string) model.Info { return infos[full] }
		if change != nil {
			change(o)
		}
	})
	b.file(t, "dot.png", dot)
	return b
}

var eyesight = map[string]model.Info{
	"p:sees":  {Vision: true, Context: 1000, Thinking: []string{"low", "high"}},
	"p:reads": {NoVision: true, Thinking: []string{}},
}

func given(req model.Request) (image []string) {
	for _, d := range req.Tools {
		if strings.HasSuffix(d.Name, "_image") {
			image = append(image, d.Name)
		}
	}
	return image
}

// Which tools a model is given goes by what is known of it, from the step on that
// it is asked in.
func TestAModelIsGivenWhatFitsIt(t *testing.T) {
	b := knowing(t, eyesight, nil)
	s := b.start(t)
	for spec, want := range map[string]string{"p:sees": "read_image", "p:reads": "describe_image", "p:unheard-of": "describe_image"} {
		if _, err := s.Configure(Settings{Model: spec}); err != nil {
			t.Fatal(err)
		}
		prompt(t, s, "hello")
		if got := given(b.model.last()); !slices.Equal(got, []string{want}) {
			t.Errorf("%s is given %v", spec, got)
		}
	}
}

// pictures counts those in a request.
func pictures(req model.Request) (n int) {
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				n++
			}
			if p.Result != nil {
				n += len(p.Result.Images)
			}
		}
	}
	return n
}

// Another model in mid-conversation is sent no picture that it would refuse.
// What the user attached and what a call brought is told instead, and comes back
// with a model that sees. Of one of which nothing is known the user knows best.
func TestPicturesGoToThoseWhoSee(t *testing.T) {
	b := knowing(t, eyesight, nil)
	b.model.then(callTools("c1", "read_image", `{"source":"dot.png"}`))
	s := b.start(t)
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "see"}, {Kind: BlockImage, MimeType: "image/png", Data: coded([]byte(dot))}}, "")
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	for _, c := range []struct {
		spec string
		n    int
	}{{"p:sees", 2}, {"p:reads", 0}, {"p:sees", 2}, {"p:unheard-of", 2}} {
		if _, err := s.Configure(Settings{Model: c.spec}); err != nil {
			t.Fatal(err)
		}
		prompt(t, s, "and now?")
		req := b.model.last()
		if got := pictures(req); got != c.n {
			t.Errorf("%s is sent %d pictures, not %d", c.spec, got, c.n)
		}
		told := 0
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				if strings.Contains(p.Text, "The user attached a picture") || p.Result != nil && strings.Contains(p.Result.Text, "the picture is not shown") {
					told++
				}
			}
		}
		if told != 2-c.n {
			t.Errorf("%s is told of %d pictures", c.spec, told)
		}
	}
}

// A word that a model is known not to take is not sent.
func TestOnlyKnownWordsOfThinkingAreSent(t *testing.T) {
	b := knowing(t, eyesight, nil)
	s := b.start(t)
	for _, c := range []struct{ spec, word, sent string }{
		{"p:sees", "high", "high"}, {"p:sees", "off", ""}, {"p:reads", "high", ""}, {"p:unheard-of", "medium", "medium"},
	} {
		if _, err := s.Configure(Settings{Model: c.spec, Thinking: c.word}); err != nil {
			t.Fatal(err)
		}
		prompt(t, s, "think")
		if got := b.model.last().Thinking; got != c.sent {
			t.Errorf("%s, told %q, is sent %q", c.spec, c.word, got)
		}
	}
}

func TestTheLimitOfTheContextIsTold(t *testing.T) {
	b := knowing(t, eyesight, nil)
	prompt(t, b.start(t), "hello")
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if u, ok := e.Body.(UsageUpdated); ok && u.ContextLimit != 1000 {
			t.Errorf("the limit is told as %d", u.ContextLimit)
		}
	}
}

// Cases: P-IMG-02
func TestTheStatusOfAVisionModelIsTold(t *testing.T) {
	b := knowing(t, eyesight, func(o *Options) {
		open := o.Models
		o.VisionModel = func() string { return "p:eyes" }
		o.Models = func(spec string) (model.Provider, string, string, error) {
			if spec == "p:eyes" {
				eyes := (&stepper{}).then(func(context.Context, model.Request, model.Sink) (model.Response, error) {
					return model.Response{}, &model.Error{Status: 529, Message: "overloaded", Hint: "try later"}
				})
				return eyes, "eyes", spec, nil
			}
			return open(spec)
		}
		o.Defaults.Model = "p:reads"
	})
	b.model.then(callTools("c1", "describe_image", `{"source":"dot.png"}`))
	s := b.start(t)
	prompt(t, s, "look")
	result := b.model.last().Messages[2].Parts[0].Result
	if !result.Failed || !strings.Contains(result.Text, "p:eyes: HTTP 529: overloaded (try later)") {
		t.Errorf("%+v", result)
	}
}

// What a question shows is part of what it is about.
func TestAnAddressIsPartOfARequest(t *testing.T) {
	b := knowing(t, eyesight, nil)
	s := b.start(t)
	c := &call{model: model.Call{Name: "read_image", Args: `{"source":"x"}`}, plan: tools.Plan{Access: tools.Read, URL: "https://example.com/a"}}
	if req := s.request(c); req.URL != c.plan.URL {
		t.Errorf("the request is for %q", req.URL)
	}
}
