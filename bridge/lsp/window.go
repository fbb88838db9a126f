package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// requestLimit is how long an answer of the client is waited for where no
// person has to think.
const requestLimit = 30 * time.Second

// Severity of a message.
type Severity = protocol.MessageType

// The severities that the bridge uses.
const (
	// Error is for what failed.
	Error = protocol.MessageTypeError
	// Warning is for what a person should look at.
	Warning = protocol.MessageTypeWarning
	// Info is for what a person wanted to know.
	Info = protocol.MessageTypeInfo
)

// ShowMessage tells the person something.
func (f *Face) ShowMessage(s Severity, text string) {
	f.notify("window/showMessage", protocol.ShowMessageParams{Type: s, Message: spaced(text)})
}

// tabStop is how wide a tab is in a message.
const tabStop = 4

// spaced has spaces for tabs: editors lay messages out without tab stops, or
// draw nothing for a tab and shift the rest of the line. The first column of a
// diff's line does not count: text is where it would be without it.
func spaced(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = spacedLine(line)
	}
	return strings.Join(lines, "\n")
}

func spacedLine(line string) string {
	var b strings.Builder
	column := 0
	if line != "" && strings.IndexByte("+- ", line[0]) >= 0 {
		column = -1
	}
	for _, c := range line {
		n := 1
		if c == '\t' {
			n = tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", n))
		} else {
			b.WriteRune(c)
		}
		column += n
	}
	return b.String()
}

// LogMessage adds to the client's log.
func (f *Face) LogMessage(s Severity, text string) {
	f.notify("window/logMessage", protocol.LogMessageParams{Type: s, Message: text})
}

func (f *Face) notify(method string, params any) {
	raw, err := encode(params)
	if err == nil {
		err = f.conn.Notify(method, raw)
	}
	if err != nil {
		f.log.Debug("not sent", "method", method, "error", err)
	}
}

// ShowMessageRequest asks the person to choose one of the actions and waits
// until ctx ends. Closing the question is "": clients say so by null or by an
// empty object.
func (f *Face) ShowMessageRequest(ctx context.Context, s Severity, text string, actions []string) (string, error) {
	p := protocol.ShowMessageRequestParams{Type: s, Message: spaced(text)}
	for _, a := range actions {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: a})
	}
	var answer json.RawMessage
	if err := f.call(ctx, "window/showMessageRequest", p, &answer); err != nil {
		return "", err
	}
	// By a map, and not by a struct: title is called so to the letter.
	var item map[string]json.RawMessage
	if err := json.Unmarshal(answer, &item); err != nil {
		return "", fmt.Errorf("read the chosen action: %w", err)
	}
	var title string
	if raw := item["title"]; raw != nil {
		if err := json.Unmarshal(raw, &title); err != nil {
			return "", fmt.Errorf("read the chosen action: %w", err)
		}
	}
	return title, nil
}

// ShowDocument opens a file, or a document of our scheme, if the client can.
func (f *Face) ShowDocument(ctx context.Context, u string) error {
	if !f.Client().ShowDocument {
		return fmt.Errorf("show %s: the editor cannot", u)
	}
	id := uri.URI(u) // of our scheme: named later as it is named now
	if !strings.HasPrefix(u, Scheme+":") {
		var err error
		if id, err = uri.Parse(u); err != nil {
			return fmt.Errorf("show %s: %w", u, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	var answer json.RawMessage
	if err := f.call(ctx, "window/showDocument", protocol.ShowDocumentParams{URI: id, TakeFocus: on()}, &answer); err != nil {
		return fmt.Errorf("show %s: %w", u, err)
	}
	var shown struct{ Success *bool }
	if json.Unmarshal(answer, &shown) == nil && shown.Success != nil && !*shown.Success {
		return fmt.Errorf("show %s: the editor did not", u)
	}
	return nil
}

func (f *Face) call(ctx context.Context, method string, params any, result *json.RawMessage) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	if result == nil {
		return f.conn.Call(ctx, method, raw, nil)
	}
	return f.conn.Call(ctx, method, raw, result)
}
