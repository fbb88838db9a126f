package rule

import (
	"path"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// effects finds what a call is seen to write although none of its words says
// so to a shell: a file that a script of sed names, or a name that is made of
// another. It may find more than is written, never less than the ordinary
// spellings do. It matters for what is asked about or denied; that a rule covers
// a call takes more.
type effects struct {
	judge *judge
	part  *command.Part
	name  string
	words []command.Word // behind the name
	found []command.Word
	over  bool // it may be more than is looked at
}

// finders find what programs write, by name.
type finders map[string]func(*effects)

func (f finders) named(names string, find func(*effects)) finders {
	for name := range strings.FieldsSeq(names) {
		f[name] = find
	}
	return f
}

// most is how many names are taken out of one call's words.
const most = 256

// mostLinks and mostLooks bound what is remembered, and looked at, for a script;
// a person is asked about more.
const (
	mostLinks = 1024
	mostLooks = 64
)

// effectsOf are the words that the i-th part writes.
func (j *judge) effectsOf(i int) []command.Word {
	name, words := nameOf(&j.parts[i].Command)
	if name == "" || j.parts[i].Command.Remote {
		return nil
	}
	find := finding()[name]
	if find == nil {
		if !programNamed(name).unknown {
			return nil
		}
		find = (*effects).outputs
	}
	e := &effects{judge: j, part: &j.parts[i].Command, name: name, words: words}
	find(e)
	if e.over {
		j.parts[i].say(Ask, "it may write more than is looked at", "", true)
	}
	return e.found
}

// seen adds what is written in no word of its own, and what is written through
// links that the same script makes.
func (j *judge) seen(all []reach, i int) []reach {
	p := &j.parts[i].Command
	for _, w := range j.effectsOf(i) {
		all = j.reach(all, p, w, touchWrite)
	}
	for k := range all {
		r := &all[k]
		if r.touch != touchWrite || r.target == nil || len(j.links) == 0 {
			continue
		}
		for _, l := range j.links {
			if l.part == i {
				continue
			}
			if rest, ok := strings.CutPrefix(r.target.Lexical, l.name); ok && (rest == "" || rest[0] == '/') {
				all = append(all, reach{word: r.word, touch: touchWrite, target: j.target("/", l.leads+rest)})
			}
		}
	}
	return all
}

// link is one that a part of a script makes, by absolute paths.
type link struct {
	part        int
	name, leads string
}

// linked are the links that the script makes with ln.
func (j *judge) linked() (all []link) {
	for i := range j.parts {
		p := &j.parts[i].Command
		name, words := nameOf(p)
		if name != "ln" || p.Dir == "" {
			continue
		}
		if len(all) >= mostLinks {
			j.parts[i].say(Ask, "it makes more links than are followed", "", true)
			continue
		}
		e := &effects{judge: j, part: p, name: name, words: words}
		from, to := e.copied()
		if len(from) != 1 || !from[0].Known || !to.Known {
			continue
		}
		for _, at := range []string{to.Text, to.Text + "/" + path.Base(from[0].Text)} {
			at = j.target(p.Dir, at).Lexical
			all = append(all, link{i, at, absolute(path.Dir(at), from[0].Text)}, link{i, at, absolute(p.Dir, from[0].Text)})
		}
	}
	return all
}

func absolute(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

func (e *effects) write(words ...command.Word) {
	e.found = append(e.found, words...)
}

func (e *effects) writeNames(names ...string) {
	for _, name := range names {
		if len(e.found) >= most {
			e.over = true
			return
		}
		if name != "" {
			e.write(command.Word{Text: name, Known: true})
		}
	}
}

// values are those of flags, which are written with their dashes.
func (e *effects) values(names ...string) (all []command.Word) {
	for i, w := range e.words {
		text := begins(w)
		for _, name := range names {
			switch {
			case w.Known && text == name && i+1 < len(e.words):
				all = append(all, e.words[i+1])
			case strings.HasPrefix(name, "--") && strings.HasPrefix(text, name+"="):
				all = append(all, tail(w, len(name)+1))
			case len(name) == 2 && text != name && strings.HasPrefix(text, name):
				all = append(all, tail(w, 2))
			}
		}
	}
	return all
}

// cluster are the values of a flag of one letter, which may stand behind others
// in one word.
func (e *effects) cluster(letter string) (all []command.Word) {
	for i, w := range e.words {
		text := begins(w)
		k := strings.Index(text, letter)
		switch {
		case len(text) < 2 || text[0] != '-' || text[1] == '-' || k < 1:
		case k+1 < len(text):
			all = append(all, tail(w, k+1))
		case i+1 < len(e.words):
			all = append(all, e.words[i+1])
		}
	}
	return all
}

// has reports whether one of the flags is given; one of a letter may stand in a
// word with others.
func (e *effects) has(names ...string) bool {
	return slices.ContainsFunc(e.words, func(w command.Word) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			text := begins(w)
			short := len(name) == 2 && len(text) > 2 && text[0] == '-' && text[1] != '-'
			return text == name || short && strings.Contains(text[1:], name[1:])
		})
	})
}

// operands are the words that are no flags, nor values of these flags.
func (e *effects) operands(valued string) (all []command.Word) {
	flags := strings.Fields(valued)
	for i := 0; i < len(e.words); i++ {
		text := begins(e.words[i])
		switch {
		case text == "--" && e.words[i].Known:
			return append(all, e.words[i+1:]...)
		case slices.Contains(flags, text):
			i++
		case len(text) < 2 || text[0] != '-':
			all = append(all, e.words[i])
		}
	}
	return all
}

// begins is a word as far as it is known.
func begins(w command.Word) string {
	if w.Known {
		return w.Text
	}
	return w.Prefix
}

// within is a name in a folder, as a word.
func within(dir command.Word, name string) command.Word {
	if dir.Text == "" {
		return command.Word{Text: name, Known: true}
	}
	dir.Text, dir.Many = strings.TrimSuffix(dir.Text, "/")+"/"+name, false
	return dir
}

// lastName is the last component of what a word names, "" when that is not
// known.
func lastName(w command.Word) string {
	name := w.Text
	if !w.Known {
		_, name = split(w.Text)
	}
	if name = path.Base(name); name == "." || name == ".." || name == "/" {
		return ""
	}
	return name
}

// split has the source of a word up to what is known of its end: whole
// components that stand behind the last expansion.
func split(source string) (open, end string) {
	source = strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(source)
	i := strings.LastIndexAny(source, "$`)}") + 1
	if i == 0 {
		return "", source
	}
	k := strings.IndexByte(source[i:], '/')
	if k < 0 {
		return source, ""
	}
	return source[:i+k], source[i+k+1:]
}

// endRuns says who would run a file of which only the end of the name is known.
func endRuns(w command.Word) string {
	_, end := split(w.Text)
	if w.Known || end == "" {
		return ""
	}
	if !strings.ContainsAny(end, "*?[") {
		return RunsCode(end)
	}
	for _, all := range []map[string][]pattern{running.files, running.folders} {
		for name, rows := range all {
			if ok, err := path.Match(path.Base(end), name); ok && err == nil && len(rows[0].parts) == 1 {
				return rows[0].row.why
			}
		}
	}
	return ""
}
