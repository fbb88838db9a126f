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
		if s.fileMoved(wctx, c, planned, written) {
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
func (s *Session) fileMoved(ctx context.Context, c *call, planned workspace.Change, written <-chan struct{}) bool {
	for {
		changed, ours := s.ws.Changed(planned.Path), s.host.written.changed(planned.Path.Abs)
		now, err := s.ws.Read(ctx, planned.Path)
		if err == nil && !stillAbout(planned, now, s.overwritten(c)) {
			return true
		}
		select {
		case <-ours:
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
// now: its lines are as they are shown, or, unless another call has written the
// file since, as they would be after a yes.
func stillAbout(planned workspace.Change, now workspace.Content, written bool) bool {
	if now.Base == planned.Base || !written && now.Exists && now.Text == planned.New {
		return true
	}
	_, fits := workspace.Rebase(planned, now)
	return fits
}
