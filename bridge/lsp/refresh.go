package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	wire "drawbridge/rpc/protocol"
	"drawbridge/workspace"
)

const (
	// refreshLimit is how long the editor may take to read a file again.
	refreshLimit = 2 * time.Second
	// noticeLimit is how long an editor that is not asked may take to see by itself
	// that a file was changed.
	noticeLimit = 300 * time.Millisecond
)

var _ workspace.Refresher = (*Face)(nil)

// OpenPaths are the files that the editor has open.
func (f *Face) OpenPaths() []string { return f.Documents().Paths() }

// Holds says what the file of an open document holds.
func (f *Face) Holds(abs, text string) { f.Documents().Holds(abs, text) }

// Refresh has the editor read an open document without unsaved changes again from
// its file, which holds disk now, and waits until the document shows that. An
// editor that cannot be asked gets a moment to see it by itself.
func (f *Face) Refresh(ctx context.Context, abs, disk string) {
	f.mu.Lock()
	known := f.stale[abs] == disk && disk != ""
	f.mu.Unlock()
	if known {
		return
	}
	limit := noticeLimit
	asks := f.Client().Ours.Refreshes
	if asks {
		limit = refreshLimit
	}
	f.Documents().Expect(abs, disk)
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	shown := f.shows(within, abs, disk, asks)
	if !shown && ctx.Err() != nil {
		return // cut short: nothing is known of the editor
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stale == nil {
		f.stale = map[string]string{}
	}
	delete(f.stale, abs)
	if !shown {
		f.stale[abs] = disk
	}
}

// shows waits for a document to show what its file holds, which the editor is
// asked for if it can be.
func (f *Face) shows(ctx context.Context, abs, disk string, asks bool) bool {
	answered := make(chan bool, 1)
	if asks {
		f.wg.Go(func() { answered <- f.askRefresh(ctx, abs) })
	}
	for {
		changed := f.Changed(abs)
		d, open := f.Document(abs)
		if !open || d.Text == disk {
			return true
		}
		select {
		case <-changed:
		case refreshed := <-answered:
			if !refreshed {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

// askRefresh is false when the document stays as it is.
func (f *Face) askRefresh(ctx context.Context, abs string) bool {
	u, ok := f.Documents().URIOf(abs)
	if !ok {
		return false
	}
	var answer wire.EditorRefreshResult
	err := f.conn.Call(ctx, "editor/refresh", wire.EditorRefreshParams{URI: u}, &answer)
	return err == nil && answer.Refreshed
}

// maxOpened bounds the file, in bytes, that is compared with a document that is
// opened.
const maxOpened = 8 << 20

// compareOpened finds out whether a document that was just opened has unsaved
// changes, as after a restart of the bridge: nobody has typed in it, but its file
// holds something else. What cannot be told counts as saved.
func (f *Face) compareOpened(path, text string) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Documents().Holds(path, "")
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxOpened {
		return
	}
	disk, err := os.ReadFile(path)
	if len(disk) == 0 && text == "\n" {
		return // some editors have no document without a line
	}
	if err == nil && utf8.Valid(disk) && !workspace.SameText(text, string(disk)) {
		f.Documents().Holds(path, string(disk))
	}
}
