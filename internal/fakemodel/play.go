package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// pingEvery is short, so that a test of a stall sees many pings.
const pingEvery = 10 * time.Millisecond

// player writes one answer.
type player struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	entry  *Request
	step   Step
	round  int
	number int // of the request
	model  string
}

// frame is one event on the wire.
type frame struct {
	mark Mark
	data string
}

// encoders make the frames of a step, one per format.
var encoders = map[Format]func(Step, string) []frame{
	Anthropic: anthropicFrames,
	Responses: responsesFrames,
	Chat:      chatFrames,
}

func (p *player) play() {
	if !p.wait(p.step.HeaderDelay) {
		return
	}
	for name, value := range p.step.Header {
		p.w.Header().Set(name, value)
	}
	switch {
	case p.step.Status != 0:
		p.server.refuse(p.w, p.entry, p.step.Status, p.step.Refusal, p.step.Body)
		return
	case p.step.Body != "":
		p.head()
		p.send(p.step.Body)
		return
	}
	p.head()
	frames := encoders[p.entry.Format](p.numbered(), p.model)
	if p.step.StreamError != (Refusal{}) {
		frames = append(upTo(frames, AtTail), frame{AtTail, errorEvent(p.entry.Format, p.step.StreamError)})
	}
	if p.step.Break.How == Whole {
		p.send(join(frames))
		return
	}
	p.send(join(through(frames, p.step.Break.At)))
	p.goWrong()
}

// head sends the status line with a content type, unless the step has its own.
func (p *player) head() {
	if p.w.Header().Get("Content-Type") == "" {
		p.w.Header().Set("Content-Type", "text/event-stream")
	}
	p.w.WriteHeader(http.StatusOK)
}

// send writes all there is to write at once. The log comes first, so that a
// client that has seen the answer finds its request there.
func (p *player) send(text string) {
	p.entry.LastByte = time.Now()
	p.server.record(*p.entry)
	p.write(text)
}

func (p *player) write(text string) {
	_, _ = io.WriteString(p.w, text)
	p.w.(http.Flusher).Flush()
}

func (p *player) goWrong() {
	switch p.step.Break.How {
	case Cut:
		panic(http.ErrAbortHandler) // net/http then breaks the connection
	case Stall:
		p.wait(time.Hour)
	case Pings:
		for p.wait(pingEvery) {
			p.write(ping(p.entry.Format))
		}
	}
}

// wait tells whether the client is still there after d.
func (p *player) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.r.Context().Done():
		return false
	case <-p.server.closing:
		return false
	case <-timer.C:
		return true
	}
}

// numbered puts the round into the calls, and an id that no call before had
// into those without one.
func (p *player) numbered() Step {
	s := p.step
	s.Calls = nil
	round := strconv.Itoa(p.round)
	for i, c := range p.step.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", p.number, i)
		}
		c.ID = strings.ReplaceAll(c.ID, "{n}", round)
		c.Args = strings.ReplaceAll(c.Args, "{n}", round)
		s.Calls = append(s.Calls, c)
	}
	if s.Usage == (Usage{}) {
		s.Usage = Usage{Input: 100, Output: 20}
	}
	return s
}

// refuse answers with a status and, if body is not given, the format's error
// object.
func (s *Server) refuse(w http.ResponseWriter, entry *Request, status int, r Refusal, body string) {
	if r == (Refusal{}) {
		r = usual[status]
	}
	if body == "" {
		body = errorBody(entry.Format, r)
		w.Header().Set("Content-Type", "application/json")
	}
	entry.LastByte = time.Now()
	s.record(*entry)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func errorBody(f Format, r Refusal) string {
	inner := object{"type": r.Type, "message": r.Message}
	if f == Anthropic {
		return encode(object{"type": "error", "error": inner})
	}
	inner["code"], inner["param"] = nil, nil
	if r.Code != "" {
		inner["code"] = r.Code
	}
	return encode(object{"error": inner})
}

func errorEvent(f Format, r Refusal) string {
	switch f {
	case Anthropic:
		return named("error", object{"type": "error", "error": object{"type": r.Type, "message": r.Message}})
	case Responses:
		return named("error", object{"type": "error", "code": r.Code, "message": r.Message, "param": nil, "sequence_number": 99})
	}
	return "data: " + errorBody(f, r) + "\n\n"
}

func ping(f Format) string {
	switch f {
	case Anthropic:
		return named("ping", object{"type": "ping"})
	case Responses:
		return named("keepalive", object{"type": "keepalive", "sequence_number": 98})
	}
	return ": keep-alive\n\n"
}

// object is a JSON object to be written.
type object map[string]any

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values are encoded here
	}
	return string(text)
}

func named(event string, v object) string {
	return "event: " + event + "\ndata: " + encode(v) + "\n\n"
}

func join(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.data)
	}
	return b.String()
}

// upTo is the frames before the first of the kind.
func upTo(frames []frame, m Mark) []frame {
	for i, f := range frames {
		if f.mark == m {
			return frames[:i:i]
		}
	}
	return frames
}

// through also has that first one.
func through(frames []frame, m Mark) []frame {
	n := len(upTo(frames, m))
	return frames[:min(n+1, len(frames))]
}

// cutUp makes n pieces of text, at character boundaries.
func cutUp(text string, n int) []string {
	if n <= 0 {
		n = 2
	}
	size := max(1, (len(text)+n-1)/n)
	var out []string
	for len(text) > size {
		end := size
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++
		}
		out, text = append(out, text[:end]), text[end:]
	}
	if text == "" {
		return out
	}
	return append(out, text)
}
