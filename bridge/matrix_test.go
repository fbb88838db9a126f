package bridge

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/bridge/headless"
	"drawbridge/model"
	"drawbridge/model/script"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

// gates are effects that may be asked about. done tells of a file or a command
// whether it happened.
var gates = []struct{ name, call string }{
	{"read", `read_file {"file_path":"../outside.txt"}`},
	{"write", `write_file {"file_path":"a.txt","content":"A\n"}`},
	{"command", `exec_command {"cmd":"make"}`},
	{"typing", `input_command {"process_id":"proc-00000001","chars":"y\n"}`},
}

// cells say of each mode, gate by gate, what becomes of the call: p passes, a is
// asked, r is refused.
var cells = map[approval.Mode]string{
	approval.AlwaysAsk: "aaaa", approval.AutoEdit: "apaa", approval.ReadOnly: "aaaa",
	approval.Plan: "arrr", approval.AllowAll: "pppp", approval.DenyAll: "rrrr",
}

// faces are the clients that there are besides `drawbridge run`.
var faces = map[string]struct {
	capabilities string
	ask          string // the method of a question, "" when nobody is there
	events       bool
}{
	"native": {everything, "approval/request", true},
	"plain":  {plainCapabilities, "window/showMessageRequest", false},
	"nobody": {strings.Replace(everything, `"approvals":true`, `"approvals":false`, 1), "", true},
}

var matrixSteps = []shelltest.Step{
	{Match: "sh", Out: []shelltest.Piece{{After: time.Hour, Text: "never"}}},
	{Match: "make", Out: []shelltest.Piece{{Text: "made\n"}, {After: time.Hour, Text: "never"}}},
}

// B29, B30: whatever waits when a turn is cancelled, in whichever mode and editor:
// the turn ends at once and as cancelled, the call has one end that says why, a
// question is withdrawn once, and nothing of it happens.
func TestCancelAtEachGateInEachModeAndFace(t *testing.T) {
	for face := range faces {
		for i, gate := range gates {
			for mode, row := range cells {
				t.Run(face+"/"+gate.name+"/"+string(mode), func(t *testing.T) {
					cancelAt(t, face, gate.call, mode, row[i])
				})
			}
		}
	}
}

func cancelAt(t *testing.T, face, call string, mode approval.Mode, cell byte) {
	f := faces[face]
	steps := "call c0 exec_command {\"cmd\":\"sh\",\"run_in_background\":true}\n----\ntext \"ready\"\n----\ncall c1 " + call + "\n----\nstall"
	onWire(t, f.capabilities, steps, matrixSteps, func(t *testing.T, e *editor) {
		e.write("../outside.txt", "x\n")
		e.must("session/new", `{"mode":"allow-all"}`, nil)
		e.prompt()
		e.must("session/configure", `{"sessionId":"s1","mode":"`+string(mode)+`"}`, nil)
		prompt := e.begin("prompt", "session/prompt", promptS1)
		time.Sleep(time.Second)
		before := time.Now()
		e.must("session/cancel", `{"sessionId":"s1"}`, nil)
		var r protocol.PromptResult
		if err := json.Unmarshal(<-prompt, &r); err != nil || r.StopReason != protocol.StopCancelled {
			t.Errorf("the turn ended with %+v, %v", r, err)
		}
		if took := time.Since(before); took > time.Second {
			t.Errorf("it ended after %v", took)
		}
		asked := 0
		if f.ask != "" {
			asked = len(of[json.RawMessage](e, f.ask))
		}
		if want := map[bool]int{true: 1}[cell == 'a' && f.ask != ""]; asked != want {
			t.Errorf("asked %d times, want %d", asked, want)
		}
		if n := strings.Count(e.order("$/cancelRequest"), "$/cancelRequest"); f.ask != "" && n != asked {
			t.Errorf("%d of %d questions withdrawn", n, asked)
		}
		var open protocol.ApprovalListResult
		e.must("approval/list", `{}`, &open)
		if len(open.Approvals) > 0 {
			t.Errorf("still open: %+v", open.Approvals)
		}
		if wrote := e.file("a.txt") != ""; wrote && cell != 'p' {
			t.Error("what nobody allowed was written")
		}
		if f.events {
			checkEnds(t, e, asked, cell)
		}
	})
}

// checkEnds looks at what an editor with events is told of the call.
func checkEnds(t *testing.T, e *editor, asked int, cell byte) {
	t.Helper()
	var ends []protocol.ToolCallCompleted
	for _, end := range of[protocol.ToolCallCompleted](e, "toolCall/completed") {
		if end.CallID == "c2" {
			ends = append(ends, end)
		}
	}
	if len(ends) != 1 {
		t.Fatalf("the call ended %d times: %+v", len(ends), ends)
	}
	why := map[byte]string{'a': "nobody is there to ask", 'r': "denied by ", 'p': ""}[cell]
	if asked > 0 {
		why = "cancelled: the turn ended before an answer came"
	}
	denied := strings.HasPrefix(ends[0].Text, "Tool call denied by user.\n"+why)
	if denied != (cell != 'p') {
		t.Errorf("the model reads %q, want %q", ends[0].Text, why)
	}
	resolved := of[protocol.ApprovalResolved](e, "approval/resolved")
	if len(resolved) != asked || asked > 0 && (resolved[0].By != protocol.ByCancel || resolved[0].Outcome != protocol.ResolvedWithdrawn) {
		t.Errorf("resolved %+v", resolved)
	}
}

// The same of `drawbridge run` without a person: what would be asked is denied at
// once, and an interrupt ends the run as cancelled.
func TestCancelOfARunInEachMode(t *testing.T) {
	for i, gate := range gates[:3] { // a run has nothing to type into but what it started
		for mode, row := range cells {
			t.Run(gate.name+"/"+string(mode), func(t *testing.T) {
				cancelRun(t, gate.call, mode, row[i])
			})
		}
	}
}

// interrupter cancels a run when its call has ended, or runs. The run watches a
// process, so that time cannot be virtual.
type interrupter struct {
	headless.JSONView
	cancel func()
}

func (v interrupter) Event(method string, params json.RawMessage) {
	v.JSONView.Event(method, params)
	if method == "toolCall/completed" || method == "toolCall/updated" {
		v.cancel()
	}
}

func cancelRun(t *testing.T, call string, mode approval.Mode, cell byte) {
	player, err := script.New("call c1 " + call + "\n----\nstall")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	server := New(ours, Options{Version: "test", Sessions: session.Options{
		StateDir: t.TempDir(),
		Models: func(string) (model.Provider, string, string, error) {
			return player, "demo", "script:demo", nil
		},
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &shelltest.Fake{Steps: matrixSteps} },
	}})
	exit := make(chan int, 1)
	go func() { exit <- server.Run(context.Background()) }()
	ctx, cancel := context.WithCancel(context.Background())
	var out strings.Builder
	end := headless.Run(ctx, theirs, headless.Options{
		Prompt: "go", Dir: dir, Mode: protocol.Mode(mode), View: interrupter{headless.JSONView{Out: &out}, cancel},
	})
	<-exit
	if end.Stop != protocol.StopCancelled {
		t.Errorf("ended with %+v", end)
	}
	if n := strings.Count(out.String(), `"toolCall/completed"`); n != 1 {
		t.Errorf("the call ended %d times", n)
	}
	why := map[byte]string{'a': "nobody is there to ask", 'r': "denied by "}[cell]
	if why != "" != strings.Contains(out.String(), "denied by user") || !strings.Contains(out.String(), why) {
		t.Errorf("want %q in\n%s", why, out.String())
	}
}
