package fakemodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

var paths = map[Format]string{Anthropic: "/v1/messages", Responses: "/v1/responses", Chat: "/v1/chat/completions"}

func post(t *testing.T, s *Server, f Format, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL+paths[f], strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

func start(t *testing.T, steps ...Step) *Server {
	t.Helper()
	s, err := Start(steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Short hands for the bodies below.
const (
	use     = `{"type":"tool_use","id":"c1","name":"read","input":{}}`
	res     = `{"type":"tool_result","tool_use_id":"c1","content":"A"}`
	hi      = `{"role":"user","content":"hi"}`
	call    = `{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}`
	fcall   = `{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}`
	fresult = `{"type":"function_call_output","call_id":"c1","output":"A"}`
)

func anthropicBody(messages ...string) string {
	return `{"model":"m","max_tokens":9,"stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
}

func chatBody(messages ...string) string {
	return `{"model":"m","stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
}

func responsesBody(items ...string) string {
	return `{"model":"m","stream":true,"store":false,"input":[` + strings.Join(items, ",") + `]}`
}

func assistant(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func user(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

// What the real services refuse is refused, each rule by the body that breaks
// only it.
func TestStrictness(t *testing.T) {
	text := `{"type":"text","text":"so"}`
	for _, c := range []struct {
		format    Format
		complaint string // empty: it passes
		body      string
	}{
		{Anthropic, "", anthropicBody(hi, assistant(text, use), user(res, text))},
		{Anthropic, "max_tokens: Field required", `{"model":"m","stream":true,"messages":[` + hi + `]}`},
		{Anthropic, "roles must alternate", anthropicBody(hi, hi)},
		{Anthropic, `first message must use the \"user\" role`, anthropicBody(assistant(text))},
		{Anthropic, "without `tool_result` blocks immediately after: c1", anthropicBody(hi, assistant(use), hi)},
		{Anthropic, "without `tool_result` blocks immediately after: c1", anthropicBody(hi, assistant(use))},
		{Anthropic, "unexpected `tool_use_id`", anthropicBody(hi, assistant(text), user(res))},
		{Anthropic, "must come before other blocks", anthropicBody(hi, assistant(use), user(text, res))},
		{Anthropic, "each tool_use must have a single result", anthropicBody(hi, assistant(use), user(res, res))},
		{Anthropic, "ids must be unique", anthropicBody(hi, assistant(use), user(res), assistant(use), user(res))},
		{Anthropic, "non-whitespace text", anthropicBody(user(`{"type":"text","text":" \n"}`))},
		{Anthropic, "trailing whitespace", anthropicBody(hi, assistant(`{"type":"text","text":"so "}`))},
		{Anthropic, "valid dictionary", anthropicBody(hi, assistant(strings.Replace(use, "{}", `"{}"`, 1)), user(res))},
		{Anthropic, "does not match the pattern", anthropicBody(hi, assistant(strings.Replace(use, "read", "a b", 1)), user(res))},
		{Anthropic, "Invalid `signature`", anthropicBody(hi, assistant(`{"type":"thinking","thinking":"x"}`, text), hi)},
		{Anthropic, "cannot be `thinking`", anthropicBody(hi, assistant(`{"type":"thinking","thinking":"x","signature":"s"}`), hi)},
		{Anthropic, "content cannot be empty if `is_error`", anthropicBody(hi, assistant(use), user(`{"type":"tool_result","tool_use_id":"c1","is_error":true}`))},
		{Anthropic, "non-empty content", anthropicBody(hi, assistant(), hi)},
		{Anthropic, "A maximum of 4 blocks", anthropicBody(user(strings.Repeat(`{"type":"text","text":"x","cache_control":{}},`, 4) + `{"type":"text","text":"x","cache_control":{}}`))},
		{Anthropic, "tool_choice: unknown value", strings.Replace(anthropicBody(hi), `"max`, `"tool_choice":{"type":"some"},"max`, 1)},
		{Anthropic, "should match pattern", strings.Replace(anthropicBody(hi), `"max`, `"tools":[{"name":"a b","input_schema":{"type":"object"}}],"max`, 1)},
		{Anthropic, "must be of type object", strings.Replace(anthropicBody(hi), `"max`, `"tools":[{"name":"a","input_schema":{}}],"max`, 1)},
		{Anthropic, "greater than `thinking.budget_tokens`", strings.Replace(anthropicBody(hi), `"max`, `"thinking":{"type":"enabled","budget_tokens":2000},"max`, 1)},

		{Chat, "", chatBody(hi, `{"role":"assistant","tool_calls":[`+call+`]}`, `{"role":"tool","tool_call_id":"c1","content":"A"}`)},
		{Chat, "did not have response messages: c1", chatBody(hi, `{"role":"assistant","tool_calls":[`+call+`]}`, hi)},
		{Chat, "did not have response messages: c1", chatBody(hi, `{"role":"assistant","tool_calls":[`+call+`]}`)},
		{Chat, "must be a response", chatBody(hi, `{"role":"tool","tool_call_id":"c1","content":"A"}`)},
		{Chat, "roles must alternate", chatBody(hi, hi)},
		{Chat, "empty content", chatBody(hi, `{"role":"assistant","content":""}`, hi)},
		{Chat, "empty content", chatBody(hi, `{"role":"assistant","content":"","tool_calls":[`+call+`]}`)},
		{Chat, "not a JSON object", chatBody(hi, `{"role":"assistant","tool_calls":[`+strings.Replace(call, `"{}"`, `"{\"a\":"`, 1)+`]}`)},
		{Chat, "missing or invalid", chatBody(hi, `{"role":"assistant","tool_calls":[`+strings.Replace(call, "read", "", 1)+`]}`)},
		{Chat, "Duplicate value", chatBody(hi, `{"role":"assistant","tool_calls":[`+call+`,`+call+`]}`)},
		{Chat, "tool_choice: unknown value", strings.Replace(chatBody(hi), `"messages`, `"tool_choice":"any","messages`, 1)},
		{Chat, "unknown role", chatBody(`{"role":"bot","content":"x"}`)},

		{Responses, "", responsesBody(hi, fcall, fresult)},
		{Responses, "No tool output found for function call c1", responsesBody(hi, fcall)},
		{Responses, "No tool call found", responsesBody(hi, fresult)},
		{Responses, "Duplicate call_id", responsesBody(hi, fcall, fresult, fcall, fresult)},
		{Responses, "not a JSON object", responsesBody(hi, strings.Replace(fcall, "{}", "[]", 1), fresult)},
		{Responses, "empty content", responsesBody(`{"role":"user","content":""}`)},
		{Responses, "Supported values are", responsesBody(hi, assistant(`{"type":"input_text","text":"x"}`))},
		{Responses, "without its required following item", responsesBody(hi, `{"type":"reasoning","id":"rs_1","encrypted_content":"x"}`, hi)},
		{Responses, "Items are not persisted", responsesBody(hi, `{"type":"reasoning","id":"rs_1"}`, fcall, fresult)},
		{Responses, "'additionalProperties' is required", strings.Replace(responsesBody(hi), `"input`, `"tools":[{"type":"function","name":"a","parameters":{"type":"object"}}],"input`, 1)},

		{Chat, "not JSON", `{"model":`},
		{Chat, "model: field required", `{"stream":true}`},
	} {
		s := start(t, Step{Text: "ok"})
		status, answer := post(t, s, c.format, c.body)
		switch {
		case c.complaint == "" && status != http.StatusOK:
			t.Errorf("%s refused %s: %s", c.format, c.body, answer)
		case c.complaint != "" && (status != http.StatusBadRequest || !strings.Contains(answer, c.complaint)):
			t.Errorf("%s answered %d %s to %s, want %q", c.format, status, answer, c.body, c.complaint)
		case c.complaint != "" && s.Requests()[0].Refused == "":
			t.Errorf("%s: the refusal is not in the log", c.format)
		}
	}
}

func TestAnswersComeInOneWriteAndAreLogged(t *testing.T) {
	s := start(t, Step{Text: "hello", Pieces: 1, Repeat: 2, Calls: []Call{{ID: "c1", Name: "read", Args: `{"n":{n}}`}}})
	for round := range 3 {
		_, answer := post(t, s, Chat, chatBody(hi))
		args := fmt.Sprintf(`{\"n\":%d}`, round)
		if called := round < 2; strings.Contains(answer, args) != called || !strings.HasSuffix(answer, "data: [DONE]\n\n") {
			t.Errorf("round %d: %s", round, answer)
		}
	}
	log := s.Requests()
	if len(log) != 3 || log[0].Format != Chat || !bytes.Contains(log[0].Body, []byte(`"hi"`)) || log[0].LastByte.Before(log[0].FirstByte) {
		t.Errorf("log is %+v", log)
	}
}

func TestEveryEventIsJSON(t *testing.T) {
	step := Step{Thinking: "hm", Redacted: "x", Text: "né", Pieces: 9, Calls: []Call{{Name: "read", Args: `{"a":1}`}}}
	for format, body := range map[Format]string{
		Anthropic: anthropicBody(hi), Chat: chatBody(hi), Responses: responsesBody(hi),
	} {
		_, answer := post(t, start(t, step), format, body)
		for line := range strings.Lines(answer) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if ok && data != "[DONE]" && !json.Valid([]byte(data)) {
				t.Errorf("%s: %s", format, line)
			}
		}
	}
}

// A blind server plays its steps to anything and logs only how much came.
func TestBlindServerLooksAtNoBody(t *testing.T) {
	s := start(t, Step{Text: "one"}, Step{Text: "two"})
	seen := anthropicBody(hi)
	post(t, s, Anthropic, seen)
	s.Blind()
	if code, text := post(t, s, Anthropic, "no JSON"); code != http.StatusOK || !strings.Contains(text, "tw") {
		t.Errorf("answered %d %q", code, text)
	}
	log := s.Requests()
	if string(log[0].Body) != seen || log[1].Body != nil {
		t.Errorf("bodies %q and %q, want one and none", log[0].Body, log[1].Body)
	}
	if log[0].Size != len(seen) || log[1].Size != len("no JSON") {
		t.Errorf("sizes %d and %d", log[0].Size, log[1].Size)
	}
}
