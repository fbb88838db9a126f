package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slowPeer is a connection whose peer reads nothing until listen.
func slowPeer(t *testing.T, o Options) (*Conn, *peer) {
	a, b := net.Pipe()
	o.Table = testTable
	c := New(a, o)
	c.Start()
	t.Cleanup(func() { b.Close(); c.Close(time.Second) })
	return c, &peer{t: t, conn: b, got: make(chan string, 10000)}
}

func tell(tag string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"tell","params":["%s"]}`, tag)
}

func TestControlOvertakesOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{})
		ctx := context.Background()
		c.Notify("tell", []string{"first"}) // this one is being written
		synctest.Wait()
		c.NotifyOutput(ctx, "tell", []string{"output 1"})
		c.NotifyOutput(ctx, "tell", []string{"output 2"})
		c.Notify("tell", []string{"control 1"})
		c.Notify("tell", []string{"control 2"})
		go p.listen()
		p.want(tell("first"), tell("control 1"), tell("control 2"), tell("output 1"), tell("output 2"))
	})
}

// Output must not slip into what is left of a write while control waits.
func TestControlLargerThanAWriteStillGoesFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{})
		c.Notify("tell", []string{"first"})
		synctest.Wait()
		c.NotifyOutput(context.Background(), "tell", []string{"output"})
		large := strings.Repeat("x", writeChunk*2/3)
		c.Notify("tell", []string{large})
		c.Notify("tell", []string{large})
		go p.listen()
		p.want(tell("first"), tell(large), tell(large), tell("output"))
	})
}

func TestMessageBehindAStreamTakesItsOutputAlong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{})
		ctx := context.Background()
		c.Notify("tell", []string{"first"})
		synctest.Wait()
		for i := range 3 {
			c.NotifyStream(ctx, "other", "tell", []string{fmt.Sprint("other ", i)})
			c.NotifyStream(ctx, "mine", "tell", []string{fmt.Sprint("mine ", i)})
		}
		c.Notify("tell", []string{"control"})
		c.NotifyBehind("mine", "tell", []string{"closed"})
		c.NotifyBehind("unknown", "tell", []string{"last"})
		go p.listen()
		p.want(tell("first"), tell("control"), tell("mine 0"), tell("mine 1"), tell("mine 2"), tell("closed"),
			tell("last"), tell("other 0"), tell("other 1"), tell("other 2"))
	})
}

func TestOutputWaitsForRoomAndItsContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		chunk := []string{strings.Repeat("x", 32<<10)}
		sent := 0
		var err error
		for err == nil {
			if err = c.NotifyOutput(ctx, "tell", chunk); err == nil {
				sent++
			}
		}
		if !errors.Is(err, context.DeadlineExceeded) || sent < 4 || sent > 12 {
			t.Errorf("%d chunks of 32 KiB sent, then %v; want some 256 KiB and the end of the context", sent, err)
		}
		if err := c.Notify("tell", []string{"control"}); err != nil {
			t.Errorf("control waits for output: %v", err)
		}
		more := make(chan error)
		go func() { more <- c.NotifyOutput(context.Background(), "tell", chunk) }()
		synctest.Wait()
		go p.listen()
		if err := <-more; err != nil {
			t.Errorf("output after the peer reads again: %v", err)
		}
	})
}

// Neither a notification nor a call's own context waits for a peer that does
// not read; and what is queued for it has an end.
func TestSendingNeverWaitsForAPeerThatDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{MaxFrame: 1 << 20})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := c.Call(ctx, "ask", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("call: %v", err)
		}
		chunk := []string{strings.Repeat("x", 100<<10)}
		sent := 0
		var err error
		for err == nil && sent < 100 {
			err = c.Notify("tell", chunk)
			sent++
		}
		if !errors.Is(err, ErrNotReading) || sent < 10 || sent > 13 {
			t.Errorf("after %d messages of 100 KiB: %v; want the peer given up past 1 MiB", sent, err)
		}
		<-c.Gone()
		if err := c.Err(); !errors.Is(err, ErrNotReading) {
			t.Errorf("Err = %v", err)
		}
		go p.listen() // too late: a message was lost already
		synctest.Wait()
		if err := c.Notify("tell", nil); !errors.Is(err, ErrNotReading) {
			t.Errorf("notify after a lost message: %v", err)
		}
	})
}

func TestFlushWaitsForWhatWasSentBefore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := slowPeer(t, Options{})
		if err := c.Flush(context.Background()); err != nil {
			t.Errorf("flush of nothing: %v", err)
		}
		for _, send := range []func(){
			func() { c.Notify("tell", []string{"first"}) },                              // being written
			func() { c.NotifyOutput(context.Background(), "tell", []string{"output"}) }, // queued
		} {
			send()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := c.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("flush while nobody reads: %v", err)
			}
		}
		go p.listen()
		if err := c.Flush(context.Background()); err != nil {
			t.Errorf("flush: %v", err)
		}
		synctest.Wait()
		if len(p.got) != 2 {
			t.Errorf("%d messages read after the flush, want 2", len(p.got))
		}
	})
}

func TestBurstsAreWrittenTogether(t *testing.T) {
	w := &countingWriter{}
	o := newOutbox(w, 1<<30)
	o.failed = func(error) {}
	enc := encoder{Headers, 1 << 20}
	for range 1000 {
		f, _ := enc.notification("tell", nil)
		o.sendControl(f, "")
	}
	big, _ := enc.notification("tell", []string{strings.Repeat("x", writeChunk)})
	o.sendControl(big, "")
	o.close(ErrClosed)
	o.run()
	if w.writes > 3 || w.bytes < 64<<10 {
		t.Errorf("%d writes for %d bytes", w.writes, w.bytes)
	}
}

type countingWriter struct{ writes, bytes int }

func (w *countingWriter) Write(b []byte) (int, error) {
	w.writes++
	w.bytes += len(b)
	return len(b), nil
}

func TestTraceSeesBodiesBothWays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		seen := make(chan string, 10)
		_, p := dial(t, Options{Trace: func(dir string, frame []byte) { seen <- dir + " " + string(frame) }}, nil)
		p.request("1", "nowhere")
		<-p.got
		if got := <-seen; got != `recv {"jsonrpc":"2.0","id":1,"method":"nowhere"}` {
			t.Errorf("trace: %s", got)
		}
		if got := <-seen; !strings.HasPrefix(got, `send {"jsonrpc":"2.0","id":1,"error":`) {
			t.Errorf("trace: %s", got)
		}
	})
}

// A queue that is full makes the reader wait, and loses nothing.
func TestFullQueueHoldsTheReaderUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		served := 0
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleNotification("note", func(json.RawMessage) { <-release; served++ })
		})
		sent := 0
		go func() {
			for range 3 * inboxMessages {
				p.send(`{"jsonrpc":"2.0","method":"note"}`)
				sent++
			}
		}()
		synctest.Wait()
		if held := sent; held < inboxMessages || held > 3*inboxMessages-500 {
			t.Errorf("%d messages were taken in while none was served", held)
		}
		close(release)
		synctest.Wait()
		if served != 3*inboxMessages {
			t.Errorf("%d messages served, want all %d", served, 3*inboxMessages)
		}
	})
}

func TestQueueCountsBytes(t *testing.T) {
	b := newInbox()
	b.push(message{size: 64 << 20}) // one always fits
	if !b.fullLocked(1) {
		t.Error("a queue with a giant frame takes more")
	}
	b.pop()
	if b.fullLocked(1) || b.bytes != 0 {
		t.Errorf("an empty queue holds %d bytes", b.bytes)
	}
}

func TestFifoKeepsOrderAndLetsMemoryGo(t *testing.T) {
	var q fifo[*int]
	next, taken := 0, 0
	for round := range 300 {
		for range round % 7 * 40 {
			v := next
			q.push(&v)
			next++
		}
		for range min(len(q.waiting()), round%5*50) {
			if v := *q.pop(); v != taken {
				t.Fatalf("took %d, want %d", v, taken)
			}
			taken++
		}
		for i, v := range q.items[:cap(q.items)] {
			if v != nil && (i < q.head || i >= len(q.items)) {
				t.Fatal("a taken item is still held")
			}
		}
		if len(q.items) > 2*len(q.waiting())+128 {
			t.Fatalf("%d slots for %d items", len(q.items), len(q.waiting()))
		}
	}
}
