package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// reportInterval keeps a fast turn from flooding a status line.
const reportInterval = 100 * time.Millisecond

// Progress shows that something is going on, with a way to cancel it. Only the
// newest message counts: what a slow client does not get to see is dropped.
type Progress struct {
	face  *Face
	token string
	title string
	wake  chan struct{} // holds one token when there is news

	mu      sync.Mutex // guards below
	message string
	fresh   bool
	done    bool
}

// Begin shows progress; cancel is called, on the reading goroutine, when the
// person wants it to end. It does not wait for the client.
func (f *Face) Begin(title string, cancel func()) *Progress {
	f.mu.Lock()
	f.tokens++
	token := fmt.Sprintf("drawbridge/%d", f.tokens)
	f.progress[token] = cancel
	shown := f.client.Progress
	f.mu.Unlock()
	p := &Progress{face: f, token: token, title: title, wake: make(chan struct{}, 1)}
	if shown {
		f.wg.Go(p.run)
	}
	return p
}

// Report replaces the message.
func (p *Progress) Report(message string) { p.set(message, false) }

// End takes the progress off the screen.
func (p *Progress) End(message string) {
	p.face.mu.Lock()
	delete(p.face.progress, p.token)
	p.face.mu.Unlock()
	p.set(message, true)
}

func (p *Progress) set(message string, done bool) {
	p.mu.Lock()
	p.message, p.fresh = message, true
	p.done = p.done || done
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Progress) take() (message string, fresh, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	message, fresh, done = p.message, p.fresh, p.done
	p.fresh = false
	return message, fresh, done
}

// run ends with End or with the face.
func (p *Progress) run() {
	if !p.create() {
		return
	}
	p.send(protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.title, Cancellable: on()})
	for {
		select {
		case <-p.wake:
		case <-p.face.live.Done():
			return
		}
		message, fresh, done := p.take()
		switch {
		case done:
			p.send(protocol.WorkDoneProgressEnd{Kind: "end", Message: &message})
			return
		case fresh:
			p.send(protocol.WorkDoneProgressReport{Kind: "report", Cancellable: on(), Message: &message})
		}
		p.pause()
	}
}

func (p *Progress) create() bool {
	ctx, cancel := context.WithTimeout(p.face.live, requestLimit)
	defer cancel()
	err := p.face.call(ctx, "window/workDoneProgress/create",
		protocol.WorkDoneProgressCreateParams{Token: protocol.String(p.token)}, nil)
	if err != nil {
		p.face.log.Debug("progress not shown", "error", err)
	}
	return err == nil
}

func (p *Progress) send(value any) {
	raw, err := encode(value)
	if err != nil {
		p.face.log.Debug("progress not sent", "error", err)
		return
	}
	p.face.notify("$/progress", protocol.ProgressParams{Token: protocol.String(p.token), Value: protocol.LSPAny(raw)})
}

func (p *Progress) pause() {
	t := time.NewTimer(reportInterval)
	defer t.Stop()
	select {
	case <-t.C:
	case <-p.face.live.Done():
	}
}

// cancelProgress runs on the reading goroutine.
func (f *Face) cancelProgress(params json.RawMessage) {
	var p struct{ Token string }
	if json.Unmarshal(params, &p) != nil {
		return // a number, so none of ours
	}
	f.mu.Lock()
	cancel := f.progress[p.Token]
	f.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
