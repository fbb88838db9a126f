package scenario

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// maxQueued bounds what the editor's side has to say while the bridge does not
// read; beyond it the scenario stands still, which its test reports.
const maxQueued = 4096

// peer is the editor's end of one connection.
type peer struct {
	wire  net.Conn
	heard func(message) // called by the reader
	out   chan []byte   // whole frames, to the writer
	deaf  chan struct{} // closed when the reader has ended
	done  sync.WaitGroup

	mu   sync.Mutex    // guards below
	hold chan struct{} // closed when the editor reads again; nil while it reads
	shut bool
}

// message is one frame of the bridge.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func connect(wire net.Conn, heard func(message)) *peer {
	p := &peer{wire: wire, heard: heard, out: make(chan []byte, maxQueued), deaf: make(chan struct{})}
	p.done.Go(p.read)
	p.done.Go(p.write)
	return p
}

// read ends when either side closes the pipe.
func (p *peer) read() {
	defer close(p.deaf)
	r := textproto.NewReader(bufio.NewReader(p.wire))
	for {
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			p.heard(message{Method: "!unreadable", Params: quoted(fmt.Sprint(header))})
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r.R, body); err != nil {
			return
		}
		p.deafness()
		p.deliver(body)
	}
}

// deliver takes a frame, which may be a batch.
func (p *peer) deliver(body []byte) {
	var m message
	var batch []message
	switch {
	case json.Unmarshal(body, &m) == nil:
		p.heard(m)
	case json.Unmarshal(body, &batch) == nil:
		for _, m := range batch {
			p.heard(m)
		}
	default:
		p.heard(message{Method: "!unreadable", Params: quoted(string(body))})
	}
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

// deafness waits while the editor does not read.
func (p *peer) deafness() {
	p.mu.Lock()
	hold := p.hold
	p.mu.Unlock()
	if hold != nil {
		<-hold
	}
}

func (p *peer) stopReading() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hold == nil {
		p.hold = make(chan struct{})
	}
}

func (p *peer) readAgain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hold != nil {
		close(p.hold)
		p.hold = nil
	}
}

// write ends when out is closed, and drops what comes after a failure.
func (p *peer) write() {
	var failed error
	for frame := range p.out {
		if failed == nil {
			_, failed = p.wire.Write(frame)
		}
	}
}

// send queues one message; parts are its members besides jsonrpc.
func (p *peer) send(parts map[string]any) error {
	parts["jsonrpc"] = "2.0"
	body, err := encoded(parts)
	if err != nil {
		return err
	}
	p.raw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
	return nil
}

func (p *peer) raw(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shut {
		p.out <- frame
	}
}

// close hangs up and waits for both goroutines.
func (p *peer) close() {
	p.readAgain()
	_ = p.wire.Close() // of a pipe in memory: cannot fail
	p.mu.Lock()
	if !p.shut {
		p.shut = true
		close(p.out)
	}
	p.mu.Unlock()
	p.done.Wait()
}

// encoded is JSON with sorted keys on one line, without escapes meant for HTML.
func encoded(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
