package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait of these tests for something that must come.
const patience = 30 * time.Second

// editor is a client that believes nothing: what the bridge writes to stdout
// must be frames of one exact form, with JSON-RPC in them, to the last byte.
type editor struct {
	t          *testing.T
	cmd        *exec.Cmd
	home, work string
	in         io.WriteCloser
	out        *os.File
	stderr     buffer

	frames chan message // closed at the end of stdout
	seen   []message    // frames that were passed over, in order
	id     int
	exited chan struct{}
}

// message is any JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// start runs a bridge in an environment of its own. env is added to it.
func start(t *testing.T, program string, args []string, env ...string) *editor {
	t.Helper()
	return startIn(t, tempDir(t), tempDir(t), program, args, env...)
}

// startIn runs a bridge in an environment that may be that of an earlier one.
func startIn(t *testing.T, home, work, program string, args []string, env ...string) *editor {
	t.Helper()
	e := &editor{
		t: t, home: home, work: work,
		frames: make(chan message, 1<<16), exited: make(chan struct{}),
	}
	e.cmd = exec.Command(program, args...)
	e.cmd.Dir, e.cmd.Stderr = e.work, &e.stderr
	e.cmd.Env = slices.Concat(hermetic(e.home), []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tempDir(t)}, env)
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.in, e.out = in, out.(*os.File)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); e.read() }() // ends with stdout
	go func() {                                 // ends with the process
		<-read
		e.cmd.Wait()
		close(e.exited)
	}()
	t.Cleanup(func() {
		e.cmd.Process.Kill()
		e.out.Close()
		<-e.exited
		if t.Failed() {
			t.Logf("stderr of the bridge:\n%s", e.stderr.String())
		}
	})
	return e
}

func serve(t *testing.T, env ...string) *editor {
	t.Helper()
	return start(t, "drawbridge", []string{"serve"}, env...)
}

// read takes frames until stdout ends.
func (e *editor) read() {
	defer close(e.frames)
	r := bufio.NewReaderSize(e.out, 1<<20)
	for {
		m, err := readFrame(r)
		switch {
		case err == io.EOF || err != nil && strings.Contains(err.Error(), "file already closed"):
			return
		case err != nil:
			e.t.Errorf("stdout of the bridge is no sequence of frames: %v", err)
			return
		}
		e.frames <- m
	}
}

var headerForm = regexp.MustCompile(`^Content-Length: (\d+)\r\n$`)

func readFrame(r *bufio.Reader) (m message, err error) {
	header, err := r.ReadString('\n')
	if err != nil && header == "" {
		return m, err
	}
	found := headerForm.FindStringSubmatch(header)
	if found == nil {
		return m, fmt.Errorf("header %q", header)
	}
	if blank, err := r.ReadString('\n'); blank != "\r\n" {
		return m, fmt.Errorf("after the header %q, %v", blank, err)
	}
	n, _ := strconv.Atoi(found[1])
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, fmt.Errorf("body of %d bytes: %w", n, err)
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Version != "2.0" {
		return m, fmt.Errorf("body %s: %v", brief(string(body)), err)
	}
	return m, nil
}

// raw writes bytes. That the bridge no longer reads them is no fault.
func (e *editor) raw(text string) { _, _ = io.WriteString(e.in, text) }

func frame(body string) string {
	return "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func (e *editor) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	e.raw(frame(string(body)))
}

type object = map[string]any

// request sends a request and returns its id.
func (e *editor) request(method string, params any) int {
	e.id++
	e.send(object{"jsonrpc": "2.0", "id": e.id, "method": method, "params": params})
	return e.id
}

