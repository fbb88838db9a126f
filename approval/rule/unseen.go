package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"drawbridge/approval/command"
)

// guards reports whether some rule about files asks or denies.
func (s *Set) guards() bool { return s.guard(touchSome, "") != nil }

// guard is a rule that asks or denies, and could be about a path that is not
// known, but for its last component, should name be set.
func (s *Set) guard(how touch, name string) *entry {
	for _, v := range []Verdict{Deny, Ask} {
		for _, l := range s.list() {
			for _, p := range l.files {
				if p.rule.Verdict == v && (how == touchSome || how == touchWrite == (p.file == writes)) && p.maybe(name) {
					return p
				}
			}
		}
	}
	return nil
}

// maybe reports whether some component of the rule's glob could be this name.
func (p *entry) maybe(name string) bool {
	name = path.Base(name)
	if name == "." || name == ".." || strings.Contains(p.glob, "{") {
		return true
	}
	return slices.ContainsFunc(strings.Split(p.glob, "/"), func(glob string) bool { return p.globs(glob, name) })
}

// forbidBlind puts to a person, in any mode, what may be what a rule forbids,
// and what is written nobody knows where.
func (j *judge) forbidBlind(p *Part, r *reach) {
	switch {
	case r.adrift && r.touch == touchWrite:
		p.say(Ask, r.blind, "", true)
	case r.adrift:
		if by := j.set.guard(r.touch, r.word.Text); by != nil {
			p.say(Ask, r.blind+", and perhaps "+by.rule.says(), by.rule.Text, false)
		}
	case r.unseen:
		if by := j.set.guard(r.touch, ""); by != nil {
			p.say(Ask, r.blind+", and perhaps "+by.rule.says(), by.rule.Text, false)
		}
	}
}

// forbidUnseen looks at words that are not known as if they were arguments, for
// they may be, and at those that a command is fed.
func (j *judge) forbidUnseen(p *Part) {
	part := &p.Command
	if len(part.Argv) == 0 || !j.set.guards() {
		return
	}
	if !part.Argv[0].Known {
		p.say(Ask, "which command runs is known only then, and rules forbid some files", "", false)
		return
	}
	name, words := nameOf(part)
	unseen := unseenWords(words, part.Fed)
	if len(unseen) == len(words) && !slices.ContainsFunc(words, anyword) || movesOnly[name] {
		return
	}
	var c call
	c.parse(name, unseen)
	for _, r := range j.reaches(nil, part, &c) {
		if r.unseen {
			j.forbidBlind(p, &r)
		}
	}
}

// movesOnly are commands that open no file.
var movesOnly = map[string]bool{"cd": true, "pushd": true, "popd": true}

// anyword says that a word may be anything.
func anyword(w command.Word) bool { return !w.Known && w.Prefix == "" }

// unseenWords are words of which each that may be anything counts as an
// argument; where it may be several, or more are fed, as two, the first of which
// may be no path.
func unseenWords(words []command.Word, fed bool) []command.Word {
	out := make([]command.Word, 0, len(words)+2)
	for _, w := range words {
		if anyword(w) {
			w.Prefix = "x"
			if w.Many {
				out = append(out, w)
			}
		}
		out = append(out, w)
	}
	if fed {
		w := command.Word{Text: "what it is fed", Prefix: "x", Many: true}
		out = append(out, w, w)
	}
	return out
}

// under says whether a rule names what lies below a folder: perhaps, when that
// takes a wildcard.
func (p *entry) under(dir string) likely {
	best := no
	for _, full := range p.full {
		base, rest := doublestar.SplitPattern(full)
		switch {
		case dir == "":
		case base != dir && contains(dir, base), base == dir && !strings.ContainsAny(rest, `*?[{\`):
			return yes
		case contains(base, dir) && p.reachesBelow(rest, strings.TrimPrefix(strings.TrimPrefix(dir, base), "/")):
			best = perhaps
		}
	}
	return best
}

// contains reports whether a path is a folder or lies in it.
func contains(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// reachesBelow reports whether a glob could match something below a folder.
func (p *entry) reachesBelow(glob, dir string) bool {
	if strings.Contains(glob, "{") || dir == "" {
		return true
	}
	globs := strings.Split(glob, "/")
	for name := range strings.SplitSeq(dir, "/") {
		switch {
		case len(globs) == 0:
			return false
		case globs[0] == "**":
			return true
		case !p.globs(globs[0], name):
			return false
		}
		globs = globs[1:]
	}
	return len(globs) > 0
}
