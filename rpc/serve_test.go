package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
)

func TestMessagesAreServedInWireOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var order []string
		seen := func(params json.RawMessage) { order = append(order, string(params)) }
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleNotification("note", seen)
			c.HandleRequest("ordered", func(_ context.Context, params json.RawMessage) (any, error) {
				seen(params)
				return nil, nil
			})
			c.HandleStaged("async", func(params json.RawMessage) (func(context.Context) (any, error), error) {
				seen(params)
				return func(context.Context) (any, error) { return nil, nil }, nil
			})
		})
		var want []string
		for i := range 2000 {
			kind := []string{`"method":"note"`, `"method":"ordered","id":%d`, `"method":"async","id":%d`}[i%3]
			if i%3 > 0 {
				kind = fmt.Sprintf(kind, i)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0",%s,"params":[%d]}`, kind, i))
			want = append(want, fmt.Sprintf("[%d]", i))
		}
		synctest.Wait()
		if got := strings.Join(order, ""); got != strings.Join(want, "") {
			t.Error("messages were not served in the order they were sent")
		}
	})
}

// Handlers derive contexts, also in order, and leave goroutines behind that
// still look at them: the context is the request's own.
func TestContextsBelongToTheirRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ended := make(chan error, 300)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("ordered", func(ctx context.Context, _ json.RawMessage) (any, error) {
				sub, stop := context.WithTimeout(ctx, time.Hour)
				go func() {
					defer stop()
					<-sub.Done()
					ended <- sub.Err()
				}()
				return nil, nil
			})
		})
		for i := range 300 {
			p.request(fmt.Sprint(i), "ordered")
		}
		for range 300 {
			if err := <-ended; err != context.Canceled {
				t.Fatalf("derived context ended with %v, want the end of its request", err)
			}
		}
	})
}

func TestMethodsAndParamsOutliveTheirFrame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refused := map[string]int{}
		var kept []json.RawMessage
		_, p := dial(t, Options{
			Gate: func(method string, _ Kind) *Error { refused[method]++; return nil },
		}, func(c *Conn) {
			c.HandleNotification("note", func(params json.RawMessage) { kept = append(kept, params) })
		})
		for i := range 200 {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"note","params":[%q,%d]}`, strings.Repeat("x", i%50), i))
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"other%d"}`, i%2))
		}
		synctest.Wait()
		if len(refused) != 3 || refused["note"] != 200 || refused["other0"] != 100 || refused["other1"] != 100 {
			t.Errorf("methods seen: %v", refused)
		}
		for i, params := range kept {
			if want := fmt.Sprintf(`[%q,%d]`, strings.Repeat("x", i%50), i); string(params) != want {
				t.Fatalf("params %d changed to %s, want %s", i, params, want)
			}
		}
	})
}

func TestHangUpEndsRunningHandlersAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		started, cause := make(chan bool), make(chan error)
		c, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
				started <- true
				<-ctx.Done()
				cause <- context.Cause(ctx)
				return nil, ctx.Err()
			})
		})
		p.request("1", "async")
		<-started
		select {
		case <-c.Gone():
			t.Error("gone while the peer is there")
		default:
		}
		p.conn.Close()
		<-c.Gone()
		if err := <-cause; !errors.Is(err, errGone) {
			t.Errorf("handler's context ended with %v", err)
		}
		if err := c.Err(); err != nil {
			t.Errorf("Err = %v after a clean end, want nil", err)
		}
	})
}

func TestCancellationReachesRequestsByAnyId(t *testing.T) {
	for _, id := range []string{"1", "-7", "4294967296", "9223372036854775807", `"abc"`, `"\u00e9\n"`} {
		bubble(t, func(t *testing.T) {
			_, p := dial(t, Options{}, func(c *Conn) {
				c.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
					<-ctx.Done()
					return nil, fmt.Errorf("waiting: %w", ctx.Err())
				})
			})
			p.request(id, "async")
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
			var m struct{ ID, Error json.RawMessage }
			json.Unmarshal([]byte(<-p.got), &m)
			if string(m.Error) != `{"code":-32800,"message":"request cancelled"}` || !sameJSON(m.ID, id) {
				t.Errorf("id %s: answered %s with %s", id, m.ID, m.Error)
			}
		})
	}
}

