package bridge

import (
	"context"
	"slices"
	"sync"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
)

// mergeTime is how long output may be held back after a piece was sent, so
// that a talkative command costs few messages. The first piece never waits.
const mergeTime = 16 * time.Millisecond

// silentPeriod is how long a client that acknowledges nothing is taken to need
// for what may be under way to it.
const silentPeriod = time.Second

// pump carries one terminal's output to the client. The command never waits
// for it: past the limit of what may be under way it waits itself, and then
// goes on near the newest output, with a gap that the client sees. At the
// command's end it waits no more.
type pump struct {
	ring  *shell.Ring
	ended <-chan struct{} // the ring holds the last byte
	send  func(ctx context.Context, piece protocol.TerminalOutput) error
	head  protocol.TerminalOutput // what every piece begins with
	// redact replaces secrets; nil changes nothing. One whose beginning was sent
	// before its rest was written is cut off there.
	redact func(string) string

	next int64     // first byte that is neither sent nor skipped
	end  int64     // of the last piece
	last time.Time // when the last piece was sent

	cancel context.CancelFunc
	done   chan struct{} // closed when the last byte is queued, or the pump was stopped

	mu     sync.Mutex // guards below
	window window
	acked  chan struct{} // holds one token when there is a new acknowledgement
}

func newPump(p shell.Process, head protocol.TerminalOutput,
	send func(ctx context.Context, piece protocol.TerminalOutput) error,
) *pump {
	return &pump{
		ring: p.Output(), ended: p.Gone(), send: send, head: head, done: make(chan struct{}),
		acked: make(chan struct{}, 1), window: window{since: time.Now()},
	}
}

// start runs the pump until the command's last byte is queued or stop.
func (p *pump) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		defer close(p.done)
		defer cancel()
		p.run(ctx)
	}()
}

// stop ends the pump; nothing is sent after it returns.
func (p *pump) stop() {
	p.cancel()
	<-p.done
}

func (p *pump) ack(offset int64) {
	p.mu.Lock()
	p.window.ack(offset)
	p.mu.Unlock()
	select {
	case p.acked <- struct{}{}:
	default:
	}
}

func (p *pump) run(ctx context.Context) {
	for want := p.next; p.ring.Wait(ctx, want) == nil; {
		p.merge(ctx)
		if !p.room(ctx) {
			return
		}
		held, over, err := p.piece(ctx)
		if err != nil || over {
			return
		}
		want = p.next + int64(held) // more than the beginning of a character
	}
}

// merge lets output gather while the last piece is fresh, up to a full piece.
func (p *pump) merge(ctx context.Context) {
	wait := mergeTime - time.Since(p.last)
	if p.last.IsZero() || wait <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = p.ring.Wait(ctx, p.next+protocol.MaxOutput-1)
}

// room waits until the next piece may be under way, and skips what there is
// too much of. It is false when ctx ended.
func (p *pump) room(ctx context.Context) bool {
	for {
		backlog := p.ring.End() - p.next
		free, limit, retry := p.free()
		if isClosed(p.ended) {
			p.skipTo(p.ring.End() - max(free, protocol.MaxOutput))
			return true
		}
		if backlog > limit {
			p.skipTo(p.ring.End() - protocol.MaxOutput)
			backlog = protocol.MaxOutput
		}
		if free >= min(backlog, protocol.MaxOutput) {
			return true
		}
		if !p.pause(ctx, retry) {
			return false
		}
	}
}

func (p *pump) free() (free, limit int64, retry <-chan time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	free, limit = p.window.free(time.Now())
	if !p.window.heard {
		retry = time.After(silentPeriod / 16)
	}
	return free, limit, retry
}

func (p *pump) pause(ctx context.Context, retry <-chan time.Time) bool {
	select {
	case <-p.acked:
	case <-retry:
	case <-p.ended:
	case <-ctx.Done():
		return false
	}
	return true
}

func (p *pump) skipTo(offset int64) { p.next = max(p.next, offset) }

