package search

import (
	"context"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Programs are the absolute paths of programs that search for lines; "" where
// there is none. They are tried in this order. A grep that knows no -P is passed
// over, and so is, for a pattern that takes it, a ripgrep that was built without
// PCRE2.
type Programs struct{ Ripgrep, Grep string }

// engine tells which lines match.
type engine interface {
	name() string
	// files looks through what the query asks for, but its unsaved files, and has
	// quoters tell.
	files(ctx context.Context, s *lineSearch) error
	// text looks through a text, and passes on each line once, in order.
	text(ctx context.Context, text string, line func(n int) error) error
}

// PatternError is a pattern that the engine cannot take; Text is what it says.
type PatternError struct{ Engine, Text string }

func (e *PatternError) Error() string { return e.Engine + ": " + e.Text }

// choose takes the first engine that knows the pattern. A program that could know
// it and does not has the last word: what another would make of it may not be what
// was meant.
func choose(ctx context.Context, q Query) (engine, error) {
	if strings.Contains(q.Pattern, "\n") {
		return nil, &PatternError{Text: "the pattern has a line end in it, but lines are looked at one by one"}
	}
	for _, p := range programs(q) {
		said, err := p.try(ctx, p.written)
		if err != nil {
			continue // it cannot be started
		}
		if said == "" && p.takes(ctx) {
			return p, nil
		}
		if said != "" && p.able != "" && p.knows(ctx) {
			return nil, &PatternError{Engine: p.called, Text: said}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return builtIn(q.Pattern)
}

func builtIn(pattern string) (engine, error) {
	if _, err := regexp.Compile(pattern); err != nil { // whose words are about what was written
		return nil, &PatternError{Engine: builtInName, Text: err.Error()}
	}
	pattern = spelled(pattern, false)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, &PatternError{Engine: builtInName, Text: err.Error()}
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, &PatternError{Engine: builtInName, Text: err.Error()}
	}
	must, all := required(tree.Simplify())
	b := &builtin{re: re, must: []byte(must)}
	if all {
		b.re = nil
	}
	return b, nil
}

// required is a text that every match has, the longest that is easily seen, and
// whether that is all there is to a match.
func required(re *syntax.Regexp) (text string, all bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune), true
		}
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		text, _ = required(re.Sub[0])
		return text, false
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t, _ := required(sub); len(t) > len(text) {
				text = t
			}
		}
	}
	return text, false
}
