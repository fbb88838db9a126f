package bridge

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/shell"
)

// command is a process of which only the output counts.
type command struct {
	shell.Process
	ring  shell.Ring
	ended chan struct{}
}

func (c *command) Output() *shell.Ring   { return &c.ring }
func (c *command) Gone() <-chan struct{} { return c.ended }

func (c *command) end() {
	c.ring.Close()
	close(c.ended)
}

// screen is a client that receives the pieces of one terminal.
type screen struct {
	t      *testing.T
	pieces []protocol.TerminalOutput
	times  []time.Duration
	begin  time.Time
}

// pumped runs f with a pump at work in virtual time.
func pumped(t *testing.T, f func(t *testing.T, c *command, p *pump, s *screen)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &command{ended: make(chan struct{})}
		s := &screen{t: t, begin: time.Now()}
		p := newPump(c, protocol.TerminalOutput{TerminalID: "x1"}, s.receive)
		p.start()
		f(t, c, p, s)
		synctest.Wait()
		if !isClosed(p.done) {
			p.stop()
		}
	})
}

func (s *screen) receive(_ context.Context, piece protocol.TerminalOutput) error {
	s.pieces = append(s.pieces, piece)
	s.times = append(s.times, time.Since(s.begin))
	return nil
}

// text is what was shown, with every gap checked against the offsets.
func (s *screen) text() string {
	s.t.Helper()
	synctest.Wait()
	var b strings.Builder
	end := int64(0)
	for _, p := range s.pieces {
		if p.Offset != end+p.Gap {
			s.t.Errorf("a piece begins at %d with a gap of %d after %d", p.Offset, p.Gap, end)
		}
		end = p.End
		b.WriteString(p.Data)
	}
	return b.String()
}

func (s *screen) gaps() (n int) {
	synctest.Wait()
	for _, p := range s.pieces {
		if p.Gap > 0 {
			n++
		}
	}
	return n
}

func TestTheFirstOutputNeverWaits(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		time.Sleep(time.Second)
		c.ring.Append([]byte("a"))
		synctest.Wait()
		if len(s.pieces) != 1 || s.times[0] != time.Second {
			t.Fatalf("%d pieces at %v", len(s.pieces), s.times)
		}
		time.Sleep(mergeTime)
		c.ring.Append([]byte("b")) // nothing is fresh any more
		synctest.Wait()
		if len(s.pieces) != 2 || s.times[1] != time.Second+mergeTime {
			t.Errorf("%d pieces at %v", len(s.pieces), s.times)
		}
	})
}

func TestTalkativeOutputIsMerged(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		for range 160 { // one millisecond each
			c.ring.Append([]byte("line\n"))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(mergeTime)
		if got := s.text(); got != strings.Repeat("line\n", 160) {
			t.Errorf("%d bytes arrived", len(got))
		}
		if n := len(s.pieces); n < 10 || n > 12 {
			t.Errorf("%d pieces for 160 ms", n)
		}
	})
}

// A full piece goes at once, however fresh the last one is.
func TestFullPiecesDoNotWait(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		c.ring.Append([]byte("x"))
		synctest.Wait()
		c.ring.Append(make([]byte, protocol.MaxOutput))
		synctest.Wait()
		if len(s.pieces) != 2 || s.times[1] != 0 {
			t.Errorf("%d pieces at %v", len(s.pieces), s.times)
		}
	})
}

func TestCharactersAreNotTorn(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		for _, b := range []byte("é😀\xffz\xe6\x97") {
			c.ring.Append([]byte{b})
			time.Sleep(time.Second)
		}
		if got := s.text(); got != "é😀\ufffdz" {
			t.Errorf("%q", got)
		}
		c.end()
		if got := s.text(); !strings.HasPrefix(got, "é😀\ufffdz\ufffd") {
			t.Errorf("at the end %q", got)
		}
		if end := s.pieces[len(s.pieces)-1].End; end != c.ring.End() {
			t.Errorf("shown up to %d of %d", end, c.ring.End())
		}
	})
}

