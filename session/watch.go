package session

import (
	"context"

	"drawbridge/workspace"
)

// watchDocument looks after a question about an open document: as long as the
// lines that it shows stay as they are the question stays, else it is
// withdrawn. The returned stop ends the watching and waits for it.
func (s *Session) watchDocument(ctx context.Context, c *call, withdraw context.CancelCauseFunc) (stop func()) {
	if c.plan.Change == nil || !c.plan.Change.Open || s.host.o.Editor == nil {
		return func() {}
	}
	wctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	planned := *c.plan.Change
	go func() { // ends with wctx
		defer close(done)
		if s.documentMoved(wctx, planned) {
			withdraw(errSuperseded)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// documentMoved waits until the document no longer holds what planned shows;
// false when ctx ended first.
func (s *Session) documentMoved(ctx context.Context, planned workspace.Change) bool {
	for {
		changed := s.host.o.Editor.Changed(planned.Path.Abs)
		now, err := s.ws.Read(ctx, planned.Path)
		if err == nil && !stillAbout(planned, now) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// stillAbout says that a question about planned makes sense of what is there
// now: its lines are as they are shown, or as they would be after a yes.
func stillAbout(planned workspace.Change, now workspace.Content) bool {
	if now.Base == planned.Base || now.Exists && now.Text == planned.New {
		return true
	}
	_, fits := workspace.Rebase(planned, now)
	return fits
}
