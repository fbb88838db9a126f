package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc"
	wire "drawbridge/rpc/protocol"
)

// editor is a client at the other end of a pipe. Its hooks are set before use.
type editor struct {
	t    *testing.T
	conn *rpc.Conn
	face *Face

	mu       sync.Mutex // guards below
	onApply  func(params json.RawMessage) (any, error)
	onAsk    func(params json.RawMessage) (any, error)
	onSave   func(params json.RawMessage) (any, error)
	onFresh  func(params json.RawMessage) (any, error)
	received []string
}

// inBubble runs f in virtual time with a face and its editor.
func inBubble(t *testing.T, o Options, f func(t *testing.T, e *editor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := connect(t, o)
		defer e.disconnect()
		f(t, e)
	})
}

func connect(t *testing.T, o Options) *editor {
	t.Helper()
	ours, theirs := net.Pipe()
	face := New(o)
	conn := rpc.New(ours, rpc.Options{Table: wire.Table(), Gate: face.Gate})
	face.Bind(conn)
	conn.Start()
	e := &editor{t: t, face: face, conn: rpc.New(theirs, rpc.Options{Table: wire.Table(), Accepts: rpc.ToEditor})}
	e.conn.HandleRequest("workspace/applyEdit", func(ctx context.Context, p json.RawMessage) (any, error) {
		return e.answer(ctx, e.hook(&e.onApply), p)
	})
	e.conn.HandleRequest("window/showMessageRequest", func(ctx context.Context, p json.RawMessage) (any, error) {
		return e.answer(ctx, e.hook(&e.onAsk), p)
	})
	e.conn.HandleRequest("editor/refresh", func(ctx context.Context, p json.RawMessage) (any, error) {
		return e.answer(ctx, e.hook(&e.onFresh), p)
	})
	e.conn.HandleRequest("editor/save", func(ctx context.Context, p json.RawMessage) (any, error) {
		return e.answer(ctx, e.hook(&e.onSave), p)
	})
	e.conn.HandleRequest("window/workDoneProgress/create", func(_ context.Context, p json.RawMessage) (any, error) {
		e.note("create", p)
		return nil, nil
	})
	for _, method := range []string{"window/showMessage", "window/logMessage", "$/progress"} {
		e.conn.HandleNotification(method, func(p json.RawMessage) { e.note(method, p) })
	}
	e.conn.Start()
	return e
}

func (e *editor) disconnect() {
	_ = e.conn.Close(0)
	_ = e.face.conn.Close(0)
	e.face.Close()
}

func (e *editor) hook(f *func(json.RawMessage) (any, error)) func(json.RawMessage) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return *f
}

// answer runs a hook; without one the editor never answers.
func (e *editor) answer(ctx context.Context, f func(json.RawMessage) (any, error), p json.RawMessage) (any, error) {
	if f == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f(p)
}

func (e *editor) note(method string, p json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.received = append(e.received, method+" "+string(p))
}

// got returns what was received that contains all of parts.
func (e *editor) got(parts ...string) []string {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
next:
	for _, r := range e.received {
		for _, part := range parts {
			if !strings.Contains(r, part) {
				continue next
			}
		}
		out = append(out, r)
	}
	return out
}

func (e *editor) call(method, params string) (json.RawMessage, error) {
	var raw json.RawMessage
	err := e.conn.Call(context.Background(), method, json.RawMessage(params), &raw)
	return raw, err
}

func (e *editor) notify(method, params string) {
	e.t.Helper()
	if err := e.conn.Notify(method, json.RawMessage(params)); err != nil {
		e.t.Fatal(err)
	}
	if err := e.conn.Flush(context.Background()); err != nil {
		e.t.Fatal(err)
	}
}

const allCapabilities = `{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}},
	"window":{"workDoneProgress":true},"general":{"positionEncodings":["utf-16"]}}`

func (e *editor) initialize(capabilities string) json.RawMessage {
	e.t.Helper()
	raw, err := e.call("initialize", `{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`)
	if err != nil {
		e.t.Fatal(err)
	}
	e.notify("initialized", `{}`)
	return raw
}

func checkCode(t *testing.T, err error, code int64) {
	t.Helper()
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("error %v, want code %d", err, code)
	}
}

