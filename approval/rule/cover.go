package rule

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// Words of a rule that stand for others are told apart from words to the letter
// by a byte that none can begin with.
const (
	wildMark = "\x00"
	homeMark = "\x01"
)

// tokenWords are the words of a rule as if they were a command's.
func tokenWords(tokens []token) []command.Word {
	words := make([]command.Word, len(tokens))
	for i, t := range tokens {
		words[i] = command.Word{Text: t.text, Known: true}
		if t.wild != "" {
			words[i].Text = wildMark + string(t.wild)
		} else if t.home {
			words[i].Text = homeMark + t.text
		}
	}
	return words
}

// allow looks for a rule that covers a part.
func (j *judge) allow(i int) {
	p := &j.parts[i]
	part := &p.Command
	if len(part.Argv) == 0 {
		j.allowBare(p)
		return
	}
	c := j.calls[i]
	if c == nil {
		p.Why = "which command runs is known only then"
		return
	}
	p.glue = c.prog.glue && j.rest(part, c, false) == "" && !j.writes(part, c)
	j.allowByRule(i, c)
	if why := j.set.silent(commands); p.Verdict == Allow && why != "" {
		p.Verdict, p.Why, p.Rule = Open, why, ""
	}
	p.glue = p.glue && j.set.silent(commands) == ""
}

// writes reports whether a command writes what no rule about files allows.
func (j *judge) writes(part *command.Part, c *call) bool {
	j.reached = j.reaches(j.reached[:0], part, c)
	for k := range j.reached {
		r := &j.reached[k]
		r.opens = true
		if r.touch == touchWrite && j.covered(r) != "" {
			return true
		}
	}
	return false
}

