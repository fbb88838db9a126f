package rule

import (
	"path"
	"regexp"
	"strings"

	"drawbridge/approval/command"
)

// touch is how a command touches a path.
type touch int

const (
	touchRead  touch = iota
	touchWrite       // or makes, or removes
	touchSome        // it is not known how
)

// reach is a path that a command touches.
type reach struct {
	word   command.Word
	touch  touch
	named  bool // a rule names it to the letter
	bare   bool // it may as well be no path
	opens  bool // the shell opens it for the command
	whole  bool // all that is in it, when it is a folder
	target *landing
	// blind is why it is not known where it leads; target is then nil.
	blind string
	// unseen: the word is known only when it runs; adrift: the word is known, but
	// not the folder that it is meant from.
	unseen, adrift bool
}

// devices are files that hold nothing, or what the command has open anyway.
var devices = regexp.MustCompile(`^/dev/(null|zero|full|tty|stdin|stdout|stderr|fd/[0-9]+|u?random)$`)

// blockDevices are disks.
var blockDevices = regexp.MustCompile(`^/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|dm-|md[0-9]|mapper/|sr[0-9])`)

// ordinary reports whether a word leads to no file worth a question.
func ordinary(w command.Word) bool {
	return w.Known && (w.Text == "-" || strings.HasPrefix(w.Text, "/dev/") && devices.MatchString(w.Text))
}

// name is the word for people.
func (r *reach) name() string { return "`" + r.word.Text + "`" }

// reaches adds the paths that a part touches, as far as they can be seen.
func (j *judge) reaches(all []reach, p *command.Part, c *call) []reach {
	n := len(all)
	for _, r := range p.Redirects {
		if r.Writes {
			all = j.reach(all, p, r.File, touchWrite)
		}
		if r.Reads {
			all = j.reach(all, p, r.File, touchRead)
		}
	}
	for i := n; i < len(all); i++ {
		all[i].opens = true
	}
	if c == nil {
		return all
	}
	for i := range c.items {
		if c.writes(i) {
			all = j.reach(all, p, c.items[i].word, touchWrite)
		}
		all = j.itemReaches(all, p, c, &c.items[i])
	}
	return all
}

// itemReaches adds what a flag's value, or an operand, leads to.
func (j *judge) itemReaches(all []reach, p *command.Part, c *call, it *item) []reach {
	if it.flag != "" {
		switch {
		case !it.has && c.prog.unknown:
			return j.embedded(all, p, command.Word{Text: it.flag, Known: !it.loose})
		case !it.has:
			return all
		case it.use == useRead:
			return j.reach(all, p, it.word, touchRead)
		case it.use == useWrite:
			return j.reach(all, p, it.word, touchWrite)
		case it.use == useText, it.use == useOpt:
			return all
		}
		return j.embedded(all, p, it.word)
	}
	switch it.kind {
	case opText, opRemote:
		return all
	case opRead:
		return j.reach(all, p, it.word, touchRead)
	case opWrite, opMove:
		return j.written(all, p, c, it.word)
	case opPackage:
		w := it.word
		if !w.Known && !strings.HasPrefix(w.Prefix, ".") && !strings.HasPrefix(w.Prefix, "/") {
			return all
		}
		if i := strings.Index(w.Text, "..."); i >= 0 && w.Known {
			w.Text = w.Text[:strings.LastIndex(w.Text[:i], "/")+1] // any folders below
		}
		return j.embedded(all, p, w)
	}
	if it.sub != nil {
		return all
	}
	return j.embedded(all, p, it.word)
}

// written is a path that a command writes, and what it makes in there of its
// other arguments, should that be a folder.
func (j *judge) written(all []reach, p *command.Part, c *call, w command.Word) []reach {
	n := len(all)
	all = j.reach(all, p, w, touchWrite)
	for ; n < len(all); n++ {
		all[n].whole = c.prog.ops == opMode || c.prog.ops == opWrite && c.name != "mkdir" && c.name != "touch"
	}
	if c.prog.ops != opCopy && c.prog.ops != opMove || !w.Known {
		return all
	}
	for _, it := range c.operands() {
		base := path.Base(it.word.Text)
		if it.word.Known && it.word.Text != w.Text && base != "/" && base != ".." {
			all = j.reach(all, p, command.Word{Text: w.Text + "/" + base, Known: true}, touchWrite)
		}
	}
	return all
}

