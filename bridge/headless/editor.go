package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
)

// startLimit bounds each request before the prompt.
const startLimit = 30 * time.Second

// editor is the client's end of the wire.
type editor struct {
	o    Options
	conn *rpc.Conn

	mu       sync.Mutex // guards below, and the view
	session  string
	terminal string // the newest that is open
	turning  bool
}

func connect(rwc io.ReadWriteCloser, o Options) *editor {
	e := &editor{o: o}
	e.conn = rpc.New(rwc, rpc.Options{Table: protocol.Table(), Accepts: rpc.ToEditor})
	for name, m := range protocol.Table() {
		if m.Direction == rpc.ToEditor && m.Kind == rpc.Notification {
			e.conn.HandleNotification(name, func(params json.RawMessage) { e.event(name, params) })
		}
	}
	if t, ok := o.Person.(*Terminal); ok {
		t.setTyped(e.typed)
	}
	if o.Person != nil {
		e.conn.HandleRequest("approval/request", e.approve)
	}
	e.conn.HandleRequest("window/workDoneProgress/create", func(context.Context, json.RawMessage) (any, error) {
		return nil, nil
	})
	e.conn.Start()
	return e
}

func (e *editor) call(ctx context.Context, method string, params, result any) error {
	return e.conn.Call(ctx, method, params, result)
}

// brief is call with the limit of a request that no person waits in.
func (e *editor) brief(method string, params, result any) error {
	ctx, stop := context.WithTimeout(context.Background(), startLimit)
	defer stop()
	return e.call(ctx, method, params, result)
}

func (e *editor) initialize() error {
	params := map[string]any{
		"processId":  os.Getpid(),
		"clientInfo": map[string]string{"name": "drawbridge run", "version": e.o.Version},
		"rootUri":    fileURI(e.o.Dir),
		"workspaceFolders": []map[string]string{
			{"uri": fileURI(e.o.Dir), "name": filepath.Base(e.o.Dir)},
		},
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-8"}},
			// approvals is sent also when it is false: nobody is there to ask.
			"experimental": map[string]any{"drawbridge": map[string]any{
				"version": protocol.Version, "approvals": e.o.Person != nil, "review": true,
				"terminals": e.o.Terminals, "events": true,
			}},
		},
	}
	if err := e.brief("initialize", params, nil); err != nil {
		return err
	}
	return e.conn.Notify("initialized", struct{}{})
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// openSession makes a session, or loads the one that was asked for.
func (e *editor) openSession() (string, error) {
	id := e.o.Session
	if id == "" && e.o.Continue {
		var list protocol.SessionListResult
		if err := e.brief("session/list", protocol.SessionListParams{Cwd: e.o.Dir, Limit: 1}, &list); err != nil {
			return "", err
		}
		if len(list.Sessions) == 0 {
			return "", fmt.Errorf("no session of %s to continue; leave --continue out to start one", e.o.Dir)
		}
		id = list.Sessions[0].SessionID
	}
	if id != "" {
		return id, e.loadSession(id)
	}
	var res protocol.SessionResult
	err := e.brief("session/new", protocol.SessionNewParams{Cwd: e.o.Dir, Model: e.o.Model, Mode: e.o.Mode,
		Preset: e.o.Preset}, &res)
	e.setSession(res.Session.SessionID)
	return res.Session.SessionID, err
}

// loadSession opens a session; its history is not shown again.
func (e *editor) loadSession(id string) error {
	e.setSession(id)
	if err := e.brief("session/load", protocol.SessionLoadParams{SessionID: id}, nil); err != nil {
		return err
	}
	set := protocol.SessionConfigureParams{SessionID: id, Model: e.o.Model, Mode: e.o.Mode, Preset: e.o.Preset}
	if set == (protocol.SessionConfigureParams{SessionID: id}) {
		return nil
	}
	return e.brief("session/configure", set, nil)
}

func (e *editor) setSession(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = id
}

// shutdown ends the bridge as the protocol wants it. It is polite: the bridge
// ends with its input, too.
func (e *editor) shutdown() {
	if e.brief("shutdown", nil, nil) == nil {
		_ = e.conn.Notify("exit", nil)
	}
}

// event shows a notification. Replayed history is not shown.
func (e *editor) event(method string, params json.RawMessage) {
	var head struct {
		protocol.Event
		TerminalID string `json:"terminalId"`
	}
	if json.Unmarshal(params, &head) != nil || head.Replayed {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "terminal/opened":
		e.terminal = head.TerminalID
	case "terminal/closed":
		e.terminal = ""
	case "turn/started", "turn/completed":
		e.turning = method == "turn/started"
	case "terminal/output":
		e.ack(params)
	}
	e.o.View.Event(method, params)
}

// ack tells the bridge what was shown, so that it sends on.
func (e *editor) ack(params json.RawMessage) {
	var out protocol.TerminalOutput
	if json.Unmarshal(params, &out) == nil {
		_ = e.conn.Notify("terminal/ack", protocol.TerminalAckParams{SessionID: out.SessionID,
			TerminalID: out.TerminalID, Offset: out.End})
	}
}

// approve lets the person answer a question.
func (e *editor) approve(ctx context.Context, params json.RawMessage) (any, error) {
	var q protocol.ApprovalRequestParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.o.View.Asked(q)
	e.mu.Unlock()
	a := e.o.Person.Answer(ctx, q)
	e.mu.Lock()
	e.o.View.Answered(q, a)
	e.mu.Unlock()
	return a, nil
}

// typed takes a line that the person typed while no question was open: it goes
// to the running command, else to the model.
func (e *editor) typed(line string) {
	e.mu.Lock()
	session, terminal, turning := e.session, e.terminal, e.turning
	e.mu.Unlock()
	switch {
	case terminal != "":
		_ = e.brief("terminal/write", protocol.TerminalWriteParams{SessionID: session, TerminalID: terminal,
			Text: line + "\n"}, nil)
	case turning && strings.TrimSpace(line) != "":
		_ = e.brief("session/steer", protocol.SteerParams{SessionID: session,
			Content: protocol.List[protocol.Block]{protocol.TextBlock(line)}}, nil)
	}
}
