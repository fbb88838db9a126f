package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
)

func TestCallReturnsTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		bridge, _ := pair(t, func(_, editor *Conn) {
			editor.HandleRequest("ask", func(_ context.Context, params json.RawMessage) (any, error) {
				if params == nil {
					return nil, &Error{Code: -32801, Message: "changed", Kind: "stale", Hint: "again"}
				}
				return params, nil
			})
		})
		var got struct{ Name string }
		if err := bridge.Call(context.Background(), "ask", map[string]string{"name": "a<b>&\xff"}, &got); err != nil || got.Name != "a<b>&\ufffd" {
			t.Errorf("call: %+v, %v", got, err)
		}
		err := bridge.Call(context.Background(), "ask", nil, &got)
		var e *Error
		if !errors.As(err, &e) || *e != (Error{-32801, "changed", "stale", "again"}) {
			t.Errorf("call: %#v, want the peer's error whole", err)
		}
	})
}

func TestManyCallsBothWaysAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		bridge, editor := pair(t, func(bridge, editor *Conn) {
			editor.HandleRequest("ask", echo)
			bridge.HandleRequest("async", func(ctx context.Context, params json.RawMessage) (any, error) {
				var got json.RawMessage
				err := bridge.Call(ctx, "ask", params, &got)
				return got, err
			})
		})
		var all sync.WaitGroup
		for i := range 500 {
			all.Go(func() {
				from, method := bridge, "ask"
				if i%2 == 0 {
					from, method = editor, "async"
				}
				pad := strings.Repeat("x", 5000)
				var got []any
				err := from.Call(context.Background(), method, []any{i, pad}, &got)
				if err != nil || len(got) != 2 || got[0] != float64(i) || got[1] != pad {
					t.Errorf("call %d: %.40v, %v", i, got, err)
				}
			})
		}
		all.Wait()
	})
}

func TestAbandonedCallTellsThePeerAndReturnsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		ctx, cancel := context.WithCancelCause(context.Background())
		why := errors.New("the turn is over")
		time.AfterFunc(time.Second, func() { cancel(why) })
		start := time.Now()
		err := c.Call(ctx, "ask", nil, nil)
		if !errors.Is(err, why) || time.Since(start) != time.Second {
			t.Errorf("call: %v after %v; want the reason, at once", err, time.Since(start))
		}
		p.want(`{"jsonrpc":"2.0","method":"ask","id":1}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":"allow"}`) // too late
		p.wantAlive()
		if err := c.Call(ctx, "ask", nil, nil); !errors.Is(err, why) {
			t.Errorf("call with an ended context: %v", err)
		}
		p.wantQuiet() // nothing was asked
	})
}

// Cancelling the outer request withdraws the question its handler asks, and
// the other way round the question's handler learns of it.
func TestCancellationTravelsThroughACallback(t *testing.T) {
	bubble(t, func(t *testing.T) {
		withdrawn := make(chan error, 1)
		_, editor := pair(t, func(bridge, editor *Conn) {
			editor.HandleRequest("ask", func(ctx context.Context, _ json.RawMessage) (any, error) {
				<-ctx.Done()
				withdrawn <- context.Cause(ctx)
				return nil, ctx.Err()
			})
			bridge.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
				return nil, bridge.Call(ctx, "ask", nil, nil)
			})
		})
		ctx, cancel := context.WithCancel(context.Background())
		go func() { synctest.Wait(); cancel() }()
		editor.Call(ctx, "async", nil, nil)
		if err := <-withdrawn; !errors.Is(err, errCancelled) {
			t.Errorf("the question's context ended with %v", err)
		}
	})
}

func TestCallEndsWithTheConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		go func() { <-p.got; p.conn.Close() }()
		if err := c.Call(context.Background(), "ask", nil, nil); !errors.Is(err, errGone) {
			t.Errorf("call: %v, want the connection's end", err)
		}
		if err := c.Call(context.Background(), "ask", nil, nil); !errors.Is(err, errGone) {
			t.Errorf("call afterwards: %v, want the connection's end", err)
		}
	})
}

func TestInOrderHandlerThatCallsIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("ordered", func(ctx context.Context, _ json.RawMessage) (any, error) {
				sub, stop := context.WithTimeout(ctx, time.Minute)
				defer stop()
				return nil, c.Call(sub, "ask", nil, nil)
			})
		})
		p.request("1", "ordered")
		p.wantError("1", CodeInternal, "would wait for itself")
	})
}

