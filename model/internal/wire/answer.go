package wire

import (
	"crypto/rand"
	"strings"

	"drawbridge/model"
)

// Answer collects a streamed answer: each piece goes to the sink at once and
// into the Response that is handed out at the end, whole or partial. Pieces
// join in linear time. It belongs to one goroutine.
type Answer struct {
	Usage model.Usage

	provider string
	sink     model.Sink
	blocks   []*block
	calls    map[string]*block // by the service's own key, in case pieces interleave
	ids      map[string]bool   // of the calls that were announced
}

// block is a part that may still grow.
type block struct {
	part    model.Part
	text    strings.Builder // text, thinking or arguments
	key     string          // of a call
	started bool            // a call that was announced to the sink
	open    bool
}

// NewAnswer makes an empty answer of the named provider.
func NewAnswer(provider string, sink model.Sink) *Answer {
	return &Answer{provider: provider, sink: sink, calls: map[string]*block{}, ids: map[string]bool{}}
}

// Alive tells the sink that the service is at work.
func (a *Answer) Alive() { a.sink(model.Event{Kind: model.EventAlive}) }

// Text adds a piece of the answer.
func (a *Answer) Text(piece string) {
	if piece == "" {
		return
	}
	a.last(model.PartText).text.WriteString(piece)
	a.sink(model.Event{Kind: model.EventText, Text: piece})
}

// Thinking adds a piece of the reasoning.
func (a *Answer) Thinking(piece string) {
	if piece == "" {
		return
	}
	a.last(model.PartThinking).text.WriteString(piece)
	a.sink(model.Event{Kind: model.EventThinking, Text: piece})
}

// Sign sets the signature of the reasoning in progress. A reasoning that has a
// signature only, because it is hidden, becomes a part without text.
func (a *Answer) Sign(signature string) {
	a.last(model.PartThinking).part.Signature = signature
	a.Alive()
}

// Break ends the part in progress: the next piece starts a new one.
func (a *Answer) Break() {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].part.Kind != model.PartCall {
		a.blocks[n-1].open = false
	}
}

// last returns the open block at the end, which pieces of kind join.
func (a *Answer) last(kind model.PartKind) *block {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].open && a.blocks[n-1].part.Kind == kind {
		return a.blocks[n-1]
	}
	b := &block{open: true, part: model.Part{Kind: kind}}
	if kind == model.PartThinking {
		b.part.Provider = a.provider
	}
	a.Break()
	a.blocks = append(a.blocks, b)
	return b
}

// Call starts a call, or completes what is known of one: some services send
// the id first and the name later. key is whatever the service tells calls
// apart by.
func (a *Answer) Call(key, id, name, item string) {
	b := a.calls[key]
	if b == nil {
		a.Break()
		b = &block{key: key, open: true, part: model.Part{Kind: model.PartCall, Call: &model.Call{}}}
		a.calls[key] = b
		a.blocks = append(a.blocks, b)
	}
	call := b.part.Call
	call.ID = firstOf(call.ID, id)
	call.Name = firstOf(call.Name, name)
	call.Item = firstOf(call.Item, item)
	if call.ID != "" && call.Name != "" {
		a.announce(b)
	}
}

// Args adds a piece of a call's arguments.
func (a *Answer) Args(key, piece string) {
	b := a.calls[key]
	if b == nil || !b.open || piece == "" {
		return
	}
	a.announce(b)
	b.text.WriteString(piece)
	a.sink(model.Event{Kind: model.EventCallArgs, Call: model.Call{ID: b.part.Call.ID}, Text: piece})
}

// CloseCall ends a call. whole, if not empty, is the service's own copy of the
// arguments; it counts when nothing was streamed.
func (a *Answer) CloseCall(key, whole string) {
	b := a.calls[key]
	if b == nil {
		return
	}
	if b.text.Len() == 0 {
		a.Args(key, whole)
	}
	a.announce(b)
	b.open = false
}

// CloseCalls ends all calls, for services that do not end each.
func (a *Answer) CloseCalls() {
	for _, b := range a.blocks {
		if b.part.Kind == model.PartCall {
			a.CloseCall(b.key, "")
		}
	}
}

// announce shows a call once, with an id of our own if the service gave none
// or gave it to another call of this answer.
func (a *Answer) announce(b *block) {
	if b.started {
		return
	}
	b.started = true
	call := b.part.Call
	if call.ID == "" || a.ids[call.ID] {
		call.ID = "call_" + rand.Text()[:16]
	}
	a.ids[call.ID] = true
	a.sink(model.Event{Kind: model.EventCallStart, Call: *call})
}

// Finish is the whole answer. What the service says of its stop is checked
// against what it sent: a call that is still open was cut, calls without a
// word mean calls, and a word without calls means none.
func (a *Answer) Finish(stop model.StopReason) model.Response {
	resp := a.response()
	calls, cut := a.countCalls()
	switch {
	case stop == model.StopRefusal, stop == model.StopMaxTokens:
		resp.Stop = stop
	case cut > 0:
		resp.Stop = model.StopMaxTokens
	case calls > 0:
		resp.Stop = model.StopCalls
	default:
		resp.Stop = model.StopEnd
	}
	return resp
}

// Partial is what came before a failure.
func (a *Answer) Partial() model.Response {
	resp := a.response()
	resp.Stop = model.StopMaxTokens
	return resp
}

func (a *Answer) countCalls() (all, open int) {
	for _, b := range a.blocks {
		if b.part.Kind != model.PartCall {
			continue
		}
		all++
		if b.open {
			open++
		}
	}
	return all, open
}

// response leaves out calls that never were announced: nothing was shown of
// them, not even a name.
func (a *Answer) response() model.Response {
	resp := model.Response{Usage: a.Usage}
	for _, b := range a.blocks {
		part := b.part
		switch {
		case part.Kind != model.PartCall:
			part.Text = b.text.String()
		case !b.started:
			continue
		default:
			call := *part.Call
			call.Args = b.text.String()
			part.Call = &call
		}
		resp.Parts = append(resp.Parts, part)
	}
	return resp
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
