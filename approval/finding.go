package approval

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"

	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// finding is what the rules say of a request. The zero finding says nothing.
type finding struct {
	verdict rule.Verdict
	why     string
	hard    bool // of a denial: nobody can lift it
	parts   []rule.Part
	doubts  []command.Doubt
	// judgement is what the parts came to; of it a rule is proposed.
	judgement rule.Judgement
	// grant is how long the remembered yes holds that was needed, "" if none was.
	grant Scope
}

// find asks the rules. line is what was typed before into the same process.
func find(req Request, set *rules, line string, w World) finding {
	switch {
	case req.Access != Execute:
		return findFiles(req, set)
	case req.Command == nil:
		return finding{}
	case req.Command.TypedInto != "":
		return findTyped(*req.Command, set, line, w)
	}
	return findCommand(*req.Command, set, w)
}

// findCommand judges a script as it would run.
func findCommand(cmd Command, set *rules, w World) finding {
	script := command.ParseAfter(cmp.Or(cmd.Shell, "bash"), cmd.Text, cmd.Dir, cmd.Inherited, w)
	j := set.Judge(script, !cmd.Unconfined, w)
	f := finding{verdict: j.Verdict, why: j.Why, parts: j.Parts, doubts: script.Doubts, judgement: j}
	f.hard = j.Verdict == rule.Deny && slices.ContainsFunc(j.Parts, func(p rule.Part) bool { return p.Hard && p.Verdict == rule.Deny })
	for _, p := range j.Parts {
		if f.verdict == rule.Allow {
			f.grant = narrower(f.grant, set.scope(p.Rule))
		}
	}
	return f
}

// findTyped judges what would stand on the line once it is typed. Rules never
// allow typing: what reads it is not known.
func findTyped(cmd Command, set *rules, line string, w World) finding {
	var worst finding
	for _, text := range asTyped(line, cmd.Text) {
		cmd.Text = text
		f := findCommand(cmd, set, w)
		if strict(f.verdict) > strict(worst.verdict) {
			worst = finding{verdict: f.verdict, why: f.why, hard: f.hard}
		}
	}
	return worst
}

// strict orders verdicts; what allows counts as little as what says nothing.
func strict(v rule.Verdict) int {
	return map[rule.Verdict]int{rule.Ask: 1, rule.Deny: 2}[v]
}

// findFiles takes the strictest word about any of the files; only what allows
// all of them allows.
func findFiles(req Request, set *rules) finding {
	f := finding{verdict: rule.Allow}
	for _, t := range req.Paths {
		v, why, text := set.File(req.Access == Write, t)
		if strict(v) > strict(f.verdict) || strict(f.verdict) == 0 && v == rule.Open || f.why == "" {
			f.verdict, f.why = v, why
		}
		if v == rule.Allow {
			f.grant = narrower(f.grant, set.scope(text))
		}
	}
	if len(req.Paths) == 0 {
		f.verdict = rule.Open
	}
	return f
}

// rules are a set, with how long each remembered yes in it holds.
type rules struct {
	*rule.Set
	once sync.Once
	kept map[string]Scope
}

// scope says how long the yes holds that a rule is, "" for one that a person
// wrote.
func (s *rules) scope(text string) Scope {
	s.once.Do(func() {
		s.kept = map[string]Scope{}
		for _, r := range s.Rules() {
			if r.Verdict != rule.Allow {
				continue
			}
			scope := grantScopes[r.Source]
			if old, twice := s.kept[r.Text]; twice && old != "" && scope != "" {
				scope = narrower(old, scope)
			} else if twice {
				scope = "" // a person's rule says it too
			}
			s.kept[r.Text] = scope
		}
	})
	return s.kept[text]
}

var grantScopes = map[rule.Source]Scope{
	rule.GrantSession: Session, rule.GrantWorkspace: Workspace, rule.GrantUser: User,
}

// narrower is the one of two scopes that ends first.
func narrower(a, b Scope) Scope {
	for _, s := range []Scope{Session, Workspace, User} {
		if a == s || b == s {
			return s
		}
	}
	return ""
}

// darkness is a World of which nothing is known: all of it is outside, and no
// rule allows what runs there.
type darkness struct{}

func (darkness) Target(dir, name string) Target {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return Target{Abs: name}
}
func (darkness) Program(string) (Target, bool)        { return Target{}, false }
func (darkness) Glob(string, string) ([]string, bool) { return nil, false }
func (darkness) Secrets(string) ([]string, bool)      { return nil, false }
func (darkness) Home() string                         { return "" }