// piece sends what comes next. held counts bytes at the end that wait for the
// rest of their character.
func (p *pump) piece(ctx context.Context) (held int, over bool, err error) {
	chunk := p.ring.Read(p.next, protocol.MaxOutput)
	data, start := chunk.Data, chunk.Offset
	if start > p.end { // behind a gap: the rest of a torn character goes with it
		n := tornHead(data)
		data, start = data[n:], start+int64(n)
	}
	var cut shell.Cutter
	text := cut.Write(data)
	held = cut.Pending()
	if chunk.EOF {
		text, held = text+cut.Flush(), 0
	}
	end := start + int64(len(data)-held)
	piece := p.head
	piece.Offset, piece.End, piece.Data, piece.Gap = start, end, text, start-p.end
	if text == "" && piece.Gap == 0 {
		return held, chunk.EOF, nil
	}
	if p.redact != nil && end > start {
		piece.Data = legible(discreet(p.ring, start, data[:len(data)-held], p.redact))
	}
	if err := p.send(ctx, piece); err != nil {
		return 0, false, err
	}
	p.end, p.next, p.last = end, end, time.Now()
	p.mu.Lock()
	p.window.sent(start, end, p.last)
	p.mu.Unlock()
	return held, chunk.EOF, nil
}

// tornHead counts the bytes at the beginning of b that continue a character.
func tornHead(b []byte) int {
	n := 0
	for n < len(b) && n < 3 && b[n]&0xc0 == 0x80 {
		n++
	}
	return n
}

// window counts what is under way to the client. One that acknowledges may have
// MaxUnacked bytes under way. Of one that never does MaxUnackedSilent bytes are
// taken to be shown in a silentPeriod.
type window struct {
	heard bool
	acked int64 // offset up to which the client has shown
	end   int64 // of the last piece
	gaps  []span
	used  float64 // silent only
	since time.Time
}

// span is a part of the output that was skipped and not yet acknowledged past.
type span struct{ from, to int64 }

func (w *window) ack(offset int64) {
	w.heard, w.acked = true, min(max(w.acked, offset), w.end)
	w.gaps = slices.DeleteFunc(w.gaps, func(g span) bool { return g.to <= w.acked })
}

func (w *window) sent(start, end int64, now time.Time) {
	w.settle(now)
	w.used += float64(end - start)
	if start > w.end {
		w.gaps = append(w.gaps, span{w.end, start})
	}
	w.end = end
}

// settle forgets what a silent client has had the time to show.
func (w *window) settle(now time.Time) {
	shown := float64(protocol.MaxUnackedSilent) * now.Sub(w.since).Seconds() / silentPeriod.Seconds()
	w.used, w.since = max(0, w.used-shown), now
}

// free is how much more may be sent, of limit.
func (w *window) free(now time.Time) (free, limit int64) {
	if !w.heard {
		w.settle(now)
		return protocol.MaxUnackedSilent - int64(w.used), protocol.MaxUnackedSilent
	}
	underway := w.end - w.acked
	for _, g := range w.gaps {
		underway -= g.to - max(g.from, w.acked)
	}
	return protocol.MaxUnacked - underway, protocol.MaxUnacked
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// terminalKey names a terminal: ids count within a session.
type terminalKey struct{ session, terminal string }

func streamName(k terminalKey) string { return k.session + "/" + k.terminal }

// startPump begins to show a terminal that was just announced by e.
func (s *Server) startPump(e session.Event, opened session.TerminalOpened) {
	key := terminalKey{e.Session, opened.Terminal}
	head := protocol.TerminalOutput{Event: protocol.Event{SessionID: e.Session, Seq: e.Seq, Origin: toOrigin(e.Origin)}, TerminalID: opened.Terminal}
	p := newPump(opened.Process, head, func(ctx context.Context, piece protocol.TerminalOutput) error {
		return s.conn.NotifyStream(ctx, streamName(key), "terminal/output", piece)
	})
	p.redact = s.o.Sessions.Redact
	s.mu.Lock()
	s.pumps[key] = p
	s.shown[opened.Process] = p
	s.mu.Unlock()
	p.start()
}

// stopPump ends a terminal's output and returns the name of its stream.
func (s *Server) stopPump(key terminalKey) string {
	s.mu.Lock()
	p := s.pumps[key]
	delete(s.pumps, key)
	for process, of := range s.shown {
		if of == p {
			delete(s.shown, process)
		}
	}
	s.mu.Unlock()
	if p != nil {
		p.stop()
	}
	return streamName(key)
}

func (s *Server) closePumps() {
	s.mu.Lock()
	var keys []terminalKey
	for key := range s.pumps {
		keys = append(keys, key)
	}
	s.mu.Unlock()
	for _, key := range keys {
		s.stopPump(key)
	}
}

// drained is closed when the client's last byte of a terminal is on its way;
// nil when it is shown none.
func (s *Server) drained(opened session.TerminalOpened) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.shown[opened.Process]; p != nil {
		return p.done
	}
	return nil
}
