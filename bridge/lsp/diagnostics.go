package lsp

import (
	"context"
	"fmt"
	"time"

	"drawbridge/internal/mirror"
	wire "drawbridge/rpc/protocol"
)

// Diagnostics asks the editor what its programs say of an open document, and
// gives them up to wait to look at it.
func (f *Face) Diagnostics(ctx context.Context, abs string, wait time.Duration) ([]wire.Diagnostic, error) {
	u, ok := f.Documents().URIOf(abs)
	if !ok {
		return nil, mirror.ErrNotOpen
	}
	var answer wire.EditorDiagnosticsResult
	ask := wire.EditorDiagnosticsParams{URI: u, WaitMs: wait.Milliseconds()}
	if err := f.conn.Call(ctx, "editor/diagnostics", ask, &answer); err != nil {
		return nil, fmt.Errorf("ask the editor: %w", err)
	}
	return answer.Diagnostics, nil
}
