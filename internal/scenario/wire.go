package scenario

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// direction says who speaks in a line of the transcript.
type direction int

const (
	remark   direction = iota // a comment or an empty line: nobody
	sent                      // by the editor, once everything is quiet
	sentAlso                  // by the editor, right behind the line before
	expected                  // by the bridge
)

// line is one line of the transcript.
type line struct {
	dir  direction
	text string // without its arrow; a remark whole
	said saying // of a sent line
}

// saying is what a sent line puts on the wire, or does.
type saying struct {
	action string // without its !; "" is a message
	args   []string
	method string
	id     string // #1 or @1, "" for a notification
	fault  bool   // the answer is an error
	body   string // JSON; may hold $WORK and aliases
}

// any in place of what is not looked at, see matches.
const ellipsis = "…"

func parseWire(text string) ([]line, error) {
	lines := []line{}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		next, err := parseLine(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l, err)
		}
		lines = append(lines, next)
	}
	return lines, nil
}

func parseLine(l string) (line, error) {
	arrow, rest, _ := strings.Cut(l, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case arrow == "" || strings.HasPrefix(arrow, "#"):
		return line{dir: remark, text: l}, nil
	case arrow == "->":
		_, err := readBody(rest)
		return line{dir: expected, text: rest}, err
	case arrow == "<-" || arrow == "<+":
		said, err := parseSaying(rest)
		dir := sent
		if arrow == "<+" {
			dir = sentAlso
		}
		return line{dir: dir, text: rest, said: said}, err
	}
	return line{}, fmt.Errorf("a line begins with <-, <+, -> or #")
}

func (l line) String() string {
	return map[direction]string{remark: "", sent: "<- ", sentAlso: "<+ ", expected: "-> "}[l.dir] + l.text
}

func parseSaying(text string) (s saying, err error) {
	if action, ok := strings.CutPrefix(text, "!"); ok {
		words, err := fields(action)
		if err != nil || len(words) == 0 {
			return s, fmt.Errorf("an action has a name (%v)", err)
		}
		return saying{action: words[0], args: words[1:]}, checkAction(words[0], len(words)-1)
	}
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(word, "@"):
		s.id = word
		s.body, s.fault = strings.CutPrefix(rest, "error ")
	default:
		s.method, s.body = word, rest
		if id, body, _ := strings.Cut(rest, " "); strings.HasPrefix(id, "#") {
			s.id, s.body = id, body
		}
	}
	if s.body != "" && !json.Valid([]byte(s.body)) {
		return s, fmt.Errorf("this is no JSON: %s", s.body)
	}
	return s, nil
}

// split takes a line of the bridge apart: its words (method, ids) and its JSON,
// or the … that stands for it.
func split(text string) (head, body string) {
	if i := strings.IndexAny(text, "{["+ellipsis); i > 0 {
		return strings.TrimSpace(text[:i]), text[i:]
	}
	return text, ""
}

// readBody decodes the JSON of an expected line, in which … may stand bare.
func readBody(text string) (any, error) {
	_, body := split(text)
	if body == "" {
		return nil, nil
	}
	var v any
	if err := json.Unmarshal([]byte(spelledOut(body)), &v); err != nil {
		return nil, fmt.Errorf("this is no JSON: %w", err)
	}
	return v, nil
}

// stringOrAny finds strings, which are left alone, and bare ellipses.
var stringOrAny = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|…`)

// spelledOut makes JSON of bare ellipses: one that stands for further members
// of an object becomes a member, any other a string.
func spelledOut(body string) string {
	var b strings.Builder
	at := 0
	for _, m := range stringOrAny.FindAllStringIndex(body, -1) {
		before, token := body[at:m[0]], body[m[0]:m[1]]
		b.WriteString(before)
		at = m[1]
		object := strings.HasPrefix(strings.TrimSpace(body[at:]), "}") && !strings.HasSuffix(strings.TrimSpace(before), ":")
		switch {
		case token == ellipsis && object:
			b.WriteString(`"…":"…"`)
		case token == ellipsis:
			b.WriteString(`"…"`)
		default:
			b.WriteString(token)
		}
	}
	return b.String() + body[at:]
}
