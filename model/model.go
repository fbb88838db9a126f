// Package model talks to language models. It turns one Request into a stream
// of Events and one Response, whatever the wire of the service behind it is.
// It knows nothing of tools' meaning, approvals or editors. Providers start
// goroutines only inside Stream and wait for them before it returns.
package model

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who speaks in a Message.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one entry of the conversation as it is kept in the session log
// and sent again with every request. Tool results ride in user messages.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// PartKind is the tag of a Part.
type PartKind string

const (
	PartText     PartKind = "text"
	PartThinking PartKind = "thinking"
	PartCall     PartKind = "call"
	PartResult   PartKind = "result"
	PartImage    PartKind = "image"
)

// Part is a tagged union: Kind says which of the other fields counts.
type Part struct {
	Kind PartKind `json:"kind"`
	// Text of PartText and PartThinking.
	Text string `json:"text,omitempty"`
	// Signature is the service's opaque proof of a thinking part (or its
	// whole redacted or encrypted form). It goes back unchanged, and only to
	// the provider named in Provider; others never see the part.
	Signature string  `json:"signature,omitempty"`
	Provider  string  `json:"provider,omitempty"`
	Call      *Call   `json:"call,omitempty"`
	Result    *Result `json:"result,omitempty"`
	Image     *Image  `json:"image,omitempty"`
}

// Call is a tool call. In a Response Args is the raw text that the service
// closed the call with, broken or not; in a Request it is always a JSON object
// (the session sees to that) and a provider may rely on it.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
	// Item is the service's second id of the call, where it has one
	// (Responses API). Opaque; empty elsewhere.
	Item string `json:"item,omitempty"`
}

// Result answers the Call of the same id.
type Result struct {
	CallID string  `json:"callId"`
	Text   string  `json:"text"`
	Failed bool    `json:"failed,omitempty"`
	Images []Image `json:"images,omitempty"`
}

// Image is a picture; Data is base64.
type Image struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

// ToolDef is what a model is told of a tool.
type ToolDef struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of an object
}

// Request is one step: everything the model is to know. Messages and tools that
// were sent once are not changed afterwards: a provider may keep how it wrote
// them.
type Request struct {
	Model     string // the service's own name for it
	System    string
	Messages  []Message
	Tools     []ToolDef
	MaxTokens int    // 0: the provider's default
	Thinking  string // "", off, low, medium, high
	// CacheKey groups requests of one session for services that cache by key.
	CacheKey string
}

// EventKind is the tag of an Event.
type EventKind int

const (
	EventText      EventKind = iota // Text holds the next piece of the answer
	EventThinking                   // Text holds the next piece of the reasoning
	EventCallStart                  // Call has ID and Name; Args is still empty
	EventCallArgs                   // Call.ID is set; Text is the next piece of the arguments
	EventRetry                      // Retry says what failed and when the next attempt starts
	// EventAlive carries nothing to show: the service did send an event, such
	// as the start of hidden reasoning. Keep-alive pings are not events. It
	// feeds the stall watchdog of Retrying, which keeps it to itself.
	EventAlive
)

// Event is something that arrived while a request ran.
type Event struct {
	Kind  EventKind
	Text  string
	Call  Call
	Retry *Retry
}

// Retry describes a wait between two attempts. Attempt counts from 1 (the
// first retry), Max is how many there may be.
type Retry struct {
	Attempt, Max int
	Delay        time.Duration
	Cause        string
}

// Sink receives events in order, on the goroutine that called Stream.
type Sink func(Event)

// StopReason says why the model stopped.
type StopReason string

const (
	StopEnd       StopReason = "end"       // it had no more to say
	StopCalls     StopReason = "calls"     // it wants tool results
	StopMaxTokens StopReason = "maxTokens" // cut: calls of this response must not run
	StopRefusal   StopReason = "refusal"
)

// Usage counts tokens. CacheRead and CacheWrite are parts of Input.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead,omitempty"`
	CacheWrite int `json:"cacheWrite,omitempty"`
}

// Response is a whole answer. Parts keep the service's order of text, thinking
// and calls. Truncated call arguments are reported as they came.
//
// A Response that comes with an error is partial: it holds what had been shown,
// its Stop is StopMaxTokens (none of its calls may run), and a call in it may
// have arguments that end anywhere.
type Response struct {
	Parts []Part
	Stop  StopReason
	Usage Usage
}

// Provider streams one request. Implementations are safe for concurrent use.
//
// Stream returns when the answer is complete, ctx is done, or the attempt
// failed; then the error is an *Error (or wraps ctx's) and Response holds the
// parts that had already been sent to sink, so that nothing shown is lost.
type Provider interface {
	// Name is the provider's word in configuration and in Part.Provider.
	Name() string
	Stream(ctx context.Context, req Request, sink Sink) (Response, error)
}

// Info is what is known of a model. Zero numbers mean unknown.
type Info struct {
	ID      string
	Context int // tokens
	// Vision says that it takes pictures, NoVision that it takes none; neither: not
	// known.
	Vision, NoVision bool
	// Thinking are the words of Request.Thinking that it takes; nil: not known.
	Thinking []string
	// Price is what it costs; nil: not known.
	Price *Price
}

// Price is what a model costs, in US dollars for a million tokens. CacheRead and
// CacheWrite are those of input tokens that a cache serves or keeps; 0 is as Input.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// Lister is implemented by providers that can say which models they serve.
type Lister interface {
	Models(ctx context.Context) ([]Info, error)
}

// ErrorKind sorts failures by what can be done about them.
type ErrorKind string

const (
	ErrSetup      ErrorKind = "setup"      // no key, no server: Hint says exactly what to set
	ErrAuth       ErrorKind = "auth"       // the key was refused
	ErrInvalid    ErrorKind = "invalid"    // the service refuses the request; retrying cannot help
	ErrTooLong    ErrorKind = "tooLong"    // the context does not fit
	ErrRateLimit  ErrorKind = "rateLimit"  // 429
	ErrOverloaded ErrorKind = "overloaded" // 5xx, 529
	ErrNetwork    ErrorKind = "network"    // no connection, or it broke
	ErrStalled    ErrorKind = "stalled"    // the stream stayed open without events
	ErrProtocol   ErrorKind = "protocol"   // an answer that cannot be read
)

// Error is a failed request. Message is for people; Hint says what to do.
type Error struct {
	Kind       ErrorKind
	Status     int // HTTP status, 0 if none
	Message    string
	Hint       string
	RetryAfter time.Duration // 0: the service did not say
	Err        error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }
