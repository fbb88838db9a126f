package rule

import (
	"strings"

	"drawbridge/approval/command"
)

// maxWider bounds the words that are added to a rule to say what would cover a
// command.
const maxWider = 4

// wider says which rule would cover a command that r covers but for some words,
// "" when there is none to recommend. It was tried.
func (j *judge) wider(r *entry, i int, c *call) string {
	part := &j.parts[i].Command
	text := strings.TrimSuffix(r.rule.Text, " "+string(wildEnd))
	for range maxWider {
		e := entryOf(text, r.rule.Root)
		if e == nil {
			return ""
		}
		named, ok := j.names(e, i, c)
		if !ok {
			return ""
		}
		if j.rest(part, named, strings.ContainsAny(e.words[0].text, `/\`) || e.words[0].home) == "" {
			return recommended(e)
		}
		more := j.missing(part, named)
		if more == "" {
			return ""
		}
		text += " " + more
	}
	return ""
}

// missing is what a rule lacks first, as it would be written there.
func (j *judge) missing(part *command.Part, c *call) string {
	for k := range c.items {
		it := &c.items[k]
		if j.harmless(c, it) == "" && j.several(part, c, it) == "" {
			continue
		}
		if it.loose || it.named != unnamed || !it.word.Known && it.word.Text != "" || revealing(it.word.Text) {
			return ""
		}
		switch {
		case it.flag == "":
			return quote(it.word.Text, false)
		case it.use == useWrite:
			return quote(it.flag, false)
		}
		return it.written(c.prog)
	}
	return ""
}

// withAssigns says which rule would cover a command with what is set for it.
func (j *judge) withAssigns(i int, c *call) (text string) {
	part := &j.parts[i].Command
	lead := ""
	for _, a := range part.Assigns {
		if steering.MatchString(a.Name) || a.Append {
			return ""
		}
		lead += a.Name + "=" + string(wildAny) + " "
	}
	j.set.candidates(Allow, c.name, plainWords(nil, part.Argv), false, func(r *entry) bool {
		if len(r.assigns) > 0 || r.held {
			return false
		}
		e := entryOf(lead+r.rule.Text, r.rule.Root)
		if e == nil {
			return false
		}
		if named, ok := j.names(e, i, c); ok && j.rest(part, named, false) == "" {
			text = recommended(e)
		}
		return text != ""
	})
	return text
}

// entryOf is a rule that allows, nil when it cannot be read.
func entryOf(text, root string) *entry {
	e, err := compile(Rule{Verdict: Allow, Text: text, Root: root})
	if err != nil {
		return nil
	}
	e.prepare()
	return e
}

// recommended is a rule that does, unless it would be a yes to anything.
func recommended(e *entry) string {
	r := Rule{Verdict: Allow, Text: e.String(), Root: e.rule.Root}
	if r.Bare() {
		return ""
	}
	return "; a rule that does: `" + r.Text + "`"
}

// module is what is known of the program that a rule has an interpreter run by
// name, nil when nothing is: python -m pytest.
func (c *call) module() *program {
	for _, it := range c.items {
		if it.flag == "-m" && it.named == allNamed && c.prog.ops == opScript && known()[it.word.Text] != nil {
			return known()[it.word.Text]
		}
	}
	return nil
}

// flagFor says why a flag for the program is not harmless.
func (prog *program) flagFor(text string) string {
	name, _, _ := strings.Cut(text, "=")
	if u, ok := prog.flags[name]; ok && !u.harms() {
		return ""
	}
	for i := 1; i < len(text) && text[1] != '-'; i++ {
		u := prog.flags["-"+text[i:i+1]]
		switch {
		case u.harms():
			return "it is not known what `" + text + "` does"
		case u.takesValue(), i+1 == len(text):
			return ""
		}
	}
	return "it is not known what `" + text + "` does"
}
