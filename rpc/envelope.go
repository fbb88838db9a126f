package rpc

import (
	"bytes"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
)

// maxBatch bounds the messages of one batch; each may cost a goroutine.
const maxBatch = 1000

// message is one decoded message on its way through the queue: an answer, a
// refusal, or else a request or notification, told apart by the id.
type message struct {
	id     jsonrpc2.ID // valid for a request, and for a refusal if it was readable
	method string
	params json.RawMessage

	answer  *jsonrpc2.Response // to one of our calls
	refusal *Error             // the message was bad; this is our answer

	flight *flight // the request's context, once registered
	batch  *batch  // where the answer is collected, nil for a single message
	slot   int
	size   int // bytes it holds in the queue
}

func (m *message) kind() Kind {
	if m.id.IsValid() {
		return Request
	}
	return Notification
}

// answered reports whether the message will get an answer from us.
func (m *message) answered() bool { return m.refusal != nil || m.answer == nil && m.id.IsValid() }

// answerID is the id an answer in place of the real one carries: a batch as a
// whole has none.
func (m *message) answerID() jsonrpc2.ID {
	if m.batch != nil {
		return jsonrpc2.ID{}
	}
	return m.id
}

// decoder reads envelopes. name turns a method's bytes into a string without
// allocating for those it knows.
type decoder struct{ name func([]byte) string }

// decode splits a frame's body into its messages.
func (d decoder) decode(body []byte) []message {
	body = bytes.TrimPrefix(body, utf8BOM)
	if !json.Valid(body) { // the envelope scanners look at brackets only
		return refused(errorf(CodeParse, "frame of %d bytes is not JSON", len(body)))
	}
	if bytes.TrimLeft(body, " \t\r\n")[0] != '[' {
		m := d.one(body)
		m.size = len(body)
		return []message{m}
	}
	return d.many(body)
}

func (d decoder) many(body []byte) []message {
	var ms []message
	in := json.NewDecoder(bytes.NewReader(body))
	in.Token() // the bracket; the whole is known to be valid
	for in.More() {
		if len(ms) == maxBatch {
			return refused(errorf(CodeInvalidRequest, "batch has more than %d messages", maxBatch))
		}
		var raw json.RawMessage
		if err := in.Decode(&raw); err != nil {
			return refused(errorf(CodeParse, "batch: %v", err))
		}
		m := d.one(raw)
		m.size = len(raw)
		ms = append(ms, m)
	}
	if len(ms) == 0 {
		return refused(errorf(CodeInvalidRequest, "empty batch"))
	}
	collect(ms)
	return ms
}

// one reads a single envelope. What is well-formed goes through the library's
// scanner; what is not is looked at once more, to answer or repair it.
func (d decoder) one(raw []byte) message {
	v, err := jsonrpc2.ScanMessageView(raw)
	if err != nil {
		return d.repair(raw)
	}
	id, _ := v.ID.ID()
	switch v.Kind {
	case jsonrpc2.MessageViewCall, jsonrpc2.MessageViewNotification:
		return message{id: id, method: d.method(&v), params: json.RawMessage(v.Params)}
	case jsonrpc2.MessageViewResponseError:
		e, ok := v.Error.Owned()
		if !ok {
			return d.repair(raw)
		}
		return message{answer: jsonrpc2.NewResponse(id, nil, e)}
	}
	return message{answer: jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(v.Result), nil)}
}

func (d decoder) method(v *jsonrpc2.MessageView) string {
	if v.MethodEscaped {
		s, _ := v.MethodString()
		return s
	}
	return d.name(v.MethodBytes)
}

// envelope is every member an envelope may have, absent or null told apart.
type envelope struct {
	JSONRPC json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// repair decides about an envelope that breaks the rules. Without a method it
// answers one of our calls, which must not wait for ever: the call gets what
// can be read, or an error. With one it is refused, under its own id if that
// can be read, so that the peer's request does not wait either.
func (d decoder) repair(raw []byte) message {
	var e envelope
	if json.Unmarshal(raw, &e) != nil {
		return message{refusal: errorf(CodeInvalidRequest, "a message is an object")}
	}
	id, ok := parseID(e.ID)
	if e.Method == nil && ok {
		return message{answer: e.mendAnswer(id)}
	}
	return message{id: id, refusal: errorf(CodeInvalidRequest, "%s", e.fault())}
}

// mendAnswer accepts the null member that some peers send beside the one that
// counts.
func (e *envelope) mendAnswer(id jsonrpc2.ID) *jsonrpc2.Response {
	switch {
	case string(e.JSONRPC) != `"2.0"`:
	case e.Result != nil && isNull(e.Error):
		return jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(e.Result), nil)
	case e.Error != nil && isNull(e.Result):
		fixed, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.ID, "error": e.Error})
		if m, err := jsonrpc2.DecodeMessage(fixed); err == nil {
			return m.(*jsonrpc2.Response)
		}
	}
	return badAnswer(id, e.fault())
}

func badAnswer(id jsonrpc2.ID, why string) *jsonrpc2.Response {
	return jsonrpc2.NewResponse(id, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "malformed answer: "+why))
}

// fault names the first rule the envelope breaks.
func (e *envelope) fault() string {
	_, idOK := parseID(e.ID)
	switch {
	case string(e.JSONRPC) != `"2.0"`:
		return `member jsonrpc is not "2.0"`
	case e.ID != nil && !isNull(e.ID) && !idOK:
		return "id is neither an integer nor a string"
	case e.Method != nil && (e.Result != nil || e.Error != nil):
		return "both a request and an answer"
	case e.Method != nil:
		return "method is not a string"
	case e.Result == nil && e.Error == nil:
		return "neither method, result nor error"
	case e.Result != nil && e.Error != nil:
		return "both result and error"
	}
	return "error is not {code, message} with an integer code"
}

// parseID reads an id the way the wire allows it: any 64-bit integer, or a
// string.
func parseID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	var n int64
	var s string
	switch {
	case len(raw) == 0 || isNull(raw):
	case raw[0] == '"':
		if json.Unmarshal(raw, &s) == nil {
			return jsonrpc2.NewStringID(s), true
		}
	case json.Unmarshal(raw, &n) == nil:
		return jsonrpc2.NewNumberID(n), true
	}
	return jsonrpc2.ID{}, false
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

func refused(e *Error) []message { return []message{{refusal: e}} }

// oversized makes what is known of a skipped frame from its beginning: the
// refusal of a request, or an error for the call it was to answer.
func oversized(f *tooLarge) message {
	e := skim(f.prefix)
	id, ok := parseID(e.ID)
	switch {
	case ok && (e.Result != nil || e.Error != nil):
		return message{answer: badAnswer(id, f.Error())}
	case e.Method == nil && e.Params == nil:
		id = jsonrpc2.ID{} // whose id it is cannot be told
	}
	return message{id: id, refusal: errorf(CodeInvalidRequest, "%s", f.Error())}
}

// skim reads the members at the beginning of an object that is cut off. A
// member whose value is cut off is present but empty.
func skim(prefix []byte) (e envelope) {
	in := json.NewDecoder(bytes.NewReader(prefix))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return e
	}
	members := map[string]*json.RawMessage{
		"id": &e.ID, "method": &e.Method, "params": &e.Params, "result": &e.Result, "error": &e.Error,
	}
	for {
		key, err := in.Token()
		if err != nil {
			return e
		}
		name, _ := key.(string)
		member, known := members[name]
		if !known {
			member = new(json.RawMessage)
		}
		*member = json.RawMessage{}
		if in.Decode(member) != nil {
			return e
		}
	}
}
