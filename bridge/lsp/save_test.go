package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

const savingCapabilities = `{"experimental":{"drawbridge":{"version":1,"saves":true}}}`

// The reason why a document is not saved reaches the log.
func TestSaveSaysWhyNot(t *testing.T) {
	for _, c := range []struct {
		name, capabilities, opened string
		answer                     func() (any, error)
		fault                      string // "" for none
	}{
		{"saved", savingCapabilities, docPath, func() (any, error) { return json.RawMessage(`{"saved":true}`), nil }, ""},
		{"not saved", savingCapabilities, docPath, func() (any, error) { return json.RawMessage(`{"saved":false}`), nil }, "the editor did not"},
		{"an answer that says nothing", savingCapabilities, docPath, func() (any, error) { return json.RawMessage(`{}`), nil }, "the editor did not"},
		{"a fault", savingCapabilities, docPath, func() (any, error) { return nil, errors.New("read-only") }, "read-only"},
		{"a document that is not open", savingCapabilities, "/w/b.txt", nil, "not open"},
		{"a client that saves nothing", allCapabilities, docPath, nil, "saves nothing on request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, Options{}, func(t *testing.T, e *editor) {
				e.onSave = func(p json.RawMessage) (any, error) {
					if c.answer == nil || string(p) != `{"uri":"`+docURI+`"}` {
						t.Errorf("asked with %s", p)
						return nil, nil
					}
					return c.answer()
				}
				e.initialize(c.capabilities)
				e.notify("textDocument/didOpen", open("text"))
				synctest.Wait()
				err := e.face.Save(context.Background(), c.opened)
				if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
					t.Errorf("error %v, want %q", err, c.fault)
				}
			})
		})
	}
}
