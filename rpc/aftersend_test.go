package rpc

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
)

// What is sent from AfterSend's hook on follows the answer, whatever became of
// the result.
func TestAfterSendFollowsTheAnswer(t *testing.T) {
	for name, result := range map[string]any{"a result": "fine", "one that cannot be encoded": make(chan int)} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			c := New(ours, Options{Framing: Lines, Table: Table{
				"ask":  {Name: "ask", Kind: Request, Policy: Async},
				"note": {Name: "note", Direction: ToEditor, Kind: Notification},
			}})
			c.HandleRequest("ask", func(context.Context, json.RawMessage) (any, error) {
				return AfterSend(result, func() { _ = c.Notify("note", nil) }), nil
			})
			c.Start()
			if _, err := io.WriteString(theirs, `{"jsonrpc":"2.0","id":1,"method":"ask"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			dec := json.NewDecoder(theirs)
			var first, second json.RawMessage
			if err := dec.Decode(&first); err != nil {
				t.Fatal(err)
			}
			if err := dec.Decode(&second); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(first), `"id":1`) || !strings.Contains(string(second), `"note"`) {
				t.Errorf("first %s, then %s", first, second)
			}
			theirs.Close()
			_ = c.Close(0)
		})
	}
}