// embedded are paths within a word of a command that is not known so well:
// the word, and what follows a mark that often stands before a path.
func (j *judge) embedded(all []reach, p *command.Part, w command.Word) []reach {
	if !w.Known {
		return j.reach(all, p, w, touchSome)
	}
	if w.Text == "" {
		return all
	}
	if !strings.HasPrefix(w.Text, "-") {
		all = j.bare(all, p, w.Text)
	}
	for i := range len(w.Text) {
		if strings.IndexByte("=:,@", w.Text[i]) >= 0 && i+1 < len(w.Text) {
			all = j.bare(all, p, strings.TrimPrefix(w.Text[i+1:], "//"))
		}
	}
	if len(w.Text) > 2 && w.Text[0] == '-' && strings.IndexByte("/~.", w.Text[2]) >= 0 {
		all = j.bare(all, p, w.Text[2:])
	}
	return all
}

func (j *judge) bare(all []reach, p *command.Part, text string) []reach {
	n := len(all)
	all = j.reach(all, p, command.Word{Text: text, Known: true}, touchSome)
	for ; n < len(all); n++ {
		all[n].bare = !strings.ContainsAny(text, `/\`) && !strings.HasPrefix(text, "~") && !strings.HasPrefix(text, ".")
	}
	return all
}

// reach adds where a word leads: from each folder that the part may run in.
func (j *judge) reach(all []reach, p *command.Part, w command.Word, how touch) []reach {
	r := reach{word: w, touch: how}
	switch {
	case ordinary(w):
		return all
	case !w.Known:
		r.blind, r.unseen = "`"+w.Text+"` is known only when it runs", !p.Remote
		return append(all, r)
	case w.Text == "":
		return all
	case p.Remote:
		r.blind = "`" + w.Text + "` is on another machine"
		return append(all, r)
	}
	text := w.Text
	if text == "~" || strings.HasPrefix(text, "~/") {
		text = j.world.Home() + text[1:] // some commands read it so themselves
	}
	switch {
	case p.Dir != "" || path.IsAbs(text):
		r.target = j.target(p.Dir, text)
		return append(all, r)
	case len(p.Dirs) == 0:
		r.blind, r.adrift = "it is not known in which folder `"+w.Text+"` is", true
		return append(all, r)
	}
	for _, dir := range p.Dirs {
		r.target = j.target(dir, text)
		all = append(all, r)
	}
	return all
}

// covered says why a rule about the command does not cover the path, "" when it
// does: paths in the workspace of ordinary files are, and those that a rule
// about files allows.
func (j *judge) covered(r *reach) string {
	switch {
	case r.blind != "":
		return r.blind
	case r.whole && r.target.Rel == ".":
		return r.name() + " is the whole workspace"
	case r.target.Protected != "":
		return r.name() + ": " + r.target.Protected
	case r.touch != touchRead && r.target.runs() != "":
		if v, _, _ := j.set.File(true, r.target.Target); v == Allow {
			return ""
		}
		return r.name() + " runs code: " + r.target.runs()
	}
	if r.target.Inside && r.target.Secret == "" && !(r.opens && r.touch == touchWrite) || r.named {
		return ""
	}
	if v, _, _ := j.set.File(r.touch == touchWrite, r.target.Target); v == Allow && r.touch != touchSome {
		return ""
	}
	if r.target.Secret != "" {
		return r.name() + ": " + r.target.Secret
	}
	if r.opens && r.touch == touchWrite {
		if text := ProposeFile(true, r.target.Target); text != "" {
			return r.name() + " is written, which no rule allows; a rule that does: `" + text + "`"
		}
		return r.name() + " is written, which no rule allows"
	}
	return r.name() + " lies outside the workspace"
}
