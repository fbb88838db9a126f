package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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

	mu        sync.Mutex // guards below, and the view
	session   string
	terminals []openTerminal // oldest first
	turning   bool
	last      protocol.TurnCompleted // of the session's own
	working   map[string]string      // titles of the subagents that work, by id
	answered  bool                   // one has worked: its answer may begin a turn
	moved     chan struct{}          // has room for one: some of these changed
}

// openTerminal is a command that runs, or has left something running.
type openTerminal struct {
	session, id         string // the session is a subagent's, perhaps
	background, waiting bool
}

func connect(rwc io.ReadWriteCloser, o Options) *editor {
	e := &editor{o: o, working: map[string]string{}, moved: make(chan struct{}, 1)}
	e.conn = rpc.New(rwc, rpc.Options{Table: protocol.Table(), Accepts: rpc.ToEditor})
	for name, m := range protocol.Table() {
		if m.Direction == rpc.ToEditor && m.Kind == rpc.Notification {
			e.conn.HandleNotification(name, func(params json.RawMessage) { e.event(name, params) })
		}
	}
	if t := e.keyboard(); t != nil {
		t.setTyped(typedFuncs{keys: e.keysTyped, line: e.lineTyped, resized: e.resized})
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

// keyboard is the terminal that a person sits at, nil without one.
func (e *editor) keyboard() *Terminal {
	t, _ := e.o.Person.(*Terminal)
	return t
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
				"terminals": e.o.Terminals, "events": true, "trust": true,
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
	err := e.brief("session/new", protocol.SessionNewParams{
		Cwd: e.o.Dir, Model: e.o.Model, Mode: e.o.Mode,
		Preset: e.o.Preset, Profile: e.o.Profile,
	}, &res)
	e.setSession(res.Session.SessionID)
	return res.Session.SessionID, err
}

// loadSession opens a session; its history is not shown again. That nobody is
// asked holds for the run it was said for: it is not taken over from a run that
// may be long ago.
func (e *editor) loadSession(id string) error {
	e.setSession(id)
	var loaded protocol.SessionLoadResult
	if err := e.brief("session/load", protocol.SessionLoadParams{SessionID: id}, &loaded); err != nil {
		return err
	}
	set := protocol.SessionConfigureParams{SessionID: id, Model: e.o.Model, Mode: e.o.Mode, Preset: e.o.Preset}
	now, was := loaded.Session, loaded.Session.Mode
	if set.Mode == "" && was == protocol.ModeAllowAll {
		set.Mode = protocol.ModeAlwaysAsk
	}
	if set != (protocol.SessionConfigureParams{SessionID: id}) {
		var res protocol.SessionResult
		if err := e.brief("session/configure", set, &res); err != nil {
			return err
		}
		now = res.Session
	}
	c := Continued{Session: now.SessionID, Title: now.Title, Mode: now.Mode, Profile: now.Profile}
	if e.o.Mode == "" && now.Mode != was {
		c.Lowered = was
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.View.Continued(c)
	return nil
}

func (e *editor) setSession(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = id
}

// leftRunning names the commands that the end of the run is going to stop.
func (e *editor) leftRunning() (titles []string) {
	session, _ := e.where()
	e.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(e.working)) {
		titles = append(titles, e.working[id])
	}
	e.mu.Unlock()
	var list protocol.TerminalListResult
	if e.brief("terminal/list", protocol.TerminalListParams{SessionID: session}, &list) != nil {
		return titles // the bridge is gone, and they are
	}
	for _, t := range list.Terminals {
		if t.Exit == nil || len(t.Survivors) > 0 {
			titles = append(titles, t.Title)
		}
	}
	return titles
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
	e.show(method, params, head.Event, head.TerminalID)
	t := e.keyboard()
	switch {
	case t == nil:
	case method == "terminal/opened":
		go e.resize(head.SessionID, head.TerminalID) // ends with its answer
		t.setRunning(true)
	case method == "terminal/closed" || method == "terminal/updated":
		_, terminal := e.typing()
		t.setRunning(terminal != "")
	}
}

func (e *editor) show(method string, params json.RawMessage, head protocol.Event, terminal string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "terminal/opened":
		e.terminals = append(e.terminals, openTerminal{session: head.SessionID, id: terminal})
	case "terminal/updated":
		e.update(decode[protocol.TerminalUpdated](params))
	case "terminal/closed":
		e.terminals = slices.DeleteFunc(e.terminals, func(t openTerminal) bool { return t.id == terminal })
	case "turn/started", "turn/completed":
		if head.Origin == nil {
			e.turning = method == "turn/started"
			e.last = decode[protocol.TurnCompleted](params)
			e.move()
		}
	case "subagent/updated":
		e.follow(decode[protocol.SubagentUpdated](params).Subagent)
	case "terminal/output":
		e.ack(params)
	}
	e.o.View.Event(method, params)
}

// follow takes over what a subagent does now.
func (e *editor) follow(a protocol.Subagent) {
	if _, was := e.working[a.SubagentID]; was {
		delete(e.working, a.SubagentID)
		e.answered = true
	}
	if a.State == protocol.SubagentRunning || a.State == protocol.SubagentWaiting {
		e.working[a.SubagentID] = a.SubagentID + ": " + a.Title
	}
	e.move()
}

func (e *editor) move() {
	select {
	case e.moved <- struct{}{}:
	default:
	}
}

// busy says what still goes on.
func (e *editor) busy() (subagents int, turning bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.working), e.turning
}

