package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"drawbridge/internal/mirror"
	"drawbridge/workspace"
)

const (
	// answerLimit is how long the editor may take to answer an edit. It is
	// shorter than the time that a tool has, so that the model hears the reason.
	answerLimit = 25 * time.Second
	// showLimit is how long the buffer may take to show an edit that the editor
	// has answered.
	showLimit = 5 * time.Second
	// settleTime ends the waiting when the buffer shows something else and
	// stays at it.
	settleTime = 300 * time.Millisecond
	// cancelLimit is how long a cancelled edit is watched: the editor may be
	// applying it at that moment, and what it does is what counts.
	cancelLimit = time.Second
)

var _ workspace.Editor = (*Face)(nil)

// Document returns the open document of a path.
func (f *Face) Document(abs string) (workspace.Document, bool) {
	d, ok := f.Documents().ByPath(abs)
	return workspace.Document{Version: d.Version, Text: d.Text, Dirty: d.Dirty, Saved: d.Saved, Saves: d.Saves}, ok
}

// Changed returns a channel that is closed at the document's next change.
func (f *Face) Changed(abs string) <-chan struct{} { return f.Documents().Changed(abs) }

// Apply sends one versioned edit and waits for the buffer to show it. What the
// editor answers is only a hint: editors say applied when a person unticked
// half of it, and some never say anything.
func (f *Face) Apply(ctx context.Context, abs string, version int32, edits []workspace.Edit, label string) (workspace.Document, error) {
	before, ok := f.Documents().ByPath(abs)
	if !ok {
		return workspace.Document{}, fmt.Errorf("edit %s: %w", abs, mirror.ErrNotOpen)
	}
	u, list, err := f.Documents().TextEdits(abs, version, ownEdits(edits))
	if err != nil {
		return f.now(abs, fmt.Errorf("edit %s: %w", abs, err))
	}
	want, err := spliced(before.Text, edits)
	if err != nil || want == before.Text {
		return f.now(abs, err)
	}
	params, err := f.applyParams(u, version, list, label)
	if err != nil {
		return f.now(abs, err)
	}
	watch := editWatch{face: f, abs: abs, version: version, want: want}
	answer, withdraw := f.sendEdit(params)
	return f.now(abs, watch.wait(ctx, answer, withdraw))
}

// now returns what the buffer holds at this moment, with err.
func (f *Face) now(abs string, err error) (workspace.Document, error) {
	d, ok := f.Document(abs)
	if !ok && err == nil {
		err = fmt.Errorf("edit %s: the document was closed", abs)
	}
	return d, err
}

// sendEdit asks the editor and reports its answer: nil for applied. The
// goroutine ends with the answer, the time limit, withdraw or the face: a
// buffer that shows the edit is enough for the caller, but no reason to take
// the request back.
func (f *Face) sendEdit(params json.RawMessage) (answer <-chan error, withdraw func()) {
	answered := make(chan error, 1)
	ctx, cancel := context.WithTimeout(f.live, answerLimit)
	f.wg.Go(func() {
		defer cancel()
		var raw json.RawMessage
		err := f.conn.Call(ctx, "workspace/applyEdit", params, &raw)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the editor did not answer within %v", answerLimit)
		}
		if err == nil {
			err = refusal(raw)
		}
		answered <- err
	})
	return answered, cancel
}

func refusal(raw json.RawMessage) error {
	var r protocol.ApplyWorkspaceEditResult
	if err := protocol.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("read the editor's answer: %w", err)
	}
	switch {
	case r.Applied:
		return nil
	case r.FailureReason != nil && *r.FailureReason != "":
		return errors.New("the editor did not apply the edit: " + *r.FailureReason)
	}
	return errors.New("the editor did not apply the edit")
}

// editWatch waits for one edit to show in the mirror.
type editWatch struct {
	face    *Face
	abs     string
	version int32
	want    string
}

// wait returns when the buffer shows the wanted text, or when it is clear
// enough that it will not.
func (w *editWatch) wait(ctx context.Context, answer <-chan error, withdraw func()) error {
	var limit <-chan time.Time
	var refused, cancelled error
	answered := false
	for {
		changed := w.face.Changed(w.abs)
		d, open := w.face.Document(w.abs)
		switch {
		case open && (d.Text == w.want || w.want == "" && d.Text == "\n"):
			return nil
		case !open:
			return fmt.Errorf("edit %s: the document was closed", w.abs)
		case cancelled == nil && answered && (d.Version != w.version || refused != nil):
			limit = time.After(settleTime)
		}
		select {
		case <-changed:
		case refused = <-answer:
			answer, answered = nil, true
			if cancelled != nil && refused != nil {
				return cancelled // the editor has not begun it
			}
			if cancelled == nil {
				limit = time.After(showLimit)
			}
		case <-limit:
			withdraw() // it is over, or nobody waits for it any more
			return cmp.Or(cancelled, w.verdict(d, refused))
		case <-done(ctx, cancelled):
			cancelled, limit = fmt.Errorf("edit %s: %w", w.abs, context.Cause(ctx)), time.After(cancelLimit)
		}
	}
}

// done is ctx's end, until that was noticed.
func done(ctx context.Context, noticed error) <-chan struct{} {
	if noticed != nil {
		return nil
	}
	return ctx.Done()
}

// verdict explains a buffer that shows something else.
func (w *editWatch) verdict(d workspace.Document, refused error) error {
	switch {
	case refused != nil:
		return fmt.Errorf("edit %s: %w", w.abs, refused)
	case d.Version == w.version:
		return fmt.Errorf("edit %s: the editor said that it applied the edit, but the document did not change", w.abs)
	}
	return nil // it changed otherwise: the text itself tells
}

func (f *Face) applyParams(u string, version int32, list []mirror.TextEdit, label string) (json.RawMessage, error) {
	id := uri.URI(u) // as the editor spells it: it may know its document by no other
	p := protocol.ApplyWorkspaceEditParams{}
	if label != "" {
		p.Label = &label
	}
	if !f.Client().DocumentChanges {
		p.Edit.Changes = map[uri.URI][]protocol.TextEdit{id: textEdits(list)}
		return encode(p)
	}
	edit := &protocol.TextDocumentEdit{}
	edit.TextDocument.URI = id
	edit.TextDocument.Version = &version
	for _, e := range textEdits(list) {
		edit.Edits = append(edit.Edits, &e)
	}
	p.Edit.DocumentChanges = []protocol.DocumentChange{edit}
	return encode(p)
}

func textEdits(list []mirror.TextEdit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, len(list))
	for i, e := range list {
		out[i] = protocol.TextEdit{Range: toRange(e.Range), NewText: e.New}
	}
	return out
}

func ownEdits(edits []workspace.Edit) []mirror.Edit {
	out := make([]mirror.Edit, len(edits))
	for i, e := range edits {
		out[i] = mirror.Edit(e)
	}
	return out
}

// spliced is the text after edits, which must be in order.
func spliced(text string, edits []workspace.Edit) (string, error) {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return "", fmt.Errorf("edits overlap or are out of order at byte %d", e.Start)
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String(), nil
}
