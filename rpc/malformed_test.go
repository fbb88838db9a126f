package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A malformed message in an intact frame costs its sender an error answer,
// under the message's own id where that can be read, and nobody anything else.
func TestMalformedMessagesAreAnsweredAndTheConnectionLives(t *testing.T) {
	for _, tc := range []struct {
		body string
		id   string
		code int64
		word string
	}{
		{``, "null", CodeParse, "not JSON"},
		{`{`, "null", CodeParse, "not JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"ordered"`, "null", CodeParse, "not JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"ordered"}x`, "null", CodeParse, "not JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"ordered"}{}`, "null", CodeParse, "not JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"ordered","params":{"a":1,,}}`, "null", CodeParse, "not JSON"},
		{`{"jsonrpc":"2.0","id":01,"method":"ordered"}`, "null", CodeParse, "not JSON"},
		{strings.Repeat("[", 100000) + strings.Repeat("]", 100000), "null", CodeParse, "not JSON"},
		{`1`, "null", CodeInvalidRequest, "object"},
		{`"x"`, "null", CodeInvalidRequest, "object"},
		{`null`, "null", CodeInvalidRequest, ""},
		{`{}`, "null", CodeInvalidRequest, "jsonrpc"},
		{`[]`, "null", CodeInvalidRequest, "empty batch"},
		{`{"jsonrpc":"2.0"}`, "null", CodeInvalidRequest, "neither method"},
		{`{"id":1,"method":"ordered"}`, "1", CodeInvalidRequest, `not "2.0"`},
		{`{"jsonrpc":"1.0","id":"a","method":"ordered"}`, `"a"`, CodeInvalidRequest, `not "2.0"`},
		{`{"jsonrpc":2.0,"id":1,"method":"ordered"}`, "1", CodeInvalidRequest, `not "2.0"`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ordered"}`, "null", CodeInvalidRequest, "id is neither"},
		{`{"jsonrpc":"2.0","id":9223372036854775808,"method":"ordered"}`, "null", CodeInvalidRequest, "id is neither"},
		{`{"jsonrpc":"2.0","id":{},"method":"ordered"}`, "null", CodeInvalidRequest, "id is neither"},
		{`{"jsonrpc":"2.0","id":true,"method":"ordered"}`, "null", CodeInvalidRequest, "id is neither"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "1", CodeInvalidRequest, "method is not a string"},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, "1", CodeInvalidRequest, "method is not a string"},
		{`{"jsonrpc":"2.0","id":1,"method":"ordered","result":1}`, "1", CodeInvalidRequest, "both a request and an answer"},
		{`{"jsonrpc":"2.0","id":1.5,"result":1}`, "null", CodeInvalidRequest, "id is neither"},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, "1", CodeMethodNotFound, "not known"},
	} {
		for _, framing := range []Framing{Headers, Lines} {
			if tc.body == "" && framing == Lines {
				continue // a blank line is no message
			}
			bubble(t, func(t *testing.T) {
				_, p := dial(t, Options{Framing: framing}, nil)
				p.send(tc.body)
				p.wantError(tc.id, tc.code, tc.word)
				p.wantAlive()
				p.wantQuiet()
			})
		}
	}
}

func TestByteOrderMarkIsTolerated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) { c.HandleRequest("ordered", answerWith(1, nil)) })
		p.raw("\xef\xbb\xbf")
		p.send("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ordered"}`)
		p.want(`{"jsonrpc":"2.0","id":1,"result":1}`)
	})
}

func TestDuplicateMembersCountLastAndEscapedMethodsAreRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, func(c *Conn) { c.HandleRequest("ordered", echo) })
		p.send(`{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ordered","params":[1],"params":[2]}`,
			`{"jsonrpc":"2.0","id":3,"method":"\u006frdered","params":["\ud83d\ude00"]}`)
		p.want(`{"jsonrpc":"2.0","id":2,"result":[2]}`, `{"jsonrpc":"2.0","id":3,"result":["\ud83d\ude00"]}`)
	})
}

// call makes the connection ask, and returns the answer's channel once the
// question is on the wire.
func call(c *Conn, p *peer) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		var a answer
		a.err = c.Call(context.Background(), "ask", nil, &a.result)
		got <- a
	}()
	p.want(`{"jsonrpc":"2.0","method":"ask","id":1}`)
	return got
}

type answer struct {
	result json.RawMessage
	err    error
}

func TestAnswersWithASuperfluousNullAreAccepted(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}`:                       `{"a":1} <nil>`,
		`{"jsonrpc":"2.0","id":1,"result":null,"error":null}`:                          `null <nil>`,
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                       `null <nil>`,
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32000,"message":"m"}}`: ` m`,
	} {
		bubble(t, func(t *testing.T) {
			c, p := dial(t, Options{}, nil)
			got := call(c, p)
			p.send(body)
			if a := <-got; fmt.Sprintf("%s %v", a.result, a.err) != want {
				t.Errorf("%s was taken as %s, %v; want %s", body, a.result, a.err, want)
			}
		})
	}
}

