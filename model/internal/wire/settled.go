package wire

import (
	"encoding/json"
	"sync"

	"drawbridge/model"
)

// Settled keeps the encoded beginning of a conversation, so that a step encodes
// what is new and not all that was ever said. It rests on a promise of
// model.Request: a message that has been sent is not changed, a changed one is
// another message. Of another conversation it keeps nothing. The zero value is
// ready; it is safe for concurrent use.
type Settled struct {
	mu   sync.Mutex      // guards below
	kept []model.Message // what text encodes
	text []byte          // their entries, joined by commas
}

// unsettled is how many of the last messages are encoded anew each time: cache
// marks move over them, and the last one may still grow.
const unsettled = 4

// Dialect is how a provider writes a conversation.
type Dialect struct {
	History func(messages []model.Message) []model.Message
	// Entries writes messages that more follow as a list of JSON values.
	Entries func(history []model.Message) any
	// Fixed says that later messages do not change how these are written. Nil
	// is yes.
	Fixed func(messages []model.Message) bool
	// Tools writes definitions of tools as a list of JSON values.
	Tools func(defs []model.ToolDef) any
}

// Writing is what the requests of a session have in common and what is
// therefore written once. The zero value is ready; it is safe for concurrent
// use.
type Writing struct {
	settled Settled
	tools   Tools
}

// Begin takes out of a request the messages that were written before. It
// returns the tap that puts them, and the tools, into what is sent, where the
// placeholders stand; one is nil when there is nothing for it.
func (w *Writing) Begin(req *model.Request, d Dialect) (tap *Tap, messages, tools *Placeholder, err error) {
	tap = &Tap{}
	var text []byte
	if text, req.Messages = w.settled.Split(req.Messages, d); len(text) > 0 {
		messages = NewPlaceholder(text)
		tap.Entries = append(tap.Entries, messages)
	}
	if tools, err = w.tools.Placeholder(req.Tools, d.Tools); tools != nil {
		tap.Entries = append(tap.Entries, tools)
	}
	return tap, messages, tools, err
}

// Split returns the entries of a conversation's beginning and the messages that
// they leave over. The text must not be changed.
func (s *Settled) Split(messages []model.Message, d Dialect) (text []byte, rest []model.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// What follows may have changed too: the user must still speak next.
	if !begins(messages, s.kept) || (len(s.kept) > 0 && !userSpeaks(messages[len(s.kept)], d)) {
		s.kept, s.text = nil, nil // a request that is under way may read the old text
	}
	s.settleLocked(messages, d)
	return s.text[:len(s.text):len(s.text)], messages[len(s.kept):]
}

// settleLocked takes in as many further messages as it can. Where it stops, an
// answer ends and the user speaks next: what is on either side can be written
// without a look at the other.
func (s *Settled) settleLocked(messages []model.Message, d Dialect) {
	from, to := len(s.kept), len(messages)-unsettled
	for to > from && !userSpeaks(messages[to], d) {
		to--
	}
	if to <= from {
		return
	}
	segment := messages[from:to]
	history := d.History(segment)
	if n := len(history); n == 0 || history[0].Role != model.RoleUser || history[n-1].Role != model.RoleAssistant {
		return
	}
	if d.Fixed != nil && !d.Fixed(segment) {
		return
	}
	list, err := json.Marshal(d.Entries(history))
	if err != nil || len(list) <= len("[]") {
		return // whoever sends it reports it
	}
	if len(s.text) > 0 {
		s.text = append(s.text, ',')
	}
	s.text = append(s.text, list[1:len(list)-1]...)
	s.kept = append(s.kept, segment...)
}

// userSpeaks tells a message of the user that is sent, not one that is left out.
func userSpeaks(m model.Message, d Dialect) bool {
	return m.Role == model.RoleUser && len(d.History([]model.Message{m})) == 1
}

// begins says that a conversation begins with the very messages of another.
func begins(messages, kept []model.Message) bool {
	if len(kept) > 0 && len(kept) > len(messages)-unsettled {
		return false // the conversation was cut
	}
	for i, k := range kept {
		m := messages[i]
		if len(k.Parts) == 0 || len(m.Parts) != len(k.Parts) || &m.Parts[0] != &k.Parts[0] {
			return false
		}
	}
	return true
}
