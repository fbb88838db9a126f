package fakemodel

import (
	"net/http"
	"time"
)

// Step is one answer. The zero step is an empty one.
type Step struct {
	Thinking  string
	Signature string // of the thinking; "" is a made-up one
	Redacted  string // a redacted thinking block with this data (Anthropic)
	Text      string
	Calls     []Call
	Stop      Stop
	Usage     Usage
	Repeat    int // rounds; "{n}" in a call's id and arguments is the round, from 0

	Pieces      int           // each text and each call's arguments come in this many; 0 is 2
	HeaderDelay time.Duration // before the status line
	Break       Break
	StreamError Refusal // sent as an event in place of the end

	Status  int               // an answer of this status in place of a stream
	Header  map[string]string // of the answer
	Refusal Refusal           // its words; empty are the service's usual ones
	Body    string            // in place of what would be written, to the letter

	Quirks Quirks
}

// Call is a tool call. Args is sent as it is; an empty ID becomes a new one.
type Call struct {
	ID, Name, Args string
}

// Stop says why the answer ends.
type Stop int

const (
	StopNatural Stop = iota // by whether there are calls
	StopMaxTokens
	StopRefusal
)

// Usage counts tokens; the zero value is 100 in, 20 out. CacheRead is part of
// Input.
type Usage struct {
	Input, Output, CacheRead int
}

// Break says how and where a stream goes wrong.
type Break struct {
	How How
	At  Mark // after the first frame of this kind
}

// How is the way in which a stream goes wrong.
type How int

const (
	Whole   How = iota // it does not
	Cut                // the connection breaks
	EndsOff            // the stream ends in good order, but the answer is not whole
	Stall              // nothing more comes until the client goes away
	Pings              // only the service's keep-alives come
)

// Mark is a kind of frame.
type Mark int

const (
	AtHead     Mark = iota // the first frame, before any content
	AtThinking             // a piece of the thinking
	AtText                 // a piece of the text
	AtCall                 // the start of a call
	AtArgs                 // a piece of a call's arguments
	AtTail                 // what closes the answer
)

// Quirks are habits of servers that speak Chat Completions in their own way.
type Quirks struct {
	NoUsage    bool
	NoFinish   bool // no finish reason in any chunk
	NoDone     bool // the stream just ends
	Finish     string
	NoIndex    bool // calls have no index
	SameIndex  bool // all calls have index 0
	NoID       bool // calls have no id
	Nulls      bool // null wherever a field has nothing to say
	ObjectArgs bool // arguments are an object, not a text
}

// Refusal is the body of an error answer.
type Refusal struct {
	Type, Code, Message string
}

// TooLong is the step of a conversation that does not fit, in the words of the
// format's service.
func TooLong(f Format) Step {
	if f == Anthropic {
		return Step{Status: http.StatusBadRequest, Refusal: Refusal{
			Type: "invalid_request_error", Message: "prompt is too long: 208310 tokens > 200000 maximum",
		}}
	}
	return Step{Status: http.StatusBadRequest, Refusal: Refusal{
		Type: "invalid_request_error", Code: "context_length_exceeded",
		Message: "This model's maximum context length is 128000 tokens.",
	}}
}

// usual are the services' own words for a status.
var usual = map[int]Refusal{
	http.StatusUnauthorized:        {Type: "authentication_error", Message: "invalid key"},
	http.StatusForbidden:           {Type: "permission_error", Message: "not allowed"},
	http.StatusNotFound:            {Type: "not_found_error", Message: "model: no such model"},
	http.StatusTooManyRequests:     {Type: "rate_limit_error", Message: "too many requests"},
	http.StatusInternalServerError: {Type: "api_error", Message: "internal error"},
	529:                            {Type: "overloaded_error", Message: "Overloaded"},
}

// wrongKey quotes the key, as one of the services does.
func wrongKey(f Format) Refusal {
	if f == Anthropic {
		return Refusal{Type: "authentication_error", Message: "invalid x-api-key"}
	}
	return Refusal{
		Type: "invalid_request_error", Code: "invalid_api_key",
		Message: "Incorrect API key provided. You can find your API key in the settings.",
	}
}
