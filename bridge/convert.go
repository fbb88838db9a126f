package bridge

import (
	"cmp"
	"encoding/json"

	"drawbridge/approval"
	"drawbridge/bridge/lsp"
	"drawbridge/internal/mirror"
	"drawbridge/model"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
)

func toSession(i session.Info) protocol.Session {
	return protocol.Session{
		SessionID: i.ID, Title: i.Title, Cwd: i.Dir, Roots: i.Roots, Model: i.Model,
		Mode: protocol.Mode(i.Mode), Preset: protocol.Preset(i.Preset), Profile: protocol.Profile(i.Profile),
		Thinking: protocol.Thinking(i.Thinking), CreatedAt: protocol.At(i.Created), UpdatedAt: protocol.At(i.Updated),
		State: protocol.State(i.State), TurnID: cmp.Or(i.Turn, i.Unfinished), Origin: toOrigin(i.Origin),
	}
}

func toOrigin(o *session.Origin) *protocol.Origin {
	if o == nil {
		return nil
	}
	return &protocol.Origin{SessionID: o.Session, CallID: o.Call, SubagentID: o.Subagent, Title: o.Title}
}

func toSubagent(a session.Subagent) protocol.Subagent {
	return protocol.Subagent{
		SubagentID: a.ID, SessionID: a.Session, CallID: a.Call, Title: a.Title, Model: a.Model,
		State: protocol.SubagentState(a.State), Detail: a.Detail, Background: a.Background,
		Questions: a.Questions, Since: protocol.At(a.Since),
	}
}

func toUsage(u model.Usage) protocol.Usage {
	return protocol.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output),
		CacheReadTokens: int64(u.CacheRead), CacheWriteTokens: int64(u.CacheWrite),
	}
}

func toPromptResult(t *session.Turn) protocol.PromptResult {
	end := t.End()
	return protocol.PromptResult{
		TurnID: t.ID, StopReason: protocol.StopReason(end.Stop), Cause: end.Cause,
		Hint: end.Hint, Usage: toUsage(end.Usage),
	}
}

func toExit(e shell.Exit) protocol.Exit {
	if e.Signal != "" {
		return protocol.Exit{Signal: e.Signal}
	}
	return protocol.Exit{Code: &e.Code}
}

// toArgs shows a call's arguments if they are an object of ordinary size.
func toArgs(raw string) json.RawMessage {
	var object map[string]json.RawMessage
	if len(raw) > protocol.MaxArgs || json.Unmarshal([]byte(raw), &object) != nil || object == nil {
		return nil
	}
	return json.RawMessage(raw)
}

func fromMode(m protocol.Mode) approval.Mode       { return approval.Mode(m) }
func fromPreset(p protocol.Preset) approval.Preset { return approval.Preset(p) }

func modes() protocol.List[protocol.Mode] {
	var out protocol.List[protocol.Mode]
	for _, m := range approval.Modes() {
		out = append(out, protocol.Mode(m))
	}
	return out
}

func presets() protocol.List[protocol.Preset] {
	var out protocol.List[protocol.Preset]
	for _, p := range approval.Presets() {
		out = append(out, protocol.Preset(p))
	}
	return out
}

func checkThinking(t protocol.Thinking) error {
	switch t {
	case "", protocol.ThinkingOff, protocol.ThinkingLow, protocol.ThinkingMedium, protocol.ThinkingHigh:
		return nil
	}
	return invalid("unknown thinking " + string(t) + ": want off, low, medium or high")
}

// fromBlocks reads a prompt.
func (s *Server) fromBlocks(blocks []protocol.Block) []session.Block {
	out := make([]session.Block, 0, len(blocks))
	for _, b := range blocks {
		block := session.Block{
			Kind: session.BlockKind(b.Type), Text: b.Text, URI: b.URI, Name: b.Name,
			MimeType: b.MimeType, Data: b.Data,
		}
		s.lookUp(&block, b)
		out = append(out, block)
	}
	return out
}

// lookUp adds what the client left out and only the open document has: what a
// selection marks, and the text of a link that names no file a tool could read.
func (s *Server) lookUp(block *session.Block, b protocol.Block) {
	docs := s.face.Documents()
	switch b.Type {
	case protocol.BlockSelection:
		block.StartLine, block.EndLine = selectedLines(b.Range)
		if b.Text == "" {
			block.Text = docs.Slice(b.URI, fromRange(b.Range))
		}
	case protocol.BlockResourceLink:
		if doc, open := docs.ByURI(b.URI); open && doc.Path == "" {
			block.Kind, block.Text = session.BlockResource, doc.Text
		}
	}
}

// selectedLines counts from 1; a selection that ends at the beginning of a
// line does not touch that line.
func selectedLines(r protocol.Range) (first, last int) {
	first, last = int(r.Start.Line)+1, int(r.End.Line)+1
	if r.End.Character == 0 && last > first {
		last--
	}
	return first, last
}

func toBlocks(blocks []session.Block) []protocol.Block {
	out := make([]protocol.Block, 0, len(blocks))
	for _, b := range blocks {
		block := protocol.Block{
			Type: protocol.BlockType(b.Kind), Text: b.Text, URI: b.URI, Name: b.Name,
			MimeType: b.MimeType, Data: b.Data,
		}
		if b.Kind == session.BlockSelection {
			block.Range = protocol.Range{
				Start: protocol.Position{Line: uint32(max(b.StartLine-1, 0))},
				End:   protocol.Position{Line: uint32(max(b.EndLine, 0))},
			}
		}
		out = append(out, block)
	}
	return out
}

func fromRange(r protocol.Range) mirror.Range {
	return mirror.Range{Start: mirror.Position(r.Start), End: mirror.Position(r.End)}
}

func toRange(r mirror.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

// fileURI names a file as the editor itself does if it has it open.
func (s *Server) fileURI(abs string) string {
	if u, ok := s.face.Documents().URIOf(abs); ok {
		return u
	}
	return lsp.URI(abs)
}
