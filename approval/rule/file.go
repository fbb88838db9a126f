package rule

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"drawbridge/approval/command"
)

// File is what the rules say about reading a path, or writing it, and which
// rule says so. No rule allows what is protected; of a file that runs code only
// one that a person wrote, that names it to the letter; and of one that holds
// secrets only one that does not end in a mere *.
func (s *Set) File(write bool, t command.Target) (v Verdict, why, rule string) {
	for _, v := range []Verdict{Deny, Ask} {
		if p := s.fileRule(v, write, t); p != nil {
			return v, p.rule.says(), p.rule.Text
		}
	}
	if t.Protected != "" {
		return Open, t.Protected, ""
	}
	p := s.fileRule(Allow, write, t)
	if p == nil {
		return Open, "no rule covers it", ""
	}
	if why := s.silent(writes); why != "" {
		return Open, why, ""
	}
	return Allow, p.rule.says(), p.rule.Text
}

// fileRule is the first rule of a verdict about a path.
func (s *Set) fileRule(v Verdict, write bool, t command.Target) *entry {
	kind := reads
	if write {
		kind = writes
	}
	for _, l := range s.list() {
		for _, p := range l.files {
			if p.rule.Verdict == v && p.file == kind && p.aboutFile(t) {
				return p
			}
		}
	}
	return nil
}

// aboutFile matches loosely what forbids, and strictly what allows.
func (p *entry) aboutFile(t command.Target) bool {
	if p.rule.Verdict != Allow {
		return p.matches(t.Abs) || t.Lexical != "" && p.matches(t.Lexical) || t.Inside && p.globs(p.glob, t.Rel)
	}
	switch {
	case !p.matches(t.Abs):
		return false
	case p.file == writes && codeFile(t) != "" && !t.Plain:
		return p.byPerson() && p.literal()
	case t.Secret != "":
		return p.tells()
	}
	return true
}

// tells reports whether the last component of the glob says something of the
// name: a letter or digit outside of sets and lists.
func (p *entry) tells() bool {
	base := path.Base(p.glob)
	if !strings.ContainsAny(base, "*?[{") {
		return true
	}
	return !strings.Contains(base, "{") && strings.ContainsFunc(sets.ReplaceAllString(base, ""), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

var sets = regexp.MustCompile(`\[[^\]]*\]`)

// byPerson reports whether a person wrote the rule, and no repository did.
func (p *entry) byPerson() bool { return p.rule.Source == User || p.rule.Source == Flag }

func (p *entry) literal() bool { return !strings.ContainsAny(p.glob, `*?[{\`) }

// codeFile says who runs what is written to a path, by either of its names.
func codeFile(t command.Target) string {
	who := RunsCode(t.Abs)
	if who == "" && t.Lexical != t.Abs {
		who = RunsCode(t.Lexical)
	}
	return who
}

// matches matches an absolute path.
func (p *entry) matches(abs string) bool {
	if abs == "" {
		return false
	}
	for _, full := range p.full {
		if p.globs(full, abs) {
			return true
		}
	}
	return false
}

func (p *entry) globs(glob, name string) bool {
	ok, err := doublestar.Match(glob, filepath.ToSlash(name))
	return ok && err == nil
}

// prepare makes of a rule what need not be made for each match.
func (p *entry) prepare() {
	switch {
	case p.rule.Problem != "":
	case p.file == commands:
		name := baseName(p.words[0].text)
		p.call = parseCall(name, tokenWords(p.words[1:]))
		p.same, p.sameAs = spellingsOf(name, p.words[1:])
		p.call.same = p.same
	case strings.HasPrefix(p.glob, "~"):
		p.full = homes(p.glob[1:])
	case path.IsAbs(p.glob):
		p.full = []string{p.glob}
	default:
		p.full = []string{path.Join(escapeGlob(filepath.ToSlash(p.rule.Root)), p.glob)}
	}
}

// homes are a pattern below the home folder, by its name and by where that
// leads.
func homes(below string) []string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return nil
	}
	all := []string{escapeGlob(filepath.ToSlash(home)) + below}
	if real, err := filepath.EvalSymlinks(home); err == nil && real != home {
		all = append(all, escapeGlob(filepath.ToSlash(real))+below)
	}
	return all
}

// escapeGlob has a pattern match a name to the letter.
func escapeGlob(name string) string {
	var b strings.Builder
	for _, c := range name {
		if strings.ContainsRune(`*?[]{}\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// ProposeFile derives the rule that would allow reading, or writing, this file
// from now on; "" when it must not be remembered: writing outside the workspace,
// files that run code, and what is protected.
func ProposeFile(write bool, t command.Target) string {
	if t.Protected != "" || t.Abs == "" || write && (!t.Inside || codeFile(t) != "") {
		return ""
	}
	text := string(reads)
	if write {
		text = string(writes)
	}
	name := filepath.ToSlash(t.Abs)
	root := ""
	if t.Inside && t.Rel != "" && t.Rel != "." {
		root, name = strings.TrimSuffix(strings.TrimSuffix(name, t.Rel), "/"), t.Rel
	}
	r, err := Parse(Allow, text+escapeGlob(name), root)
	if err != nil {
		return ""
	}
	if v, _, _ := NewSet(r).File(write, t); v != Allow {
		return ""
	}
	return r.Text
}