// An answer is delivered after what was sent before it: a client that changes
// the document and then answers is understood in that order.
func TestAnswerComesAfterEarlierNotifications(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var changed bool
		c, p := dial(t, Options{}, func(c *Conn) {
			c.HandleNotification("note", func(json.RawMessage) { time.Sleep(time.Second); changed = true })
		})
		got := call(c, p)
		p.send(`{"jsonrpc":"2.0","method":"note"}`, `{"jsonrpc":"2.0","id":1,"result":1}`)
		if a := <-got; a.err != nil || !changed {
			t.Errorf("answer %v came before the notification in front of it", a.err)
		}
	})
}

func TestSendingAgainstTheTableFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		ctx := context.Background()
		for name, err := range map[string]error{
			"direction":        c.Call(ctx, "async", nil, nil),
			"kind of call":     c.Call(ctx, "tell", nil, nil),
			"kind of note":     c.Notify("ask", nil),
			"direction, note":  c.Notify("note", nil),
			"direction, lane":  c.NotifyOutput(ctx, "note", nil),
			"invalid raw":      c.Notify("tell", json.RawMessage(`{"a":1,,}`)),
			"invalid raw, too": c.Call(ctx, "ask", jsonrpc2.RawMessage(`{`), nil),
			"no JSON":          c.Notify("tell", make(chan int)),
		} {
			if err == nil {
				t.Errorf("%s: sent without an error", name)
			}
		}
		p.wantQuiet()
		p.wantAlive()
	})
}

func TestValuesAreEncodedThePlainWay(t *testing.T) {
	type value struct {
		Flag  bool          `json:"flag"`
		Empty int           `json:"empty,omitempty"`
		List  []int         `json:"list"`
		Wait  time.Duration `json:"wait"`
	}
	for _, tc := range []struct {
		params any
		want   string
	}{
		{value{}, `,"params":{"flag":false,"list":null,"wait":0}`},
		{map[string]string{"out": "\x1b[1m\xff\xfe<&>\u2028"}, ",\"params\":{\"out\":\"\\u001b[1m\\ufffd\\ufffd<&>\\u2028\"}"},
		{json.RawMessage("{\"a\":\n\"\xff\"}"), ",\"params\":{\"a\":\n\"\ufffd\"}"},
		{jsonrpc2.RawMessage(`[1]`), `,"params":[1]`},
		{nil, ``},
		{json.RawMessage(nil), ``},
		{(*value)(nil), ``},
		{json.RawMessage(`null`), ``},
	} {
		for _, framing := range []Framing{Headers, Lines} {
			bubble(t, func(t *testing.T) {
				c, p := dial(t, Options{Framing: framing}, nil)
				want := `{"jsonrpc":"2.0","method":"tell"` + tc.want + `}`
				if framing == Lines {
					want = strings.ReplaceAll(want, "\n", "")
				}
				if err := c.Notify("tell", tc.params); err != nil {
					t.Errorf("notify: %v", err)
				}
				p.want(want)
			})
		}
	}
}

func TestResultsAreDecodedThePlainWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{}, nil)
		got := make(chan string)
		go func() {
			var v struct{ CamelCase string }
			err := c.Call(context.Background(), "ask", nil, &v)
			got <- fmt.Sprint(v.CamelCase, err)
		}()
		<-p.got
		p.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"camelcase\":\"a\",\"camelCase\":\"b\xff\",\"more\":1}}")
		if s := <-got; s != "b\ufffd<nil>" {
			t.Errorf("decoded %s", s)
		}
	})
}

func TestFrameOverTheLimitIsNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		giant := strings.Repeat("x", 6000)
		c, p := dial(t, Options{MaxFrame: 5000}, func(c *Conn) {
			c.HandleRequest("ordered", answerWith(giant, nil))
		})
		if err := c.Notify("tell", []string{giant}); err == nil || !strings.Contains(err.Error(), "limit of 5000") {
			t.Errorf("notify: %v, want the limit named", err)
		}
		p.request("1", "ordered")
		p.wantError("1", CodeInternal, "limit of 5000")
		p.send("[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"nowhere"},`, 60) + "1]")
		p.wantError("null", CodeInternal, "limit of 5000")
		p.wantAlive()
	})
}
