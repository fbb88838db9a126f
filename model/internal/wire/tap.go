package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"drawbridge/model"
)

// Tap sits between a vendor's library and the network, for one request. It
// sorts refusals itself, because the libraries lose the status of an answer
// whose body they cannot read, and it sees whether the stream said [DONE].
type Tap struct {
	// Entries are put into the request before it is sent.
	Entries []*Placeholder

	done bool
}

// Do is a middleware of the vendors' libraries.
func (t *Tap) Do(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if err := fill(req, t.Entries); err != nil {
		return nil, err
	}
	res, err := onLiveConnection(req, next)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 {
		defer res.Body.Close()
		return nil, FromResponse(res)
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/html" || kind == "application/json" {
		defer res.Body.Close()
		return nil, notAStream(kind, res.Body)
	}
	res.Body = newDoneReader(res.Body, t)
	return res, nil
}

// maxRepeats bounds how many closed connections one request may meet.
const maxRepeats = 2

// onLiveConnection sends the request, and again if the connection was a kept
// one that the server turned out to have closed: no answer came, and that is no
// news for the user. net/http repeats only what has no body to be half-written.
func onLiveConnection(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	for repeats := 0; ; repeats++ {
		var kept atomic.Bool
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { kept.Store(info.Reused) }}
		res, err := next(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		over := repeats == maxRepeats || req.Context().Err() != nil || req.GetBody == nil
		if err == nil || over || !kept.Load() {
			return res, err
		}
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
}

// Refusals is the middleware of requests that do not stream.
func Refusals(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	return nil, FromResponse(res)
}

// Done tells whether the stream ended with the marker of a whole answer.
func (t *Tap) Done() bool { return t.done }

// notAStream explains a success that is a page or one JSON object. Some
// gateways answer 200 with an error object in it.
func notAStream(kind string, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, 1<<16))
	if r := ReadRefusal(text); kind == "application/json" && bytes.Contains(text, []byte(`"error"`)) {
		return FromRefusal(0, r)
	}
	return &model.Error{
		Kind:    model.ErrProtocol,
		Message: "the model service answered " + kind + " where an event stream was due",
		Hint:    "check the base URL (for OpenAI-like servers it usually ends in /v1) and that the server can stream",
	}
}

// markers cannot occur inside an event: JSON text has no raw line breaks.
var markers = [][]byte{[]byte("\ndata: [DONE]"), []byte("\ndata:[DONE]")}

// doneReader watches for a marker, also across two reads.
type doneReader struct {
	io.ReadCloser
	tap  *Tap
	tail []byte // the last bytes before the next read, at most a marker's length
}

func newDoneReader(body io.ReadCloser, tap *Tap) *doneReader {
	return &doneReader{ReadCloser: body, tap: tap, tail: []byte("\n")}
}

func (r *doneReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if !r.tap.done {
		r.look(p[:n])
	}
	return n, err
}

func (r *doneReader) look(p []byte) {
	seen := append(r.tail, p...)
	for _, m := range markers {
		r.tap.done = r.tap.done || bytes.Contains(seen, m)
	}
	r.tail = bytes.Clone(seen[max(0, len(seen)-len(markers[0])):])
}

// ErrCut is a stream that ended before the answer did.
func ErrCut() *model.Error {
	return &model.Error{Kind: model.ErrNetwork, Message: "the model's answer was cut off"}
}

// StreamEnd sorts how a library's stream ended: nil only if it said so itself
// and the answer was whole.
func StreamEnd(ctx context.Context, err error, whole bool) error {
	switch {
	case err == nil && whole:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCut()
	}
	return FromTransport(ctx, err)
}
