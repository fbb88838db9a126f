package lsp

import (
	"bytes"
	"encoding/json"

	"go.lsp.dev/protocol"

	"drawbridge/internal/mirror"
)

func (f *Face) didOpen(params json.RawMessage) {
	var p protocol.DidOpenTextDocumentParams
	if err := decode(params, &p); err != nil {
		f.log.Warn("didOpen ignored", "error", err)
		return
	}
	d := p.TextDocument
	f.Documents().Open(string(d.URI), Path(string(d.URI)), d.Version, d.Text)
	f.compareOpened(Path(string(d.URI)), d.Text)
	if !bytes.Contains(params, []byte(`"`+string(d.URI)+`"`)) {
		f.spell(string(d.URI), params)
	}
	f.marks.forget(string(d.URI))
	f.Remark()
}

// spell finds out how the editor writes a URI that was decoded into another
// form: it may know its document by no other.
func (f *Face) spell(u string, params json.RawMessage) {
	var raw struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(params, &raw) == nil && Path(raw.TextDocument.URI) == Path(u) {
		f.Documents().Spell(u, raw.TextDocument.URI)
	}
}

func (f *Face) didChange(params json.RawMessage) {
	var p protocol.DidChangeTextDocumentParams
	if err := decode(params, &p); err != nil {
		f.log.Warn("didChange ignored", "error", err)
		return
	}
	u := string(p.TextDocument.URI)
	if err := f.Documents().Change(u, p.TextDocument.Version, changesOf(p.ContentChanges)); err != nil {
		f.lost(u, err)
	}
	f.Remark()
}

func changesOf(events []protocol.TextDocumentContentChangeEvent) []mirror.Change {
	changes := make([]mirror.Change, 0, len(events))
	for _, event := range events {
		switch e := event.(type) {
		case *protocol.TextDocumentContentChangePartial:
			r := fromRange(e.Range)
			changes = append(changes, mirror.Change{Range: &r, Text: e.Text})
		case *protocol.TextDocumentContentChangeWholeDocument:
			changes = append(changes, mirror.Change{Text: e.Text})
		}
	}
	return changes
}

// lost tells the person that a document cannot be edited: what the editor sent
// does not fit what it sent before.
func (f *Face) lost(u string, err error) {
	f.log.Error("document out of step with the editor", "error", err)
	f.ShowMessage(Warning, "Drawbridge lost track of "+u+": "+err.Error()+". Save or reopen it to go on.")
}

func (f *Face) didSave(params json.RawMessage) {
	var p protocol.DidSaveTextDocumentParams
	if err := decode(params, &p); err != nil {
		f.log.Warn("didSave ignored", "error", err)
		return
	}
	u := string(p.TextDocument.URI)
	if !f.Documents().Save(u, p.Text) {
		f.log.Error("document differed from what was saved; corrected", "uri", u)
	}
}

func (f *Face) didClose(params json.RawMessage) {
	var p protocol.DidCloseTextDocumentParams
	if err := decode(params, &p); err != nil {
		f.log.Warn("didClose ignored", "error", err)
		return
	}
	f.Documents().Close(string(p.TextDocument.URI))
	if f.o.Closed != nil {
		f.o.Closed(Path(string(p.TextDocument.URI)))
	}
	f.Remark()
}
