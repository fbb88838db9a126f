package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A script that pipes its requests and closes the pipe still gets its answers.
func TestAnswersOutliveTheInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		in := `{"jsonrpc":"2.0","id":1,"method":"ordered"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"async"}`
		out, w := net.Pipe()
		c := New(halves{strings.NewReader(in), w, func() { w.Close() }}, Options{Framing: Lines, Table: testTable})
		c.HandleRequest("ordered", answerWith("one", nil))
		c.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // it takes a while to stop
			return "two", nil
		})
		c.Start()
		go func() {
			<-c.Gone()
			if err := c.Close(2 * time.Second); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		got, _ := io.ReadAll(out)
		want := `{"jsonrpc":"2.0","id":1,"result":"one"}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":"two"}` + "\n"
		if string(got) != want {
			t.Errorf("received %s, want %s", got, want)
		}
		if err := c.Notify("tell", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Notify after Close: %v", err)
		}
	})
}

func TestLostFramingEndsTheConnectionWithItsReason(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, func(c *Conn) { c.HandleRequest("ordered", answerWith(1, nil)) })
		p.request("1", "ordered")
		p.raw("Content-Length: nonsense\r\n\r\n")
		<-c.Gone()
		p.want(`{"jsonrpc":"2.0","id":1,"result":1}`)
		var fatal *FatalError
		if err := c.Err(); !errors.As(err, &fatal) || !strings.Contains(err.Error(), `impossible Content-Length "nonsense"`) {
			t.Errorf("Err = %v, want what was broken", err)
		}
		c.Close(time.Second)
		if err := c.Err(); !errors.As(err, &fatal) {
			t.Errorf("Err = %v after Close, want the first reason", err)
		}
	})
}

// A length counted in characters is too short: the frame is answered as bad
// JSON, and what is left of it is no header.
func TestLengthInCharactersDoesNotHang(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		body := `{"jsonrpc":"2.0","id":1,"method":"日本語"}`
		p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len([]rune(body)), body))
		p.wantError("null", CodeParse, "not JSON")
		go p.conn.Write([]byte("Content-Length: 2\r\n\r\n{}"))
		<-c.Gone()
		var fatal *FatalError
		if err := c.Err(); !errors.As(err, &fatal) {
			t.Errorf("Err = %v, want a fatal error", err)
		}
	})
}

func TestLateRestOfAFrameIsReported(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, nil)
		p.raw("Content-Length: 3\r\n\r\n{")
		p.raw("} ") // in time
		p.wantError("null", CodeInvalidRequest, "jsonrpc")
		time.Sleep(2 * partLate)
		p.raw("Content-Length: 50\r\n\r\n{}")
		time.Sleep(partLate - time.Second)
		if p.log.has("waiting for the rest") {
			t.Error("reported before it is late")
		}
		time.Sleep(2 * time.Second)
		if !p.log.has("waiting for the rest of a frame") || !p.log.has("want=50") {
			t.Error("no line in the log about a frame that does not end")
		}
	})
}

func TestCloseIsBoundedWhateverHandlersDo(t *testing.T) {
	for _, method := range []string{"ordered", "async"} {
		bubble(t, func(t *testing.T) {
			release := make(chan bool)
			c, p := dial(t, Options{}, func(c *Conn) {
				c.HandleRequest(method, func(context.Context, json.RawMessage) (any, error) { <-release; return nil, nil })
			})
			p.request("1", method)
			synctest.Wait()
			start := time.Now()
			err := c.Close(time.Second)
			if took := time.Since(start); err == nil || took > 3*time.Second {
				t.Errorf("Close: %v after %v; want an error soon after the grace", err, took)
			}
			if again := c.Close(time.Hour); again != err {
				t.Errorf("second Close: %v, want the first one's %v", again, err)
			}
			close(release)
		})
	}
}

// stuck is a transport that nothing interrupts, as a blocking descriptor is.
type stuck struct{ release chan bool }

func (s stuck) Read([]byte) (int, error)  { <-s.release; return 0, io.EOF }
func (s stuck) Write([]byte) (int, error) { <-s.release; return 0, io.ErrClosedPipe }
func (s stuck) Close() error              { <-s.release; return nil }

func TestCloseIsBoundedWhateverTheTransportDoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := stuck{make(chan bool)}
		c := New(s, Options{Table: testTable})
		c.Start()
		c.Notify("tell", nil)
		start := time.Now()
		err := c.Close(time.Second)
		if took := time.Since(start); err == nil || took > 3*time.Second {
			t.Errorf("Close: %v after %v; want an error soon after the grace", err, took)
		}
		close(s.release)
	})
}

func TestCloseWithoutStart(t *testing.T) {
	closed := false
	if err := New(halves{closed: func() { closed = true }}, Options{}).Close(0); err != nil || !closed {
		t.Errorf("Close: %v, transport closed: %v", err, closed)
	}
}

func TestCloseWaitsForAPendingCallOfNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		got := call(c, p) // never answered
		start := time.Now()
		if err := c.Close(time.Minute); err != nil || time.Since(start) > 0 {
			t.Errorf("Close: %v after %v; want nil at once", err, time.Since(start))
		}
		if a := <-got; !errors.Is(a.err, errGone) {
			t.Errorf("call: %v, want the connection's end", a.err)
		}
	})
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := net.Pipe()
		c := New(a, Options{Framing: Lines, Table: testTable})
		c.Start()
		for range 5000 {
			c.Notify("tell", nil)
		}
		c.NotifyOutput(context.Background(), "tell", []int{1})
		go c.Close(time.Second)
		got, _ := io.ReadAll(b)
		if n := strings.Count(string(got), "\n"); n != 5001 {
			t.Errorf("%d messages arrived, want 5001", n)
		}
	})
}

// brokenPipe fails every write; its input stays open.
type brokenPipe struct {
	writes int
	closed chan bool
}

func (b *brokenPipe) Read([]byte) (int, error)  { <-b.closed; return 0, os.ErrClosed }
func (b *brokenPipe) Write([]byte) (int, error) { b.writes++; return 0, errors.New("broken pipe") }
func (b *brokenPipe) Close() error              { close(b.closed); return nil }

func TestFailedWriteEndsTheConnectionOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &brokenPipe{closed: make(chan bool)}
		c := New(b, Options{Table: testTable})
		c.Start()
		c.Notify("tell", nil)
		<-c.Gone()
		for range 100 {
			if err := c.Notify("tell", nil); err == nil {
				t.Error("Notify succeeds on a broken pipe")
			}
		}
		if err := c.Flush(context.Background()); err == nil {
			t.Error("Flush succeeds on a broken pipe")
		}
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), "write: broken pipe") {
			t.Errorf("Err = %v, want the failed write", err)
		}
		if err := c.Close(time.Second); err != nil {
			t.Errorf("Close: %v", err)
		}
		if b.writes != 1 {
			t.Errorf("%d writes to a broken pipe, want 1", b.writes)
		}
	})
}