func sameJSON(a json.RawMessage, b string) bool {
	x, _ := parseID(a)
	y, _ := parseID(json.RawMessage(b))
	return x == y
}

func TestSenselessCancellationsAreIgnored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
				<-release
				return "done", ctx.Err()
			})
		})
		p.request("1", "async")
		for _, params := range []string{
			``, `,"params":null`, `,"params":[]`, `,"params":{}`, `,"params":5`,
			`,"params":{"id":null}`, `,"params":{"id":1.5}`, `,"params":{"id":"1"}`, `,"params":{"id":2}`, `,"params":{"id":{}}`,
		} {
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest"` + params + `}`)
		}
		p.send(`{"jsonrpc":"2.0","id":5,"method":"$/cancelRequest","params":{"id":1}}`)
		p.wantError("5", CodeInvalidRequest, "is a notification")
		release <- true
		p.want(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
	})
}

// The handler of a cancelled request decides: it may still have a result.
func TestCancelledRequestMayAnswerWithAResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("async", func(ctx context.Context, _ json.RawMessage) (any, error) {
				<-ctx.Done()
				return "cancelled", nil
			})
		})
		p.request("1", "async")
		p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
		p.want(`{"jsonrpc":"2.0","id":1,"result":"cancelled"}`)
		p.request("1", "async") // the id is free again
		p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
		p.want(`{"jsonrpc":"2.0","id":1,"result":"cancelled"}`)
	})
}

