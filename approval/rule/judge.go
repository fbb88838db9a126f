package rule

import (
	"path"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// Judgement is what the rules say about a script.
type Judgement struct {
	// Verdict is the strictest of the parts and of what could not be understood.
	Verdict Verdict
	Why     string
	Parts   []Part

	script command.Script
	world  command.World
	set    *Set
}

// Part is what the rules say about one simple command.
type Part struct {
	Command command.Part
	Verdict Verdict
	// Why is one line: which rule, or what none covers.
	Why string
	// Rule is the rule that decided, "" without one.
	Rule string
	// Hard asks and denials are answered by no remembered yes; and a Hard denial
	// by nothing at all.
	Hard bool

	glue bool // allowed in the company of what a rule allows
}

// judge is one judgement under way.
type judge struct {
	set    *Set
	held   bool
	world  command.World
	script command.Script
	parts  []Part
	calls  []*call         // of each part, nil when it names no command
	inner  map[int]int     // from a part to the one that it runs
	outer  map[int]int     // and back
	bombs  map[string]bool // functions that call themselves twice
	links  []link          // that the script makes

	looks            int  // into folders that are copied
	patched, scanned bool // the text was looked through, for patches and for code

	places map[place]*landing
	paths  map[string]found // what PATH has, by name

	// searched says that removeFlags is known: see hasRemoveFlags.
	searched, removeFlags bool

	// Room that is used again and again.
	reached []reach
	named   call
}

// found is what PATH has for a name.
type found struct {
	abs        string
	inside, ok bool
}

// place is a path as a command in a folder names it.
type place struct{ dir, name string }

// landing is where that leads, looked up once for a judgement.
type landing struct {
	command.Target
	asked bool   // whether code is known
	code  string // who runs what is written there

	walked, seen bool // whether secrets below were looked for, and are known
	secrets      []string
}

// runs says who runs what is written there.
func (l *landing) runs() string {
	if !l.asked {
		l.asked, l.code = true, codeFile(l.Target)
	}
	return l.code
}

// Judge applies the rules to a script. held says that a sandbox would hold it.
func (s *Set) Judge(script command.Script, held bool, w command.World) Judgement {
	j := &judge{set: s, held: held, world: w, script: script, places: map[place]*landing{}, paths: map[string]found{}}
	j.parts, j.calls = make([]Part, len(script.Parts)), make([]*call, len(script.Parts))
	calls := make([]call, len(script.Parts))
	for i := range script.Parts {
		j.parts[i].Command = script.Parts[i]
		if name, words := nameOf(&script.Parts[i]); name != "" {
			j.calls[i] = &calls[i]
			j.calls[i].parse(name, words)
		}
	}
	j.pair()
	j.bombs, j.links = j.bombsOf(script.Text), j.linked()
	for i := range j.parts {
		j.forbid(i)
	}
	for i := range j.parts {
		if j.parts[i].Verdict == Open {
			j.allow(i)
		}
	}
	j.company()
	for i := range j.parts {
		if p := &j.parts[i]; p.Verdict == Open && p.Why == "" {
			p.Why = j.uncovered(i)
		}
	}
	return j.sum()
}

// uncovered says that no rule covers a part: for what stands before it, where
// rules are about the command.
func (j *judge) uncovered(i int) string {
	part := &j.parts[i].Command
	if c := j.calls[i]; c != nil && len(part.Assigns) > 0 && j.set.about(Allow, c.name) {
		a := part.Assigns[0]
		if revealing(a.Name + "=" + a.Value.Text) {
			a.Value.Text = "…"
		}
		return "`" + a.Name + "=" + a.Value.Text + "` stands before it, which no rule names" + j.withAssigns(i, c)
	}
	return "no rule covers `" + shown(part) + "`"
}

// say makes a part's verdict stricter.
func (p *Part) say(v Verdict, why, rule string, hard bool) {
	if p.Verdict == v && hard && !p.Hard || stricter(p.Verdict, v) != p.Verdict {
		p.Verdict, p.Why, p.Rule, p.Hard = v, why, rule, hard
	}
}

// forbid finds what denies a part, or puts it to a person.
func (j *judge) forbid(i int) {
	p := &j.parts[i]
	if why := j.set.denied(j, i); why != "" {
		p.say(Deny, why, "", true)
	}
	if why := j.fedRemoval(i); why != "" {
		p.say(Ask, why, "", true)
	}
	j.reached = j.seen(j.reaches(j.reached[:0], &p.Command, j.calls[i]), i)
	for k := range j.reached {
		j.forbidReach(p, &j.reached[k])
	}
	j.forbidUnseen(p)
	j.forbidTrees(p, j.calls[i])
	for _, v := range []Verdict{Deny, Ask} {
		j.forbidWords(p, v)
	}
}

// nameOf is the base name of the command and its words, without those of a
// command that it runs; "" when it has none, or none that is known.
func nameOf(p *command.Part) (string, []command.Word) {
	if len(p.Argv) == 0 || !p.Argv[0].Known {
		return "", nil
	}
	name, words := strings.TrimSuffix(baseName(p.Argv[0].Text), ".exe"), p.Argv[1:]
	switch {
	case p.Wraps <= 0 || p.Wraps > len(p.Argv):
	case name == "find":
		words = findWords(words)
	default:
		words = p.Argv[1:p.Wraps]
	}
	return name, words
}

// findWords are the words of find without those of the commands that it runs:
// its own go on behind them.
func findWords(words []command.Word) []command.Word {
	var own []command.Word
	within := false
	for _, w := range words {
		if !within {
			own = append(own, w)
		}
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			within = true
		case ";":
			within = false
		case "+":
			within = within && !w.Known
		}
	}
	return own
}

