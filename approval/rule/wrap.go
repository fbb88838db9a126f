package rule

import (
	"regexp"

	"drawbridge/approval/command"
)

// namesWrapper compares a rule with a command that runs another one. The rule
// may end with the wrapper's own words: then the other command is judged for
// itself.
func (j *judge) namesWrapper(r *entry, i int, c *call) (*call, bool) {
	own, inner := j.split(r, i, c)
	if own == nil {
		return nil, false
	}
	if inner != nil {
		k, ok := j.inner[i]
		if !ok || j.calls[k] == nil {
			return nil, false
		}
		if _, ok := j.namesInner(inner, &j.parts[k].Command, j.calls[k]); !ok {
			return nil, false
		}
	}
	return own, true
}

// split finds where the words of a rule go from the wrapper's to those of the
// command within. inner is nil when the rule does not name that.
func (j *judge) split(r *entry, i int, c *call) (own *call, inner *entry) {
	part := &j.parts[i].Command
	for n := len(r.words); n > 0; n-- {
		want := parseCall(c.name, tokenWords(r.words[1:n]))
		got, ok := j.namesItems(&call{}, want, r.exact && n == len(r.words), part, c)
		if !ok {
			continue
		}
		if n == len(r.words) {
			if r.exact {
				return nil, nil // it would say that nothing follows
			}
			return got, nil
		}
		if sub := innerEntry(r, n); sub != nil && baseName(part.Argv[part.Wraps].Text) == sub.words[0].text {
			return got, sub
		}
	}
	return nil, nil
}

// innerEntry is the rule from its n-th word on.
func innerEntry(r *entry, n int) *entry {
	if first := r.words[n]; first.wild != "" || first.home || first.text == "" || first.text[0] == '-' {
		return nil
	}
	sub := &entry{rule: r.rule, held: r.held, words: r.words[n:], exact: r.exact}
	sub.prepare()
	return sub
}

// allowByWrapper looks for a rule that names a wrapper and goes on to name the
// command within: that covers it too.
func (j *judge) allowByWrapper(k int, c *call) {
	if i, ok := j.outer[k]; ok && j.calls[i] != nil {
		j.allowInner(i, k, j.calls[i], c)
	}
}

// namesInner compares a rule with a command that another one runs. The <any> at
// the end of a rule may stand for what that one feeds.
func (j *judge) namesInner(sub *entry, part *command.Part, c *call) (*call, bool) {
	named, ok := j.namesItems(&call{}, sub.call, sub.exact, part, c)
	if ok || !part.Fed || !sub.endsInAny() {
		return named, ok
	}
	less := *sub.call
	less.items = less.items[:len(less.items)-1]
	return j.namesItems(&call{}, &less, sub.exact, part, c)
}

// endsInAny reports whether the rule's last word is <any>.
func (p *entry) endsInAny() bool {
	n := len(p.words)
	return n > 1 && p.words[n-1].wild == wildAny && len(p.call.items) > 0
}

// onlyReads are commands that do no more than read, whatever they are fed: any
// file, which a rule has to say.
var onlyReads = regexp.MustCompile(`^([ef]?grep|cat|head|tail|wc|ls|basename|dirname|echo|stat|(md5|sha[0-9]+)sum|cut|nl|tac|rev)$`)

func (j *judge) allowInner(i, k int, oc, c *call) {
	p, outer := &j.parts[k], &j.parts[i].Command
	j.set.candidates(Allow, oc.name, plainWords(nil, outer.Argv), false, func(r *entry) bool {
		if r.held && !j.held || !j.namesCommand(r, outer) || !j.namesAssigns(r, outer) {
			return false
		}
		own, sub := j.split(r, i, oc)
		if own == nil || sub == nil {
			return false
		}
		named, ok := j.namesInner(sub, &p.Command, c)
		if !ok {
			return false
		}
		inner := p.Command
		inner.Remote = false // the rule names where it runs
		inner.Fed = inner.Fed && !(sub.endsInAny() && onlyReads.MatchString(c.name))
		if why := j.rest(&inner, named, false); why != "" {
			p.Why = why + ", which rule `" + r.rule.Text + "` does not cover"
			return false
		}
		p.Verdict, p.Why, p.Rule = Allow, r.rule.says(), r.rule.Text
		return true
	})
}
