package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"drawbridge/internal/mirror"
)

// Review is what a client without our own review is shown of changes. Its
// methods are called on goroutines of the face and of requests, and must not
// wait for the client.
type Review interface {
	// Marked lists the documents that have marks now.
	Marked() []Marked
	// Actions are what can be done where a range of a document lies.
	Actions(u string, at mirror.Range) []Action
	// Content is the text of a document of our own scheme.
	Content(u string) (text string, ok bool)
}

// Scheme of the documents that we make up: diffs to look at.
const Scheme = "drawbridge"

// Marked are the marks of one document, in the order of their places.
type Marked struct {
	URI string
	// Version of the open document that the ranges are about; nil: not open.
	Version *int32
	Marks   []Mark
}

// Mark is a place that a person should look at.
type Mark struct {
	Range   mirror.Range
	Message string
	// Lenses stand above the place in clients that have them.
	Lenses []Call
}

// Call is a command with its argument, under the words that a person clicks.
type Call struct {
	Title   string
	Command string
	// Arg is encoded as JSON; nil: none.
	Arg any
}

// Action is a Call that is offered where the cursor is.
type Action struct {
	Call
	// Fixes is the mark that it is an answer to; nil: it is about more, or none.
	Fixes *Mark
}

// kindOwn is the kind of the actions that answer no mark.
const kindOwn protocol.CodeActionKind = "drawbridge"

// announceReview adds what a client without our review can ask for.
func (f *Face) announceReview(c Client, to *protocol.ServerCapabilities) {
	if f.o.Review == nil || c.Ours.Review {
		return
	}
	if c.Actions {
		to.CodeActionProvider = &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, kindOwn},
		}
	}
	if c.Lenses {
		to.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if c.Contents {
		to.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{Scheme}}
	}
}

func (f *Face) codeAction(_ context.Context, params json.RawMessage) (any, error) {
	var p protocol.CodeActionParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	list := []protocol.CommandOrCodeAction{}
	if f.o.Review == nil {
		return encode(list)
	}
	literals := f.Client().Literals
	for _, a := range f.o.Review.Actions(string(p.TextDocument.URI), fromRange(p.Range)) {
		command, err := commandOf(a.Call)
		if err != nil {
			return nil, err
		}
		kind := kindOwn
		if a.Fixes != nil {
			kind = protocol.CodeActionKindQuickFix
		}
		switch {
		case !wanted(p.Context.Only, kind):
		case !literals:
			list = append(list, &command)
		default:
			action := &protocol.CodeAction{Title: a.Title, Kind: &kind, Command: command}
			if a.Fixes != nil {
				action.Diagnostics = []protocol.Diagnostic{diagnosticOf(*a.Fixes)}
			}
			list = append(list, action)
		}
	}
	return encode(list)
}

// wanted says that a client that asks for these kinds alone asks for kind.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == kind || strings.HasPrefix(string(kind), string(k)+".") || k == "" {
			return true
		}
	}
	return len(only) == 0
}

func commandOf(c Call) (protocol.Command, error) {
	command := protocol.Command{Title: c.Title, Command: c.Command}
	if c.Arg == nil {
		return command, nil
	}
	arg, err := json.Marshal(c.Arg)
	if err != nil {
		return command, err
	}
	command.Arguments = []protocol.LSPAny{protocol.LSPAny(arg)}
	return command, nil
}

func (f *Face) codeLens(_ context.Context, params json.RawMessage) (any, error) {
	var p protocol.CodeLensParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	list := []protocol.CodeLens{}
	if f.o.Review == nil {
		return encode(list)
	}
	for _, doc := range f.o.Review.Marked() {
		if !sameDocument(doc.URI, string(p.TextDocument.URI)) {
			continue
		}
		for _, mark := range doc.Marks {
			for _, call := range mark.Lenses {
				command, err := commandOf(call)
				if err != nil {
					return nil, err
				}
				at := protocol.Range{Start: protocol.Position(mark.Range.Start), End: protocol.Position(mark.Range.Start)}
				list = append(list, protocol.CodeLens{Range: at, Command: command})
			}
		}
	}
	return encode(list)
}

// sameDocument compares two spellings of a URI.
func sameDocument(a, b string) bool {
	path := Path(a)
	return a == b || path != "" && path == Path(b)
}

func (f *Face) content(_ context.Context, params json.RawMessage) (any, error) {
	var p protocol.TextDocumentContentParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	if f.o.Review != nil {
		if text, ok := f.o.Review.Content(string(p.URI)); ok {
			return encode(protocol.TextDocumentContentResult{Text: text})
		}
	}
	return encode(protocol.TextDocumentContentResult{Text: "There is nothing to show any more.\n"})
}

func diagnosticOf(m Mark) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range: toRange(m.Range), Severity: protocol.DiagnosticSeverityHint,
		Source: protocol.NewOptional(Scheme), Message: protocol.String(m.Message),
	}
}
