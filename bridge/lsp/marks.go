package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// markInterval merges what follows in quick succession: keystrokes, and the
// hunks of one answer.
const markInterval = 50 * time.Millisecond

// marker keeps the client's hint diagnostics equal to the marks of the review.
// One goroutine sends, so that of two lists the newer one arrives last.
type marker struct {
	wake chan struct{} // holds one token when something may have changed

	mu   sync.Mutex // guards below; held while one round is sent
	sent map[string]json.RawMessage
	over bool // all were taken off, for good
}

// forget has the marks of a document sent again: it was opened, and what the
// client kept for a file it may not show in a document.
func (m *marker) forget(u string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for sent := range m.sent {
		if sameDocument(sent, u) {
			m.sent[sent] = nil
		}
	}
}

// marksShown says that this client is to see marks, and does.
func (f *Face) marksShown() bool {
	c := f.Client()
	return f.o.Review != nil && !c.Ours.Review && c.Diagnostics
}

// Remark has the marks looked at again. It does not wait.
func (f *Face) Remark() {
	select {
	case f.marks.wake <- struct{}{}:
	default:
	}
}

// mark ends with the face.
func (f *Face) mark() {
	for {
		select {
		case <-f.marks.wake:
		case <-f.live.Done():
			return
		}
		select {
		case <-time.After(markInterval):
		case <-f.live.Done():
			return
		}
		if f.Working() {
			f.publish(f.o.Review.Marked())
		}
	}
}

// ClearMarks takes all marks off the screen, for good.
func (f *Face) ClearMarks() {
	f.publish(nil)
	f.marks.mu.Lock()
	defer f.marks.mu.Unlock()
	f.marks.over = true
}

// publish sends the documents whose marks are others than those sent last.
func (f *Face) publish(now []Marked) {
	f.marks.mu.Lock()
	defer f.marks.mu.Unlock()
	if f.marks.over {
		return
	}
	gone := maps.Clone(f.marks.sent)
	changed := false
	for _, doc := range now {
		delete(gone, doc.URI)
		changed = f.publishLocked(doc) || changed
	}
	for _, u := range slices.Sorted(maps.Keys(gone)) {
		changed = f.publishLocked(Marked{URI: u}) || changed
	}
	if changed && f.Working() && f.Client().Lenses && f.Client().LensRefresh {
		f.Go(func(ctx context.Context) { f.refresh(ctx, "workspace/codeLens/refresh", nil) })
	}
}

// publishLocked is false when the client knows it all. A new version of a
// document is told only with marks that moved: the editor moves what stays.
func (f *Face) publishLocked(doc Marked) bool {
	p := protocol.PublishDiagnosticsParams{URI: uri.URI(doc.URI), Diagnostics: []protocol.Diagnostic{}}
	for _, m := range doc.Marks {
		p.Diagnostics = append(p.Diagnostics, diagnosticOf(m))
	}
	plain, err := encode(p)
	if err != nil || bytes.Equal(plain, f.marks.sent[doc.URI]) {
		return false
	}
	if len(doc.Marks) == 0 {
		delete(f.marks.sent, doc.URI)
	} else {
		f.marks.sent[doc.URI] = plain
	}
	if doc.Version != nil {
		p.Version = protocol.NewOptional(*doc.Version)
	}
	f.notify("textDocument/publishDiagnostics", p)
	return true
}

// refresh has the client ask again for what it shows.
func (f *Face) refresh(ctx context.Context, method string, params any) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	if err := f.call(ctx, method, params, nil); err != nil {
		f.log.Debug("not refreshed", "method", method, "error", err)
	}
}

// RefreshContent has the client read a document of our own scheme again.
func (f *Face) RefreshContent(u string) {
	f.Go(func(ctx context.Context) {
		f.refresh(ctx, "workspace/textDocumentContent/refresh", protocol.TextDocumentContentRefreshParams{URI: uri.URI(u)})
	})
}

// Go runs work that Close waits for; its context ends then.
func (f *Face) Go(work func(ctx context.Context)) {
	f.wg.Go(func() { work(f.live) })
}
