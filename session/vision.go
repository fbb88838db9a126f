package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drawbridge/model"
	"drawbridge/tools"
)

// known is what is known of a model, "provider:name".
func (h *Host) known(full string) model.Info {
	if h.o.Known == nil {
		return model.Info{}
	}
	return h.o.Known(full)
}

// offered are the tools that a model is given: those for all, and of the others
// those for one that sees, or for one that reads text only. A model of which
// nothing is known is taken for the latter: a picture that it cannot take would
// make every later request fail.
func (s *Session) offered(info model.Info) []model.ToolDef {
	return slices.DeleteFunc(slices.Clone(s.defs), func(d model.ToolDef) bool { return !fits(s.tools[d.Name], info) })
}

func fits(t tools.Tool, info model.Info) bool {
	switch t.Spec().ForModel {
	case "":
		return true
	case tools.ForVision:
		return info.Vision
	case tools.ForTextOnly:
		return !info.Vision
	}
	return false
}

// tool finds a tool among those that the model in use was given.
func (s *Session) tool(name string) (tools.Tool, error) {
	defs := s.inUse()
	if !slices.ContainsFunc(defs, func(d model.ToolDef) bool { return d.Name == name }) {
		names := make([]string, len(defs))
		for i, d := range defs {
			names[i] = d.Name
		}
		return nil, tools.Unknown(name, names)
	}
	return s.tools[name], nil
}

// offers are what the model in use was given, for what is advised to it.
func (s *Session) offers() tools.Offers {
	o := tools.Offers{}
	for _, d := range s.inUse() {
		o[d.Name] = s.takes[d.Name]
	}
	return o
}

// inUse are the tools of the model that was asked last, or would be.
func (s *Session) inUse() []model.ToolDef {
	s.mu.Lock()
	m, spec := s.model, s.info.Model
	s.mu.Unlock()
	if m.provider == nil {
		return s.offered(s.host.known(spec))
	}
	return m.defs
}

// contextLimit is how many tokens the model in use holds; 0: not known.
func (s *Session) contextLimit() int {
	s.mu.Lock()
	full := s.model.full
	s.mu.Unlock()
	return s.host.known(full).Context
}

// thinkingFor is the word that a model is asked to think by, "" where it is known
// to take none or not this one.
func thinkingFor(info model.Info, word string) string {
	if info.Thinking != nil && !slices.Contains(info.Thinking, word) {
		return ""
	}
	return word
}

// forEyes are the messages as a model can take them: one that is known to take no
// pictures reads where there were some.
func forEyes(m opened, messages []model.Message) []model.Message {
	if !m.info.NoVision {
		return messages
	}
	described := slices.ContainsFunc(m.defs, func(d model.ToolDef) bool { return d.Name == "describe_image" })
	out := make([]model.Message, len(messages))
	for i, m := range messages {
		out[i] = model.Message{Role: m.Role, Parts: make([]model.Part, len(m.Parts))}
		for j, p := range m.Parts {
			out[i].Parts[j] = inWords(p, described)
		}
	}
	return out
}

// inWords is a part without its pictures; described says that a tool tells of those
// in files.
func inWords(p model.Part, described bool) model.Part {
	switch {
	case p.Kind == model.PartImage && p.Image != nil:
		unless := ""
		if described {
			unless = ", unless it lies in a file that describe_image can read"
		}
		return model.Part{Kind: model.PartText, Text: fmt.Sprintf("[The user attached a picture here (%s). The model in use takes no pictures: "+
			"it is not shown to you. Tell the user%s.]", p.Image.MimeType, unless)}
	case p.Kind == model.PartResult && p.Result != nil && len(p.Result.Images) > 0:
		r := *p.Result
		r.Images = nil
		r.Text = strings.TrimRight(r.Text, "\n") + "\n[the picture is not shown: the model in use takes none]"
		p.Result = &r
	}
	return p
}

// seer finds the model that describes pictures to one that does not see.
func (s *Session) seer() (tools.Seer, error) {
	if s.host.o.VisionModel == nil {
		return nil, nil
	}
	spec := s.host.o.VisionModel()
	if spec == "" {
		return nil, nil
	}
	p, name, full, err := s.host.o.Models(spec)
	if err != nil {
		return nil, fmt.Errorf("visionModel %s: %w", spec, err)
	}
	if s.host.known(full).NoVision {
		return nil, fmt.Errorf("visionModel %s: it takes no pictures", full)
	}
	return seer{provider: p, name: name, full: full, redact: s.host.o.Redact}, nil
}

// seer is a model that is asked about one picture at a time, without anything of
// the conversation.
type seer struct {
	provider   model.Provider
	name, full string
	redact     func(string) string
}

func (s seer) Name() string { return s.full }

func (s seer) Describe(ctx context.Context, img tools.Image, prompt string, out func(text string)) error {
	_, err := s.provider.Stream(ctx, model.Request{
		Model: s.name,
		Messages: []model.Message{{Role: model.RoleUser, Parts: []model.Part{
			{Kind: model.PartImage, Image: &model.Image{MimeType: img.MimeType, Data: img.Data}},
			{Kind: model.PartText, Text: redacted(prompt, s.redact)},
		}}},
	}, func(e model.Event) {
		if e.Kind == model.EventText {
			out(e.Text)
		}
	})
	me, ok := errors.AsType[*model.Error](err)
	switch {
	case !ok:
		return err
	case me.Status > 0:
		return fmt.Errorf("%s: HTTP %d: %s", s.full, me.Status, withHint(me))
	}
	return fmt.Errorf("%s: %s", s.full, withHint(me))
}

func withHint(e *model.Error) string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}