func TestLifecycle(t *testing.T) {
	shutDown := false
	inBubble(t, Options{Shutdown: func() { shutDown = true }}, func(t *testing.T, e *editor) {
		_, err := e.call("workspace/executeCommand", `{"command":"x"}`)
		checkCode(t, err, rpc.CodeNotInitialized)
		e.notify("textDocument/didOpen", open("early"))
		e.initialize(`{}`)
		if _, known := e.face.Document("/w/a.txt"); known {
			t.Error("a document opened before initialize is known")
		}
		_, err = e.call("initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`)
		checkCode(t, err, rpc.CodeInvalidRequest)
		if code := e.face.ExitCode(); code != 1 {
			t.Errorf("exit code %d without shutdown", code)
		}
		if _, err := e.call("shutdown", `null`); err != nil || !shutDown {
			t.Errorf("shutdown: %v, called %v", err, shutDown)
		}
		_, err = e.call("workspace/executeCommand", `{"command":"x"}`)
		checkCode(t, err, rpc.CodeInvalidRequest)
		e.notify("exit", `null`)
		<-e.face.Exited()
		if code := e.face.ExitCode(); code != 0 {
			t.Errorf("exit code %d after shutdown", code)
		}
	})
}

func TestInitializeWithBrokenParamsCanBeRepeated(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		_, err := e.call("initialize", `{"capabilities":7}`)
		checkCode(t, err, rpc.CodeInvalidParams)
		e.initialize(`{}`)
	})
}

func TestEncodingIsNegotiated(t *testing.T) {
	for offered, want := range map[string]string{
		`{}`: "utf-16",
		`{"general":{"positionEncodings":["utf-32"]}}`:                  "utf-32",
		`{"general":{"positionEncodings":["utf-32","utf-16"]}}`:         "utf-16",
		`{"general":{"positionEncodings":["utf-32","utf-16","utf-8"]}}`: "utf-8",
		`{"general":{"positionEncodings":["ebcdic"]}}`:                  "utf-16",
	} {
		inBubble(t, Options{}, func(t *testing.T, e *editor) {
			if got := string(e.initialize(offered)); !strings.Contains(got, `"positionEncoding":"`+want+`"`) {
				t.Errorf("offered %s: %s, want %s", offered, got, want)
			}
		})
	}
}

func TestOursIsReadPartByPart(t *testing.T) {
	all := wire.ClientCapabilities{Version: 1, Approvals: true, Review: true, Terminals: true, Events: true, Saves: true, Refreshes: true, Diagnostics: true}
	for experimental, want := range map[string]wire.ClientCapabilities{
		``: {}, `null`: {}, `[]`: {}, `{"drawbridge":null}`: {}, `{"drawbridge":1}`: {}, `{"other":{}}`: {},
		`{"drawbridge":{}}`: {Version: 1},
		`{"drawbridge":{"version":99,"approvals":true}}`:                                                                                              {Version: 1, Approvals: true},
		`{"drawbridge":{"version":"x","events":true,"approvals":"yes"}}`:                                                                              {Version: 1, Events: true},
		`{"drawbridge":{"version":1,"events":1,"terminals":true,"new":[1]}}`:                                                                          {Version: 1, Terminals: true},
		`{"drawbridge":{"version":1,"approvals":true,"review":true,"terminals":true,"events":true,"saves":true,"refreshes":true,"diagnostics":true}}`: all,
	} {
		got, knows := oursOf([]byte(experimental))
		if got != want || knows != (want.Version > 0) {
			t.Errorf("%s: %+v, knows %v; want %+v", experimental, got, knows, want)
		}
	}
}

func TestFolders(t *testing.T) {
	for params, want := range map[string]string{
		`{"processId":1,"rootUri":"file:///old","capabilities":{},"workspaceFolders":[{"uri":"file:///a%20b","name":"x"},{"uri":"file:///c","name":"y"},{"uri":"vscode-vfs://h/z","name":"z"}]}`: "/a b /c",
		`{"processId":1,"rootUri":"file:///root","capabilities":{}}`:                               "/root",
		`{"processId":1,"rootUri":null,"rootPath":"/path","capabilities":{}}`:                      "/path",
		`{"processId":1,"rootUri":null,"rootPath":null,"workspaceFolders":null,"capabilities":{}}`: "",
	} {
		inBubble(t, Options{}, func(t *testing.T, e *editor) {
			if _, err := e.call("initialize", params); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(e.face.Client().Folders, " "); got != want {
				t.Errorf("%s: %q, want %q", params, got, want)
			}
		})
	}
}

