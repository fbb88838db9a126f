package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"drawbridge/model"
)

func TestRefusalsAreFoundInEveryShape(t *testing.T) {
	for body, want := range map[string]Refusal{
		`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`: {Type: "overloaded_error", Message: "busy"},
		`{"error":{"message":"no","type":"t","code":"c","param":null}}`:         {Type: "t", Code: "c", Message: "no"},
		`{"error":{"message":"no","code":400}}`:                                 {Code: "400", Message: "no"},
		`{"error":"model not found"}`:                                           {Message: "model not found"},
		`{"detail":"Not Found"}`:                                                {Message: "Not Found"},
		`{"detail":[{"loc":["body"]}]}`:                                         {Message: `[{"loc":["body"]}]`},
		`{"message":"no","code":"c"}`:                                           {Code: "c", Message: "no"},
		"<html>\n bad  gateway</html>":                                          {Message: "<html> bad gateway</html>"},
		``:                                                                      {},
	} {
		if got := ReadRefusal([]byte(body)); got != want {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
	if got := ReadRefusal([]byte(strings.Repeat("é", 5000))).Message; len(got) > 310 || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long page gives %q", got)
	}
}

func TestWordsCountMoreThanStatus(t *testing.T) {
	for _, c := range []struct {
		status  int
		refusal Refusal
		want    model.ErrorKind
	}{
		{400, Refusal{Type: "exceed_context_size_error"}, model.ErrTooLong},
		{413, Refusal{}, model.ErrTooLong},
		{500, Refusal{Type: "invalid_request_error"}, model.ErrOverloaded},
		{400, Refusal{Type: "invalid_request_error"}, model.ErrInvalid},
		{401, Refusal{Type: "invalid_request_error"}, model.ErrAuth},
		{200, Refusal{Type: "rate_limit_error"}, model.ErrRateLimit},
		{0, Refusal{Message: "who knows"}, model.ErrOverloaded},
		{503, Refusal{}, model.ErrOverloaded},
		{422, Refusal{}, model.ErrInvalid},
	} {
		if got := FromRefusal(c.status, c.refusal); got.Kind != c.want || got.Message == "" {
			t.Errorf("%d %+v: %s %q, want %s", c.status, c.refusal, got.Kind, got.Message, c.want)
		}
	}
}

func TestAbsurdWaitsDoNotOverflow(t *testing.T) {
	for value, want := range map[string]time.Duration{"1e300": 24 * time.Hour, "-3": 0, "0": 0, "NaN": 0, "2.5": 2500 * time.Millisecond} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, time.Now()); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func TestTheEndMarkerIsSeenAcrossReads(t *testing.T) {
	for stream, want := range map[string]bool{
		"data: {}\n\ndata: [DONE]\n\n":                 true,
		"data:[DONE]\n":                                true,
		"data: {\"text\":\"say data: [DONE]\"}\n\n":    false,
		"data: {\"text\":\"\\ndata: [DONE]\"}\n\nmore": false,
	} {
		tap := &Tap{}
		body := newDoneReader(io.NopCloser(iotest.OneByteReader(strings.NewReader(stream))), tap)
		if _, err := io.Copy(io.Discard, body); err != nil || tap.Done() != want {
			t.Errorf("%q: done %v, %v", stream, tap.Done(), err)
		}
	}
}

func TestKeysAreTakenOutOfErrors(t *testing.T) {
	cause := errors.New("dial with topsecret-key")
	err := Redact(&model.Error{Kind: model.ErrAuth, Message: "bad topsecret-key, or sk-ant-REDACTED", Hint: "not topsecret-key", Err: cause}, "topsecret-key")
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Message != "bad (secret), or (secret)" || e.Hint != "not (secret)" || e.Err != nil || e.Kind != model.ErrAuth {
		t.Errorf("redacted to %+v", e)
	}
}

// A piece may come for a call that was not announced, after its end, or under
// another call's id; none of that may mix up two calls.
func TestAnswersSurviveDisorder(t *testing.T) {
	var starts []string
	a := NewAnswer("p", func(e model.Event) {
		if e.Kind == model.EventCallStart {
			starts = append(starts, e.Call.ID)
		}
	})
	a.Args("1", "lost")
	a.Call("1", "x", "read", "")
	a.Call("2", "x", "read", "")
	a.Args("2", "{2")
	a.Args("1", "{1")
	a.Args("2", "}")
	a.CloseCall("1", "ignored")
	a.Args("1", "late")
	resp := a.Finish(model.StopCalls)
	if resp.Parts[0].Call.Args != "{1" || resp.Parts[1].Call.Args != "{2}" || len(starts) != 2 || starts[0] == starts[1] {
		t.Errorf("calls are %+v and %+v, started as %v", resp.Parts[0].Call, resp.Parts[1].Call, starts)
	}
	if resp.Stop != model.StopMaxTokens {
		t.Errorf("call 2 was never closed, but stop is %q", resp.Stop)
	}
}

func TestIDsStayApart(t *testing.T) {
	if SafeID("call_1") != "call_1" {
		t.Error("a good id was changed")
	}
	long := strings.Repeat("x", 90)
	ids := []string{"", "a.b", "a:b", long, long + "y"}
	seen := map[string]bool{}
	for _, id := range ids {
		safe := SafeID(id)
		if seen[safe] || len(safe) > maxID || safe == "" || safe != SafeID(id) {
			t.Errorf("%q becomes %q", id, safe)
		}
		seen[safe] = true
	}
}
