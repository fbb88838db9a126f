package headless

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"
	"time"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
)

// The answer of a subagent that comes to an end together with the turn begins one of
// its own: a run ends with that, though nothing works any more when its prompt is answered.
func TestARunHearsAnAnswerThatCameLast(t *testing.T) {
	here, there := net.Pipe()
	table := protocol.Table()
	b := rpc.New(there, rpc.Options{Table: table, Accepts: rpc.ToBridge})
	tell := func(method, params string) {
		if err := b.Notify(method, json.RawMessage(`{"sessionId":"s1","seq":1,`+params+`}`)); err != nil {
			t.Error(err)
		}
	}
	worker := `"subagent":{"subagentId":"subagent-ada","sessionId":"s2","callId":"c1","title":"Look","model":"m:x","state":`
	b.HandleRequest("session/prompt", func(context.Context, json.RawMessage) (any, error) {
		tell("turn/started", `"turnId":"t1"`)
		tell("subagent/updated", worker+`"running"}`)
		tell("subagent/updated", worker+`"idle"}`)
		tell("turn/completed", `"turnId":"t1","stopReason":"endTurn","usage":{}`)
		time.AfterFunc(20*time.Millisecond, func() {
			tell("turn/started", `"turnId":"t2"`)
			tell("turn/completed", `"turnId":"t2","stopReason":"maxTokens","usage":{}`)
		})
		return protocol.PromptResult{TurnID: "t1", StopReason: protocol.StopEndTurn}, nil
	})
	b.Start()
	defer b.Close(time.Second)
	e := connect(here, Options{Prompt: "go", View: &TextView{Out: io.Discard}})
	defer e.conn.Close(time.Second)
	if end := e.turn(t.Context(), Ending{Session: "s1"}); end.Turn != "t2" || end.Stop != protocol.StopMaxTokens {
		t.Errorf("the run ended with %+v", end)
	}
}