// allowByRule tries the rules that could be about it. The reason why the best of
// them does not cover it is kept.
func (j *judge) allowByRule(i int, c *call) {
	p := &j.parts[i]
	part := &p.Command
	var few [8]string
	var missed *entry
	j.set.candidates(Allow, c.name, plainWords(few[:0], part.Argv), false, func(r *entry) bool {
		named, ok := j.names(r, i, c)
		if !ok {
			return false
		}
		if why := j.rest(part, named, strings.ContainsAny(r.words[0].text, `/\`) || r.words[0].home); why != "" {
			p.Why = why + ", which rule `" + r.rule.Text + "` does not cover"
			missed = r
			return false
		}
		p.Verdict, p.Why, p.Rule = Allow, r.rule.says()+j.files(part), r.rule.Text
		return true
	})
	if p.Verdict != Allow && part.By != "" {
		j.allowByWrapper(i, c)
	}
	if p.Verdict != Allow && missed != nil {
		p.Why += j.wider(missed, i, c)
	}
}

// files are the rules about files that a command's redirects needed.
func (j *judge) files(part *command.Part) (text string) {
	for _, r := range j.reaches(nil, part, nil) {
		if r.target == nil || r.touch != touchWrite && r.target.Inside && r.target.Secret == "" {
			continue
		}
		if v, why, _ := j.set.File(r.touch == touchWrite, r.target.Target); v == Allow {
			text += ", and " + r.name() + " " + why
		}
	}
	return text
}

// plainWords adds the words by which rules are found.
func plainWords(words []string, argv []command.Word) []string {
	for _, w := range argv[1:] {
		if w.Known && w.Text != "" && w.Text[0] != '-' {
			words = append(words, w.Text)
		}
	}
	return words
}

// shown is a command in a few words.
func shown(p *command.Part) string {
	words := make([]string, 0, len(p.Argv))
	for _, w := range p.Argv {
		if w.Known {
			w.Text = quote(w.Text, false)
		}
		words = append(words, w.Text)
	}
	for _, r := range p.Redirects {
		if r.Writes && !ordinary(r.File) {
			words = append(words, "> "+r.File.Text)
		}
	}
	text := strings.Join(words, " ")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

// names reports whether a rule is about the part, and the call with what the
// rule names of it.
func (j *judge) names(r *entry, i int, c *call) (*call, bool) {
	part := &j.parts[i].Command
	switch {
	case r.held && !j.held, part.Remote, part.Fed && !c.prog.plain:
		return nil, false
	case !j.namesCommand(r, part), !j.namesAssigns(r, part):
		return nil, false
	case part.Wraps > 0:
		return j.namesWrapper(r, i, c)
	}
	return j.namesItems(&j.named, r.call, r.exact, part, c)
}

// namesCommand compares the command's own word.
func (j *judge) namesCommand(r *entry, part *command.Part) bool {
	first, name := r.words[0], part.Argv[0].Text
	if !first.home && !strings.ContainsAny(first.text, `/\`) {
		return baseName(name) == first.text
	}
	want := first.text
	switch {
	case first.home:
		want = j.world.Home() + first.text
	case !path.IsAbs(want) && r.rule.Root == "":
		return false
	case !path.IsAbs(want):
		want = path.Join(r.rule.Root, want)
	}
	if !strings.Contains(name, "/") || part.Dir == "" && !path.IsAbs(name) {
		return false
	}
	if !path.IsAbs(name) {
		name = path.Join(part.Dir, name)
	}
	return path.Clean(name) == path.Clean(want)
}

// namesAssigns wants each assignment before the command named, and each named
// one there.
func (j *judge) namesAssigns(r *entry, part *command.Part) bool {
	if len(part.Assigns) != len(r.assigns) {
		return false
	}
	for k, a := range part.Assigns {
		want := r.assigns[k]
		if a.Name != want.name || a.Append || !j.sameWord(tokenWords([]token{want.value})[0], a.Value, part) {
			return false
		}
	}
	return true
}

// sameWord compares a word of a rule with one of a command.
func (j *judge) sameWord(want, w command.Word, part *command.Part) bool {
	text, wild := strings.CutPrefix(want.Text, wildMark)
	switch {
	case !wild && strings.HasPrefix(text, homeMark):
		return w.Known && w.Text == j.world.Home()+text[1:]
	case !wild:
		return w.Known && w.Text == text
	case wildcard(text) == wildAny:
		return w.Known || !w.Many
	case wildcard(text) == wildWord:
		return w.Known && !strings.HasPrefix(w.Text, "-") || !w.Known && !w.Many
	case wildcard(text) == wildNumber:
		return w.Known && number.MatchString(w.Text)
	}
	if !w.Known {
		return false
	}
	j.reached = j.reach(j.reached[:0], part, w, touchSome)
	for k := range j.reached {
		if j.covered(&j.reached[k]) != "" {
			return false
		}
	}
	return true
}

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?[a-zA-Z]?$`)

// isWild reports whether a rule has a wildcard here.
func isWild(w command.Word) bool { return strings.HasPrefix(w.Text, wildMark) }

// namesItems compares a rule's items with a call's: operands from the first on,
// flags wherever they stand. Of a command without a table nothing is known, so
// that its words have to begin as the rule does. The call is made in out.
func (j *judge) namesItems(out, want *call, exact bool, part *command.Part, c *call) (*call, bool) {
	out.name, out.prog, out.items = c.name, c.prog, append(out.items[:0], c.items...)
	if c.prog.unknown {
		if len(want.items) > len(out.items) {
			return nil, false
		}
		for k := range want.items {
			if !j.namesItem(want, &want.items[k], &out.items[k], part) {
				return nil, false
			}
		}
		return out, !exact || len(want.items) == len(out.items)
	}
	next := 0
	for k := range want.items {
		w := &want.items[k]
		if w.flag != "" {
			if !j.namesFlag(want, w, out.items, part) {
				return nil, false
			}
			continue
		}
		for next < len(out.items) && out.items[next].flag != "" {
			next++
		}
		if next == len(out.items) || !j.namesItem(want, w, &out.items[next], part) {
			return nil, false
		}
		next++
	}
	if exact && slices.ContainsFunc(out.items, func(it item) bool { return it.named == unnamed }) {
		return nil, false
	}
	return out, true
}

// namesFlag finds a rule's flag among items of which none is named twice.
func (j *judge) namesFlag(c *call, want *item, items []item, part *command.Part) bool {
	for n := range items {
		if items[n].named == unnamed && j.namesItem(c, want, &items[n], part) {
			return true
		}
	}
	return false
}

// namesItem compares one, and marks it.
func (j *judge) namesItem(c *call, want, it *item, part *command.Part) bool {
	switch {
	case want.flag != it.flag && c.same.is(want.flag) != c.same.is(it.flag):
		return false
	case want.sub != nil && it.sub != nil && it.word.Known && !isWild(want.word) && canonical(c.name, want.word.Text) == canonical(c.name, it.word.Text):
		it.named = allNamed
		return true
	case want.flag != "" && !want.has && it.has && !it.gives(want):
		return false
	case want.flag != "" && !want.has:
		it.named = flagNamed
		if !it.has {
			it.named = allNamed
		}
		return true
	case want.flag != "" && !it.has, !j.sameWord(want.word, it.word, part):
		return false
	case isWild(want.word):
		it.named = wildNamed
	default:
		it.named = allNamed
	}
	return true
}

// rest says why something that no rule names is not harmless, "" when all is.
// here says that a rule names the command by its path.
func (j *judge) rest(part *command.Part, c *call, here bool) string {
	if why := j.place(part, c); why != "" {
		return why
	}
	if why := j.program(part, c.prog, here); why != "" {
		return why
	}
	stay := c.staying()
	for i := range c.items {
		it := &c.items[i]
		if why := j.harmless(c, it); why != "" && !(c.prog.remotes && j.namesRemote(part, c, it)) {
			return why
		}
		if why := j.several(part, c, it); why != "" {
			return why
		}
		if why := c.takesBack(i, stay); why != "" {
			return why
		}
		j.reached = j.itemReaches(j.reached[:0], part, c, it)
		for k := range j.reached {
			r := &j.reached[k]
			r.named = it.named == allNamed && j.inRoot(part, r)
			if it.named == allNamed && !r.named && c.prog.ops == opScript && it.kind == opRead {
				return "`" + it.word.Text + "` is another file in this folder"
			}
			if it.named == allNamed && it.use == useHarmArg || it.named == wildNamed && it.flag == "" && c.prog.unknown && r.blind != "" {
				continue
			}
			if why := j.covered(r); why != "" {
				return why
			}
		}
	}
	if why := j.looksInto(part, c); why != "" {
		return why
	}
	j.reached = j.reaches(j.reached[:0], part, nil)
	for k := range j.reached {
		if why := j.covered(&j.reached[k]); why != "" {
			return why
		}
	}
	if c.prog.check != nil {
		return c.prog.check(c)
	}
	return ""
}

// inRoot reports whether a path that a rule names is the same one here: it is
// absolute, or the command runs where the rule's paths are meant from.
func (j *judge) inRoot(part *command.Part, r *reach) bool {
	if path.IsAbs(r.word.Text) || strings.HasPrefix(r.word.Text, "~") {
		return true
	}
	return part.Dir != "" && j.target(part.Dir, part.Dir).Rel == "."
}

// place looks at where the command runs, and at what is fed to it.
func (j *judge) place(part *command.Part, c *call) string {
	switch {
	case part.Remote:
		return "it runs on another machine"
	case part.Fed && !c.prog.plain:
		return "it is given arguments that are known only when it runs"
	case part.Dir == "" && len(part.Dirs) == 0 && !c.prog.anywhere:
		return "it is not known in which folder it runs"
	case !c.prog.anywhere && !j.inWorkspace(part):
		return "it runs outside the workspace"
	case c.prog.stdin && len(c.operands()) == 0 && !c.inline() && !c.has("--version", "--help", "-V", "-h"):
		return "`" + c.name + "` runs what it reads"
	case runsInput(c):
		return "`" + c.name + "` runs what it reads"
	}
	return ""
}

// harmless looks at one item by what it is.
func (j *judge) harmless(c *call, it *item) string {
	switch {
	case it.loose:
		return it.shown() + " is known only when it runs"
	case it.sub != nil && it.sub.named && it.named == unnamed:
		return it.shown() + " has to be named"
	case it.sub != nil || it.named == allNamed:
		return ""
	case it.flag == "" && (it.kind == opNone || it.kind == opRemote) && it.named == unnamed:
		return it.shown() + " has to be named"
	case it.flag == "" && c.prog.unknown && isInput(it.word):
		return "`" + c.name + "` may run what it reads"
	case it.flag == "" && it.kind == opArgs && it.named != allNamed && strings.HasPrefix(it.word.Text, "-"):
		if m := c.module(); m != nil {
			return m.flagFor(it.word.Text)
		}
		if c.prog.hands {
			return handedFlag(it.word.Text)
		}
		return genericFlag(it.word.Text)
	case it.flag == "" && it.kind == opPackage && it.named != allNamed && strings.Contains(it.word.Text, "@"):
		return it.shown() + " is fetched from elsewhere"
	case it.flag == "":
		return ""
	case it.named == unnamed && c.prog.unknown:
		return genericFlag(it.flag)
	case it.named == unnamed && it.use == useWrite:
		return it.shown() + " writes a file"
	case it.named == unnamed && it.use == useUnknown:
		return "it is not known what " + it.shown() + " does"
	case it.named == unnamed && it.use.harms():
		return it.shown() + " may run a program, write a file or lead elsewhere"
	}
	return ""
}

// shown is the item for people.
func (it *item) shown() string {
	if it.flag != "" {
		return "`" + it.flag + "`"
	}
	return "`" + it.word.Text + "`"
}

// genericFlag looks at a flag of a command that has no table.
func genericFlag(flag string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(flag, "-")), "=")
	letters := strings.TrimPrefix(flag, "-")
	if len(letters) > 3 {
		letters = letters[:1] // it may be a name
	}
	if !strings.HasPrefix(flag, "--") && strings.ContainsAny(letters, "oCceErXKTdFIx") {
		return "it is not known what `" + flag + "` does"
	}
	if reaching.MatchString(name) {
		return "`" + flag + "` may run a program, write a file or lead elsewhere"
	}
	return ""
}

// handedFlag looks at a flag for a script of the project, which runs what the
// project says anyway.
func handedFlag(flag string) string {
	if runningFlag.MatchString(flag) {
		return "`" + flag + "` may run a program"
	}
	return ""
}

var runningFlag = regexp.MustCompile(`(?i)^(-[a-z]*[rexco]([^a-z].*)?$|--?(exec|require|import|loader|load|eval|command|cmd|shell|script|plugin|hook|run|inspect|init|interpreter|launcher|wrapper|program|pager|editor|browser|open|publish|push|deploy|global|node-opt|pre|post|on-|out|rc))`)

var reaching = regexp.MustCompile(`^(out|dir|chdir|cwd|work|root|prefix|command|cmd|exec|eval|run|shell|script|pre|post|config|conf|rc|init|plugin|require|import|load|module|define|hook|program|pager|editor|browser|file|path|home|save|write|log|dump|upload|download|data|proxy|url|host|user|identity|cert|key|in-place|fix|force|delete|remove|purge|yes|unsafe|allow|privileged|trust|env|set|with|use|to|from|dest|target|install|global|extension|filter|tool|wrapper|launcher|interpreter)`)

// allowBare judges mere assignments and redirects.
func (j *judge) allowBare(p *Part) {
	part := &p.Command
	if len(part.Assigns) > 0 {
		p.Why = "it sets a variable"
	}
	for _, a := range part.Assigns {
		switch {
		case a.Exported, !command.Ordinary(a.Name):
			p.Why = "`" + a.Name + "` may change what later commands do"
			return
		case !a.Value.Known, strings.ContainsAny(a.Value.Text, "[$`"):
			p.Why = "the value of `" + a.Name + "` is known only when it runs"
			return
		}
	}
	for _, r := range j.reaches(nil, part, nil) {
		if why := j.covered(&r); why != "" {
			p.Why = why
			return
		}
	}
	p.glue = j.set.silent(commands) == ""
}
