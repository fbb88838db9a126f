package rule

import (
	"path"
	"strings"

	"drawbridge/approval/command"
)

// tree says how a command touches folders as a whole: with all that is in them.
type tree struct {
	reads, writes bool
	into          bool     // the last operand is where to
	only          []string // it does so with one of these flags
}

var trees = map[string]tree{
	"rm": {writes: true}, "shred": {writes: true}, "srm": {writes: true}, "trash": {writes: true},
	"mv": {reads: true, writes: true, into: true}, "cp": {reads: true, into: true}, "ditto": {reads: true, into: true},
	"ln": {reads: true, into: true}, "link": {reads: true, into: true}, "rsync": {reads: true, into: true}, "scp": {reads: true, into: true},
	"tar": {reads: true}, "bsdtar": {reads: true}, "zip": {reads: true}, "7z": {reads: true}, "7za": {reads: true}, "pax": {reads: true},
	"chmod": {writes: true, only: recursive}, "chown": {writes: true, only: recursive}, "chgrp": {writes: true, only: recursive},
	"grep": {reads: true, only: recursive}, "egrep": {reads: true, only: recursive}, "fgrep": {reads: true, only: recursive},
	"diff": {reads: true, only: recursive},
	"find": {writes: true, only: []string{"-delete"}},
}

var recursive = []string{"-R", "-r", "--recursive", "--dereference-recursive"}

// forbidTrees looks at what lies in the folders that a command takes as a whole.
func (j *judge) forbidTrees(p *Part, c *call) {
	if c == nil || p.Command.Remote {
		return
	}
	t, ok := trees[c.name]
	if !ok || t.only != nil && !c.given(t.only) {
		return
	}
	for _, w := range c.taken(t, &p.Command) {
		for _, r := range j.reach(nil, &p.Command, w, touchRead) {
			if r.target == nil {
				if t.writes && c.name == "find" {
					r.touch = touchWrite
					j.forbidBlind(p, &r)
				}
				continue
			}
			j.forbidTree(p, &r, t, c.name == "find")
		}
	}
}

// forbidTree looks at one folder, or file. A file that is moved or linked can be
// read by its new name.
func (j *judge) forbidTree(p *Part, r *reach, t tree, bare bool) {
	if r.target.Holds != "" {
		p.say(Deny, r.name()+": "+r.target.Holds, "", true)
	}
	if bare {
		r.touch = touchWrite
	}
	if bare || t.into {
		j.forbidReach(p, r)
	}
	for _, v := range []Verdict{Deny, Ask} {
		for _, l := range j.set.list() {
			for _, e := range l.files {
				if e.rule.Verdict == v && (e.file == reads && t.reads || e.file == writes && t.writes) {
					j.forbidBelow(p, r, e)
				}
			}
		}
	}
}

func (j *judge) forbidBelow(p *Part, r *reach, e *entry) {
	switch max(e.under(r.target.Abs), e.under(r.target.Lexical)) {
	case yes:
		p.say(e.rule.Verdict, r.name()+" holds what is "+e.rule.says(), e.rule.Text, false)
	case perhaps:
		p.say(Ask, r.name()+" perhaps holds what is "+e.rule.says(), e.rule.Text, false)
	}
}

// given reports whether a flag is there, also among others of one letter.
func (c *call) given(flags []string) bool {
	for _, it := range c.items {
		for _, f := range flags {
			cluster := len(f) == 2 && len(it.flag) > 1 && it.flag[0] == '-' && it.flag[1] != '-' && strings.Contains(it.flag[1:], f[1:])
			if it.flag == f || it.flag == "" && it.word.Known && it.word.Text == f || cluster {
				return true
			}
		}
	}
	return false
}

// taken are the words that name what a command takes as a whole.
func (c *call) taken(t tree, part *command.Part) []command.Word {
	switch c.name {
	case "find":
		return findStarts(part)
	case "tar", "bsdtar":
		return packed(part.Argv[1:])
	}
	var words []command.Word
	for _, it := range c.operands() {
		if it.word.Known && !strings.HasPrefix(it.word.Text, "-") {
			words = append(words, it.word)
		}
	}
	if n := len(words); t.into && n > 1 && !c.has("-t", "--target-directory") {
		words = words[:n-1]
	}
	return words
}

// findStarts are the folders that find begins at.
func findStarts(part *command.Part) []command.Word {
	var words []command.Word
	for i := 1; i < len(part.Argv); i++ {
		w := part.Argv[i]
		switch {
		case !w.Known && w.Prefix == "" && len(words) == 0:
			words = append(words, w)
		case w.Text == "-H", w.Text == "-L", w.Text == "-P", w.Text == "--", strings.HasPrefix(w.Text, "-O"):
		case w.Text == "-D":
			i++
		case w.Known && (w.Text == "(" || w.Text == "!" || strings.HasPrefix(w.Text, "-")):
			i = len(part.Argv)
		default:
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		words = []command.Word{{Text: ".", Known: true}}
	}
	return words
}

// packed are the words of tar that may name what goes into an archive: meant
// from the folder of -C, when that stands before.
func packed(words []command.Word) (out []command.Word) {
	from := ""
	for i := 0; i < len(words); i++ {
		w := words[i]
		value, long := strings.CutPrefix(w.Text, "--directory=")
		switch {
		case !w.Known:
		case long:
			from = value
		case (w.Text == "-C" || w.Text == "--directory" || w.Text == "--cd") && i+1 < len(words):
			from = words[i+1].Text
			i++
		case strings.HasPrefix(w.Text, "-C"):
			from = w.Text[2:]
		case strings.HasPrefix(w.Text, "-"):
		case from != "" && !path.IsAbs(w.Text):
			w.Text = from + "/" + w.Text
			out = append(out, w)
		default:
			out = append(out, w)
		}
	}
	return out
}
