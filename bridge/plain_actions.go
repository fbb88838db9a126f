package bridge

import (
	"regexp"
	"strings"

	"drawbridge/bridge/lsp"
	"drawbridge/internal/mirror"
	"drawbridge/rpc/protocol"
)

// Commands by which a client without our review answers.
const (
	commandPrompt    = "drawbridge.prompt"
	commandStop      = "drawbridge.stop"
	commandAccept    = "drawbridge.accept"
	commandReject    = "drawbridge.reject"
	commandAcceptAll = "drawbridge.acceptAll"
	commandRejectAll = "drawbridge.rejectAll"
	commandShowDiff  = "drawbridge.showDiff"
	commandRestore   = "drawbridge.restore"
)

// hunkArg names a hunk as it was shown: it is answered as long as its change
// is still that one. Without hunkId it names the change.
type hunkArg struct {
	SessionID string `json:"sessionId"`
	ChangeID  string `json:"changeId"`
	HunkID    string `json:"hunkId,omitempty"`
	Base      string `json:"base,omitempty"`
}

// manyArg names what a command about many changes is about: these changes, none
// if there are none of them, else all of a session. The argument that is not
// given at all means all.
type manyArg struct {
	SessionID string    `json:"sessionId,omitempty"`
	Changes   []hunkArg `json:"changes,omitempty"`
}

func (m *marked) arg(hunk string) hunkArg {
	return hunkArg{SessionID: m.session, ChangeID: m.change, HunkID: hunk, Base: m.base}
}

// words are what the two answers are called: of what stands, other than of what
// is only proposed.
func (m *marked) words() (yes, no string) {
	if m.pending() {
		return "Accept", "Reject"
	}
	return "Keep", "Undo"
}

func (m *marked) lenses(hunk string) []lsp.Call {
	yes, no := m.words()
	return []lsp.Call{
		{Title: yes, Command: commandAccept, Arg: m.arg(hunk)},
		{Title: no, Command: commandReject, Arg: m.arg(hunk)},
		{Title: "Show diff", Command: commandShowDiff, Arg: m.arg("")},
	}
}

// Actions are what can be done in a document: about the hunks on the lines of
// at, about all hunks of the file, and about the words to us that at holds.
func (r *plainReview) Actions(u string, at mirror.Range) []lsp.Action {
	var out []lsp.Action
	var file manyArg
	var yes, no string
	r.mu.Lock()
	for _, m := range r.list {
		if doc := r.s.fileURI(m.path); doc != u && lsp.Path(doc) != lsp.Path(u) {
			continue
		}
		marks, _ := r.marksLocked(m)
		if len(marks) == 0 {
			continue
		}
		file.Changes = append(file.Changes, m.arg(""))
		if yes == "" || m.pending() {
			yes, no = m.words()
		}
		for _, k := range marks {
			if touches(k.Range, at) {
				out = append(out, m.hunkActions(k)...)
			}
		}
	}
	r.mu.Unlock()
	if len(file.Changes) > 0 {
		out = append(out,
			lsp.Action{Call: lsp.Call{Title: yes + " all of this file", Command: commandAcceptAll, Arg: file}},
			lsp.Action{Call: lsp.Call{Title: no + " all of this file", Command: commandRejectAll, Arg: file}},
			lsp.Action{Call: lsp.Call{Title: "Show diff", Command: commandShowDiff, Arg: file}})
	}
	return append(out, r.wordsToUs(u, at)...)
}

func (m *marked) hunkActions(k hunkMark) []lsp.Action {
	yes, no := m.words()
	mark := k.Mark
	return []lsp.Action{
		{Call: lsp.Call{Title: yes + " this hunk", Command: commandAccept, Arg: m.arg(k.id)}, Fixes: &mark},
		{Call: lsp.Call{Title: no + " this hunk", Command: commandReject, Arg: m.arg(k.id)}, Fixes: &mark},
	}
}

// toUs finds what a comment says to us: AI: and the words behind it.
var toUs = regexp.MustCompile(`(?m)(?:^|[^\pL\pN_])AI:[ \t]*(\S.*?)[ \t]*(?:\*/|-->)?[ \t]*\r?$`)

// wordsToUs offers to send what the selected lines say to us, with the lines.
func (r *plainReview) wordsToUs(u string, at mirror.Range) []lsp.Action {
	if doc, open := r.s.face.Documents().ByURI(u); open { // clients name a line beyond the end for all
		end := mirror.NewLocator(doc.Text, r.s.face.Client().Encoding).Position(len(doc.Text))
		if at.End.Line > end.Line {
			at.End = end
		}
	}
	first, last := at.Start.Line, at.End.Line
	if at.End.Character == 0 && last > first {
		last--
	}
	whole := mirror.Range{Start: mirror.Position{Line: first}, End: mirror.Position{Line: last, Character: lineEnd}}
	text := r.s.face.Documents().Slice(u, whole)
	var said []string
	for _, match := range toUs.FindAllStringSubmatch(text, -1) {
		said = append(said, match[1])
	}
	if len(said) == 0 {
		return nil
	}
	whole.End.Character = uint32(r.s.face.Client().Encoding.Units(text[strings.LastIndexByte(text, '\n')+1:]))
	prompt, span := strings.Join(said, "\n"), toRange(whole)
	return []lsp.Action{{Call: lsp.Call{
		Title: "Ask Drawbridge: " + sample(prompt), Command: commandPrompt,
		Arg: promptArg{Text: prompt, URI: u, Range: &span},
	}}}
}

// lineEnd is a column behind every other: it means the end of the line.
const lineEnd = 1 << 30

// promptArg is the argument of a prompt that is about a part of a document.
type promptArg struct {
	Text  string          `json:"text"`
	URI   string          `json:"uri"`
	Range *protocol.Range `json:"range"`
}