func (e *editor) notify(method string, params any) {
	e.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// next waits for the first frame that fits and that no earlier call returned.
func (e *editor) next(what string, fits func(message) bool) message {
	e.t.Helper()
	for i, m := range e.seen {
		if fits(m) {
			e.seen = slices.Delete(e.seen, i, i+1)
			return m
		}
	}
	limit := time.After(patience)
	for {
		select {
		case m, ok := <-e.frames:
			if !ok {
				e.t.Fatalf("the bridge ended before %s came", what)
			}
			if fits(m) {
				return m
			}
			e.seen = append(e.seen, m)
		case <-limit:
			e.t.Fatalf("%s does not come", what)
		}
	}
}

// answer waits for the answer to a request.
func (e *editor) answer(id int) message {
	e.t.Helper()
	return e.next(fmt.Sprintf("the answer to request %d", id), func(m message) bool {
		return m.Method == "" && string(m.ID) == strconv.Itoa(id)
	})
}

// call sends a request and decodes its result.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	m := e.answer(e.request(method, params))
	if m.Error != nil {
		e.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.t.Fatal(err)
		}
	}
}

// event waits for a notification or request of the bridge whose params contain
// a text.
func (e *editor) event(method, part string) message {
	e.t.Helper()
	return e.next(method, func(m message) bool {
		return m.Method == method && bytes.Contains(m.Params, []byte(part))
	})
}

// handshake initializes as a client with all usual parts. pid may be 0.
func (e *editor) handshake(pid int) {
	e.t.Helper()
	e.handshakeAs(pid)
}

// handshakeAs is handshake of a client with more parts.
func (e *editor) handshakeAs(pid int, more ...string) {
	e.t.Helper()
	var processID any
	if pid != 0 {
		processID = pid
	}
	all := object{"version": 1, "approvals": true, "review": true, "terminals": true, "events": true}
	for _, part := range more {
		all[part] = true
	}
	e.call("initialize", object{
		"processId": processID, "rootUri": "file://" + e.work,
		"capabilities": object{"experimental": object{"drawbridge": all}},
	}, nil)
	e.notify("initialized", object{})
}

// open makes a session that plays a script.
func (e *editor) open(mode, script string) string {
	e.t.Helper()
	var r struct{ Session struct{ SessionID string } }
	e.call("session/new", object{"mode": mode, "model": "script:" + e.file(script)}, &r)
	return r.Session.SessionID
}

// openUnconfined opens a session whose commands see the bridge's processes, in
// mode allow-all.
func (e *editor) openUnconfined(script string) string {
	e.t.Helper()
	var r struct{ Session struct{ SessionID string } }
	e.call("session/new", object{"mode": "allow-all", "preset": "full-access", "model": "script:" + e.file(script)}, &r)
	return r.Session.SessionID
}

// file keeps a text outside the workspace and returns its path.
func (e *editor) file(text string) string {
	e.t.Helper()
	f, err := os.CreateTemp(tempDir(e.t), "script")
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return f.Name()
}

func (e *editor) prompt(session, text string) int {
	return e.request("session/prompt", object{
		"sessionId": session,
		"content":   []object{{"type": "text", "text": text}},
	})
}

// stopReason waits for the end of a turn.
func (e *editor) stopReason(prompt int) string {
	e.t.Helper()
	var r struct{ StopReason, Cause string }
	m := e.answer(prompt)
	if m.Error != nil {
		e.t.Fatalf("session/prompt: %s", m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		e.t.Fatal(err)
	}
	if r.Cause != "" {
		return r.StopReason + ": " + r.Cause
	}
	return r.StopReason
}

// exit waits for the bridge's end and checks its code.
func (e *editor) exit(within time.Duration, want int) {
	e.t.Helper()
	select {
	case <-e.exited:
	case <-time.After(within):
		e.cmd.Process.Signal(syscall.SIGQUIT) // it prints where its goroutines are
		<-e.exited
		e.t.Fatalf("the bridge lives on after %v", within)
	}
	if got := e.cmd.ProcessState.ExitCode(); got != want {
		e.t.Errorf("exit code is %d, want %d", got, want)
	}
}

func (e *editor) shutDown() {
	e.t.Helper()
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	e.exit(patience, 0)
}

// content of a file of the workspace.
func (e *editor) content(name string) string {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(e.work, name))
	if err != nil {
		e.t.Error(err)
	}
	return string(b)
}

// buffer collects what a process writes while a test reads it.
type buffer struct {
	mu sync.Mutex // guards below
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
