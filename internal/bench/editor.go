package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
)

// callLimit bounds whatever is waited for.
const callLimit = 2 * time.Minute

// editor is a bridge's process and the client's end of its wire.
type editor struct {
	conn    *rpc.Conn
	cmd     *exec.Cmd
	wire    *wire
	spawned time.Time
	session string

	done   chan struct{} // closed when the process has ended
	exited time.Time     // valid then

	mu     sync.Mutex // guards below
	stamps map[int64]time.Time
	asked  []question
}

// question is when an approval was asked for and answered.
type question struct{ at, answered time.Time }

// wire is our ends of the process's stdin and stdout. It counts what is read.
type wire struct {
	from, to *os.File
	bytes    atomic.Int64
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	w.bytes.Add(int64(n))
	return n, err
}

func (w *wire) Write(p []byte) (int, error) { return w.to.Write(p) }
func (w *wire) Close() error                { return errors.Join(w.from.Close(), w.to.Close()) }

// spawn starts a bridge and connects to it.
func spawn(bin, dir string, env []string, stderr io.Writer) (*editor, error) {
	stdin, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	defer stdout.Close()
	e := &editor{wire: &wire{from: output, to: input}, done: make(chan struct{}), stamps: map[int64]time.Time{}}
	e.cmd = exec.Command(bin)
	e.cmd.Dir, e.cmd.Env, e.cmd.Stdin, e.cmd.Stdout, e.cmd.Stderr = dir, env, stdin, stdout, stderr
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	e.spawned = time.Now()
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { // ends with the process, which close sees to
		defer close(e.done)
		_ = e.cmd.Wait()
		e.exited = time.Now()
	}()
	e.connect()
	return e, nil
}

func (e *editor) connect() {
	e.conn = rpc.New(e.wire, rpc.Options{Table: protocol.Table(), Accepts: rpc.ToEditor})
	e.conn.HandleNotification("terminal/output", e.output)
	e.conn.HandleRequest("approval/request", e.approve)
	e.conn.Start()
}

func (e *editor) pid() int { return e.cmd.Process.Pid }

func (e *editor) call(method string, params, result any) error {
	ctx, stop := context.WithTimeout(context.Background(), callLimit)
	defer stop()
	return e.conn.Call(ctx, method, params, result)
}

func (e *editor) initialize(dir string, terminals bool) error {
	uri := "file://" + filepath.ToSlash(dir)
	params := map[string]any{
		"processId": os.Getpid(), "rootUri": uri,
		"workspaceFolders": []map[string]string{{"uri": uri, "name": "bench"}},
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-16"}},
			"experimental": map[string]any{"drawbridge": protocol.ClientCapabilities{
				Version: protocol.Version, Approvals: true, Review: true, Terminals: terminals, Events: true,
			}},
		},
	}
	if err := e.call("initialize", params, nil); err != nil {
		return err
	}
	return e.conn.Notify("initialized", struct{}{})
}

// newSession confines nothing unless preset says so: most rows measure what the
// bridge adds, and the sandbox has a row of its own.
func (e *editor) newSession(dir string, mode protocol.Mode, preset protocol.Preset) error {
	var res protocol.SessionResult
	err := e.call("session/new", protocol.SessionNewParams{Cwd: dir, Mode: mode, Preset: preset}, &res)
	e.session = res.Session.SessionID
	return err
}

// turn sends a prompt and waits for its end.
func (e *editor) turn() (protocol.StopReason, error) {
	var res protocol.PromptResult
	err := e.call("session/prompt", protocol.PromptParams{
		SessionID: e.session,
		Content:   protocol.List[protocol.Block]{protocol.TextBlock("go")},
	}, &res)
	if res.StopReason == protocol.StopError {
		err = fmt.Errorf("the turn ended: %s", res.Cause)
	}
	return res.StopReason, err
}

// stamp is how commands say when they printed a line.
var stamp = regexp.MustCompile(`STAMP(\d{19})`)

// output acknowledges what was shown, as every client does, and notes when
// stamps were seen.
func (e *editor) output(raw json.RawMessage) {
	now := time.Now()
	var out protocol.TerminalOutput
	if json.Unmarshal(raw, &out) != nil {
		return
	}
	_ = e.conn.Notify("terminal/ack", protocol.TerminalAckParams{
		SessionID:  out.SessionID,
		TerminalID: out.TerminalID, Offset: out.End,
	})
	if len(out.Data) > 1<<10 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range stamp.FindAllStringSubmatch(out.Data, -1) {
		printed, _ := strconv.ParseInt(m[1], 10, 64)
		e.stamps[printed] = now
	}
}

// approve says yes, once.
func (e *editor) approve(_ context.Context, raw json.RawMessage) (any, error) {
	at := time.Now()
	var q protocol.ApprovalRequestParams
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, err
	}
	for _, o := range q.Options {
		if o.Kind == protocol.OptionAllow && o.Scope == protocol.ScopeOnce {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.asked = append(e.asked, question{at, time.Now()})
			return protocol.ApprovalAnswer{Outcome: protocol.ApprovalSelected, OptionID: o.OptionID}, nil
		}
	}
	return nil, fmt.Errorf("no option allows once")
}

// leave closes the bridge's input, and tells when.
func (e *editor) leave() time.Time {
	now := time.Now()
	_ = e.wire.to.Close()
	return now
}

// close ends the process, by force if it must.
func (e *editor) close() {
	e.leave()
	select {
	case <-e.done:
	case <-time.After(3 * time.Second):
		killAll(tree(e.pid()))
		<-e.done
	}
	_ = e.conn.Close(0)
}
