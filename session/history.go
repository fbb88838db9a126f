package session

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"drawbridge/model"
)

// history is the conversation as providers get it. Its invariant: every call
// of an assistant message is answered in the next message, arguments are JSON
// objects, call ids are unique, and no message is empty. The slice only grows,
// so a request may share it.
type history struct {
	messages []model.Message
	ids      map[string]bool
	// original maps an id that we made unique to what the provider had sent.
	original map[string]string
	made     int
}

// user adds parts said by the user or by tools. They join the last message
// when that is the user's too.
func (h *history) user(parts []model.Part) {
	if len(parts) == 0 {
		return
	}
	if n := len(h.messages); n > 0 && h.messages[n-1].Role == model.RoleUser {
		last := h.messages[n-1].Parts
		// A fresh slice: a request that is under way may hold the old one.
		joined := append(append(make([]model.Part, 0, len(last)+len(parts)), last...), parts...)
		h.messages[n-1] = model.Message{Role: model.RoleUser, Parts: joined}
		return
	}
	h.messages = append(h.messages, model.Message{Role: model.RoleUser, Parts: parts})
}

// place is a point of a history to which it can be cut back.
type place struct {
	n    int
	last model.Message // the message before it, which later words may have joined
}

func (h *history) here() place {
	p := place{n: len(h.messages)}
	if p.n > 0 {
		p.last = h.messages[p.n-1]
	}
	return p
}

// cut drops what was said after p. Ids that were used stay used.
func (h *history) cut(p place) {
	h.messages = append([]model.Message(nil), h.messages[:p.n]...)
	if p.n > 0 {
		h.messages[p.n-1] = p.last
	}
}

// awaitsAnswer says that the last words are not the model's.
func (h *history) awaitsAnswer() bool {
	n := len(h.messages)
	return n > 0 && h.messages[n-1].Role == model.RoleUser
}

// assistant adds an answer. It returns the parts as they were kept and the
// calls with their arguments as the provider sent them.
func (h *history) assistant(parts []model.Part) (kept []model.Part, calls []model.Call) {
	for _, p := range parts {
		switch p.Kind {
		case model.PartCall:
			raw := *p.Call
			raw.ID = h.unique(raw.ID)
			calls = append(calls, raw)
			stored := raw
			stored.Args = objectOr(raw.Args)
			kept = append(kept, model.Part{Kind: model.PartCall, Call: &stored})
		case model.PartText:
			if strings.TrimSpace(p.Text) != "" {
				kept = append(kept, p)
			}
		default:
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		h.messages = append(h.messages, model.Message{Role: model.RoleAssistant, Parts: kept})
	}
	return kept, calls
}

// objectOr returns raw if it is a JSON object and {} otherwise: broken
// arguments in the history would make every later request fail.
func objectOr(raw string) string {
	var o map[string]any // a number that overflows here would at the service, too
	if json.Unmarshal([]byte(raw), &o) != nil || o == nil {
		return "{}"
	}
	return raw
}

// unique returns id, or id with a counter when it was used before.
func (h *history) unique(id string) string {
	if h.ids == nil {
		h.ids, h.original = map[string]bool{}, map[string]string{}
	}
	if id == "" {
		h.made++
		id = fmt.Sprintf("call_%d", h.made)
	}
	name := id
	for n := 2; h.ids[name]; n++ {
		name = id + "#" + strconv.Itoa(n)
	}
	h.ids[name] = true
	if name != id {
		h.original[name] = id
	}
	return name
}

// relearn finds out, from a log, which ids of calls we had made unique.
func (h *history) relearn(calls []model.Call) {
	for _, c := range calls {
		base, n, ok := cutLast(c.ID, "#")
		if _, err := strconv.Atoi(n); ok && err == nil && h.ids[base] {
			h.original[c.ID] = base
		}
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// forModel returns the messages for a request. Ids that we changed go back to
// what their provider knows, unless two calls of one message would then have
// the same: those keep ids of ours, in letters that every service takes.
func (h *history) forModel() []model.Message {
	if len(h.original) == 0 {
		return append([]model.Message(nil), h.messages...)
	}
	out := make([]model.Message, len(h.messages))
	var names map[string]string
	for i, m := range h.messages {
		if m.Role == model.RoleAssistant {
			names = h.outside(m)
		}
		out[i] = renamed(m, names)
	}
	return out
}

// outside says what the ids of a message's calls are called in a request.
func (h *history) outside(m model.Message) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, p := range m.Parts {
		if p.Call == nil {
			continue
		}
		name := p.Call.ID
		if was := h.original[name]; was != "" {
			name = was
		}
		if taken[name] {
			name = strings.ReplaceAll(p.Call.ID, "#", "_")
		}
		names[p.Call.ID], taken[name] = name, true
	}
	return names
}

// renamed is a copy of a message with other ids for calls and results.
func renamed(m model.Message, names map[string]string) model.Message {
	out := model.Message{Role: m.Role, Parts: append([]model.Part(nil), m.Parts...)}
	for i, p := range out.Parts {
		switch {
		case p.Call != nil:
			c := *p.Call
			c.ID = names[c.ID]
			out.Parts[i].Call = &c
		case p.Result != nil:
			r := *p.Result
			r.CallID = names[r.CallID]
			out.Parts[i].Result = &r
		}
	}
	return out
}

// partsOf renders prompt blocks for a model.
func partsOf(blocks []Block) []model.Part {
	var parts []model.Part
	for _, b := range blocks {
		if b.Kind == BlockImage {
			parts = append(parts, model.Part{
				Kind:  model.PartImage,
				Image: &model.Image{MimeType: b.MimeType, Data: b.Data},
			})
		} else if text := b.forModel(); text != "" {
			parts = append(parts, model.Part{Kind: model.PartText, Text: text})
		}
	}
	return parts
}

// forModel renders a block as text. What is not the user's own words is
// wrapped, so that the model can tell who speaks.
func (b Block) forModel() string {
	switch b.Kind {
	case BlockText:
		return b.Text
	case BlockResource:
		return fmt.Sprintf("<resource uri=%q>\n%s\n</resource>", b.URI, b.Text)
	case BlockLink:
		return fmt.Sprintf("<resource_link uri=%q name=%q/>", b.URI, b.Name)
	case BlockSelection:
		return fmt.Sprintf("<selection uri=%q lines=\"%d-%d\">\n%s\n</selection>", b.URI, b.StartLine, b.EndLine, b.Text)
	case BlockDiagnosis:
		return fmt.Sprintf("<diagnostics uri=%q>\n%s\n</diagnostics>", b.URI, b.Text)
	}
	return ""
}

// titleOf makes a session's first title from its first prompt.
func titleOf(blocks []Block) string {
	for _, b := range blocks {
		line, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
		if b.Kind == BlockText && line != "" {
			return clip(line, 80)
		}
	}
	return ""
}

// clip shortens text to n runes, saying so.
func clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}
