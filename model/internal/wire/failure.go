package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"drawbridge/model"
)

// Refusal is what a service says with a failure, in any of the shapes in use:
// {"error":{…}}, {"error":"…"}, {"detail":…}, {"message":"…"} or plain text.
type Refusal struct {
	Type, Code, Message string
}

// ReadRefusal finds the refusal in a body or in a stream's error event.
func ReadRefusal(body []byte) Refusal {
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Type    string          `json:"type"`
		Code    any             `json:"code"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return Refusal{Message: plain(body)}
	}
	r := Refusal{Type: shape.Type, Code: word(shape.Code), Message: shape.Message}
	switch {
	case len(shape.Error) > 0 && shape.Error[0] == '{':
		return ReadRefusal(shape.Error)
	case len(shape.Error) > 0:
		r.Message = plain(shape.Error)
	case r.Message == "" && len(shape.Detail) > 0:
		r.Message = plain(shape.Detail)
	}
	return r
}

// word turns a code, which some servers send as a number, into text.
func word(code any) string {
	if code == nil {
		return ""
	}
	return fmt.Sprint(code)
}

// plain makes one short line of what may be a page of HTML.
func plain(body []byte) string {
	var s string
	if json.Unmarshal(body, &s) != nil {
		s = string(body)
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

// FromResponse sorts an answer with a status of 400 or more. It reads at most
// 1 MiB of the body and leaves closing to the caller.
func FromResponse(res *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	e := FromRefusal(res.StatusCode, ReadRefusal(body))
	e.RetryAfter = RetryAfter(res.Header, time.Now())
	return e
}

// FromRefusal sorts a failure by status (0 inside a stream) and words.
func FromRefusal(status int, r Refusal) *model.Error {
	kind, hint := sortRefusal(status, r)
	message := r.Message
	if message == "" {
		message = strings.TrimSpace(r.Type + " " + r.Code)
	}
	if message == "" {
		message = http.StatusText(status)
	}
	prefix := "the model service failed"
	if status != 0 {
		prefix = fmt.Sprintf("the model service answered %d", status)
	}
	return &model.Error{Kind: kind, Status: status, Message: prefix + ": " + message, Hint: hint}
}

// byWord sorts by the type or code that services put beside their messages.
// The words count more than the status: a stream's errors have none, and
// gateways choose their own.
var byWord = map[string]model.ErrorKind{
	"overloaded_error":          model.ErrOverloaded,
	"api_error":                 model.ErrOverloaded,
	"server_error":              model.ErrOverloaded,
	"timeout_error":             model.ErrOverloaded,
	"unavailable_error":         model.ErrOverloaded,
	"rate_limit_error":          model.ErrRateLimit,
	"rate_limit_exceeded":       model.ErrRateLimit,
	"authentication_error":      model.ErrAuth,
	"permission_error":          model.ErrAuth,
	"invalid_api_key":           model.ErrAuth,
	"context_length_exceeded":   model.ErrTooLong,
	"exceed_context_size_error": model.ErrTooLong,
	"request_too_large":         model.ErrTooLong,
	"insufficient_quota":        model.ErrInvalid,
	"billing_error":             model.ErrInvalid,
	"invalid_request_error":     model.ErrInvalid,
	"invalid_prompt":            model.ErrInvalid,
	"not_found_error":           model.ErrInvalid,
}

func sortRefusal(status int, r Refusal) (model.ErrorKind, string) {
	switch {
	case r.Code == "insufficient_quota" || r.Type == "insufficient_quota" || r.Type == "billing_error":
		return model.ErrInvalid, "the account has no credit left; see the service's billing page"
	case tooLong(r):
		return model.ErrTooLong, "the conversation no longer fits the model; compact it or start a new session"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.ErrAuth, "the key was refused; set a valid one"
	case status == http.StatusNotFound:
		return model.ErrInvalid, "check the model's name and the base URL (for OpenAI-like servers it usually ends in /v1)"
	}
	for _, w := range []string{r.Code, r.Type} {
		if kind, ok := byWord[w]; ok && !(kind == model.ErrInvalid && status >= 500) {
			return kind, ""
		}
	}
	return byStatus(status), ""
}

func byStatus(status int) model.ErrorKind {
	switch {
	case status == http.StatusTooManyRequests:
		return model.ErrRateLimit
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		return model.ErrOverloaded
	case status == http.StatusRequestEntityTooLarge:
		return model.ErrTooLong
	case status == 0:
		return model.ErrOverloaded
	}
	return model.ErrInvalid
}

// tooLong also knows the sentences of services that have no word for it.
func tooLong(r Refusal) bool {
	if byWord[r.Code] == model.ErrTooLong || byWord[r.Type] == model.ErrTooLong {
		return true
	}
	m := strings.ToLower(r.Message)
	for _, sentence := range []string{
		"prompt is too long", "maximum context length", "exceeds the context window",
		"context length exceeded", "exceeds the available context size", "exceed context limit",
	} {
		if strings.Contains(m, sentence) {
			return true
		}
	}
	return false
}

// RetryAfter reads how long a service asks to wait: milliseconds, seconds or a
// date. Zero means that it did not say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return asDuration(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return asDuration(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// asDuration cuts at a day, so that an absurd number cannot overflow.
func asDuration(n float64, unit time.Duration) time.Duration {
	day := 24 * time.Hour
	if n >= float64(day/unit) {
		return day
	}
	return time.Duration(n * float64(unit))
}

// FromTransport sorts a failure that has no HTTP answer: no connection, one
// that broke, or an answer that is no stream. ctx's own end stays what it is.
func FromTransport(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e
	}
	e := &model.Error{Kind: model.ErrNetwork, Message: "reach the model service: " + reason(err), Err: err}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Kind, e.Hint = model.ErrSetup, caHint(os.Getenv)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		e.Hint = "nothing listens there; is the server running, and is the base URL or proxy right?"
	} else if _, ok := errors.AsType[*net.DNSError](err); ok {
		e.Hint = "the name cannot be resolved; check the network, the base URL and the proxy variables"
	} else if unreadable(err) {
		e.Kind, e.Message = model.ErrProtocol, "read the model's answer: "+err.Error()
	}
	return e
}

// reason drops the verb and address that net/http puts in front, keeping the
// host: an address may carry a password.
func reason(err error) string {
	u, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err.Error()
	}
	where, parseErr := url.Parse(u.URL)
	if parseErr != nil {
		return u.Err.Error()
	}
	return where.Host + ": " + u.Err.Error()
}

// unreadable tells an answer that came but is no event stream of JSON.
func unreadable(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, mismatch := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || mismatch || errors.Is(err, bufio.ErrTooLong)
}
