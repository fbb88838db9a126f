package wire

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"drawbridge/model"
)

// History is the conversation as the strict services take it: roles alternate,
// results stand before other words of the user, no text is blank, names and
// ids use the letters that are allowed, and reasoning is seen only by the
// provider that it came from. The given messages are not changed.
func History(messages []model.Message, provider string, proof Proof) []model.Message {
	var out []model.Message
	for _, m := range messages {
		parts := withoutLooseEnd(sendable(m.Parts, provider, proof))
		if len(parts) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			continue
		}
		out = append(out, model.Message{Role: m.Role, Parts: parts})
	}
	for _, m := range out {
		slices.SortStableFunc(m.Parts, resultsFirst)
	}
	return out
}

// Proof says what makes reasoning fit to go back to its service.
type Proof int

const (
	Signed   Proof = iota // only with its signature, which a cut stream lacks
	Unsigned              // as text
)

func sendable(parts []model.Part, provider string, proof Proof) []model.Part {
	var out []model.Part
	for _, p := range parts {
		switch {
		case p.Kind == model.PartText && strings.TrimSpace(p.Text) == "":
			continue
		case p.Kind == model.PartThinking && (p.Provider != provider || (proof == Signed && p.Signature == "")):
			continue
		case p.Kind == model.PartCall:
			p.Call = safeCall(*p.Call)
		case p.Kind == model.PartResult:
			p.Result = safeResult(*p.Result)
		}
		out = append(out, p)
	}
	return out
}

// withoutLooseEnd leaves out reasoning that nothing followed: an answer was cut
// there, and services do not take such a thought back.
func withoutLooseEnd(parts []model.Part) []model.Part {
	n := len(parts)
	for n > 0 && parts[n-1].Kind == model.PartThinking {
		n--
	}
	return parts[:n]
}

func safeCall(c model.Call) *model.Call {
	c.ID, c.Name = SafeID(c.ID), SafeName(c.Name)
	if strings.TrimSpace(c.Args) == "" {
		c.Args = "{}"
	}
	return &c
}

func safeResult(r model.Result) *model.Result {
	r.CallID = SafeID(r.CallID)
	if strings.TrimSpace(r.Text) == "" && len(r.Images) == 0 {
		r.Text = "(nothing)"
	}
	return &r
}

// resultsFirst keeps the order of everything else.
func resultsFirst(a, b model.Part) int { return rank(a) - rank(b) }

func rank(p model.Part) int {
	if p.Kind == model.PartResult {
		return 0
	}
	return 1
}

// maxID and maxName are the shortest limits among the services.
const maxID, maxName = 64, 64

// SafeID maps an id of any provider to one that all of them take. A changed id
// ends in a hash of the original, so that two never become one.
func SafeID(id string) string {
	clean := allowed(id, maxID)
	if clean == id && id != "" {
		return id
	}
	sum := hash(id)
	return allowed(id, maxID-len(sum)-1) + "_" + sum
}

// SafeName does the same to the name of a tool, which a model may have made up.
func SafeName(name string) string {
	if name = allowed(name, maxName); name != "" {
		return name
	}
	return "unnamed"
}

func allowed(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), limit)]
}

func hash(s string) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return fmt.Sprintf("%08x", h.Sum32())
}

// DataURL is an image the way the OpenAI-like services take it.
func DataURL(img model.Image) string {
	return "data:" + img.MimeType + ";base64," + img.Data
}

// Schema reads a tool's schema; one that cannot be read takes anything.
func Schema(raw json.RawMessage) map[string]any {
	schema := map[string]any{}
	if json.Unmarshal(raw, &schema) != nil || schema == nil {
		schema = map[string]any{}
	}
	if _, ok := schema["type"]; !ok {
		schema["type"] = "object"
	}
	if _, ok := schema["properties"]; !ok {
		schema["properties"] = map[string]any{}
	}
	return schema
}

// Strings picks the texts out of a decoded JSON list.
func Strings(list any) []string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
