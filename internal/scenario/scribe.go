package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// scribe writes down what the bridge says. It knows no method's meaning, only
// that messages about different calls come in no promised order: those between
// two lines of the editor are listed call by call, and ids that are given out
// in that order are counted in the order of the transcript.
type scribe struct {
	view  *view
	paths [][2]string // what stands on the wire, and its name in the transcript

	calls   map[string]string // approval and terminal ids on the wire: their call
	asked   map[string]string // ids of the bridge's requests on the wire: their call
	names   map[string]string // ids on the wire: their name in the transcript
	wired   map[string]string // the reverse
	counts  map[string]int
	request int // how many requests of the bridge stand in the transcript
}

func newScribe(v *view, paths [][2]string) *scribe {
	return &scribe{
		view: v, paths: paths, calls: map[string]string{}, asked: map[string]string{},
		names: map[string]string{}, wired: map[string]string{}, counts: map[string]int{},
	}
}

// counted are members whose values are named by order of appearance.
var counted = map[string]string{"approvalId": "a", "changeId": "g", "terminalId": "x", "base": "b", "digest": "d"}

// entry is a message on its way into the transcript.
type entry struct {
	message
	call string // it is about, "" if about none
	says bool   // there is a body, be it null
	body any
}

// note writes down what came between two lines of the editor.
func (s *scribe) note(messages []message) ([]string, error) {
	var list []*entry
	for _, m := range messages {
		e, err := s.entry(m)
		if err != nil {
			return nil, err
		}
		if s.view.shows(m.Method, m.ID != nil) {
			list = append(list, e)
		}
	}
	byCall(list)
	if !s.view.split {
		list = joinedPieces(list)
	}
	lines := make([]string, len(list))
	for i, e := range list {
		var err error
		if lines[i], err = s.line(e); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

func (s *scribe) entry(m message) (*entry, error) {
	e := &entry{message: m}
	raw := m.Params
	switch {
	case m.Method == "" && m.Error != nil:
		raw = m.Error
	case m.Method == "":
		raw = m.Result
	}
	if e.says = raw != nil; e.says {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&e.body); err != nil {
			return nil, fmt.Errorf("read %s: %w", m.Method, err)
		}
	}
	s.learn(e)
	return e, nil
}

// learn finds the call that a message is about, and remembers whose its ids are.
func (s *scribe) learn(e *entry) {
	params, _ := e.body.(map[string]any)
	if e.Method == "" || params == nil {
		return
	}
	text := func(key string) string { t, _ := params[key].(string); return t }
	e.call = text("callId")
	for _, key := range []string{"approvalId", "terminalId"} {
		switch id := text(key); {
		case id == "":
		case e.call != "":
			s.calls[id] = e.call
		default:
			e.call = s.calls[id]
		}
	}
	switch {
	case e.ID != nil:
		s.asked[string(e.ID)] = e.call
	case e.Method == "$/cancelRequest":
		e.call = s.asked[fmt.Sprint(params["id"])]
	}
}

// byCall sorts each run of messages that are about calls. A question is taken
// back twice over, by an event and by a cancellation, of which neither is
// promised to be first: the cancellation is listed last.
func byCall(list []*entry) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(e *entry) bool { return e.call == "" })
		if n < 0 {
			n = len(list)
		}
		slices.SortStableFunc(list[:n], func(a, b *entry) int {
			return cmp.Or(cmp.Compare(len(a.call), len(b.call)), strings.Compare(a.call, b.call),
				cmp.Compare(a.late(), b.late()))
		})
		list = list[min(n+1, len(list)):]
	}
}

func (e *entry) late() int {
	if e.Method == "$/cancelRequest" {
		return 1
	}
	return 0
}

// joinedPieces puts the pieces of one text together: how a text is cut depends
// on the moment.
func joinedPieces(list []*entry) []*entry {
	var out []*entry
	for _, e := range list {
		if len(out) == 0 || !out[len(out)-1].take(e) {
			out = append(out, e)
		}
	}
	return out
}

// take adds the next piece of the same text to e.
func (e *entry) take(next *entry) bool {
	a, okA := e.body.(map[string]any)
	b, okB := next.body.(map[string]any)
	if e.Method != next.Method || !okA || !okB || e.call != next.call || e.ID != nil {
		return false
	}
	key := map[string]string{
		"message/chunk": "text", "thought/chunk": "text", "toolCall/updated": "text",
		"terminal/output": "data",
	}[e.Method]
	if key == "" || a["terminalId"] != b["terminalId"] || b["gap"] != nil || a["replayed"] != b["replayed"] {
		return false
	}
	a[key] = fmt.Sprint(a[key]) + fmt.Sprint(b[key])
	if b["end"] != nil {
		a["end"] = b["end"]
	}
	return true
}

// line is one line of the transcript, without its arrow.
func (s *scribe) line(e *entry) (string, error) {
	head := e.Method
	switch {
	case e.Method == "" && (e.ID == nil || string(e.ID) == "null"):
		head = "#?" // a refusal of something that had no id to be read
	case e.Method == "":
		head = "#" + strings.Trim(string(e.ID), `"`)
	case e.ID != nil:
		s.request++
		head += " " + s.name("@", string(e.ID))
	}
	if e.Error != nil {
		head += " error"
	}
	if params, ok := e.body.(map[string]any); ok && e.Method == "$/cancelRequest" {
		params["id"] = s.names["@"+fmt.Sprint(params["id"])]
	}
	if !e.says {
		return head, nil
	}
	text, err := encoded(s.rename(s.view.prune(e.body)))
	return head + " " + text, err
}

// name is an id's name in the transcript: kind and a count.
func (s *scribe) name(kind, id string) string {
	key := kind + id
	if s.names[key] == "" {
		s.counts[kind]++
		s.names[key] = kind + strconv.Itoa(s.counts[kind])
		s.wired[s.names[key]] = id
	}
	return s.names[key]
}

// rename replaces ids and paths in what the bridge said. Members are taken in
// the order of their names, so that the counts come out the same each time.
func (s *scribe) rename(value any) any {
	switch x := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			id, isText := x[k].(string)
			if kind := counted[k]; kind != "" && isText && id != "" {
				x[k] = s.name(kind, id)
				continue
			}
			x[k] = s.rename(x[k])
		}
	case []any:
		for i := range x {
			x[i] = s.rename(x[i])
		}
	case string:
		for _, p := range s.paths {
			x = strings.ReplaceAll(x, p[0], p[1])
		}
		return x
	}
	return value
}

// real turns names of the transcript back into what stands on the wire.
func (s *scribe) real(value any) any {
	switch x := value.(type) {
	case map[string]any:
		for k, member := range x {
			name, isText := member.(string)
			if id, known := s.wired[name]; isText && known && (counted[k] != "" || k == "id") {
				x[k] = id
				continue
			}
			x[k] = s.real(member)
		}
	case []any:
		for i := range x {
			x[i] = s.real(x[i])
		}
	case string:
		for _, p := range s.paths {
			x = strings.ReplaceAll(x, p[1], p[0])
		}
		return x
	}
	return value
}
