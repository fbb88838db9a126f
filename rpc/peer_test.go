package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var testTable = tableOf(
	Method{Name: "ordered", Policy: InOrder},
	Method{Name: "async", Policy: Async},
	Method{Name: "urgent", Policy: Preempt},
	Method{Name: "unserved"},
	Method{Name: "note", Kind: Notification},
	Method{Name: "urgentNote", Kind: Notification, Policy: Preempt},
	Method{Name: "ask", Direction: ToEditor, Policy: Async},
	Method{Name: "tell", Direction: ToEditor, Kind: Notification},
)

func tableOf(rows ...Method) Table {
	t := Table{}
	for _, r := range rows {
		t[r.Name] = r
	}
	return t
}

// bubble runs a test in virtual time. Whoever blocks for ever there fails the
// test at once, so nothing in it needs a time limit.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// peer is the other end as bytes on a wire.
type peer struct {
	t       *testing.T
	conn    net.Conn
	framing Framing
	got     chan string
	log     *logBook
}

// dial starts a connection and returns it with its peer. setup registers
// handlers.
func dial(t *testing.T, o Options, setup func(c *Conn)) (*Conn, *peer) {
	t.Helper()
	ours, theirs := net.Pipe()
	p := &peer{t: t, conn: theirs, framing: o.Framing, got: make(chan string, 10000), log: &logBook{}}
	if o.Table == nil {
		o.Table = testTable
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	c := New(ours, o)
	if setup != nil {
		setup(c)
	}
	c.Start()
	t.Cleanup(func() {
		theirs.Close()
		c.Close(time.Second)
	})
	go p.listen()
	return c, p
}

func (p *peer) listen() {
	defer close(p.got)
	r := newFrameReader(p.conn, p.framing, 1<<30)
	for {
		b, err := r.next()
		if err != nil {
			return
		}
		p.got <- string(b)
	}
}

func (p *peer) send(bodies ...string) {
	p.t.Helper()
	for _, body := range bodies {
		if p.framing == Lines {
			p.raw(body + "\n")
			continue
		}
		p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	}
}

func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, s); err != nil {
		p.t.Errorf("peer: write: %v", err)
	}
}

// request sends a request without params; id is raw JSON.
func (p *peer) request(id, method string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method))
}

func (p *peer) want(bodies ...string) {
	p.t.Helper()
	for _, want := range bodies {
		if got := <-p.got; got != want {
			p.t.Errorf("peer received\n\t%s\nwant\n\t%s", got, want)
		}
	}
}

// wantError expects an error answer with the id (raw JSON), the code and a
// message that contains word.
func (p *peer) wantError(id string, code int64, word string) {
	p.t.Helper()
	body := <-p.got
	checkError(p.t, body, id, code, word)
}

func checkError(t *testing.T, body, id string, code int64, word string) {
	t.Helper()
	var m struct {
		ID    json.RawMessage
		Error struct {
			Code    int64
			Message string
		}
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Errorf("peer received %s: %v", body, err)
		return
	}
	if string(m.ID) != id || m.Error.Code != code || !strings.Contains(m.Error.Message, word) {
		t.Errorf("peer received\n\t%s\nwant an error for id %s with code %d and %q in it", body, id, code, word)
	}
}

// wantQuiet expects that nothing more comes once everything has settled.
func (p *peer) wantQuiet() {
	p.t.Helper()
	synctest.Wait()
	select {
	case got, ok := <-p.got:
		if ok {
			p.t.Errorf("peer received %s, want nothing", got)
		}
	default:
	}
}

// wantAlive checks that the connection still serves.
func (p *peer) wantAlive() {
	p.t.Helper()
	p.request(`"alive"`, "unserved")
	p.wantError(`"alive"`, CodeMethodNotFound, "not served")
}

// pair connects a bridge and an editor, both of them Conns.
func pair(t *testing.T, setup func(bridge, editor *Conn)) (bridge, editor *Conn) {
	t.Helper()
	a, b := net.Pipe()
	bridge = New(a, Options{Table: testTable})
	editor = New(b, Options{Table: testTable, Accepts: ToEditor})
	setup(bridge, editor)
	bridge.Start()
	editor.Start()
	t.Cleanup(func() {
		editor.Close(time.Second)
		bridge.Close(time.Second)
	})
	return bridge, editor
}

// logBook keeps log lines.
type logBook struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (l *logBook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(b)
}

func (l *logBook) has(word string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.lines.String(), word)
}

func answerWith(v any, err error) RequestFunc {
	return func(context.Context, json.RawMessage) (any, error) { return v, err }
}

// echo answers with the params it was given.
func echo(_ context.Context, params json.RawMessage) (any, error) { return params, nil }

// halves is a transport of two independent directions, so that the input can
// end while the output goes on.
type halves struct {
	io.Reader
	io.Writer
	closed func()
}

func (h halves) Close() error { h.closed(); return nil }
