package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"drawbridge/model"
	"drawbridge/model/script"
	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

// editor is a client of a whole bridge: real sessions and tools, a scripted
// model and scripted commands.
type editor struct {
	t      *testing.T
	dir    string
	conn   *rpc.Conn
	wire   *shared
	server *Server
	exit   chan int

	mu  sync.Mutex // guards below
	log []string   // methods, in the order of the wire; answers as "#name"
	got map[string][]json.RawMessage
	on  map[string]func(ctx context.Context, params json.RawMessage) (any, error)

	answered map[string]chan json.RawMessage // of requests that began, by name
}

// shared lets the test write whole frames between the connection's own.
type shared struct {
	net.Conn
	mu sync.Mutex // held while writing
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Conn.Write(p)
}

const everything = `{"experimental":{"drawbridge":{"version":1,"approvals":true,"review":true,"terminals":true,"events":true}},
	"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}},"window":{"workDoneProgress":true}}`

// onWire runs f in virtual time at the editor's end of a bridge.
func onWire(t *testing.T, capabilities, model string, steps []shelltest.Step, f func(t *testing.T, e *editor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, model, steps)
		defer e.stop()
		e.must("initialize", `{"processId":null,"rootUri":"file://`+e.dir+`","capabilities":`+capabilities+`}`, nil)
		e.notify("initialized", `{}`)
		f(t, e)
	})
}

func start(t *testing.T, text string, steps []shelltest.Step) *editor {
	t.Helper()
	player, err := script.New(text)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sessions := 0
	ours, theirs := net.Pipe()
	e := &editor{
		t: t, dir: dir, exit: make(chan int, 1), got: map[string][]json.RawMessage{},
		on: map[string]func(context.Context, json.RawMessage) (any, error){}, wire: &shared{Conn: theirs},
		answered: map[string]chan json.RawMessage{},
	}
	e.server = New(ours, Options{Version: "test", Sessions: session.Options{
		StateDir: t.TempDir(),
		Models: func(string) (model.Provider, string, string, error) {
			return player, "demo", "script:demo", nil
		},
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &shelltest.Fake{Steps: steps} },
		NewID:    func() string { sessions++; return fmt.Sprintf("s%d", sessions) },
	}})
	go func() { e.exit <- e.server.Run(context.Background()) }()
	e.conn = rpc.New(e.wire, rpc.Options{Table: protocol.Table(), Accepts: rpc.ToEditor, Trace: e.trace})
	for _, m := range protocol.Methods {
		if m.Direction == rpc.ToEditor {
			e.serve(m)
		}
	}
	e.conn.Start()
	return e
}

func (e *editor) serve(m protocol.Method) {
	if m.Kind == rpc.Notification {
		e.conn.HandleNotification(m.Name, func(json.RawMessage) {})
		return
	}
	e.conn.HandleRequest(m.Name, func(ctx context.Context, p json.RawMessage) (any, error) {
		e.mu.Lock()
		f := e.on[m.Name]
		e.mu.Unlock()
		if f == nil {
			<-ctx.Done() // nobody looks
			return nil, ctx.Err()
		}
		return f(ctx, p)
	})
}

// trace keeps what the bridge sends, in the order of the wire.
func (e *editor) trace(dir string, frame []byte) {
	var m struct {
		ID                    any
		Method                string
		Params, Result, Error json.RawMessage
	}
	if dir != "recv" || json.Unmarshal(frame, &m) != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if m.Method != "" {
		e.log = append(e.log, m.Method)
		e.got[m.Method] = append(e.got[m.Method], m.Params)
		return
	}
	if name, ok := m.ID.(string); ok {
		e.log = append(e.log, "#"+name)
		e.answered[name] <- append(m.Result, m.Error...)
	}
}

func (e *editor) stop() {
	_ = e.conn.Close(0)
	<-e.exit
}

func (e *editor) answers(method string, f func(ctx context.Context, params json.RawMessage) (any, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.on[method] = f
}

// must calls and decodes the result.
func (e *editor) must(method, params string, result any) {
	e.t.Helper()
	if err := e.conn.Call(context.Background(), method, json.RawMessage(params), result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// notify sends a notification before whatever is sent next.
func (e *editor) notify(method, params string) {
	e.t.Helper()
	if err := e.conn.Notify(method, json.RawMessage(params)); err != nil {
		e.t.Fatal(err)
	}
	if err := e.conn.Flush(context.Background()); err != nil {
		e.t.Fatal(err)
	}
}

// begin sends a request without waiting; its answer is logged as "#name". What
// is begun one after the other is sent in that order.
func (e *editor) begin(name, method, params string) <-chan json.RawMessage {
	e.t.Helper()
	done := make(chan json.RawMessage, 1)
	e.mu.Lock()
	e.answered[name] = done
	e.mu.Unlock()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, name, method, params)
	if _, err := fmt.Fprintf(e.wire, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
	return done
}

// newSession makes session s1.
func (e *editor) newSession() {
	e.t.Helper()
	e.must("session/new", `{}`, nil)
}

const promptS1 = `{"sessionId":"s1","content":[{"type":"text","text":"go"}]}`

// prompt runs a turn of s1 to its end.
func (e *editor) prompt() protocol.PromptResult {
	e.t.Helper()
	var r protocol.PromptResult
	e.must("session/prompt", promptS1, &r)
	return r
}

// of returns the params of what arrived by a method.
func of[T any](e *editor, method string) []T {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []T
	for _, raw := range e.got[method] {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			e.t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// order returns the methods that arrived, of those named.
func (e *editor) order(methods ...string) string {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, m := range e.log {
		if slices.Contains(methods, m) {
			out = append(out, m)
		}
	}
	return strings.Join(out, " ")
}

func (e *editor) write(name, text string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) file(name string) string {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(e.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		e.t.Fatal(err)
	}
	return string(b)
}

func choose(option string) func(context.Context, json.RawMessage) (any, error) {
	return func(context.Context, json.RawMessage) (any, error) {
		return map[string]string{"outcome": "selected", "optionId": option}, nil
	}
}

// refused calls and returns the kind of the error answer, "" for a result.
func (e *editor) refused(method, params string) string {
	e.t.Helper()
	err := e.conn.Call(context.Background(), method, json.RawMessage(params), nil)
	var wire *rpc.Error
	if err != nil && !errors.As(err, &wire) {
		e.t.Fatalf("%s: %v", method, err)
	}
	if wire == nil {
		return ""
	}
	return wire.Kind
}