// pair finds for each command that runs another one the part of that.
func (j *judge) pair() {
	type start struct {
		text string
		span command.Span
	}
	var waiting map[start]int
	for k := range j.parts {
		p := &j.parts[k].Command
		if len(p.Argv) == 0 {
			continue
		}
		if first := (start{p.Argv[0].Text, p.Argv[0].Span}); p.By != "" {
			if i, ok := waiting[first]; ok {
				j.inner[i], j.outer[k] = k, i
				delete(waiting, first)
			}
		}
		if p.Wraps <= 0 || p.Wraps >= len(p.Argv) {
			continue
		}
		if waiting == nil {
			waiting, j.inner, j.outer = map[start]int{}, map[int]int{}, map[int]int{}
		}
		waiting[start{p.Argv[p.Wraps].Text, p.Argv[p.Wraps].Span}] = k
	}
}

// forbidReach says what is wrong with a path that is touched.
func (j *judge) forbidReach(p *Part, r *reach) {
	if r.blind != "" {
		if who := endRuns(r.word); r.touch == touchWrite && who != "" {
			p.say(Ask, r.name()+": runs code: "+who, "", true)
		}
		j.forbidBlind(p, r)
		return
	}
	if r.target.Protected != "" {
		p.say(Deny, r.name()+": "+r.target.Protected, "", true)
	}
	if r.touch != touchWrite {
		v, why, rule := j.set.File(false, r.target.Target)
		if v == Deny || v == Ask {
			p.say(v, r.name()+": "+why, rule, false)
		}
	}
	if r.touch == touchRead {
		return
	}
	v, why, rule := j.set.File(true, r.target.Target)
	if v == Deny && r.touch == touchSome {
		v = Ask // it may only be read
	}
	if v == Deny || v == Ask {
		p.say(v, r.name()+": "+why, rule, false)
	}
	if r.touch == touchWrite && v != Allow && !r.target.Plain && r.target.runs() != "" {
		p.say(Ask, r.name()+": runs code: "+r.target.runs(), "", true)
	}
}