// update takes over what a terminal does now.
func (e *editor) update(u protocol.TerminalUpdated) {
	for i, t := range e.terminals {
		if t.id == u.TerminalID {
			e.terminals[i].background, e.terminals[i].waiting = u.Background, u.Waiting
		}
	}
}

// typing says what is typed into: the newest command whose call runs, else the
// newest in the background that waits for typing, "" without either.
func (e *editor) typing() (session, terminal string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.terminals {
		if t.background && t.waiting {
			session, terminal = t.session, t.id
		}
	}
	for _, t := range e.terminals {
		if !t.background {
			session, terminal = t.session, t.id
		}
	}
	return session, terminal
}

// where is the session, and whether a turn of it runs.
func (e *editor) where() (session string, turning bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session, e.turning
}

// ack tells the bridge what was shown, so that it sends on.
func (e *editor) ack(params json.RawMessage) {
	var out protocol.TerminalOutput
	if json.Unmarshal(params, &out) == nil {
		_ = e.conn.Notify("terminal/ack", protocol.TerminalAckParams{
			SessionID:  out.SessionID,
			TerminalID: out.TerminalID, Offset: out.End,
		})
	}
}

// approve lets the person answer a question.
func (e *editor) approve(ctx context.Context, params json.RawMessage) (any, error) {
	var q protocol.ApprovalRequestParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, err
	}
	e.mu.Lock()
	text := e.o.View.Question(q)
	e.o.View.Asked(q)
	e.mu.Unlock()
	a := e.o.Person.Answer(ctx, q, text)
	e.mu.Lock()
	e.o.View.Answered(q, a)
	e.mu.Unlock()
	return a, nil
}

// typeLimit bounds how long a command that does not read holds up who types.
const typeLimit = 2 * time.Second

// keysTyped takes what was typed while a command took keys. The terminal may
// have closed meanwhile: then there is nobody to read it.
func (e *editor) keysTyped(text string) {
	session, terminal := e.typing()
	if terminal == "" {
		return
	}
	e.mu.Lock()
	e.o.View.Typed(terminal)
	e.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), typeLimit)
	defer stop()
	_ = e.call(ctx, "terminal/write", protocol.TerminalWriteParams{SessionID: session, TerminalID: terminal, Text: text}, nil)
}

// lineTyped takes a line that was typed while no question was open: it goes to
// the running command, else to the model.
func (e *editor) lineTyped(line string) {
	session, turning := e.where()
	_, terminal := e.typing()
	switch {
	case terminal != "":
		e.keysTyped(line + "\n")
	case turning && strings.TrimSpace(line) != "":
		_ = e.brief("session/steer", protocol.SteerParams{
			SessionID: session,
			Content:   protocol.List[protocol.Block]{protocol.TextBlock(line)},
		}, nil)
	}
}

// resized gives every open terminal the size of the person's.
func (e *editor) resized() {
	e.mu.Lock()
	open := slices.Clone(e.terminals)
	e.mu.Unlock()
	for _, t := range open {
		e.resize(t.session, t.id)
	}
}

func (e *editor) resize(session, terminal string) {
	t := e.keyboard()
	if t.device == nil {
		return
	}
	if cols, rows := t.device.Size(); cols > 0 && rows > 0 {
		_ = e.brief("terminal/resize", protocol.TerminalResizeParams{
			SessionID: session, TerminalID: terminal,
			Cols: cols, Rows: rows,
		}, nil)
	}
}
