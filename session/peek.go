package session

import (
	"context"
	"fmt"
	"os"

	"drawbridge/workspace"
)

// Peek looks at what was kept of a session without opening it: another process
// may have it open. Documents that are open there are not seen, only files. It
// writes nothing.
type Peek struct{ s *Session }

// Peek finds a session on the disk.
func (h *Host) Peek(id string) (Peek, error) {
	if !validID(id) {
		return Peek{}, unknown(id)
	}
	info, ok := h.readInfo(id)
	if !ok {
		return Peek{}, unknown(id)
	}
	s := &Session{host: h, id: id, info: info, log: h.o.Log.With("session", id)}
	if !h.o.NoCheckpoints {
		s.keeper = &keeper{store: h.kept, path: h.keptPath(id)}
	}
	if _, err := os.Stat(info.Dir); err != nil {
		return Peek{s}, nil // what was kept can still be listed
	}
	ws, err := workspace.Open(workspace.Options{Roots: info.Roots, Encodings: h.o.Encodings})
	if err != nil {
		return Peek{}, &Error{Kind: "invalid", Message: err.Error()}
	}
	s.ws = ws
	return Peek{s}, nil
}

// Info is the session's summary.
func (p Peek) Info() Info { return p.s.info }

// Checkpoints is as Session.Checkpoints.
func (p Peek) Checkpoints() ([]Checkpoint, error) { return p.s.Checkpoints() }

// PreviewRewind is as Session.PreviewRewind.
func (p Peek) PreviewRewind(ctx context.Context, what RewindChoice) (Rewind, error) {
	if p.s.ws == nil {
		return Rewind{}, &Error{
			Kind: "invalid", Message: fmt.Sprintf("the folder of session %s is not there: %s", p.s.id, p.s.info.Dir),
			Hint: "a rewind gives files back where they were; if the folder was moved, move it back or put a link in its old place",
		}
	}
	return p.s.PreviewRewind(ctx, what)
}
