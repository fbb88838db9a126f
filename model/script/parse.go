package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/model"
)

// Section finds the script in a file: the "model" section of a txtar archive,
// or the whole text if it has no such section.
func Section(text string) string {
	var section strings.Builder
	inside, found := false, false
	for line := range strings.Lines(text) {
		if name, ok := sectionName(line); ok {
			inside = name == "model"
			found = found || inside
			continue
		}
		if inside {
			section.WriteString(line)
		}
	}
	if !found {
		return text
	}
	return section.String()
}

// sectionName reads a line of the form "-- name --".
func sectionName(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n")
	name, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok && strings.TrimSpace(name) != ""
}

// parser reads lines and remembers where it is, for errors.
type parser struct {
	lines []string
	at    int // index of the line after the one in hand
	steps []step
	step  step
	begun bool // the step in hand has a line
}

func parse(src string) ([]step, error) {
	p := parser{lines: strings.Split(src, "\n"), step: step{repeat: 1}}
	for p.at < len(p.lines) {
		line := strings.TrimSpace(p.lines[p.at])
		p.at++
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "----") && strings.Trim(line, "-") == "" {
			p.endStep()
			continue
		}
		p.begun = true
		at := p.at
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	if p.begun {
		p.endStep()
	}
	return p.steps, nil
}

func (p *parser) endStep() {
	p.steps = append(p.steps, p.step)
	p.step, p.begun = step{repeat: 1}, false
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "stop":
		return p.stop(rest)
	case "repeat":
		return p.repeat(rest)
	case "call":
		return p.call(rest)
	}
	read := directives[word]
	if read == nil {
		return fmt.Errorf("unknown word %q", word)
	}
	a, err := read(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	p.step.acts = append(p.step.acts, a)
	return nil
}

// directives are the lines that stand for themselves.
var directives = map[string]func(string) (act, error){
	"text":      quotedAct(say),
	"think":     quotedAct(think),
	"want-user": quotedAct(wantUser),
	"want":      wantAct(true),
	"wantnot":   wantAct(false),
	"sleep":     durationAct(wait),
	"pace":      durationAct(pace),
	"usage":     usageAct,
	"error":     errorAct,
	"stall":     stallAct,
}

var stops = map[string]model.StopReason{
	"end_turn":   model.StopEnd,
	"tool_use":   model.StopCalls,
	"max_tokens": model.StopMaxTokens,
	"refusal":    model.StopRefusal,
}

func (p *parser) stop(word string) error {
	reason, ok := stops[word]
	if !ok {
		return fmt.Errorf("stop: unknown reason %q", word)
	}
	p.step.stop = reason
	return nil
}

func (p *parser) repeat(word string) error {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return fmt.Errorf("repeat: %q is no count", word)
	}
	p.step.repeat = n
	return nil
}

func (p *parser) call(rest string) error {
	id, rest, _ := strings.Cut(rest, " ")
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if id == "" || name == "" {
		return fmt.Errorf("call: want ID NAME ARGUMENTS")
	}
	args = strings.TrimSpace(args)
	if end, ok := strings.CutPrefix(args, "<<"); ok {
		raw, err := p.until(strings.TrimSpace(end))
		if err != nil {
			return err
		}
		args = raw
	}
	p.step.calls = true
	p.step.acts = append(p.step.acts, call(id, name, args))
	return nil
}

// until takes the raw lines up to the one that is end.
func (p *parser) until(end string) (string, error) {
	rest := p.lines[p.at:]
	n := slices.IndexFunc(rest, func(line string) bool { return strings.TrimSpace(line) == end })
	if end == "" || n < 0 {
		return "", fmt.Errorf("call: no line %q ends the arguments", end)
	}
	p.at += n + 1
	return strings.Join(rest[:n], "\n"), nil
}

func quotedAct(make func(string) act) func(string) (act, error) {
	return func(rest string) (act, error) {
		text, err := unquote(rest)
		if err != nil {
			return nil, err
		}
		return make(text), nil
	}
}

func wantAct(present bool) func(string) (act, error) {
	return func(rest string) (act, error) {
		id, quoted, _ := strings.Cut(rest, " ")
		text, err := unquote(strings.TrimSpace(quoted))
		if err != nil {
			return nil, err
		}
		return want(id, text, present), nil
	}
}

func durationAct(make func(time.Duration) act) func(string) (act, error) {
	return func(rest string) (act, error) {
		d, err := time.ParseDuration(rest)
		if err != nil {
			return nil, err
		}
		return make(d), nil
	}
}

func stallAct(rest string) (act, error) {
	if rest != "" {
		return nil, fmt.Errorf("takes nothing, not %q", rest)
	}
	return stall, nil
}

func usageAct(rest string) (act, error) {
	var in, out int
	if _, err := fmt.Sscan(rest, &in, &out); err != nil {
		return nil, fmt.Errorf("want two numbers, not %q", rest)
	}
	return usage(in, out), nil
}

var errorKinds = []model.ErrorKind{
	model.ErrSetup, model.ErrAuth, model.ErrInvalid, model.ErrTooLong, model.ErrRateLimit,
	model.ErrOverloaded, model.ErrNetwork, model.ErrStalled, model.ErrProtocol,
}

func errorAct(rest string) (act, error) {
	word, rest, _ := strings.Cut(rest, " ")
	e := model.Error{Kind: model.ErrorKind(word)}
	if !slices.Contains(errorKinds, e.Kind) {
		return nil, fmt.Errorf("unknown kind %q", word)
	}
	quoted, err := strconv.QuotedPrefix(strings.TrimSpace(rest))
	if err != nil {
		return nil, fmt.Errorf("want a quoted message: %w", err)
	}
	e.Message, _ = strconv.Unquote(quoted)
	tail := strings.Fields(strings.TrimPrefix(strings.TrimSpace(rest), quoted))
	switch {
	case len(tail) == 0:
	case len(tail) == 2 && tail[0] == "retry-after":
		if e.RetryAfter, err = time.ParseDuration(tail[1]); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("want retry-after DURATION after the message, not %q", strings.Join(tail, " "))
	}
	return fail(e), nil
}

func unquote(s string) (string, error) {
	text, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("want a Go-quoted text, not %s", s)
	}
	return text, nil
}
