package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdin says whether a command with these redirections reads another command's
// output, a document or a file, when it would without them or not.
func stdin(list []*syntax.Redirect, piped bool) bool {
	for _, r := range list {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
			piped = true
		case syntax.RdrIn, syntax.RdrInOut:
			piped = r.Word.Lit() != "/dev/null"
		}
	}
	return piped
}

// redirectPart is the Part of redirections that stand behind a compound command,
// or alone.
func (w *walker) redirectPart(list []*syntax.Redirect, st state) {
	if len(list) == 0 {
		return
	}
	at := len(w.script.Parts)
	w.script.Parts = append(w.script.Parts, Part{})
	redirects, _, _ := w.redirects(list, st)
	if len(redirects) == 0 && len(w.script.Parts) == at+1 {
		w.script.Parts = w.script.Parts[:at]
		return
	}
	w.script.Parts[at] = w.part(Part{Redirects: redirects, Span: w.span(list[0].Pos(), opened(list[len(list)-1]))}, st)
}

// opened is the end of a redirection without the document that belongs to it.
func opened(r *syntax.Redirect) syntax.Pos { return r.Word.End() }

// redirects lists those that open a file. doc is the text of the last document
// on standard input.
func (w *walker) redirects(list []*syntax.Redirect, st state) (out []Redirect, doc *Word, after state) {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			var text Word
			if text, st = w.heredoc(r, st); r.N == nil || r.N.Value == "0" {
				doc = &text
			}
		case syntax.WordHdoc:
			var text Word
			if text, st = w.value(r.Word, st); r.N == nil || r.N.Value == "0" {
				text.Text += "\n"
				doc = &text
			}
		default:
			var file Redirect
			var opens bool
			if file, opens, st = w.redirect(r, st); opens {
				out = append(out, file)
				w.dirty = w.dirty || file.Writes
			}
			if r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut {
				doc = nil
			}
		}
	}
	return out, doc, w.bindFiles(list, st)
}

// bindFiles forgets the variables of {name}> redirections.
func (w *walker) bindFiles(list []*syntax.Redirect, st state) state {
	for _, r := range list {
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			st = st.forget(strings.Trim(r.N.Value, "{}"))
		}
	}
	return st
}

// heredoc is the text of a document: as it stands when a part of its end word is
// quoted.
func (w *walker) heredoc(r *syntax.Redirect, st state) (Word, state) {
	if r.Hdoc == nil {
		return Word{Known: true, Span: w.nodeSpan(r.Word)}, st
	}
	end := w.text(r.Word.Pos(), r.Word.End())
	if strings.Contains(end, "\\\n") {
		// bash joins the lines first, and then no part of the word is quoted
		w.doubt(w.nodeSpan(r.Word), "the end of a document goes on in the next line")
	}
	if strings.ContainsAny(end, `'"\`) {
		return w.known(r.Hdoc, rawText(r.Hdoc)), st
	}
	return w.document(r.Hdoc, st)
}

// rawText is the text of a quoted document.
func rawText(word *syntax.Word) string {
	var b strings.Builder
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// redirect is one that is no document; opens is false for one between
// descriptors.
func (w *walker) redirect(r *syntax.Redirect, st state) (out Redirect, opens bool, after state) {
	words, st := w.expand(r.Word, st)
	file := w.unknown(r.Word)
	if len(words) == 1 {
		file = words[0]
	}
	out = Redirect{Op: r.Op.String(), File: file}
	switch r.Op {
	case syntax.RdrIn:
		out.Reads = true
	case syntax.RdrInOut:
		out.Reads, out.Writes = true, true
	case syntax.DplIn:
		return out, false, st
	case syntax.DplOut:
		if file.Known && dup(file.Text) {
			return out, false, st
		}
		out.Writes = true
	default:
		out.Writes = true
	}
	w.device(&out)
	return out, true, st
}

// dup is a descriptor behind >& or <&: 1, 2-, -.
func dup(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// device knows the names that bash opens itself, and what keeps nothing.
func (w *walker) device(r *Redirect) {
	name := r.File.Text
	switch {
	case !r.File.Known:
	case name == "/dev/null", name == "/dev/stdout", name == "/dev/stderr":
		r.Writes = false
	case strings.HasPrefix(name, "/dev/fd/") && name != "/dev/fd/" && dup(name[len("/dev/fd/"):]):
		r.Writes = false
	case strings.HasPrefix(name, "/dev/tcp/"), strings.HasPrefix(name, "/dev/udp/"):
		r.Writes = true
		w.doubt(r.File.Span, "connects to a network address")
	}
}