// company allows what is harmless beside something that a rule allows.
func (j *judge) company() {
	beside := ""
	for i := range j.parts {
		if p := &j.parts[i]; p.Verdict == Allow && beside == "" {
			beside = p.Rule
		}
	}
	if beside == "" {
		return
	}
	why := "harmless beside what rule `" + beside + "` allows"
	for i := range j.parts {
		if p := &j.parts[i]; p.Verdict == Open && p.glue {
			p.Verdict, p.Why = Allow, why
		}
	}
}

// sum is the strictest of all.
func (j *judge) sum() Judgement {
	out := Judgement{Verdict: Allow, Parts: j.parts, script: j.script, world: j.world, set: j.set}
	if why := j.set.deniedPattern(j.script.Text); why != "" {
		for i := range j.parts {
			j.parts[i].say(Deny, why, "", true)
		}
		out.Verdict, out.Why = Deny, why
		return out
	}
	if len(j.parts) == 0 && len(j.script.Doubts) == 0 {
		out.Verdict, out.Why = Open, "it runs nothing"
		return out
	}
	for i := range j.parts {
		if p := &j.parts[i]; out.Why == "" && p.Verdict == Allow && p.Rule != "" {
			out.Why = p.Why // rather than what is allowed in its company
		}
	}
	for i := range j.parts {
		out.count(j.parts[i].Verdict, j.parts[i].Why)
	}
	for _, d := range j.script.Doubts {
		out.count(j.doubt(d))
	}
	return out
}

// count makes the judgement as strict as one more verdict.
func (out *Judgement) count(v Verdict, why string) {
	if out.Why == "" || stricter(out.Verdict, v) != out.Verdict {
		out.Verdict, out.Why = stricter(out.Verdict, v), why
	}
}

// doubt is what holds for what was not understood: where rules forbid some
// commands, one of them may hide there.
func (j *judge) doubt(d command.Doubt) (Verdict, string) {
	switch why := j.set.deniedText(j, d); {
	case why != "":
		return Deny, why
	case j.set.strict(), j.set.guards():
		return Ask, d.Why
	}
	return Open, d.Why
}

// target is where a path leads.
func (j *judge) target(dir, name string) *landing {
	at := place{dir, name}
	l := j.places[at]
	if l == nil {
		l = &landing{Target: j.world.Target(dir, name)}
		j.places[at] = l
	}
	return l
}

// find is what PATH has for a name, looked up once for a judgement.
func (j *judge) find(name string) found {
	f, known := j.paths[name]
	if !known {
		t, ok := j.world.Program(name)
		f = found{t.Abs, t.Inside, ok}
		j.paths[name] = f
	}
	return f
}

// inWorkspace reports whether each folder that a part may run in is one of the
// workspace's.
func (j *judge) inWorkspace(p *command.Part) bool {
	if p.Dir != "" {
		return j.target(p.Dir, p.Dir).Inside
	}
	outside := func(dir string) bool { return !j.target(dir, dir).Inside }
	return len(p.Dirs) > 0 && !slices.ContainsFunc(p.Dirs, outside)
}

// program says why the file that a command's name runs is not what the name
// says, "" when it is: a bare name must not run what lies in the workspace, and
// a path only what PATH has for its name, or what the rule itself names.
func (j *judge) program(p *command.Part, prog *program, named bool) string {
	name := p.Argv[0].Text
	if !strings.ContainsAny(name, `/\`) {
		if prog.builtin {
			return ""
		}
		if f := j.find(name); f.ok && f.inside {
			return "`" + name + "` is a file of the workspace"
		}
		return ""
	}
	if named {
		return ""
	}
	f := j.find(path.Base(name))
	if path.IsAbs(name) && f.ok && !f.inside && j.target(p.Dir, name).Abs == f.abs {
		return ""
	}
	return "`" + name + "` is not what PATH has for `" + path.Base(name) + "`"
}
