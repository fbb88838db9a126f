package headless

import (
	"encoding/json"
	"io"

	"drawbridge/rpc/protocol"
)

// JSONView writes each event as one line: {"method", "params"} as on the wire,
// first {"method": "run/continued", "params": Continued} if there is something
// to continue, and at the end {"method": "run/ended", "params": Ending}.
type JSONView struct{ Out io.Writer }

type jsonLine struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

func (v JSONView) line(method string, params any) {
	b, err := json.Marshal(jsonLine{method, params})
	if err == nil {
		_, _ = v.Out.Write(append(asciiJSON(b), '\n')) // who hands Out over knows of its faults
	}
}

func (v JSONView) Event(method string, params json.RawMessage) { v.line(method, params) }

func (v JSONView) Continued(c Continued) { v.line("run/continued", c) }

func (v JSONView) Question(protocol.ApprovalRequestParams) string { return "" }

func (v JSONView) Asked(q protocol.ApprovalRequestParams) { v.line("approval/request", q) }

func (v JSONView) Answered(protocol.ApprovalRequestParams, protocol.ApprovalAnswer) {}

func (v JSONView) Typed(string) {}

func (v JSONView) Ended(end Ending) { v.line("run/ended", end) }

// Waiting says nothing: the events tell.
func (v JSONView) Waiting(int) {}