// An answer that cannot be understood must end the wait for it all the same,
// and must never look like a yes.
func TestMalformedAnswersFailTheirCall(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1}`,
		`{"id":1,"result":{"ok":true}}`,
		`{"jsonrpc":"1.0","id":1,"result":{"ok":true}}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`,
		`{"jsonrpc":"2.0","id":1,"error":"no"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":99999999999,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"ok":true},"error":{"code":1,"message":"m"}}`,
	} {
		bubble(t, func(t *testing.T) {
			c, p := dial(t, Options{}, nil)
			got := call(c, p)
			p.send(body)
			a := <-got
			var e *Error
			if !errors.As(a.err, &e) || !strings.Contains(e.Message, "malformed answer") || a.result != nil {
				t.Errorf("%s was taken as %s, %v; want a malformed answer", body, a.result, a.err)
			}
			p.wantQuiet() // an answer is never answered
			p.wantAlive()
		})
	}
}

func TestAnswersNobodyWaitsForAreIgnored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, nil)
		p.send(`{"jsonrpc":"2.0","id":99,"result":1}`, `{"jsonrpc":"2.0","id":"x","result":1}`,
			`{"jsonrpc":"2.0","id":null,"result":1}`, `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"m"}}`,
			`{"jsonrpc":"2.0","id":-1,"result":1}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`)
		p.wantQuiet()
		p.wantAlive()
	})
}

func TestOversizedFrameIsAnsweredUnderItsOwnId(t *testing.T) {
	pad := strings.Repeat("x", 10000)
	for _, tc := range []struct{ body, id string }{
		{`{"jsonrpc":"2.0","id":7,"method":"ordered","params":["` + pad + `"]}`, "7"},
		{`{"id":"s","params":["` + pad + `"],"method":"ordered","jsonrpc":"2.0"}`, `"s"`},
		{`{"jsonrpc":"2.0","method":"ordered","params":["` + pad + `"],"id":7}`, "null"},
		{`{"jsonrpc":"2.0","method":"note","params":["` + pad + `"]}`, "null"},
		{`[{"jsonrpc":"2.0","id":7,"method":"ordered","params":["` + pad + `"]}]`, "null"},
		{`{"id":7,"pad":"` + pad + `","jsonrpc":"2.0","method":"ordered"}`, "null"}, // 7 may be anybody's
		{pad, "null"},
	} {
		for _, framing := range []Framing{Headers, Lines} {
			bubble(t, func(t *testing.T) {
				_, p := dial(t, Options{MaxFrame: 5000, Framing: framing}, nil)
				p.send(tc.body)
				p.wantError(tc.id, CodeInvalidRequest, "limit of 5000 bytes")
				p.wantAlive()
			})
		}
	}
}

func TestOversizedAnswerFailsItsCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, p := dial(t, Options{MaxFrame: 5000}, nil)
		got := call(c, p)
		p.send(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 10000) + `"}`)
		if a := <-got; a.err == nil || !strings.Contains(a.err.Error(), "limit of 5000 bytes") {
			t.Errorf("call: %v; want the limit named", a.err)
		}
		p.wantQuiet()
		p.wantAlive()
	})
}

func TestBatchesAreAnsweredTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var notes int
		c, p := dial(t, Options{}, func(c *Conn) {
			c.HandleRequest("ordered", echo)
			c.HandleRequest("async", echo)
			c.HandleNotification("note", func(json.RawMessage) { notes++ })
		})
		got := call(c, p)
		p.send(`[{"jsonrpc":"2.0","id":"a","method":"async","params":[1]}, {"jsonrpc":"2.0","method":"note"}, 3,
			{"jsonrpc":"2.0","id":1,"result":"yes"}, {"jsonrpc":"2.0","id":2,"method":"ordered","params":[2]},
			{"jsonrpc":"2.0","id":3,"method":"nowhere"}, {"id":4,"method":"ordered"}]`)
		var answers []json.RawMessage
		if err := json.Unmarshal([]byte(<-p.got), &answers); err != nil || len(answers) != 5 {
			t.Fatalf("%d answers, %v; want 5", len(answers), err)
		}
		if s := string(answers[0]); s != `{"jsonrpc":"2.0","id":"a","result":[1]}` {
			t.Errorf("first answer %s", s)
		}
		checkError(t, string(answers[1]), "null", CodeInvalidRequest, "object")
		if s := string(answers[2]); s != `{"jsonrpc":"2.0","id":2,"result":[2]}` {
			t.Errorf("third answer %s", s)
		}
		checkError(t, string(answers[3]), "3", CodeMethodNotFound, "nowhere")
		checkError(t, string(answers[4]), "4", CodeInvalidRequest, "2.0")
		if a := <-got; string(a.result) != `"yes"` || a.err != nil {
			t.Errorf("call in the batch: %s, %v", a.result, a.err)
		}
		if notes != 1 {
			t.Errorf("%d notifications, want 1", notes)
		}
		p.send(`[{"jsonrpc":"2.0","method":"note"}]`)
		p.wantQuiet()
	})
}

func TestGiantBatchIsRefusedWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, p := dial(t, Options{}, nil)
		p.send("[" + strings.Repeat("1,", maxBatch) + "1]")
		p.wantError("null", CodeInvalidRequest, "more than 1000")
		p.wantAlive()
	})
}
