package session

import (
	"context"
	"time"

	"drawbridge/workspace"
)

// diskQuiet is how long a file must be left alone before it is read again, and
// diskBusy how long that is waited for at most: who writes a file often empties
// it first.
const (
	diskQuiet = 50 * time.Millisecond
	diskBusy  = time.Second
)

// watchQuestion looks after a question about a file, whether it is open or not:
// as long as the lines that it shows stay as they are the question stays, else it
// is withdrawn. The returned stop ends the watching and waits for it.
func (s *Session) watchQuestion(ctx context.Context, c *call, withdraw context.CancelCauseFunc) (stop func()) {
	if c.plan.Change == nil {
		return func() {}
	}
	wctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	planned := *c.plan.Change
	written, unfollow := s.watcher.Follow(planned.Path.Abs)
	go func() { // ends with wctx
		defer close(done)
		defer unfollow()
		if s.fileMoved(wctx, planned, written) {
			withdraw(errSuperseded)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// fileMoved waits until the document, or the file, no longer holds what planned
// shows; false when ctx ended first.
func (s *Session) fileMoved(ctx context.Context, planned workspace.Change, written <-chan struct{}) bool {
	for {
		changed := s.ws.Changed(planned.Path)
		now, err := s.ws.Read(ctx, planned.Path)
		if err == nil && !stillAbout(planned, now) {
			return true
		}
		select {
		case <-changed:
		case <-written:
			calm(ctx, written)
		case <-ctx.Done():
			return false
		}
	}
}

// calm waits until a file is left alone.
func calm(ctx context.Context, written <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, diskBusy)
	defer cancel()
	quiet := time.NewTimer(diskQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-written:
			quiet.Reset(diskQuiet)
		case <-quiet.C:
			return
		case <-ctx.Done():
			return
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
