package bridge

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

const runMake = `call c1 exec_command {"cmd":"make","description":"build"}
----
text "done"`

const x1 = `"sessionId":"s1","terminalId":"x1"`

func TestOutputPrecedesWhatEndsIt(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "one\n"}, {Text: "two\n", After: time.Second}}, Exit: shell.Exit{Code: 3}}}
	onWire(t, everything, runMake, steps, func(t *testing.T, e *editor) {
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		want := "toolCall/started approval/request approval/resolved terminal/opened terminal/output terminal/output " +
			"terminal/closed toolCall/completed turn/completed"
		if got := e.order(strings.Fields(want)...); got != want {
			t.Errorf("order\n%s, want\n%s", got, want)
		}
		closed := of[protocol.TerminalClosed](e, "terminal/closed")
		if len(closed) != 1 || *closed[0].Exit.Code != 3 {
			t.Errorf("%+v", closed)
		}
		q := of[protocol.ApprovalRequestParams](e, "approval/request")[0]
		if q.Command == nil || q.Command.Text != "make" || q.Command.Cwd != e.dir || !q.Command.Unconfined ||
			q.Command.Preset != protocol.PresetWorkspaceWrite || q.Digest == "" {
			t.Errorf("%+v", q)
		}
	})
}

// What floods past a client is skipped with a gap and can still be read.
func TestFloodingCommands(t *testing.T) {
	flood := strings.Repeat("0123456789abcde\n", 40_000)
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: flood}, {Text: "last words\n"}}}}
	onWire(t, everything, runMake, steps, func(t *testing.T, e *editor) {
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		out := of[protocol.TerminalOutput](e, "terminal/output")
		sent, gap := 0, int64(0)
		for _, p := range out {
			sent, gap = sent+len(p.Data), gap+p.Gap
		}
		if gap == 0 || sent > protocol.MaxUnackedSilent+protocol.MaxOutput || !strings.HasSuffix(out[len(out)-1].Data, "last words\n") {
			t.Errorf("%d bytes sent, %d skipped", sent, gap)
		}
		var r protocol.TerminalReadResult
		e.must("terminal/read", `{`+x1+`,"offset":16,"max":20}`, &r)
		if r.Data != "0123456789abcde\n0123" || r.Offset != 16 || r.End != 36 || r.EOF {
			t.Errorf("read %+v", r)
		}
		e.must("terminal/read", fmt.Sprintf(`{`+x1+`,"offset":%d}`, len(flood)), &r)
		if r.Data != "last words\n" || !r.EOF {
			t.Errorf("read %+v", r)
		}
	})
}

func TestTypingAndKilling(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "name? "}, {Text: "hello\n", WaitInput: true}}, After: time.Hour}}
	onWire(t, everything, runMake, steps, func(t *testing.T, e *editor) {
		e.newSession()
		e.answers("approval/request", choose("allow"))
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		e.must("terminal/write", `{`+x1+`,"text":"me\r"}`, nil)
		e.must("terminal/resize", `{`+x1+`,"cols":120,"rows":40}`, nil)
		if got := e.refused("terminal/resize", `{`+x1+`,"cols":0,"rows":40}`); got != "invalid" {
			t.Errorf("no columns: %q", got)
		}
		e.notify("terminal/ack", `{`+x1+`,"offset":4}`)
		e.notify("terminal/ack", `{"sessionId":"s1","terminalId":"x9","offset":4}`)
		time.Sleep(mergeTime)
		var text string
		for _, p := range of[protocol.TerminalOutput](e, "terminal/output") {
			text += p.Data
		}
		if !strings.Contains(text, "hello") {
			t.Errorf("shown %q", text)
		}
		e.must("terminal/kill", `{`+x1+`}`, nil)
		<-prompt
		var list protocol.TerminalListResult
		e.must("terminal/list", `{}`, &list)
		if len(list.Terminals) != 1 || list.Terminals[0].Exit == nil || list.Terminals[0].Title != "make" {
			t.Errorf("%+v", list)
		}
		if got := e.refused("terminal/write", `{`+x1+`,"text":"x"}`); got != "closed" {
			t.Errorf("typing into an ended command: %q", got)
		}
		if got := e.refused("terminal/read", `{"sessionId":"s1","terminalId":"x7","offset":0}`); got != "unknownTerminal" {
			t.Errorf("an unknown terminal: %q", got)
		}
	})
}

// A client without terminals is sent none; it reads the text of the call.
func TestClientsWithoutTerminals(t *testing.T) {
	capabilities := `{"experimental":{"drawbridge":{"version":1,"approvals":true,"events":true}}}`
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "one\n"}}}}
	onWire(t, capabilities, runMake, steps, func(t *testing.T, e *editor) {
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		if got := e.order("terminal/opened", "terminal/output", "terminal/closed", "change/updated"); got != "" {
			t.Errorf("sent %s", got)
		}
		end := of[protocol.ToolCallCompleted](e, "toolCall/completed")
		if len(end) != 1 || !strings.HasPrefix(end[0].Text, "one\n") {
			t.Errorf("%+v", end)
		}
	})
}

// Closing the editor ends commands and leaves nothing behind: the bubble fails
// on any goroutine that is left.
func TestTheEditorLeavesDuringACommand(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "working\n"}}, After: time.Hour}}
	onWire(t, everything, runMake, steps, func(t *testing.T, e *editor) {
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		begin := time.Now()
		_ = e.conn.Close(0)
		e.exit <- <-e.exit
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