// A client that acknowledges nothing gets so much at once and then so much a
// second, the newest first.
func TestSilentClients(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		for range 100 { // 100 MiB in five seconds
			c.ring.Append([]byte(strings.Repeat("0123456789abcde\n", 1<<16)))
			time.Sleep(50 * time.Millisecond)
		}
		total := int64(len(s.text()))
		if total < 5*protocol.MaxUnackedSilent || total > 7*protocol.MaxUnackedSilent {
			t.Errorf("%d bytes in five seconds", total)
		}
		c.ring.Append([]byte("last words"))
		c.end()
		if got := s.text(); !strings.HasSuffix(got, "last words") {
			t.Error("the end is missing")
		}
		if s.gaps() == 0 {
			t.Error("no gap is announced")
		}
	})
}

// A gap swallows the rest of a character that it tears.
func TestGapsDoNotTearCharacters(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		for range 50 {
			c.ring.Append([]byte(strings.Repeat("日", 50_001)))
			time.Sleep(50 * time.Millisecond)
		}
		c.end()
		if got := s.text(); strings.Trim(got, "日") != "" || s.gaps() == 0 {
			t.Errorf("%d gaps; shown besides: %q", s.gaps(), strings.Trim(got, "日"))
		}
	})
}

// An ordinary command loses nothing on a client that acknowledges nothing.
func TestSilentClientsSeeOrdinaryOutputWhole(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		for range 300 {
			c.ring.Append([]byte(strings.Repeat("x", 2000)))
			time.Sleep(20 * time.Millisecond)
		}
		c.end()
		if n := len(s.text()); n != 600_000 || s.gaps() != 0 {
			t.Errorf("%d bytes, %d gaps", n, s.gaps())
		}
	})
}

func TestAcknowledgedOutputFlowsOn(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		p.ack(0)
		for range 200 {
			c.ring.Append([]byte(strings.Repeat("x", 100_000)))
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			if n := len(s.pieces); n > 0 {
				p.ack(s.pieces[n-1].End)
			}
		}
		c.end()
		if n := len(s.text()); n != 20_000_000 || s.gaps() != 0 {
			t.Errorf("%d bytes, %d gaps", n, s.gaps())
		}
	})
}

// Past the limit nothing is sent until it is acknowledged; then the newest
// output comes, with a gap, and the flow goes on as before.
func TestUnacknowledgedOutputIsHeldBack(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		p.ack(0)
		flood := func() {
			for range 80 {
				c.ring.Append([]byte(strings.Repeat("x", 64<<10)))
				time.Sleep(20 * time.Millisecond)
			}
		}
		flood()
		for range 3 {
			held := len(s.text())
			time.Sleep(time.Minute)
			if n := len(s.text()); n != held {
				t.Fatalf("%d bytes were sent unacknowledged", n-held)
			}
			p.ack(s.pieces[len(s.pieces)-1].End)
			flood()
			if n := len(s.text()) - held; n < protocol.MaxUnacked*3/4 || n > protocol.MaxUnacked+protocol.MaxOutput {
				t.Errorf("%d bytes after an acknowledgement", n)
			}
		}
		if s.gaps() == 0 {
			t.Error("no gap is announced")
		}
	})
}

// The end of a command waits for no acknowledgement.
func TestTheEndDoesNotWait(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		p.ack(0)
		for range 40 {
			c.ring.Append([]byte(strings.Repeat("x", 64<<10)))
			synctest.Wait()
		}
		c.ring.Append([]byte("last words"))
		c.end()
		synctest.Wait()
		if !isClosed(p.done) {
			t.Fatal("the pump still waits")
		}
		if got := s.text(); !strings.HasSuffix(got, "last words") || s.gaps() == 0 {
			t.Errorf("%d bytes, %d gaps", len(got), s.gaps())
		}
	})
}

func TestAStoppedPumpSendsNothing(t *testing.T) {
	pumped(t, func(t *testing.T, c *command, p *pump, s *screen) {
		p.stop()
		c.ring.Append([]byte("late"))
		c.end()
		if got := s.text(); got != "" {
			t.Errorf("%q", got)
		}
	})
}
