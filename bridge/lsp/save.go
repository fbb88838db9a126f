package lsp

import (
	"context"
	"errors"
	"fmt"

	"drawbridge/internal/mirror"
	wire "drawbridge/rpc/protocol"
)

// Save asks the editor to save an open document. Its didSave has arrived when
// this returns, if it sends one before it answers.
func (f *Face) Save(ctx context.Context, abs string) error {
	if !f.Client().Ours.Saves {
		return errors.New("the editor saves nothing on request")
	}
	u, ok := f.Documents().URIOf(abs)
	if !ok {
		return mirror.ErrNotOpen
	}
	var answer wire.EditorSaveResult
	if err := f.conn.Call(ctx, "editor/save", wire.EditorSaveParams{URI: u}, &answer); err != nil {
		return fmt.Errorf("ask the editor: %w", err)
	}
	if !answer.Saved {
		return errors.New("the editor did not")
	}
	return nil
}
