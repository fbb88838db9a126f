package command

import "strings"

// said is the text that the commands from the Part at on write for the next one
// of a pipeline, as far as it stands in the script: what they echo, print and
// copy from a document. nil for none. It may lack something, so that who reads it
// is doubted all the same.
func (w *walker) said(at int, before *Word) *Word {
	out := Word{Known: true}
	for i := at; i < len(w.script.Parts); i++ {
		p := &w.script.Parts[i]
		if len(p.Argv) == 0 || !p.Argv[0].Known {
			continue
		}
		text, ok := w.docs[i], w.docs[i] != ""
		switch p.Argv[0].Text {
		case "echo":
			text, ok = echoed(p.Argv[1:])
		case "printf":
			text, ok = printed(p.Argv[1:])
		}
		if ok && len(out.Text)+len(text) <= MaxBytes {
			out.Text += strings.TrimSuffix(text, "\n") + "\n"
			out.Span = p.Span
		}
	}
	if out.Text == "" {
		return before // cat and its like hand on what they read
	}
	return &out
}

func echoed(argv []Word) (text string, ok bool) {
	escapes := false
	for len(argv) > 0 && len(argv[0].Text) > 1 && argv[0].Text[0] == '-' && strings.Trim(argv[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(argv[0].Text, "e")
		argv = argv[1:]
	}
	all := joined(argv)
	if text = all.Text; escapes {
		text, _ = ansiC(text)
	}
	return text, all.Known && text != ""
}

// printed is what printf prints, with its words in place of the first %s and %b
// and behind the format those that are left.
func printed(argv []Word) (text string, ok bool) {
	if len(argv) > 0 && argv[0].Text == "--" {
		argv = argv[1:]
	}
	if all := joined(argv); !all.Known || len(argv) == 0 {
		return "", false
	}
	text, _ = ansiC(argv[0].Text)
	for _, word := range argv[1:] {
		at := strings.IndexByte(text, '%')
		if at < 0 || at+1 == len(text) {
			text += "\n" + word.Text
			continue
		}
		text = text[:at] + word.Text + text[at+2:]
	}
	return text, text != ""
}