func TestFolderChanges(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		_, _ = e.call("initialize", `{"processId":null,"rootUri":"file:///a","capabilities":{}}`)
		e.notify("workspace/didChangeWorkspaceFolders",
			`{"event":{"added":[{"uri":"file:///b","name":"b"}],"removed":[{"uri":"file:///a","name":"a"}]}}`)
		synctest.Wait()
		if got := strings.Join(e.face.Client().Folders, " "); got != "/b" {
			t.Errorf("folders %q", got)
		}
	})
}

func TestCommands(t *testing.T) {
	said := ""
	o := Options{Commands: map[string]Command{"say": func(_ context.Context, args []json.RawMessage) (any, error) {
		said = string(args[0])
		return "said", nil
	}}}
	inBubble(t, o, func(t *testing.T, e *editor) {
		if got := string(e.initialize(`{}`)); !strings.Contains(got, `"executeCommandProvider":{"commands":["say"]}`) {
			t.Errorf("announced %s", got)
		}
		raw, err := e.call("workspace/executeCommand", `{"command":"say","arguments":[{"a":1}]}`)
		if err != nil || string(raw) != `"said"` || said != `{"a":1}` {
			t.Errorf("%s, %v, said %s", raw, err, said)
		}
		_, err = e.call("workspace/executeCommand", `{"command":"shout"}`)
		checkCode(t, err, rpc.CodeInvalidParams)
	})
}

func TestQuestionsWithoutAnAnswer(t *testing.T) {
	for answer, want := range map[string]string{`null`: "", `{}`: "", `{"title":"Deny"}`: "Deny", `{"title":"Deny","id":3}`: "Deny"} {
		inBubble(t, Options{}, func(t *testing.T, e *editor) {
			e.initialize(`{}`)
			e.onAsk = func(json.RawMessage) (any, error) { return json.RawMessage(answer), nil }
			got, err := e.face.ShowMessageRequest(context.Background(), Warning, "Really?", []string{"Allow", "Deny"})
			if got != want || err != nil {
				t.Errorf("%s: %q, %v; want %q", answer, got, err, want)
			}
		})
	}
}

func TestQuestionIsWithdrawn(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(`{}`)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := e.face.ShowMessageRequest(ctx, Warning, "Really?", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestProgress(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(allCapabilities)
		cancelled := false
		first, second := e.face.Begin("Turn", func() { cancelled = true }), e.face.Begin("Turn", func() {})
		first.Report("model")
		synctest.Wait()
		if n := len(e.got("create", `"drawbridge/1"`)); n != 1 {
			t.Errorf("%d tokens were made for the first progress", n)
		}
		if n := len(e.got("$/progress", `"kind":"begin"`, `"cancellable":true`)); n != 2 {
			t.Errorf("%d begun", n)
		}
		e.notify("window/workDoneProgress/cancel", `{"token":"drawbridge/1"}`)
		synctest.Wait()
		if !cancelled {
			t.Error("cancel did not arrive")
		}
		for range 1000 { // a second
			first.Report("a fast turn")
			time.Sleep(time.Millisecond)
		}
		first.End("cancelled")
		second.End("done")
		time.Sleep(time.Second)
		if n := len(e.got(`"kind":"end"`)); n != 2 {
			t.Errorf("%d ended", n)
		}
		if n := len(e.got(`"kind":"report"`)); n < 5 || n > 12 {
			t.Errorf("%d reports in a second", n)
		}
	})
}

// A client that did not announce progress is shown none.
func TestNoProgressForClientsWithout(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		e.initialize(`{}`)
		e.face.Begin("Turn", func() {}).End("done")
		if got := e.got(""); len(got) > 0 {
			t.Errorf("received %q", got)
		}
	})
}
