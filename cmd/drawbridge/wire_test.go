package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A command may print what it likes, also into the descriptor that was stdout
// of the bridge when it started: the editor gets frames and nothing else. The
// bridge is the parent of the command's guard.
func TestNothingButFramesOnStandardOutput(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--log-level=debug", "--trace"}, {"--log-level=info"}, {"--log-level=warn"}, {"--log-level=error"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			e := start(t, "drawbridge", append([]string{"serve"}, flags...))
			e.handshake(os.Getpid())
			s := e.openUnconfined(`call c1 exec_command {"cmd":"echo out; echo err >&2; b=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status); echo stray >/proc/$b/fd/1; printf '\\\\e[1mContent-Length: 3'"}
----
want c1 "out\nerr\n"
text "printed"`)
			if got := e.stopReason(e.prompt(s, "print")); got != "endTurn" {
				t.Fatal(got)
			}
			e.raw(frame(`{"jsonrpc":"2.0","method":"unknown/notification"}`) + frame(`{broken`))
			e.shutDown()
			if runtime.GOOS == "linux" && !strings.Contains(e.stderr.String(), "stray\n") {
				t.Error("what was printed to the bridge's stdout did not reach its stderr")
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(e *editor)
		code int
	}{
		{"shutdown and exit", func(e *editor) { e.call("shutdown", nil, nil); e.notify("exit", nil) }, 0},
		{"shutdown and the end of input", func(e *editor) { e.call("shutdown", nil, nil); e.in.Close() }, 0},
		{"exit without shutdown", func(e *editor) { e.notify("exit", nil) }, 1},
		{"the end of input", func(e *editor) { e.in.Close() }, 1},
		{"the end of input within a frame", func(e *editor) { e.raw("Content-Length: 100\r\n\r\n{"); e.in.Close() }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := serve(t)
			e.handshake(0)
			c.end(e)
			e.exit(patience, c.code)
		})
	}
	t.Run("exit before initialize", func(t *testing.T) {
		t.Parallel()
		e := serve(t)
		e.notify("exit", nil)
		e.exit(patience, 1)
	})
}

func (e *editor) checkError(id string, code int) {
	e.t.Helper()
	m := e.next("an error", func(m message) bool { return m.Error != nil && string(m.ID) == id })
	if m.Error.Code != code {
		e.t.Errorf("error of %s is %d %s, want %d", id, m.Error.Code, m.Error.Message, code)
	}
}

func (e *editor) checkAlive() {
	e.t.Helper()
	e.call("session/list", object{}, nil)
}

// What is framed and makes no sense is answered, and the next message is served.
func TestGarbageIsAnsweredAndTheBridgeLives(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(0)
	for _, c := range []struct {
		body string
		code int
	}{
		{`{not json`, -32700},
		{`{"jsonrpc":"2.0","id":1`, -32700},
		{"\x00\xff\xfe", -32700},
		{``, -32700},
		{`[]`, -32600},
		{`7`, -32600},
		{`{}`, -32600},
		{`{"jsonrpc":"1.0","method":5}`, -32600},
	} {
		e.raw(frame(c.body))
		e.checkError("null", c.code)
		e.checkAlive()
	}
	e.checkError(itoa(e.request("no/such", object{})), -32601)
	e.checkError(itoa(e.request("session/prompt", "no object")), -32602)
	e.shutDown()
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// A length that does not fit loses the place in the stream: the bridge says so
// and ends, for it cannot know what the bytes that follow mean.
func TestALostPlaceInTheStreamEndsTheBridge(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"too short":    "Content-Length: 10\r\n\r\n" + `{"jsonrpc":"2.0","method":"initialized"}` + frame(`{}`),
		"no number":    "Content-Length: many\r\n\r\n{}",
		"negative":     "Content-Length: -2\r\n\r\n{}",
		"none":         "Content-Type: x\r\n\r\n{}",
		"not a header": "GET / HTTP/1.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t)
			e.handshake(0)
			e.raw(text)
			e.exit(patience, 1)
			if said := e.stderr.String(); !strings.Contains(said, "drawbridge: ") || strings.Count(said, "\n") > 2 {
				t.Errorf("stderr is %q", said)
			}
		})
	}
}

// A length that takes in part of the next message is answered as soon as that
// many bytes are there.
func TestALengthThatIsTooLongIsAnswered(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(0)
	e.raw("Content-Length: 60\r\n\r\n{}" + frame(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	e.checkError("null", -32700)
	e.in.Close()
	e.exit(patience, 1)
}

func TestHeadersOfOtherClients(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(0)
	for i, header := range []string{
		"content-length: %", "CONTENT-LENGTH:%", "Content-Length:   %  ",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %",
		"content-length: %\r\ncontent-type: application/vscode-jsonrpc; charset=utf8",
	} {
		body := `{"jsonrpc":"2.0","id":` + itoa(1000+i) + `,"method":"session/list","params":{"cwd":"企鹅🐧"}}`
		e.raw(strings.ReplaceAll(header, "%", itoa(len(body))) + "\r\n\r\n" + body)
		if m := e.answer(1000 + i); m.Error != nil {
			t.Errorf("%q: %s", header, m.Error.Message)
		}
	}
	e.shutDown()
}

// Lengths count bytes, in both directions, whatever the characters are. The
// strict client checks what the bridge writes.
func TestLengthsAreBytes(t *testing.T) {
	t.Parallel()
	const text = "企鹅 🐧 e\u0301 \u2028 \ufeff <&> \" \\ \u0001"
	e := serve(t)
	e.handshake(0)
	quoted, _ := json.Marshal(text)
	s := e.open("allow-all", "want-user "+string(quoted)+"\ntext "+string(quoted)+"\n")
	p := e.prompt(s, text)
	var started struct{ Prompt []struct{ Text string } }
	if err := json.Unmarshal(e.event("turn/started", "").Params, &started); err != nil || started.Prompt[0].Text != text {
		t.Errorf("the prompt came back as %q, %v", started.Prompt, err)
	}
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	var said strings.Builder
	for _, m := range e.seen {
		var chunk struct{ Text string }
		if m.Method == "message/chunk" && json.Unmarshal(m.Params, &chunk) == nil {
			said.WriteString(chunk.Text)
		}
	}
	if said.String() != text {
		t.Errorf("the answer came as %q", said.String())
	}
	e.shutDown()
}

// A frame of 64 MiB is taken; one of a byte more is refused by its id, and what
// comes behind it is served.
func TestTheLargestFrame(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 128 MiB")
	}
	t.Parallel()
	const most = 64 << 20
	e := serve(t)
	e.handshake(0)
	padded := func(id, size int) string {
		head, tail := `{"jsonrpc":"2.0","id":`+itoa(id)+`,"method":"session/list","params":{"cwd":"`, `"}}`
		return frame(head + strings.Repeat("x", size-len(head)-len(tail)) + tail)
	}
	e.raw(padded(7001, most))
	if m := e.answer(7001); m.Error != nil {
		t.Errorf("a frame of 64 MiB: %s", m.Error.Message)
	}
	e.raw(padded(7002, most+1))
	e.checkError("7002", -32600)
	e.checkAlive()
	e.shutDown()
}

// A prompt and an argument of 8 MB on one line pass from end to end.
func TestLongLines(t *testing.T) {
	t.Parallel()
	const size = 8_000_000
	long := strings.Repeat("0123456789", size/10)
	e := serve(t)
	e.handshake(0)
	s := e.open("allow-all", `want-user "the end of it"
call c1 write_file {"file_path":"long.txt","content":"`+long+`"}
----
want c1 "Created \"long.txt\" (1 line, 8000000 bytes)."
text "written"`)
	p := e.prompt(s, long+"the end of it")
	if m := e.event("turn/started", ""); len(m.Params) < size {
		t.Errorf("the prompt came back in %d bytes", len(m.Params))
	}
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(brief(got))
	}
	if got := e.content("long.txt"); got != long {
		t.Errorf("the file has %d bytes", len(got))
	}
	e.shutDown()
}

// Editors start a language server in more than one way.
func TestWaysToServe(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--stdio"}, {"serve"}, {"serve", "--stdio"}} {
		e := start(t, "drawbridge", args)
		e.handshake(os.Getpid())
		e.shutDown()
	}
}

// Settings that cannot be read leave stdout empty; the editor's log has a line.
func TestBrokenSettingsAreSaidOnStderr(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	if err := os.Mkdir(filepath.Join(dir, "drawbridge"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "drawbridge", "config.yaml"), []byte("mode: sometimes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := start(t, "drawbridge", nil, "XDG_CONFIG_HOME="+dir)
	e.exit(patience, 2)
	if said := e.stderr.String(); !strings.Contains(said, "config.yaml:1:7: ") || strings.Count(said, "\n") != 1 {
		t.Errorf("stderr is %q", said)
	}
	if m, ok := <-e.frames; ok {
		t.Errorf("a frame came: %+v", m)
	}
}

// P-ENV-26: calls of one step overlap, also when a person is asked about one
// while another runs; they end as they are done, and the model reads all.
func TestCallsOfOneStepOverlap(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.open("always-ask", `call c1 exec_command {"cmd":"until [ -e go.txt ]; do sleep 0.02; done; echo went"}
call c2 write_file {"file_path":"go.txt","content":"go\n"}
----
want c1 "went\n"
want c2 "Created \"go.txt\""
text "both"`)
	p := e.prompt(s, "go")
	first, second := e.event("approval/request", `"callId":"c1"`), e.event("approval/request", `"callId":"c2"`)
	e.allow(first)
	e.event("terminal/opened", `"callId":"c1"`)
	e.allow(second)
	for _, want := range []string{"c2", "c1"} {
		if m := e.event("toolCall/completed", ""); !strings.Contains(string(m.Params), `"callId":"`+want+`"`) {
			t.Errorf("completed is %s, want %s", m.Params, want)
		}
	}
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	e.shutDown()
}

// allow answers a question with yes, once.
func (e *editor) allow(question message) {
	e.send(object{"jsonrpc": "2.0", "id": question.ID, "result": object{"outcome": "selected", "optionId": "allow"}})
}
