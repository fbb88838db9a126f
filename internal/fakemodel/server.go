// Package fakemodel is a model service for tests and measurements. It speaks
// the three wire formats, streaming, on a loopback port; plays steps that the
// test wrote; can stall, cut and flood; and refuses what the real services
// refuse, with their kind of error body. It knows nothing of the clients under
// test. Each Server has the goroutines of its net/http server; Close waits for
// the handlers.
package fakemodel

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Format is a wire format.
type Format string

const (
	Anthropic Format = "anthropic"   // POST /v1/messages
	Responses Format = "openai"      // POST /v1/responses
	Chat      Format = "openai-chat" // POST /v1/chat/completions
)

// Key is a key that looks like one.
const Key = "sk-fake-0123456789abcdef"

// Server is a running service. Steps are played one a request, in order of
// arrival; when none is left it says "done".
type Server struct {
	URL string // immutable

	http    *http.Server
	closing chan struct{}
	closed  sync.Once
	running sync.WaitGroup

	mu       sync.Mutex // guards below
	key      string     // "": any key, or none, is let in
	blind    bool       // bodies are neither looked at nor kept
	steps    []Step
	played   int // rounds of steps[0] that were played
	number   int // of requests that were let in
	requests []Request
}

// Request is one entry of the log, written when its answer is over.
type Request struct {
	Format  Format
	Path    string
	Header  http.Header
	Body    []byte
	Size    int    // of the body
	Refused string // why it was refused by the rules, if it was

	FirstByte, LastByte time.Time // of the request's arrival, of the answer
}

// Start listens on a loopback port of the system's choice.
func Start(steps ...Step) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL:     "http://" + listener.Addr().String(),
		closing: make(chan struct{}),
		steps:   steps,
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	s.running.Go(func() { _ = s.http.Serve(listener) }) // ends with Close
	return s, nil
}

// Close ends all answers and the server. It may be called again.
func (s *Server) Close() {
	s.closed.Do(func() { close(s.closing) })
	_ = s.http.Close()
	s.running.Wait()
}

// BaseURL is what a client of the format is to be given.
func (s *Server) BaseURL(f Format) string {
	if f == Anthropic {
		return s.URL
	}
	return s.URL + "/v1"
}

// RequireKey lets only this key in from now on; an empty one means any, or none.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Blind lets bodies pass from now on without looking at them or keeping them,
// for measurements: those of a long conversation grow with its square.
func (s *Server) Blind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blind = true
}

func (s *Server) isBlind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blind
}

// Push adds steps behind those that wait.
func (s *Server) Push(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Requests is a copy of the log. A request appears in it before the client can
// see the end of its answer.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// next fills in the step to play, its round and the number of the request.
func (s *Server) next(p *player) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	p.number = s.number
	if len(s.steps) == 0 {
		p.step = Step{Text: "done"}
		return
	}
	p.step, p.round = s.steps[0], s.played
	s.played++
	if s.played >= p.step.Repeat {
		s.steps, s.played = s.steps[1:], 0
	}
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// formats finds the format by the end of the path, so that gateways' prefixes
// can be tested.
var formats = map[string]Format{
	"/messages":         Anthropic,
	"/responses":        Responses,
	"/chat/completions": Chat,
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	entry := Request{Path: r.URL.Path, Header: r.Header, FirstByte: time.Now()}
	s.take(&entry, r.Body)
	for suffix, f := range formats {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, suffix) {
			entry.Format = f
			s.answer(w, r, &entry)
			return
		}
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		s.models(w, r, &entry)
		return
	}
	http.NotFound(w, r)
}

func (s *Server) take(entry *Request, body io.Reader) {
	if s.isBlind() {
		n, _ := io.Copy(io.Discard, body) // what came before it broke off
		entry.Size = int(n)
		return
	}
	entry.Body, _ = io.ReadAll(body)
	entry.Size = len(entry.Body)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, entry *Request) {
	if !s.letIn(r) {
		s.refuse(w, entry, http.StatusUnauthorized, wrongKey(entry.Format), "")
		return
	}
	var request request
	var complaint string
	if !s.isBlind() {
		request, complaint = check(entry.Format, r.Header, entry.Body)
	}
	if complaint != "" {
		entry.Refused = complaint
		s.refuse(w, entry, http.StatusBadRequest, Refusal{Type: "invalid_request_error", Message: complaint}, "")
		return
	}
	p := player{server: s, w: w, r: r, entry: entry, model: request.Model}
	s.next(&p)
	p.play()
}

// letIn takes the key from either header, as the services and gateways do.
func (s *Server) letIn(r *http.Request) bool {
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key == "" || bearer == key || r.Header.Get("X-Api-Key") == key
}

func (s *Server) models(w http.ResponseWriter, r *http.Request, entry *Request) {
	format := Chat
	if r.Header.Get("Anthropic-Version") != "" {
		format = Anthropic
	}
	if !s.letIn(r) {
		s.refuse(w, entry, http.StatusUnauthorized, wrongKey(format), "")
		return
	}
	s.record(*entry)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","has_more":false,"data":[{"id":"fake-model","object":"model",`+
		`"type":"model","display_name":"Fake","created":1700000000,"created_at":"2025-01-01T00:00:00Z","owned_by":"test"}]}`)
}
