// Package protocol is the one source of Drawbridge's wire: every native
// method, its params and result, and every closed list of words. The
// documentation, the JSON Schema and the TypeScript and Lua types under
// editors are generated from it, doc comments included.
//
// It knows shapes only: no method's behaviour, no domain type, no transport
// beyond the rows it hands to package rpc. It starts no goroutine.
//
// How to read a struct: a field with omitempty or omitzero may be absent, any
// other is always sent. A field whose zero value means something is a pointer.
// Lists that are always sent are of type List, which is never null.
package protocol

import (
	"encoding/json"
	"time"
)

// Version is the protocol version of this package. Of two peers the lower
// version counts.
const Version = 1

// Bounds that both sides may rely on. What is longer is cut, and says so.
const (
	// MaxFrame is the largest frame, in bytes, that is accepted.
	MaxFrame = 64 << 20
	// MaxUnacked is how many bytes of one terminal may be under way to a client
	// that acknowledges them; beyond it the terminal skips ahead with a gap.
	MaxUnacked = 1 << 20
	// MaxUnackedSilent is the same for a client that never acknowledged.
	MaxUnackedSilent = 256 << 10
	// MaxOutput is the most text, in bytes of the command, in one terminal/output.
	MaxOutput = 64 << 10
	// MaxRead is the most that one terminal/read returns, in bytes.
	MaxRead = 1 << 20
	// MaxDiff is the longest unified diff that is sent, in bytes.
	MaxDiff = 256 << 10
	// MaxArgs is the longest tool arguments shown in toolCall/started, in bytes.
	MaxArgs = 64 << 10
	// MaxPage is the most entries in one page of a list.
	MaxPage = 200
)

// Time is a moment: milliseconds since 1970-01-01 UTC.
type Time int64

// At converts t.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Time converts back, to the precision of the wire.
func (t Time) Time() time.Time { return time.UnixMilli(int64(t)) }

// Event is what every notification about a session begins with.
type Event struct {
	// The session it is about.
	SessionID string `json:"sessionId"`
	// Counts the session's events from 1. An event that the client does not take
	// has a number, too. Replayed chunks may come merged under
	// the last one's number. terminal/output is not counted: it carries the
	// number of an event before it and is ordered by offset alone.
	Seq int64 `json:"seq"`
	// The event is history: session/load sends it again.
	Replayed bool `json:"replayed,omitempty"`
	// The session is a subagent's; this says whose.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin says for whom a subagent works.
type Origin struct {
	// The session that started it.
	SessionID string `json:"sessionId"`
	// The call that started it.
	CallID string `json:"callId"`
	// What the model calls it; begins with subagent-.
	SubagentID string `json:"subagentId"`
	// One line for people: what it was started for.
	Title string `json:"title"`
}

// Empty is a result or params without content.
type Empty struct{}

// List is a slice that is sent as [] when it is nil, never as null.
type List[T any] []T

// MarshalJSON keeps nil lists lists.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
