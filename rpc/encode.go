package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

const (
	lengthField = "Content-Length: "
	headerEnd   = "\r\n\r\n"

	// Room for a header in front of a body whose length is not known yet.
	headerRoom = len(lengthField) + 20 + len(headerEnd)
)

// frame is one encoded message. wire is what is written; body is its JSON.
type frame struct {
	wire, body []byte
	stream     string
	seq        uint64
}

// encoder makes frames. Values are encoded by encoding/json, which replaces
// bad UTF-8; JSON that is already encoded is checked and passed through.
type encoder struct {
	framing  Framing
	maxFrame int64
}

func (e encoder) notification(method string, params any) (frame, error) {
	return e.withParams(jsonrpc2.AppendNotification(newBody(len(method)), method, nil), params)
}

func (e encoder) call(id int64, method string, params any) (frame, error) {
	return e.withParams(jsonrpc2.AppendCall(newBody(len(method)), jsonrpc2.NewNumberID(id), method, nil), params)
}

// withParams adds the params to an envelope that has none. They are encoded in
// their place: a giant value is held once. Null params are left out, since
// params are an object, an array or absent.
func (e encoder) withParams(b []byte, params any) (frame, error) {
	if params == nil {
		return e.seal(b)
	}
	bare := len(b)
	b = append(b[:bare-1], `,"params":`...)
	start := len(b)
	b, err := appendValue(b, params)
	switch {
	case err != nil:
		return frame{}, fmt.Errorf("encode params: %w", err)
	case isNull(b[start:]):
		b = append(b[:bare-1], '}')
	default:
		b = append(b, '}')
	}
	return e.seal(b)
}

// result encodes an answer's envelope alone: a batch frames several at once.
func (e encoder) result(id jsonrpc2.ID, result any) ([]byte, error) {
	b := jsonrpc2.AppendResponse(newBody(0), id, nil, nil)
	if result != nil {
		var err error
		if b, err = appendValue(b[:len(b)-len("null}")], result); err != nil {
			return nil, fmt.Errorf("encode result: %w", err)
		}
		b = append(b, '}')
	}
	if n := len(b) - headerRoom; int64(n) > e.maxFrame {
		return nil, fmt.Errorf("answer of %d bytes exceeds the limit of %d", n, e.maxFrame)
	}
	return b, nil
}

// failure encodes an error answer. It cannot fail: it is the last resort of
// everything else that can.
func (e encoder) failure(id jsonrpc2.ID, err *Error) []byte {
	return jsonrpc2.AppendResponse(newBody(len(err.Message)), id, nil, toWire(err))
}

// newBody starts a frame: room for the header, and capacity for a usual body.
func newBody(extra int) []byte { return make([]byte, headerRoom, headerRoom+128+extra) }

// seal finishes a buffer of headerRoom free bytes and one body. No frame
// leaves with bytes that are not UTF-8, wherever they came from.
func (e encoder) seal(b []byte) (frame, error) {
	if !utf8.Valid(b[headerRoom:]) {
		b = append(newBody(0), bytes.ToValidUTF8(b[headerRoom:], []byte("\ufffd"))...)
	}
	if e.framing == Lines {
		return e.sealLine(b)
	}
	body := b[headerRoom:]
	if int64(len(body)) > e.maxFrame {
		return frame{}, e.tooLong(body)
	}
	var h [headerRoom]byte
	header := append(h[:0], lengthField...)
	header = strconv.AppendInt(header, int64(len(body)), 10)
	header = append(header, headerEnd...)
	wire := b[headerRoom-len(header):] // right against the body, which stays in place
	copy(wire, header)
	return frame{wire: wire, body: body}, nil
}

// sealLine ends the body with the line break that no body may contain.
func (e encoder) sealLine(b []byte) (frame, error) {
	if bytes.IndexByte(b[headerRoom:], '\n') >= 0 { // raw JSON that somebody indented
		var out bytes.Buffer
		out.Write(b[:headerRoom])
		if err := json.Compact(&out, b[headerRoom:]); err != nil {
			return frame{}, fmt.Errorf("compact frame: %w", err)
		}
		b = out.Bytes()
	}
	b = append(b, '\n')
	wire := b[headerRoom:]
	body := wire[:len(wire)-1]
	if int64(len(body)) > e.maxFrame {
		return frame{}, e.tooLong(body)
	}
	return frame{wire: wire, body: body}, nil
}

func (e encoder) tooLong(body []byte) error {
	return fmt.Errorf("frame of %d bytes exceeds the limit of %d", len(body), e.maxFrame)
}

// appendValue appends v's JSON. Raw JSON of either type is copied as it is,
// after a look at its validity: one bad value would cost the peer the frame.
func appendValue(b []byte, v any) ([]byte, error) {
	var raw []byte
	switch v := v.(type) {
	case json.RawMessage:
		raw = v
	case jsonrpc2.RawMessage:
		raw = v
	default:
		return appendEncoded(b, v)
	}
	switch {
	case raw == nil:
		return append(b, "null"...), nil
	case !json.Valid(raw):
		return b, fmt.Errorf("raw value of %d bytes is not JSON", len(raw))
	}
	return append(b, raw...), nil
}

// appendEncoded encodes v at the end of b. The encoder writes once, when it is
// done, so a value that fails leaves nothing behind.
func appendEncoded(b []byte, v any) ([]byte, error) {
	out := appender(b)
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // code is full of < and &
	if err := enc.Encode(v); err != nil {
		return b, err
	}
	return out[:len(out)-1], nil // the encoder ends with a line break
}

// appender is a byte slice as a writer that grows to what it is given and not
// to a power of two: a giant frame is held once.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(slices.Grow(*a, len(p)+1), p...)
	return len(p), nil
}

// decodeResult decodes an answer's result into v. Nothing and null leave v as
// it is, except that raw JSON is given the null to see.
func decodeResult(raw []byte, v any) error {
	switch p := v.(type) {
	case nil:
		return nil
	case *json.RawMessage:
		*p = raw
	case *jsonrpc2.RawMessage:
		*p = raw
	default:
		if len(raw) > 0 {
			return json.Unmarshal(raw, v)
		}
	}
	return nil
}