// What pre-empts is seen while an in-order handler holds up everything else.
func TestPreemptingMethodsOvertakeABlockedQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen, served []string
		urgent := make(chan bool)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("ordered", func(ctx context.Context, params json.RawMessage) (any, error) {
				if params == nil {
					<-urgent
				}
				served = append(served, "ordered")
				return nil, ctx.Err()
			})
			c.HandlePreempt("urgent", func(params json.RawMessage) { seen = append(seen, "urgent"); close(urgent) })
			c.HandlePreempt("urgentNote", func(json.RawMessage) { seen = append(seen, "urgentNote") })
			c.HandleRequest("urgent", func(context.Context, json.RawMessage) (any, error) {
				served = append(served, "urgent")
				return "u", nil
			})
		})
		p.request("1", "ordered")
		p.send(`{"jsonrpc":"2.0","id":2,"method":"ordered","params":[]}`)
		p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`)
		p.send(`{"jsonrpc":"2.0","method":"urgentNote"}`)
		synctest.Wait()
		if len(served) != 0 || fmt.Sprint(seen) != "[urgentNote]" {
			t.Errorf("while blocked: served %v, seen %v", served, seen)
		}
		p.request("3", "urgent")
		p.want(`{"jsonrpc":"2.0","id":1,"result":null}`)
		p.wantError("2", CodeRequestCancelled, "cancelled") // never started
		p.want(`{"jsonrpc":"2.0","id":3,"result":"u"}`)
		if fmt.Sprint(served) != "[ordered urgent]" {
			t.Errorf("served %v", served)
		}
	})
}

func TestStagedRequestsPrepareInOrderAndRunAside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleStaged("async", func(params json.RawMessage) (func(context.Context) (any, error), error) {
				switch string(params) {
				case `["bad"]`:
					return nil, &Error{Code: CodeInvalidParams, Message: "bad"}
				case `["nothing"]`:
					return nil, nil
				}
				return func(context.Context) (any, error) { <-release; return "slow", nil }, nil
			})
			c.HandleRequest("ordered", answerWith("quick", nil))
		})
		p.request("1", "async")
		p.request("2", "ordered")
		p.want(`{"jsonrpc":"2.0","id":2,"result":"quick"}`)
		p.send(`{"jsonrpc":"2.0","id":3,"method":"async","params":["bad"]}`, `{"jsonrpc":"2.0","id":4,"method":"async","params":["nothing"]}`)
		p.wantError("3", CodeInvalidParams, "bad")
		p.want(`{"jsonrpc":"2.0","id":4,"result":null}`)
		release <- true
		p.want(`{"jsonrpc":"2.0","id":1,"result":"slow"}`)
	})
}

func TestErrorsCarryCodeKindAndHint(t *testing.T) {
	var typedNil *Error
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errors.New("disk full"), `{"code":-32603,"message":"disk full"}`},
		{&Error{Message: "x"}, `{"code":-32603,"message":"x"}`},
		{&Error{Code: 1 << 40, Message: "x"}, `{"code":-32603,"message":"x"}`},
		{&Error{Code: -32801, Message: "changed", Kind: "stale", Hint: "ask again"}, `{"code":-32801,"message":"changed","data":{"kind":"stale","hint":"ask again"}}`},
		{fmt.Errorf("open a.go: %w", &Error{Code: -32602, Message: "no such file", Kind: "k"}), `{"code":-32602,"message":"open a.go: no such file","data":{"kind":"k"}}`},
		{jsonrpc2.Errorf(-5, "theirs"), `{"code":-5,"message":"theirs"}`},
		{context.Canceled, `{"code":-32603,"message":"context canceled"}`},
		{context.DeadlineExceeded, `{"code":-32603,"message":"context deadline exceeded"}`},
		{errors.New("bad \xff byte"), "{\"code\":-32603,\"message\":\"bad \ufffd byte\"}"},
		{typedNil, `{"code":-32603,"message":"internal error"}`},
	} {
		for _, method := range []string{"ordered", "async"} {
			bubble(t, func(t *testing.T) {
				_, p := dial(t, Options{}, func(c *Conn) { c.HandleRequest(method, answerWith(nil, tc.err)) })
				p.request("1", method)
				p.want(`{"jsonrpc":"2.0","id":1,"error":` + tc.want + `}`)
			})
		}
	}
}

// explosive panics when it is encoded.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("boom in MarshalJSON") }

func TestPanicsAreAnsweredAndRecorded(t *testing.T) {
	boom := func(context.Context, json.RawMessage) (any, error) { panic("boom") }
	for name, setup := range map[string]func(c *Conn){
		"ordered": func(c *Conn) { c.HandleRequest("ordered", boom) },
		"async":   func(c *Conn) { c.HandleRequest("async", boom) },
		"urgent":  func(c *Conn) { c.HandleRequest("urgent", answerWith(explosive{}, nil)) },
	} {
		bubble(t, func(t *testing.T) {
			_, p := dial(t, Options{}, func(c *Conn) {
				setup(c)
				c.HandleNotification("note", func(json.RawMessage) { panic("boom in a note") })
				c.HandlePreempt("urgentNote", func(json.RawMessage) { panic("boom in a look") })
				c.HandleRequest("unserved", answerWith(AfterSend(2, func() { panic("boom in a hook") }), nil))
			})
			p.request("1", name)
			p.wantError("1", CodeInternal, "internal error in "+name)
			p.send(`{"jsonrpc":"2.0","method":"note"}`, `{"jsonrpc":"2.0","method":"urgentNote"}`)
			for range 2 {
				p.request("2", "unserved")
				p.want(`{"jsonrpc":"2.0","id":2,"result":2}`)
			}
			for _, word := range []string{"boom", "boom in a note", "boom in a look", "boom in a hook", "serve_test.go"} {
				if !p.log.has(word) {
					t.Errorf("the record of a panic lacks %q", word)
				}
			}
		})
	}
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleStaged("async", func(json.RawMessage) (func(context.Context) (any, error), error) { panic("boom") })
		})
		p.request("1", "async")
		p.wantError("1", CodeInternal, "internal error in async")
		p.wantAlive()
	})
}

func TestOnlyTheTableIsServed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("ordered", answerWith(nil, nil))
			c.HandleNotification("note", func(json.RawMessage) {})
		})
		for method, want := range map[string]struct {
			code int64
			word string
		}{
			"nowhere":  {CodeMethodNotFound, "not known"},
			"$/else":   {CodeMethodNotFound, "not known"},
			"unserved": {CodeMethodNotFound, "not served"},
			"ask":      {CodeMethodNotFound, "goes from bridge to editor"},
			"note":     {CodeInvalidRequest, "is a notification and was sent as a request"},
		} {
			p.request("1", method)
			p.wantError("1", want.code, want.word)
		}
		for _, method := range []string{"nowhere", "$/else", "ordered", "ask", "tell", ""} {
			p.send(`{"jsonrpc":"2.0","method":"` + method + `"}`)
		}
		p.wantQuiet()
		p.wantAlive()
		if !p.log.has("is a request and was sent as a notification") {
			t.Error("a request sent as a notification leaves no trace in the log")
		}
	})
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{Table: Table{}}, nil)
		p.request("1", "ordered")
		p.wantError("1", CodeMethodNotFound, "not known")
	})
}

func TestGateRefusesInWireOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		open := false
		var notes int
		_, p := dial(t, Options{Gate: func(method string, kind Kind) *Error {
			if open || method == "ordered" {
				return nil
			}
			return &Error{Code: CodeNotInitialized, Message: "not yet"}
		}}, func(c *Conn) {
			c.HandleRequest("ordered", func(context.Context, json.RawMessage) (any, error) { open = true; return nil, nil })
			c.HandleRequest("async", answerWith("served", nil))
			c.HandleNotification("note", func(json.RawMessage) { notes++ })
		})
		p.send(`{"jsonrpc":"2.0","method":"note"}`)
		p.request("1", "async")
		p.request("2", "nowhere")
		p.request("3", "ordered")
		p.request("4", "async")
		p.send(`{"jsonrpc":"2.0","method":"note"}`)
		p.wantError("1", CodeNotInitialized, "not yet")
		p.wantError("2", CodeNotInitialized, "not yet")
		p.want(`{"jsonrpc":"2.0","id":3,"result":null}`, `{"jsonrpc":"2.0","id":4,"result":"served"}`)
		synctest.Wait()
		if notes != 1 {
			t.Errorf("%d notifications passed the gate, want 1", notes)
		}
	})
}

func TestIdInUseIsRefusedAndTheFirstRequestGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("async", func(context.Context, json.RawMessage) (any, error) { <-release; return 1, nil })
		})
		p.request("1", "async")
		p.request("1", "async")
		p.wantError("1", CodeInvalidRequest, "in use")
		release <- true
		p.want(`{"jsonrpc":"2.0","id":1,"result":1}`)
	})
}

func TestUnansweredRequestsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		_, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("async", func(context.Context, json.RawMessage) (any, error) { <-release; return nil, nil })
		})
		for i := range maxFlights {
			p.request(fmt.Sprint(i), "async")
		}
		p.request("-1", "async")
		p.wantError("-1", CodeInternal, "unanswered already")
		close(release)
		for range maxFlights {
			<-p.got
		}
		p.wantAlive()
	})
}

func TestRegistrationThatContradictsTheTablePanics(t *testing.T) {
	request := answerWith(nil, nil)
	for name, register := range map[string]func(c *Conn){
		"unknown":   func(c *Conn) { c.HandleRequest("nowhere", request) },
		"kind":      func(c *Conn) { c.HandleRequest("note", request) },
		"direction": func(c *Conn) { c.HandleRequest("ask", request) },
		"stages":    func(c *Conn) { c.HandleStaged("ordered", nil) },
		"preempt":   func(c *Conn) { c.HandlePreempt("async", nil) },
		"late":      func(c *Conn) { c.started = true; c.HandleRequest("ordered", request) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register(New(halves{closed: func() {}}, Options{Table: testTable}))
		}()
	}
}
